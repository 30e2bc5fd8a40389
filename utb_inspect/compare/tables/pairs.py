"""Pairs of systems on the samples that both have scored: how far apart, and whether that is more than noise."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from utb_inspect.compare.pairs import ALPHA, PairResult, adjust, paired, smallest_difference, verdict_words
from utb_inspect.compare.report import Column, Table
from utb_inspect.compare.tables.accuracy import PARTS
from utb_inspect.compare.tables.making import made
from utb_inspect.compare.tables.view import Measure, View
from utb_inspect.schema import AVERAGED

TOLD = 6
"""Pairs up to which each is told in a sentence."""
_COLUMNS = (
    Column("first", "First", "text"),
    Column("second", "Second", "text"),
    Column("finding", "Finding", "text"),
    Column("over", "Over", "text"),
    Column("difference", "First minus second", "difference", interval=True),
    Column("p_corrected", "p, corrected", "p"),
    Column("smallest", "Smallest to be found", "points"),
    Column("profiles", "Profiles", "count"),
    Column("samples", "Samples of both", "count"),
    Column("missing", "Left out", "count"),
    Column("first_only", "Only first right", "count"),
    Column("second_only", "Only second right", "count"),
    Column("pooled", "Pooled", "difference", interval=True),
    Column("p", "p", "p"),
    Column("p_mcnemar", "McNemar p (samples taken as independent)", "p"),
)


@dataclass(frozen=True)
class _Grid:
    """A group's samples by its systems: a row a sample in every array."""

    values: Mapping[str, NDArray[np.float64]]
    """By system: a verdict's mean over the scored epochs; NaN where there is none."""
    planned: Mapping[str, NDArray[np.bool_]]
    """By system: whether it was to run the sample."""
    profiles: NDArray[np.str_]
    task_types: NDArray[np.str_]


@dataclass(frozen=True)
class _Pair:
    first: str
    second: str
    result: PairResult
    part: str
    """What is compared: `average` or `all`."""
    repeat: bool
    """Whether both are runs of one system."""
    corrected: float
    """The p-value, corrected for all pairs that count; NaN of one that does not."""

    @property
    def counts(self) -> bool:
        """Whether p-values are corrected for it: a pair of two systems with a common sample."""
        return not math.isnan(self.corrected)

    @property
    def finding(self) -> str:
        if not self.result.samples:
            return "no sample in common"
        if self.repeat:
            return "one system, run again"
        if self.corrected > ALPHA:
            return "no difference shown"
        return "first is above" if self.result.difference.estimate > 0 else "second is above"


def pair_tables(view: View, baseline: str | None = None) -> tuple[list[Table], list[str]]:
    """Pairs of a group's systems by each verdict, and what they show by the first, in sentences.

    Args:
        view: The group.
        baseline: Pair the others with this system alone, if the group has it. Fewer pairs, fewer corrections.

    Nothing for a single system.
    """
    if len(view.systems) < 2:
        return [], []
    compared = [(measure, _pairs(view, measure, baseline)) for measure in view.measures]
    return [_table(view, measure, pairs) for measure, pairs in compared], _told(*compared[0])


def _pairs(view: View, measure: Measure, baseline: str | None) -> list[_Pair]:
    grid = _grid(view, measure)
    names = list(combinations(view.systems, 2))
    if baseline in view.systems:
        names = [(other, baseline) for other in view.systems if other != baseline]
    found = [_compare(grid, *pair) for pair in names]
    repeats = [view.firsts[first] == view.firsts[second] for first, second in names]
    corrected = adjust([math.nan if repeat else result.p for (result, _), repeat in zip(found, repeats, strict=True)])
    return [
        _Pair(*pair, *result, repeat, p)
        for pair, result, repeat, p in zip(names, found, repeats, corrected, strict=True)
    ]


def _told(measure: Measure, pairs: Sequence[_Pair]) -> list[str]:
    tested = [pair for pair in pairs if pair.counts]
    words = [verdict_words(p.result, p.corrected, len(tested), p.first, p.second) for p in tested]
    if len(tested) > TOLD:
        shown = sum(pair.corrected <= ALPHA for pair in tested)
        words = [f"a difference is shown for {shown} of {len(tested)} pairs, none for the others."]
    if apart := sum(not pair.result.samples for pair in pairs):
        words.append(f"{apart} {'pair has' if apart == 1 else 'pairs have'} no scored sample in common.")
    if repeats := sum(pair.repeat for pair in pairs):
        words.append(
            f"no p-value is corrected for {repeats} {'pair' if repeats == 1 else 'pairs'} of a system with its own "
            "repeat, since what varies from run to run is no difference between systems."
        )
    return [f"{measure.label}: {sentence}" for sentence in words]


def _table(view: View, measure: Measure, pairs: Sequence[_Pair]) -> Table:
    tests = sum(pair.counts for pair in pairs)
    but = ", not for a system with its own repeat" if any(pair.repeat for pair in pairs) else ""
    rows = [
        {
            "first": pair.first,
            "second": pair.second,
            "finding": pair.finding,
            "over": PARTS[pair.part][0],
            "samples": result.samples,
            "missing": result.missing,
            "profiles": result.profiles,
            "difference": result.difference,
            "pooled": result.pooled,
            "p": result.p,
            "p_corrected": pair.corrected,
            "first_only": result.first_only,
            "second_only": result.second_only,
            "p_mcnemar": result.mcnemar,
            "smallest": smallest_difference(result.deviation, result.profiles, tests) if pair.counts else None,
        }
        for pair in pairs
        for result in [pair.result]
    ]
    note = (
        "Over the samples that both have scored: the average where they hold all three of its task types, else all "
        "turns. First minus second is the mean over profiles; p is of the sign-flip permutation test over profiles, "
        f"corrected by Holm for {tests} {'pair' if tests == 1 else 'pairs'}{but}. Intervals are of each pair alone. "
        "McNemar's test takes samples as independent, which turns of one profile are not. Smallest to be found: the "
        "difference that this many profiles would have shown 4 times in 5. Left out: samples that one of the two has "
        "not scored."
    )
    return made(view.signatures, f"pairs_{measure.key}", f"Pairs, {measure.label.lower()}", _COLUMNS, rows, note)


def _grid(view: View, measure: Measure) -> _Grid:
    samples = view.rows.drop_duplicates("sample").set_index("sample")
    values = view.turns.pivot(index="sample", columns="model", values=measure.key).reindex(
        samples.index, columns=view.systems
    )
    return _Grid(
        {system: values[system].to_numpy(float) for system in view.systems},
        {system: samples.index.isin(rows["sample"]) for system, rows in view.rows_of.items()},
        samples["profile"].to_numpy(str, na_value=""),
        samples["task_type"].to_numpy(str, na_value=""),
    )


def _compare(grid: _Grid, first: str, second: str) -> tuple[PairResult, str]:
    """A pair over all samples of either, and the figure compared: `average` or `all`."""
    common = ~np.isnan(grid.values[first] + grid.values[second])
    whole = set(AVERAGED) <= set(grid.task_types[common])
    taken = grid.planned[first] | grid.planned[second]
    if whole:
        taken &= np.isin(grid.task_types, AVERAGED)
    groups = grid.task_types[taken].tolist() if whole else None
    result = paired(grid.values[first][taken], grid.values[second][taken], grid.profiles[taken].tolist(), groups)
    return result, "average" if whole else "all"
