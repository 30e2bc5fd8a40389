"""What scoring a log again changed, scorer by scorer and sample by sample."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from inspect_ai.log import EvalLog

from utb_inspect.rescoring.scoring import Rescored, SampleScores, equal

_FIGURES: Mapping[str, str] = {
    "utb_severity": "major",
    "utb_labels": "failures",
    "utb_progress": "progress",
}
"""The metric that stands for a scorer; of the others the first."""


@dataclass(frozen=True)
class Change:
    """A value that is another now."""

    id: str | int
    epoch: int
    scorer: str
    before: Any
    after: Any


@dataclass(frozen=True)
class ScorerChanges:
    """What changed in one scorer's scores of a log.

    Attributes:
        scorer: Its name.
        figure: The metric that stands for it; empty when it has none.
        before: That metric as it was; None when the log had none.
        after: That metric as it is.
        changed: Samples whose value is another.
        reworded: Samples whose value is the same, with another answer, explanation or metadata.
        added: Samples that had no score of it.
    """

    scorer: str
    figure: str
    before: float | None
    after: float | None
    changed: int
    reworded: int
    added: int


def value_changes(rescored: Rescored) -> list[Change]:
    """Values that changed, in the order of the samples; scores that are new to a sample are none."""
    return [change for scores in rescored.samples.values() for change in _value_changes(scores)]


def _value_changes(scores: SampleScores) -> Iterator[Change]:
    for scorer, score in scores.after.items():
        if scorer in scores.before and not equal(before := scores.before[scorer]["value"], score["value"]):
            yield Change(scores.id, scores.epoch, scorer, before, score["value"])


def unscored(value: Any) -> bool:
    """Whether a score's value says that the sample is not scored."""
    return isinstance(value, float) and math.isnan(value)


def scorer_changes(rescored: Rescored) -> list[ScorerChanges]:
    """What changed, for each of the suite's scorers, in the log's order."""
    names = dict.fromkeys(name for scores in rescored.samples.values() for name in scores.after)
    return [_scorer_changes(rescored, name) for name in names]


def _scorer_changes(rescored: Rescored, name: str) -> ScorerChanges:
    pairs = [(s.before.get(name), s.after[name]) for s in rescored.samples.values() if name in s.after]
    had = [(before, after) for before, after in pairs if before is not None]
    same = [(before, after) for before, after in had if equal(before["value"], after["value"])]
    after_metrics = _metrics(rescored.log, name)
    figure = _FIGURES.get(name) or next(iter(after_metrics), "")
    return ScorerChanges(
        scorer=name,
        figure=figure,
        before=_metrics(rescored.file.log, name).get(figure),
        after=after_metrics.get(figure),
        changed=len(had) - len(same),
        reworded=sum(not equal(before, after) for before, after in same),
        added=len(pairs) - len(had),
    )


def _metrics(log: EvalLog, scorer: str) -> dict[str, float]:
    """A scorer's metrics over all its entries, as there may be one a reducer; the first entry counts."""
    found: dict[str, float] = {}
    for score in log.results.scores if log.results else []:
        if score.name == scorer:
            found = {name: metric.value for name, metric in score.metrics.items()} | found
    return found
