"""The values of reference arguments, each with its ground and its place in the schema."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from utb_inspect.checks.finding import Finding, Place, call_steps
from utb_inspect.datasets.dataset import Dataset
from utb_inspect.datasets.grounds import argument_values, ground_at
from utb_inspect.schema import Ground
from utb_inspect.trajectory.json_schema import SchemaView
from utb_inspect.trajectory.moments import Moment, read_moment
from utb_inspect.trajectory.text import leaves, stands

_DAY = 86_400_000_000


@dataclass(frozen=True)
class Value:
    """What a place of a reference call's arguments holds."""

    place: Place
    argument: str
    """Dotted, as grounds name it."""
    value: Any
    """A scalar or a list of scalars."""
    ground: Ground
    view: SchemaView

    @property
    def strings(self) -> list[str]:
        items = self.value if isinstance(self.value, list) else [self.value]
        return [item for item in items if isinstance(item, str)]

    @property
    def is_coded(self) -> bool:
        """Whether the schema fixes how the value is written."""
        inner = self.view.item() if isinstance(self.value, list) else self.view
        return inner.has("enum", "const", "pattern", "format")

    @property
    def spellings(self) -> list[Any]:
        """The value and what the ground accepts in its place."""
        return [self.value, *(value for value in self.ground.accept if value is not None)]

    def found(self, reason: str) -> Finding:
        return self.place.found(self.argument, reason)


def reference_values(dataset: Dataset) -> Iterator[Value]:
    """Every value that carries a decision, of all paths of all turns."""
    for turn in dataset.turns:
        tools = dataset.tools(turn.topic.toolset)
        for place in call_steps(turn):
            tool = tools[place.step.call]
            for argument, values in argument_values(place.step.arguments, tool.technical).items():
                ground = ground_at(place.step.grounds, argument)
                assert ground is not None  # asked when the dataset is loaded
                view = view_at(tool.schema.view, argument)
                for value in values:
                    yield Value(place, argument, value, ground, view)


def view_at(view: SchemaView, argument: str) -> SchemaView:
    """The place of a dotted argument in a tool's schema."""
    for part in argument.split("."):
        view = view.child(part.rstrip("[]"))
        for _ in range(part.count("[]")):
            view = view.item()
    return view


def is_in(value: Any, source: Any) -> bool:
    """Whether a value stands in decoded JSON or text, dates and times by what they denote.

    A date is held by a date-time of that day, a time of day by one of that hour. Booleans and null stand nowhere, and
    count as held.
    """
    match value:
        case None | bool():
            return True
        case list():
            return all(is_in(item, source) for item in value)
        case dict():
            return all(is_in(item, source) for item in value.values())
        case str() if (moment := read_moment(value)) is not None:
            return stands(value, source) or any(
                _denotes(moment, other)
                for leaf in leaves(source)
                if isinstance(leaf, str) and (other := read_moment(leaf)) is not None
            )
        case _:
            return stands(value, source)


def _denotes(wanted: Moment, held: Moment) -> bool:
    if wanted.dated and held.dated:
        same = wanted.microseconds == held.microseconds
        is_date = wanted.microseconds % _DAY == 0
        return same or (is_date and wanted.microseconds == held.microseconds // _DAY * _DAY)
    return not wanted.dated and wanted.microseconds == held.microseconds % _DAY
