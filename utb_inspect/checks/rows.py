"""Turns as the make-up sees them: planned, a row of a CSV file each, or written."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from utb_inspect.checks.finding import Finding, topic_file
from utb_inspect.checks.notation import Decision, decision_of, read_decision
from utb_inspect.datasets.dataset import Dataset
from utb_inspect.datasets.files import natural_key
from utb_inspect.schema import DataError

COLUMNS = tuple(
    "topic turn n toolset task_type subtype structure calls loi change shows needs decoys opening date".split()
)

_LOI = {None: None, True: "recoverable", False: "unrecoverable"}


@dataclass(frozen=True)
class Row:
    """One turn, planned or written."""

    file: str
    profile: str
    topic: str
    turn: str
    number: str
    """Place among the profile's turns, from 1, as the plan has it."""
    toolset: str
    task_type: str
    subtype: str
    structure: str | None
    loi: str | None
    """`recoverable` or `unrecoverable`, of a lack-of-information turn."""
    change: str | None
    decision: Decision
    shows: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    opening: str = ""
    date: str = ""

    def found(self, reason: str) -> Finding:
        return Finding(self.file, self.turn, reason)


def written_rows(dataset: Dataset) -> list[Row]:
    """The turns of a dataset."""
    return [
        Row(
            file=topic_file(turn.topic),
            profile=turn.profile,
            topic=turn.topic.id,
            turn=turn.id,
            number=str(turn.position + 1),
            toolset=turn.topic.toolset,
            task_type=turn.task_type,
            subtype=turn.subtype,
            structure=turn.turn.structure,
            loi=_LOI[turn.turn.recoverable],
            change=turn.turn.change,
            decision=decision_of(turn.turn.paths[0]),
            date=(turn.topic.environment.now or "")[:10],
        )
        for turn in dataset.turns
    ]


@dataclass
class Plan:
    """The rows of a plan, and what of it cannot be read."""

    rows: list[Row] = field(default_factory=list)
    faults: list[Finding] = field(default_factory=list)


def read_plan(file: Path) -> Plan:
    """Read a plan, a CSV file with a row a turn.

    Raises:
        DataError: the file cannot be read, or lacks a column.
    """
    plan = Plan()
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines)
            if missing := [name for name in COLUMNS if name not in (reader.fieldnames or ())]:
                raise DataError(f"{file}: has no column {', '.join(missing)}; a plan has {', '.join(COLUMNS)}")
            for cells in reader:
                _read(file.name, {name: (cells[name] or "").strip() for name in COLUMNS}, plan)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{file}: cannot be read ({getattr(error, 'strerror', None) or error})") from None
    return plan


def _read(file: str, cells: dict[str, str], plan: Plan) -> None:
    loi, _, _ = cells["loi"].partition(",")
    try:
        decision = read_decision(cells["calls"])
    except ValueError as error:
        plan.faults.append(Finding(file, cells["turn"], f"calls: {error}"))
        decision = Decision((), (), ())
    plan.rows.append(
        Row(
            file=file,
            profile=cells["topic"].rpartition("-")[0],
            topic=cells["topic"],
            turn=cells["turn"],
            number=cells["n"],
            toolset=cells["toolset"],
            task_type=cells["task_type"],
            subtype=cells["subtype"],
            structure=cells["structure"] or None,
            loi=loi or None,
            change=cells["change"] or None,
            decision=decision,
            shows=_names(cells["shows"]),
            needs=_names(cells["needs"]),
            opening=cells["opening"],
            date=cells["date"],
        )
    )


def _names(cell: str) -> tuple[str, ...]:
    return tuple(name for part in cell.split(";") if (name := part.strip()))


def by_profile(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    """The rows of each profile, in their order."""
    grouped: dict[str, list[Row]] = {}
    for row in rows:
        grouped.setdefault(row.profile, []).append(row)
    for profile in sorted(grouped, key=natural_key):
        yield profile, grouped[profile]


def by_topic(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of each topic, in their order."""
    grouped: dict[str, list[Row]] = {}
    for row in rows:
        grouped.setdefault(row.topic, []).append(row)
    return grouped
