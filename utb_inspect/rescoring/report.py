"""What `utb rescore` tells: a row a log, what changed in each, and which logs are not of one kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from utb_inspect import __version__
from utb_inspect.analysis.tables import Table
from utb_inspect.rescoring.changes import Change, ScorerChanges, scorer_changes, unscored, value_changes
from utb_inspect.rescoring.scoring import Rescored
from utb_inspect.rescoring.versions import installed_version, other_data, part, scoring_versions

LISTED = 20
"""Samples of a log that are listed; the rest is counted."""


@dataclass(frozen=True)
class LogReport:
    """What became of a log.

    Attributes:
        name: The log, as the user may name it.
        task: Its task, without the package.
        model: Its model.
        data: `name@version#hash` of what it was made with.
        before: Scoring version of the scores it had.
        after: Scoring version of those it has now.
        suite: Version of the suite that made the run.
        other_data: A sentence, when the installed data is another.
        samples: Samples in the log, epochs counted apart.
        scored: Those that have a score.
        scorers: What changed, by scorer.
        changes: Every value that changed.
        outcome: What was done with the file.
    """

    name: str
    task: str
    model: str
    data: str
    before: str
    after: str
    suite: str
    other_data: str | None
    samples: int
    scored: int
    scorers: Sequence[ScorerChanges]
    changes: Sequence[Change]
    outcome: str

    @property
    def changed(self) -> int:
        """Samples of which a value changed."""
        return len({(change.id, change.epoch) for change in self.changes})

    @property
    def touched(self) -> bool:
        return any(scorer.changed or scorer.reworded or scorer.added for scorer in self.scorers)


def report(rescored: Rescored, name: str, outcome: str) -> LogReport:
    """Sum up a re-scored log."""
    log = rescored.file.log
    scores = [[score["value"] for score in sample.after.values()] for sample in rescored.samples.values()]
    return LogReport(
        name=name,
        task=log.eval.task.split("/")[-1],
        model=log.eval.model,
        data=part(log, "data"),
        before=", ".join(scoring_versions(log)),
        after=installed_version(log),
        suite=part(log, "suite"),
        other_data=other_data(log),
        samples=len(rescored.file),
        scored=sum(any(not unscored(value) for value in values) for values in scores),
        scorers=scorer_changes(rescored),
        changes=value_changes(rescored),
        outcome=outcome,
    )


def tables(reports: Sequence[LogReport]) -> Iterator[Table]:
    """A row a log; for each log that is not as it was, its scorers, and the samples whose values changed."""
    columns = ("log", "task", "model", "data", "scoring", "file", "samples", "scored", "changed")
    rows = [
        (
            str(n),
            r.task,
            r.model,
            r.data,
            _arrow(r.before, r.after),
            r.outcome,
            str(r.samples),
            str(r.scored),
            str(r.changed),
        )
        for n, r in enumerate(reports, 1)
    ]
    yield Table("Logs", columns, rows, "\n".join(f"{n}: {r.name}" for n, r in enumerate(reports, 1)), text_columns=6)
    for n, r in enumerate(reports, 1):
        if r.touched:
            yield _scorers(n, r)
        if r.changes:
            yield _samples(n, r)


def _scorers(number: int, r: LogReport) -> Table:
    columns = ("scorer", "figure", "before", "after", "changed", "reworded", "added")
    rows = [
        (s.scorer, s.figure, _figure(s.before), _figure(s.after), str(s.changed), str(s.reworded), str(s.added))
        for s in r.scorers
    ]
    note = "samples: changed, another value; reworded, the same value with another text; added, no score before"
    return Table(f"Log {number}: scorers", columns, rows, note, text_columns=2)


def _samples(number: int, r: LogReport) -> Table:
    by_sample = [(key, list(group)) for key, group in groupby(r.changes, lambda change: (change.id, change.epoch))]
    rows = [
        (str(sample), str(epoch), "; ".join(_change(change) for change in group))
        for (sample, epoch), group in by_sample[:LISTED]
    ]
    rest = len(by_sample) - len(rows)
    note = f"and {rest} more; --details FILE writes all" if rest else ""
    return Table(f"Log {number}: samples that changed", ("sample", "epoch", "change"), rows, note, text_columns=3)


def _change(change: Change) -> str:
    before, after = change.before, change.after
    if isinstance(before, dict) and isinstance(after, dict):
        keys = [key for key in before | after if before.get(key) != after.get(key)]
        return f"{change.scorer} " + ", ".join(
            f"{k} {_arrow(_value(before.get(k)), _value(after.get(k)))}" for k in keys
        )
    return f"{change.scorer} {_arrow(_value(before), _value(after))}"


def _value(value: Any) -> str:
    if unscored(value):
        return "not scored"
    if isinstance(value, dict):
        return "scored"
    return str(value).lower() if isinstance(value, bool) or value is None else str(value) or '""'


def _arrow(before: str, after: str) -> str:
    return after if before == after else f"{before} → {after}"


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def notes(reports: Sequence[LogReport]) -> Iterator[str]:
    """Sentences that keep figures from being mixed up."""
    for n, r in enumerate(reports, 1):
        if r.before != r.after:
            yield f"Log {n}: made by {r.before}, re-scored by {r.after}."
        elif r.changes:
            yield (
                f"Log {n}: values changed though the scoring version is the same, {r.after}; the run was made by suite "
                f"{r.suite}, this is {__version__}."
            )
        if r.other_data:
            yield f"Log {n}: {r.other_data}."
    yield from _apart([r.data for r in reports], "The logs are of different data; their figures do not compare:")
    yield from _apart([r.before for r in reports], "The logs had scores of different versions, which do not compare:")
    if reports and not any(r.touched for r in reports):
        yield "Nothing changed: every score is what it was."


def _apart(values: Sequence[str], sentence: str) -> Iterator[str]:
    """Lines that tell logs apart, when there is something to tell."""
    if len(set(values)) > 1:
        yield sentence
        for value in dict.fromkeys(values):
            yield f"  {value}: {', '.join(f'log {n}' for n, own in enumerate(values, 1) if own == value)}"
