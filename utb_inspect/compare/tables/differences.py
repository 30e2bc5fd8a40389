"""Where systems differ: the turns that one gets right and another does not."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pandas as pd

from utb_inspect.compare.links import SampleLinks
from utb_inspect.compare.report import Column, Table
from utb_inspect.compare.tables.kinds import kinds_found
from utb_inspect.compare.tables.making import MODEL, made
from utb_inspect.compare.tables.view import View
from utb_inspect.datasets.files import natural_key
from utb_inspect.trajectory.verdict import LABELS


def difference_tables(view: View, links: SampleLinks) -> list[Table]:
    """How often each pair differs, by task type, and every turn on which any two differ; none of a single system."""
    return [_counts(view), _turns(view, links)] if len(view.systems) > 1 else []


def _counts(view: View) -> Table:
    verdicts = _right(view)
    task_type = view.turns.drop_duplicates("sample").set_index("sample")["task_type"].reindex(verdicts.index)
    rows = []
    for kind in kinds_found(view.rows, "task_type"):
        of_kind = verdicts[task_type == kind].to_numpy()
        right, wrong = (of_kind == 1).astype(int), (of_kind == 0).astype(int)
        # Turns by system and system: how often the one is so and the other so.
        both, one, neither = right.T @ right, right.T @ wrong, wrong.T @ wrong
        for first, second in combinations(range(len(view.systems)), 2):
            counts = [both[first, second], one[first, second], one[second, first], neither[first, second]]
            rows.append(
                {
                    "first": view.systems[first],
                    "second": view.systems[second],
                    "task_type": kind,
                    "turns": sum(counts),
                    **dict(zip(("both", "first_only", "second_only", "neither"), counts, strict=True)),
                }
            )
    order = {system: index for index, system in enumerate(view.systems)}
    rows.sort(key=lambda row: (order[row["first"]], order[row["second"]]))
    columns = [
        Column("first", "First", "text"),
        Column("second", "Second", "text"),
        Column("task_type", "Task type", "text"),
        Column("turns", "Turns of both", "count"),
        Column("both", "Both right", "count"),
        Column("first_only", "Only first", "count"),
        Column("second_only", "Only second", "count"),
        Column("neither", "Neither", "count"),
    ]
    note = f"Right: {_label(view)}, in every scored epoch. Over the turns that both have scored."
    return made(view.signatures, "difference_counts", "Which turns each gets right", columns, rows, note)


def _turns(view: View, links: SampleLinks) -> Table:
    right = _right(view)
    differing = right[(right == 1).any(axis=1) & (right == 0).any(axis=1)].index
    order = {system: index for index, system in enumerate(view.systems)}
    rows = [
        {
            "sample": row["sample"],
            "profile": row["profile"],
            "task_type": row["task_type"],
            "model": row["model"],
            "verdict": "right" if row["correct"] else "wrong",
            "labels": ", ".join(label for label in LABELS if row[label] == 1),
            "answer": row["answer"],
            "link": links.link(view.runs.infos[row["run"]].location, row["sample"], row["epoch"]),
            "epoch": row["epoch"],
        }
        for row in sorted(
            view.scored[view.scored["sample"].isin(differing)].to_dict("records"), key=lambda row: _key(row, order)
        )
    ]
    columns = [
        Column("sample", "Turn", "text"),
        Column("profile", "Profile", "text"),
        Column("task_type", "Task type", "text"),
        MODEL,
        Column("verdict", "Verdict", "text"),
        *([] if view.upstream else [Column("labels", "Labels", "text")]),
        Column("answer", "Run", "text"),
        Column("link", "In Inspect View", "link"),
        *([Column("epoch", "Epoch", "count")] if view.epochs > 1 else []),
    ]
    note = (
        f"Turns that one system gets right ({_label(view)}, in every scored epoch) and another does not; a row for "
        "each that has scored it. Links are addresses in Inspect View over the innermost folder that holds all logs, "
        "or in a bundle of it."
    )
    return made(view.signatures, "differences", "Turns on which systems differ", columns, rows, note)


def _right(view: View) -> pd.DataFrame:
    """A row a turn, a column a system: 1 where every scored epoch is right, else 0; NaN where none is scored."""
    turns = view.turns.assign(right=(view.turns[view.measures[0].key] == 1).astype(float))
    return turns.pivot(index="sample", columns="model", values="right").reindex(columns=view.systems)


def _label(view: View) -> str:
    return view.measures[0].label.lower() if not view.upstream else "by the public evaluator"


def _key(row: dict[Any, Any], order: dict[str, int]) -> tuple[Any, ...]:
    """By profile, place in it, turn, system and epoch."""
    position = -1 if pd.isna(row["position"]) else int(row["position"])
    return natural_key(str(row["profile"])), position, natural_key(row["sample"]), order[row["model"]], row["epoch"]
