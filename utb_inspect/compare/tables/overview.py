"""What was run: samples in all, scored and errored, accuracy, and the figure that counts errors as wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import pandas as pd

from utb_inspect.compare.frame import NEVER_RAN, NOT_SCORED, RunInfo, Runs
from utb_inspect.compare.report import Column, Table
from utb_inspect.compare.tables.cost import total
from utb_inspect.compare.tables.making import MODEL, made, ratio, signatures_of, system_columns
from utb_inspect.compare.tables.view import EXACT, RELAXED, UPSTREAM, Measure, View

SAMPLES = (
    Column("samples", "Samples", "count"),
    Column("scored", "Scored", "count"),
    Column("errored", "Errored", "count"),
    Column("never_ran", "Never ran", "count"),
)
WAITING = Column("waiting", "Not scored yet", "count")


def overview_table(views: Sequence[tuple[str, View]], *, upstream: bool) -> Table:
    """A row a system.

    Args:
        views: Groups of runs with their titles, all judged alike; with more than one, a column names the group.
        upstream: Whether they are judged by the public evaluator.
    """
    rows = [
        {"model": system, "group": title, **_system(view, system)} for title, view in views for system in view.systems
    ]
    measures = views[0][1].measures
    columns = [
        *system_columns(views),
        Column("tasks", "Tasks", "text"),
        Column("status", "Status", "text"),
        *_sample_columns(rows),
        *(
            column
            for measure in measures
            for column in (
                Column(measure.key, measure.label),
                Column(f"{measure.key}_errors_wrong", f"{measure.label}, errors wrong"),
            )
        ),
        Column("tokens", "Tokens", "tokens"),
        Column("cost", "Cost", "usd"),
    ]
    note = (
        "Samples: all that were to run, epochs of one counted apart. Accuracies are over the scored ones pooled, chat "
        "included, as Inspect's `accuracy`; beside each what it is with every sample that errored or never ran counted "
        "as wrong. Tokens and cost are empty where they are not known of every sample."
    )
    name, title = ("overview_upstream", "Systems, by the public evaluator") if upstream else ("overview", "Systems")
    return made(signatures_of(views), name, title, columns, rows, note)


def logs_table(runs: Runs) -> Table:
    """A row a log, with its signature."""
    measures = [m for m in (EXACT, RELAXED, UPSTREAM) if runs.samples[m.key].notna().any()]
    rows = [
        {
            "log": PurePosixPath(info.location.replace("\\", "/")).name,
            "model": info.label,
            "task": info.task,
            "status": info.status,
            "signature": info.signature,
            **_counts(rows),
            **{measure.key: _accuracy(rows, measure) for measure in measures},
        }
        for index, info in enumerate(runs.infos)
        for rows in [runs.samples[runs.samples["run"] == index]]
    ]
    columns = [
        Column("log", "Log", "text"),
        MODEL,
        Column("task", "Task", "text"),
        Column("status", "Status", "text"),
        Column("signature", "Signature", "text"),
        *_sample_columns(rows),
        *(Column(measure.key, measure.label) for measure in measures),
    ]
    signatures = list(dict.fromkeys(info.signature for info in runs.infos))
    return made(signatures, "logs", "Logs", columns, rows, "Oldest first; figures as in the table above.")


def _system(view: View, system: str) -> dict[str, Any]:
    infos = [info for info in view.runs.infos if info.label == system]
    rows = view.rows_of[system]
    decided = rows[(rows["error"] != NOT_SCORED).fillna(True)]
    figures: dict[str, Any] = {}
    for measure in view.measures:
        figures[measure.key] = _accuracy(rows, measure)
        figures[f"{measure.key}_errors_wrong"] = ratio(float(decided[measure.key].sum()), len(decided))
    return {
        "tasks": ", ".join(dict.fromkeys(info.task for info in infos)),
        "status": _status(infos),
        **_counts(rows),
        **figures,
        "tokens": total(rows, "total_tokens"),
        "cost": total(rows, "cost"),
    }


def _accuracy(rows: pd.DataFrame, measure: Measure) -> float | None:
    """The mean over scored samples, of which each counts with its mean over epochs."""
    scored = rows.loc[rows["scored"] & rows[measure.key].notna(), ["sample", measure.key]]
    return float(scored.groupby("sample")[measure.key].mean().mean()) if len(scored) else None


def _counts(rows: pd.DataFrame) -> dict[str, int]:
    scored = int(rows["scored"].sum())
    never, waiting = (int((rows["error"] == reason).sum()) for reason in (NEVER_RAN, NOT_SCORED))
    errored = len(rows) - scored - never - waiting
    return {"samples": len(rows), "scored": scored, "errored": errored, "never_ran": never, WAITING.key: waiting}


def _sample_columns(rows: Iterable[Mapping[str, Any]]) -> list[Column]:
    """How many samples there are and what became of them; those not scored yet only where there are any."""
    return [*SAMPLES, *([WAITING] if any(row[WAITING.key] for row in rows) else [])]


def _status(infos: Sequence[RunInfo]) -> str:
    """`success`, or how many of a system's logs ended otherwise."""
    found = [info.status for info in infos]
    counts: Iterable[str] = (f"{found.count(status)} {status}" for status in dict.fromkeys(found))
    return found[0] if len(set(found)) == 1 else ", ".join(counts)
