"""Values as words: the one place where a number of a comparison becomes text, so that all formats agree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from utb_inspect.compare.report import Column, Kind, Report, Section, Table
from utb_inspect.foreign_text import MISLEADING

UNITS: dict[Kind, str] = {"share": "%", "difference": "points", "points": "points", "seconds": "s", "usd": "USD"}
KEY = (
    "Shares are in percent, differences in percentage points. 95 % intervals stand in brackets. "
    "An empty cell is a figure that is not to be had."
)
REFERENCE = "Published figures, on other data: they are not ranked with the runs."
LEFT: frozenset[Kind] = frozenset(("text", "link"))
"""Kinds that are words; all others are numbers and set flush right."""


@dataclass(frozen=True)
class Cell:
    """A value to show: its text, its interval's text (often empty), and the number itself for sorting and drawing."""

    text: str
    interval: str = ""
    number: float | None = None

    def __str__(self) -> str:
        return f"{self.text} {self.interval}".rstrip()


def plain(value: object) -> str:
    """Text from anywhere on one line, without characters that steer a terminal or a page."""
    return MISLEADING.sub("\ufffd", " ".join(str(value).split()))


def number(value: Any) -> float | None:
    """A figure, or None where there is none: missing, not a number, or infinite."""
    if value is None or value is pd.NA:
        return None
    found = float(value)
    return found if math.isfinite(found) else None


def shown(value: Any, kind: Kind) -> str:
    """A value as text, without its unit; empty where it is missing."""
    if kind in LEFT:
        return "" if value is None or value is pd.NA or value != value else plain(value)
    found = number(value)
    if found is None:
        return ""
    match kind:
        case "share" | "points":
            return _fixed(100 * found, 2)
        case "difference":
            text = _fixed(100 * found, 2)
            return text if float(text) <= 0 else f"+{text}"
        case "p":
            return _fixed(found, 3, small=True)
        case "usd":
            return _fixed(found, 4 if abs(found) < 1 else 2, small=True)
        case "count" | "tokens":
            return _fixed(found, 0)
        case _:
            return _fixed(found, 2, small=kind == "seconds")


def _fixed(value: float, places: int, *, small: bool = False) -> str:
    """With as many places; `small`: what is above zero never reads as zero."""
    text = f"{value:,.{places}f}"
    if float(text.replace(",", "")) == 0:
        return f"<{10**-places:.{places}f}" if small and value > 0 else text.removeprefix("-")
    return text


def title(table: Table) -> str:
    """A table's title, with the unit where most of its numbers have it and none has another."""
    return _with_unit(table.title, _shared_kind(table.columns))


def headings(table: Table) -> list[str]:
    """The columns' headings, each with its unit unless the title has it."""
    shared = _shared_kind(table.columns)
    return [plain(column.label) if column.kind == shared else heading(column) for column in table.columns]


def heading(column: Column) -> str:
    """A column's heading with its unit."""
    return _with_unit(column.label, column.kind)


def _with_unit(text: str, kind: Kind | None) -> str:
    return f"{plain(text)} ({UNITS[kind]})" if kind in UNITS else plain(text)


def _shared_kind(columns: Sequence[Column]) -> Kind | None:
    numbers = [column.kind for column in columns if column.kind not in LEFT]
    with_unit = [kind for kind in numbers if kind in UNITS]
    return with_unit[0] if len(set(with_unit)) == 1 and 2 * len(with_unit) > len(numbers) else None


def cells(table: Table) -> list[list[Cell]]:
    """A table's rows as cells, a cell a column."""
    return [[_cell(row, column) for column in table.columns] for row in table.frame.to_dict("records")]


def _cell(row: dict[Any, Any], column: Column) -> Cell:
    value = row[column.key]
    text = shown(value, column.kind)
    if column.kind in LEFT:
        return Cell(text)
    interval = ""
    if column.interval and text:
        bounds = [shown(row[f"{column.key}_{end}"], column.kind) for end in ("low", "high")]
        interval = f"[{bounds[0]}, {bounds[1]}]" if all(bounds) else ""
    return Cell(text, interval, number(value))


def table_notes(table: Table) -> list[str]:
    """The sentences that stand with a table."""
    notes = [REFERENCE] if table.reference else []
    return [*notes, plain(table.note)] if table.note else notes


def section_words(section: Section) -> list[str]:
    return [plain(sentence) for sentence in section.text]


def all_signatures(report: Report) -> list[str]:
    """Every signature of a report once, in order of appearance."""
    found: Sequence[str] = [plain(signature) for table in report.tables for signature in table.signatures]
    return list(dict.fromkeys(found))
