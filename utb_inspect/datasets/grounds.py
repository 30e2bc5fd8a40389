"""Grounds of public rows, which have none: told by where a value stands (spec section 2)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any

from utb_inspect.schema import AskStep, Basis, CallStep, Ground, Path, Turn
from utb_inspect.trajectory.calls import Tools
from utb_inspect.trajectory.moments import read_moment
from utb_inspect.trajectory.text import has_word, leaves, normalise, numbers


class Shown:
    """Texts and decoded JSON, indexed: whether values stand in them, as `stands` has it.

    `stands` reads its source anew for each value; a profile's history is asked for thousands.
    """

    def __init__(self, *values: Any) -> None:
        self._texts: list[str] = []
        self._numbers: set[Decimal] = set()
        self.add(*values)

    def add(self, *values: Any) -> None:
        for value in values:
            found = leaves(value)
            # The mark keeps a value from standing across two of them.
            self._texts.append(" ‖ ".join(normalise(str(leaf)) for leaf in found))
            for leaf in found:
                self._numbers.update(numbers(leaf) if isinstance(leaf, str) else [Decimal(str(leaf))])

    def holds(self, value: Any) -> bool:
        match value:
            case None | bool():
                return False
            case str():
                plain = normalise(value)
                return bool(plain) and any(plain in text and has_word(plain, text) for text in self._texts)
            case int() | float():
                return Decimal(str(value)) in self._numbers
            case list():
                return bool(value) and all(map(self.holds, value))
            case dict():
                return bool(value) and all(map(self.holds, value.values()))
        return False


def shown_of(turn: Turn) -> list[Any]:
    """What a model is shown of an earlier turn: request, calls, observations, questions, replies and answer."""
    shown: list[Any] = [turn.request]
    for step in turn.reference:
        match step:
            case CallStep():
                shown.append([step.arguments, step.observation])
            case AskStep():
                shown.append([step.message, step.reply])
            case _:
                shown.append(step.answer)
    return shown


def ground_steps(request: str, path: Path, tools: Tools, history: Shown) -> dict[str, dict[str, Ground]]:
    """Call step to the grounds of its arguments."""
    asked, replies = Shown(request), Shown()
    observed: dict[str, Shown] = {}
    grounds: dict[str, dict[str, Ground]] = {}
    for step in path.steps:
        if isinstance(step, AskStep):
            replies.add(step.reply)
        elif isinstance(step, CallStep):
            # The nearest step first: it is the one that a value was most likely taken from.
            sources = {call: observed[call] for call in reversed(observed) if call in path.before(step.id)}
            grounds[step.id] = {
                argument: _ground(given, asked, replies, sources, history)
                for argument, values in argument_values(step.arguments, tools[step.call].technical).items()
                if (given := [value for value in values if value is not None])
            }
            observed[step.id] = Shown(step.observation)
    return grounds


def _ground(values: list[Any], request: Shown, replies: Shown, observed: Mapping[str, Shown], history: Shown) -> Ground:
    value = values[0] if len(values) == 1 else values
    if request.holds(value):
        return Ground(basis="request")
    if replies.holds(value):
        return Ground(basis="reply")
    if source := next((step for step, shown in observed.items() if shown.holds(value)), None):
        return Ground(basis="observation", from_=source)
    basis: Basis = "environment" if _is_moment(value) else "history" if history.holds(value) else "preference"
    return Ground(basis=basis)


def _is_moment(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(map(_is_moment, value))
    return isinstance(value, str) and read_moment(value) is not None


def argument_values(arguments: Mapping[str, Any], technical: Collection[str]) -> dict[str, list[Any]]:
    """The places of arguments that hold a decision, as grounds name them, with their values.

    A place is a dotted path (`filters.stars`, `stops[].name`); one inside a list of objects has a value for each.
    """
    found: dict[str, list[Any]] = {}
    for name, value in arguments.items():
        _visit(name, value, technical, found)
    return found


def _visit(path: str, value: Any, technical: Collection[str], found: dict[str, list[Any]]) -> None:
    if path in technical:
        return
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            _visit(f"{path}.{name}", inner, technical, found)
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        for item in value:
            _visit(f"{path}[]", item, technical, found)
    else:
        found.setdefault(path, []).append(value)


def ground_at(grounds: Mapping[str, Ground], path: str) -> Ground | None:
    """The ground of a place: its own, else its nearest parent's."""
    return next((grounds[place] for place in _itself_and_parents(path) if place in grounds), None)


def _itself_and_parents(path: str) -> list[str]:
    """`a.b[].c`, then `a.b[]`, `a.b` and `a`."""
    ends = {place for found in re.finditer(r"\.|\[\]|$", path) for place in (found.start(), found.end())}
    return sorted({path[:end].rstrip(".") for end in ends}, key=len, reverse=True)
