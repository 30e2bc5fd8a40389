"""The samples of runs that compare, as the tables need them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import pandas as pd

from utb_inspect.compare.frame import FLAGS, PLACE, Runs
from utb_inspect.compare.guards import Group
from utb_inspect.trajectory.verdict import LABELS

MeasureKey = Literal["exact", "relaxed", "upstream"]

SEVERITIES = ("slight", "major")
"""How bad a wrong decision is; each a column of `View.scored`."""
_TURN = (*PLACE, "history_turns")
"""Columns that say what a turn is: the same in each of its epochs."""
_NUMBERS = (
    *("exact", "relaxed", "upstream", "correct", *LABELS, "progress", "optimal", "asked"),
    *("rounds", "calls", "questions", "question_sentences", *FLAGS),
)
_WORDS = ("run", "model", "sample", "epoch", *_TURN, "answer")
_MEANS = (
    *("exact", "relaxed", "upstream", *LABELS, *SEVERITIES, "progress", "optimal"),
    *("rounds", "calls", "questions"),
)
"""What is averaged over a turn's epochs."""


@dataclass(frozen=True)
class Measure:
    """A verdict that accuracy is counted by."""

    key: MeasureKey
    label: str


EXACT = Measure("exact", "Exact")
RELAXED = Measure("relaxed", "Relaxed")
UPSTREAM = Measure("upstream", "Public evaluator")


@dataclass(frozen=True)
class View:
    """Samples of runs that compare.

    Attributes:
        runs: The runs; those with one label are one system.
        upstream: Whether the verdict is the public evaluator's, which has no relaxed form, labels or progress.
    """

    runs: Runs
    upstream: bool = False

    @staticmethod
    def of(group: Group) -> View:
        return View(group.runs, group.upstream)

    @property
    def measures(self) -> tuple[Measure, ...]:
        return (UPSTREAM,) if self.upstream else (EXACT, RELAXED)

    @cached_property
    def systems(self) -> list[str]:
        """Labels, in the order of the oldest run of each."""
        return list(dict.fromkeys(info.label for info in self.runs.infos))

    @cached_property
    def firsts(self) -> dict[str, str]:
        """The label of a system's first run by that of each of its runs, the first among them."""
        return {info.label: info.repeats or info.label for info in self.runs.infos}

    @cached_property
    def signatures(self) -> list[str]:
        return list(dict.fromkeys(info.signature for info in self.runs.infos))

    @cached_property
    def epochs(self) -> int:
        return max((info.epochs for info in self.runs.infos), default=1)

    @cached_property
    def rows(self) -> pd.DataFrame:
        """All samples, epochs apart, those that were not scored among them."""
        return self.runs.samples

    @cached_property
    def scored(self) -> pd.DataFrame:
        """Scored samples, epochs apart: verdicts, labels, counts as floats, the rest as Python objects or None."""
        # Columns of two plain types are cut up many times faster than those of pandas' own.
        scored = self.rows[self.rows["scored"]]
        words = {key: scored[key].astype(object).where(scored[key].notna(), None) for key in _WORDS}
        numbers = {key: scored[key] for key in _NUMBERS} | {kind: scored["severity"] == kind for kind in SEVERITIES}
        return pd.DataFrame(words | {key: found.astype("Float64").astype(float) for key, found in numbers.items()})

    @cached_property
    def turns(self) -> pd.DataFrame:
        """A row a system and turn: its place, and means over its scored epochs, which are no samples of their own."""
        return _by_turn(self.scored)

    @cached_property
    def failed(self) -> pd.DataFrame:
        """As `turns`, over the epochs that are not exact."""
        return _by_turn(self.scored[self.scored["exact"] == 0])

    @cached_property
    def right(self) -> pd.DataFrame:
        """As `turns`, over the epochs that are exact."""
        return _by_turn(self.scored[self.scored["exact"] == 1])

    @cached_property
    def turns_of(self) -> dict[str, pd.DataFrame]:
        """`turns` by system."""
        return self.by_system(self.turns)

    @cached_property
    def scored_of(self) -> dict[str, pd.DataFrame]:
        """`scored` by system."""
        return self.by_system(self.scored)

    @cached_property
    def rows_of(self) -> dict[str, pd.DataFrame]:
        """`rows` by system."""
        return self.by_system(self.rows)

    def by_system(self, frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
        """Rows of each system, in the order of `systems`; of one without any, an empty frame."""
        found = dict(iter(frame.groupby("model", sort=False)))
        return {system: found.get(system, frame.iloc[:0]) for system in self.systems}


def _by_turn(epochs: pd.DataFrame) -> pd.DataFrame:
    taken = dict.fromkeys(_TURN, "first") | dict.fromkeys(_MEANS, "mean")
    return epochs.groupby(["model", "sample"], sort=False, as_index=False).agg(taken)
