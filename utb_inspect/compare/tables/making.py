"""Tables put together from rows of plain values and intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from utb_inspect.compare.intervals import Interval, clustered_interval, mean_interval
from utb_inspect.compare.report import Column, Table
from utb_inspect.compare.tables.view import View

Row = Mapping[str, Any]

MODEL = Column("model", "Model", "text")
TURNS = Column("turns", "Scored turns", "count")


def system_columns(views: Sequence[tuple[str, View]]) -> list[Column]:
    """What names a system among groups of runs: its model, and the group where there are several."""
    return [MODEL, *([Column("group", "Group", "text")] if len(views) > 1 else [])]


def signatures_of(views: Sequence[tuple[str, View]]) -> list[str]:
    """The signatures of all groups, each once."""
    return list(dict.fromkeys(signature for _, view in views for signature in view.signatures))


def made(
    signatures: Sequence[str], name: str, title: str, columns: Sequence[Column], rows: Sequence[Row], note: str = ""
) -> Table:
    """A table of rows; a row's `Interval` gives a column's value and, where the column has one, its interval."""
    keys = [key for column in columns for key in _keys(column)]
    frame = pd.DataFrame([_flat(row) for row in rows], columns=keys)
    return Table(name, title, list(columns), frame, note, list(signatures))


def _keys(column: Column) -> list[str]:
    return [column.key, *(f"{column.key}_{end}" for end in ("low", "high") if column.interval)]


def _flat(row: Row) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, Interval):
            flat |= {key: value.estimate, f"{key}_low": value.low, f"{key}_high": value.high}
        else:
            flat[key] = value
    return flat


def verdict_columns(view: View) -> list[Column]:
    """A column a verdict as a mean over profiles, then one as a pooled mean; `verdict_figures` fills them."""
    return [
        *(Column(measure.key, measure.label, interval=True) for measure in view.measures),
        *(Column(f"{measure.key}_pooled", f"{measure.label}, pooled") for measure in view.measures),
    ]


def verdict_figures(view: View, rows: pd.DataFrame) -> dict[str, Any]:
    keys = [measure.key for measure in view.measures]
    return {key: over_profiles(rows, key) for key in keys} | {f"{key}_pooled": rows[key].mean() for key in keys}


def over_profiles(rows: pd.DataFrame, key: str) -> Interval:
    """The mean over profiles of a column's means, with its interval."""
    return mean_interval(rows[key], profiles_of(rows))


def pooled(rows: pd.DataFrame, key: str) -> Interval:
    """The mean of a column, with an interval clustered by profile."""
    return clustered_interval(rows[key], profiles_of(rows))


def profiles_of(rows: pd.DataFrame) -> list[str]:
    return [str(profile) for profile in rows["profile"]]


def ratio(part: float, whole: float) -> float | None:
    """A share or a rate; None of nothing."""
    return part / whole if whole else None
