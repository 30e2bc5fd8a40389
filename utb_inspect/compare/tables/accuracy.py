"""Accuracy as the paper's tables 4 and 5 have it, relaxed minus exact, and the counts behind (spec section 5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, get_args

import pandas as pd

from utb_inspect.compare.intervals import Interval, clustered_interval, mean_interval
from utb_inspect.compare.report import Column, Kind, Table
from utb_inspect.compare.tables.making import MODEL, TURNS, made, profiles_of
from utb_inspect.compare.tables.view import EXACT, RELAXED, Measure, View
from utb_inspect.schema import AVERAGED, Third

PARTS: Mapping[str, tuple[str, str | None]] = {
    "single_tool": ("ST", "task_type"),
    "multi_tool": ("MT", "task_type"),
    "lack_of_information": ("LOI", "task_type"),
    "first": ("First", "third"),
    "middle": ("Middle", "third"),
    "last": ("Last", "third"),
    "average": ("Average", None),
    "chat": ("Chat", "task_type"),
    "all": ("All turns", None),
}
"""Figures of a row, in order: heading, and the column of the samples whose value is the figure's name."""
Way = Literal["profiles", "pooled"]

_WAYS: Mapping[Way, tuple[Callable[..., Interval], str]] = {
    "profiles": (mean_interval, "Means over profiles, with 95 % intervals over the profiles."),
    "pooled": (clustered_interval, "All turns pooled, with 95 % intervals clustered by profile."),
}
_PARTS_NOTE = (
    "ST, MT, LOI: single-tool, multi-tool and lack-of-information turns; their unweighted mean is the average, where "
    "all three were run. First, Middle, Last: thirds of a profile's turns, with all task types that were run. Chat "
    "stands outside the average. Over scored turns, empty where there are none; of several epochs, a turn counts with "
    "its mean."
)


def figure(turns: pd.DataFrame, key: str, part: str, way: Way = "profiles") -> Interval:
    """A figure of `PARTS` over a column of a system's turns; NaN where there is no turn.

    Args:
        turns: Turns of one system (`View.turns`).
        key: Column to average: a verdict.
        part: Name in `PARTS`.
        way: Over profiles, or pooled.
    """
    interval = _WAYS[way][0]
    rows = turns_of(turns, part)
    groups = rows["task_type"].tolist() if part == "average" else None
    return interval(rows[key], profiles_of(rows), groups)


def turns_of(turns: pd.DataFrame, part: str) -> pd.DataFrame:
    """The turns that a figure is over; none for an average that lacks a task type."""
    if part == "all":
        return turns
    if part == "average":
        rows = turns[turns["task_type"].isin(AVERAGED)]
        return rows if rows["task_type"].nunique() == len(AVERAGED) else rows.iloc[:0]
    return turns[turns[PARTS[part][1]] == part]


def headline_part(view: View) -> str:
    """`average` where every system that has scored turns has it, else `all`."""
    return "all" if _lacking(view, AVERAGED) else "average"


def lacking_words(view: View) -> list[str]:
    """Why the headline is over all turns, and why thirds are empty; a sentence each, none where they are not."""
    found = []
    if lacking := _lacking(view, AVERAGED):
        found.append(
            f"Headline figures are over all turns, not the paper's average. Without scored turns of {lacking}."
        )
    if lacking := _lacking(view, get_args(Third)):
        found.append(f"Figures of thirds are empty without scored turns of {lacking}.")
    return found


def _lacking(view: View, parts: Sequence[str]) -> str:
    """Systems with scored turns that lack some of these parts, by what they lack: `MT, LOI: a, b; ST: c`."""
    found: dict[str, list[str]] = {}
    for system, turns in view.turns_of.items():
        lacking = [PARTS[part][0] for part in parts if turns_of(turns, part).empty]
        if len(turns) and lacking:
            found.setdefault(", ".join(lacking), []).append(system)
    return "; ".join(f"{headings}: {', '.join(systems)}" for headings, systems in found.items())


def headline_table(view: View) -> Table:
    """The average and all turns, by each verdict: a row a system and verdict."""
    rows = [
        {
            "model": system,
            "verdict": measure.label,
            "turns": len(turns),
            "profiles": turns["profile"].nunique(),
            **{part: figure(turns, measure.key, part) for part in ("average", "all")},
            **{f"{part}_pooled": figure(turns, measure.key, part, "pooled") for part in ("average", "all")},
        }
        for system, turns in view.turns_of.items()
        for measure in view.measures
    ]
    columns = [
        MODEL,
        Column("verdict", "Verdict", "text"),
        TURNS,
        Column("profiles", "Profiles", "count"),
        Column("average", "Average", interval=True),
        Column("all", "All turns", interval=True),
        Column("average_pooled", "Average, pooled", interval=True),
        Column("all_pooled", "All turns, pooled", interval=True),
    ]
    note = (
        "Average: unweighted mean of single-tool, multi-tool and lack-of-information turns, where all three were run. "
        "Means over profiles, then the same with all turns pooled; the last column is Inspect's `accuracy`."
    )
    return made(view.signatures, "headline", "Accuracy in short", columns, rows, note)


def accuracy_tables(view: View) -> list[Table]:
    """Tables 4 and 5, each as means over profiles and pooled, and the number of turns in each of their columns."""
    tables = [_accuracy(view, measure, way) for measure in view.measures for way in _WAYS]
    return [*tables, _counts(view)]


def gap_table(view: View) -> Table:
    """Exact, relaxed, and relaxed minus exact by the columns of tables 4 and 5."""
    turns = view.turns.assign(gap=view.turns["relaxed"] - view.turns["exact"])
    headline = headline_part(view)
    rows = [
        {
            "model": system,
            "turns": len(own),
            **{measure.key: figure(own, measure.key, headline) for measure in (EXACT, RELAXED)},
            **{part: figure(own, "gap", part) for part in PARTS},
        }
        for system, own in view.by_system(turns).items()
    ]
    heading = PARTS[headline][0].lower()
    columns = [
        MODEL,
        TURNS,
        *(Column(measure.key, f"{measure.label}, {heading}", interval=True) for measure in (EXACT, RELAXED)),
        *_part_columns("difference"),
    ]
    note = (
        f"Relaxed minus exact: the share of turns that are relaxed and not exact. {_WAYS['profiles'][1]} {_PARTS_NOTE}"
    )
    return made(view.signatures, "gap", "Relaxed minus exact", columns, rows, note)


def _accuracy(view: View, measure: Measure, way: Way) -> Table:
    rows = [
        {"model": system, **{part: figure(turns, measure.key, part, way) for part in PARTS}, "turns": len(turns)}
        for system, turns in view.turns_of.items()
    ]
    columns = [MODEL, *_part_columns("share"), TURNS]
    suffix, words = ("", "") if way == "profiles" else ("_pooled", ", pooled")
    title = f"{measure.label} accuracy{words}"
    return made(
        view.signatures, f"accuracy_{measure.key}{suffix}", title, columns, rows, f"{_WAYS[way][1]} {_PARTS_NOTE}"
    )


def _counts(view: View) -> Table:
    rows = [
        {"model": system, **{part: len(turns_of(turns, part)) for part in PARTS}}
        for system, turns in view.turns_of.items()
    ]
    columns = [MODEL, *(Column(part, PARTS[part][0], "count") for part in PARTS)]
    note = "Scored turns behind each column of the tables above; epochs of a turn count once."
    return made(view.signatures, "accuracy_turns", "Turns behind the accuracies", columns, rows, note)


def _part_columns(kind: Kind) -> list[Column]:
    return [Column(part, heading, kind, interval=True) for part, (heading, _) in PARTS.items()]
