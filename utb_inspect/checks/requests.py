"""Requests: what they must not say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from utb_inspect.checks.finding import Finding, found, short
from utb_inspect.checks.values import Value, reference_values
from utb_inspect.datasets.dataset import Dataset, PlacedTurn
from utb_inspect.datasets.public_tools import name_words
from utb_inspect.trajectory.text import has_word, words

_NEXT_WEEKDAY = re.compile(
    r"\bnext (?:mon|tue|tues|wed|weds|thu|thur|thurs|fri|sat|sun|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)


def requests_name_no_tool(dataset: Dataset) -> Iterator[Finding]:
    """A request, or a reply, holds no name of a tool of its toolset, neither as written nor word by word."""
    for turn in dataset.turns:
        for tool in turn.toolset.tools:
            parts = name_words(tool.name)
            for text in _said_by_user(turn):
                spaced = f" {' '.join(words(text))} "
                if re.search(rf"(?<!\w){re.escape(tool.name)}(?!\w)", text) and len(parts) > 1:
                    yield found(turn, f"{short(text)} names the tool '{tool.name}'")
                elif len(parts) > 1 and f" {' '.join(parts)} " in spaced:
                    yield found(turn, f"{short(text)} names the tool '{tool.name}' word by word")


def requests_leak_no_omitted_value(dataset: Dataset) -> Iterator[Finding]:
    """A string that the grounds say comes from history, preference or a reply does not stand in the request.

    Nor does an accepted spelling. An enum value with `_` or `-` counts in plain words too. Numbers and booleans are not
    asked; neither is a string that another argument of the turn has from the request itself.
    """
    stated: dict[str, set[str]] = {}
    for value in reference_values(dataset):
        if value.ground.basis in ("request", "environment"):
            stated.setdefault(value.place.turn.id, set()).update(text.casefold() for text in value.strings)
    told: set[tuple[str, str, str]] = set()
    for value in reference_values(dataset):
        turn = value.place.turn
        if value.ground.basis not in ("history", "preference", "reply"):
            continue
        for text in _said(value, turn.turn.request):
            key = (turn.id, value.argument, text)
            if text.casefold() not in stated.get(turn.id, set()) and key not in told:
                told.add(key)
                yield value.found(f"its basis is {value.ground.basis}, but {short(text)} stands in the request")


def _said(value: Value, request: str) -> Iterator[str]:
    for text in [*value.strings, *(text for text in value.ground.accept if isinstance(text, str))]:
        plain = re.sub(r"[_-]+", " ", text) if value.is_coded else text
        if any(character.isalnum() for character in text) and (has_word(text, request) or has_word(plain, request)):
            yield text


def no_next_weekday(dataset: Dataset) -> Iterator[Finding]:
    """Nobody says "next Friday", which is read in two ways."""
    for turn in dataset.turns:
        for text in _said_by_user(turn):
            for match in _NEXT_WEEKDAY.finditer(text):
                yield found(turn, f"'{match[0]}' is read in two ways; give the date, or say this or the week after")


def _said_by_user(turn: PlacedTurn) -> list[str]:
    """The request and the replies of all paths, each text once."""
    return list(dict.fromkeys([turn.turn.request, *(ask.reply for path in turn.turn.paths for ask in path.asks)]))
