"""What must not be shown: the profile, real contact data; and the canary that every file carries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from utb_inspect.analysis.profile_text import is_sensitive
from utb_inspect.checks.finding import INFO, Finding, found, profile_file, short
from utb_inspect.checks.shown import all_shown
from utb_inspect.datasets.dataset import Dataset
from utb_inspect.datasets.files import read_json
from utb_inspect.trajectory.text import leaves

PROFILE_WORDS = 8
"""Words of a profile that must not stand in a row in what a model sees."""
SENSITIVE_WORDS = 3
"""The same for a sensitive field, when two of the words carry meaning."""

_FUNCTION_WORDS = frozenset(
    """a about after again all also am an and any are as at be been before but by can could did do does for from had has
    have her him his i if in into is it its just me more most my no none not now of off old on one only or other our out
    over own since so some still than that the their them then there they this to too twice under until up was we were
    when where which who will with without year years you your""".split()
)
_WORD = re.compile(r"\w+")
_EMAIL = re.compile(r"[\w.+-]+@([\w-]+(?:\.[\w-]+)+)")
_INVENTED = re.compile(r"(?:^|\.)example\.(?:org|com|net)$", re.IGNORECASE)
_PHONE = re.compile(r"(?<![\w.:-])(?:\+\d{1,3}|\(?0\d{2,4}\)?)(?:[ -]?\(?\d{1,}\)?){2,}(?![\w:-])")
_CLOCK = re.compile(r"(?:[01]\d|2[0-3])[0-5]\d")
_LEAST_DIGITS = 9


def no_profile_text_is_shown(dataset: Dataset) -> Iterator[Finding]:
    """Eight words in a row of the profile, or three of a sensitive field, stand in nothing that a model sees.

    Three words count when two of them carry meaning; a sensitive text of one or two words counts whole.
    """
    for profile, turns in dataset.by_profile.items():
        runs = _runs(dataset.profiles[profile].fields)
        sizes = sorted({len(run) for run in runs})
        for turn in turns:
            told: set[str] = set()
            for text in all_shown(turn.turn):
                said = _words(text.text)
                for size in sizes:
                    for i in range(len(said) - size + 1):
                        field = runs.get(tuple(said[i : i + size]))
                        if field is not None and field not in told:
                            told.add(field)
                            run = " ".join(said[i : i + size])
                            yield found(turn, f"{text.kind}: '{run}' stands in the profile's {field}")


def _runs(fields: dict[str, Any]) -> dict[tuple[str, ...], str]:
    """The runs of words that must not be shown, with the field that they are of."""
    runs: dict[tuple[str, ...], str] = {}
    for field, content in fields.items():
        sensitive = is_sensitive(field)
        for text in leaves(content):
            words = _words(text) if isinstance(text, str) else []
            size = min(SENSITIVE_WORDS, len(words)) if sensitive else PROFILE_WORDS
            for i in range(len(words) - size + 1 if size else 0):
                run = tuple(words[i : i + size])
                meaning = sum(word not in _FUNCTION_WORDS for word in run)
                if not sensitive or meaning >= min(2, size):
                    runs.setdefault(run, field)
    return runs


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold().replace("’", "'"))


def contact_data_is_invented(dataset: Dataset) -> Iterator[Finding]:
    """E-mail addresses end in example.org, .com or .net, and telephone numbers hold 555, in profiles too."""
    for profile in dataset.profiles.values():
        for text in leaves(profile.fields):
            for reason in _real(str(text)):
                yield Finding(profile_file(profile.id), None, reason)
    for turn in dataset.turns:
        for text_ in all_shown(turn.turn):
            for reason in _real(text_.text):
                yield found(turn, f"{text_.kind}: {reason}")


def _real(text: str) -> Iterator[str]:
    for match in _EMAIL.finditer(text):
        if not _INVENTED.search(match[1]):
            yield f"{match[0]} is no example.org address"
    for match in _PHONE.finditer(text):
        groups = re.findall(r"\d+", match[0])
        digits = "".join(groups)
        if all(map(_CLOCK.fullmatch, groups)):  # "0900 1200 1600"
            continue
        if len(digits) >= _LEAST_DIGITS and "555" not in digits:
            yield f"{short(match[0])} reads as a telephone number without 555"


def every_file_carries_the_canary(folder: Path) -> Iterator[Finding]:
    """Every file of a dataset's folder carries its canary."""
    canary = _canary(folder / INFO)
    if not canary:
        yield Finding(INFO, None, "has no canary")
        return
    for pattern in ("profiles/*.json", "toolsets/*.json", "topics/*/*.json"):
        for file in sorted(folder.glob(pattern)):
            if _canary(file) != canary:
                yield Finding(file.relative_to(folder).as_posix(), None, f"does not carry the canary of {INFO}")


def _canary(file: Path) -> str | None:
    try:
        data = read_json(file, strict=False)
    except ValueError:
        return None
    canary = data.get("canary") if isinstance(data, dict) else None
    return canary if isinstance(canary, str) else None
