"""Values made up from a tool's schema alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from utb_inspect.trajectory.json_schema import MISSING, SchemaView

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_CLOCK = re.compile(r"\b(\d{1,2}):(\d{2})\b")
_NUMBER = re.compile(r"\d+")


def guess(view: SchemaView) -> Any:
    """A value that a schema allows: its default, else its first enum value, else something of its type."""
    if (default := view.default) is not MISSING:
        return default
    if (values := view.get("enum")) or (values := view.get("examples")):
        return values[0]
    if view.has("const"):
        return view.get("const")
    match value_type(view):
        case "integer" | "number":
            low, high = view.get("minimum"), view.get("maximum")
            return low if low is not None else min(1, high if high is not None else 1)
        case "boolean":
            return False
        case "array":
            return [guess(view.item())] * (view.get("minItems") or 0)
        case "object":
            return {name: guess(view.child(name)) for name in view.get("required") or ()}
        case "null":
            return None
        case _:
            return "any"


def value_type(view: SchemaView) -> str | None:
    """The type that a schema declares, the first when there are several; an object also by its properties."""
    declared = view.get("type")
    if isinstance(declared, list):
        declared = next((name for name in declared if name != "null"), None)
    return "object" if declared is None and view.has("properties") else declared


def other_values(value: Any, view: SchemaView) -> Iterator[Any]:
    """Values in place of another: of its kind, and not the same."""
    if (values := view.get("enum")) is not None:
        yield from (other for other in values if other != value)
        return
    match value:
        case bool():
            yield not value
        case int() | float():
            yield value + 1
            yield value - 1
        case str():
            yield from _other_texts(value)
        case [*items, last]:
            yield from ([*items, other] for other in other_values(last, view.item()))
            if items:
                yield items
        case dict():
            for name, inner in value.items():
                yield from ({**value, name: other} for other in other_values(inner, view.child(name)))


def _other_texts(text: str) -> Iterator[str]:
    if found := _DATE.search(text):
        try:
            later = date.fromisoformat(found[0]) + timedelta(days=2)
        except (ValueError, OverflowError):
            later = date(2001, 1, 1)
        yield f"{text[: found.start()]}{later.isoformat()}{text[found.end() :]}"
    elif found := _CLOCK.search(text):
        yield f"{text[: found.start()]}{(int(found[1]) + 2) % 24:02}:{found[2]}{text[found.end() :]}"
    elif found := _NUMBER.search(text):
        yield f"{text[: found.start()]}{int(found[0]) + 1}{text[found.end() :]}"
    yield "something else"
