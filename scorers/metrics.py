"""Aggregates of spec section 5 as Inspect metrics; errors are clustered by profile."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Value, metric, value_to_float

from utb_inspect.analysis.statistics import (
    Observation,
    clustered_stderr,
    mean,
    mean_of_means,
    mean_of_means_stderr,
)
from utb_inspect.trajectory.verdict import LABELS

_to_float = value_to_float()

AVERAGED = ("single_tool", "multi_tool", "lack_of_information")
"""Task types whose unweighted mean is the paper's average."""
_GROUPS: Mapping[str, Sequence[str]] = {
    "task_type": (*AVERAGED, "chat"),
    "third": ("first", "middle", "last"),
    "subtype": ("cross_topic", "partial_information", "long_range_dependency", "coreferential_reference"),
    "structure": ("parallel", "sequential", "mixed"),
    "change": ("update", "reversal", "exception", "context", "conflict"),
}


def _observations(scores: list[SampleScore]) -> list[tuple[Observation, dict[str, Any]]]:
    found = []
    for score in scores:
        metadata = score.sample_metadata or {}
        found.append((Observation(_to_float(score.score.value), str(metadata.get("profile"))), metadata))
    return found


@metric(name="stderr")
def stderr() -> Metric:
    """Standard error of the mean, clustered by profile; NaN for fewer than two profiles, which show none."""

    def compute(scores: list[SampleScore]) -> Value:
        return clustered_stderr([observation for observation, _ in _observations(scores)])

    return compute


@metric(name="breakdown")
def breakdown() -> Metric:
    """Accuracy by task type, third, subtype, structure, change and profile, with `..._stderr` beside each.

    `average` is the unweighted mean of single-tool, multi-tool and lack-of-information turns, given when all three
    are in the run; `profile_mean` and `average_profile_mean` are means over profiles, as the paper reports them.
    `session` is the share of topics with every turn right, over topics whose turns are all scored; it is left out
    when epochs were averaged to fractions.
    """

    def compute(scores: list[SampleScore]) -> Value:
        rows = _observations(scores)
        figures: dict[str, float] = {}

        def put(name: str, group: list[Observation]) -> None:
            if group:
                figures[name] = mean(group)
                put_stderr(name, clustered_stderr(group))

        def put_stderr(name: str, error: float) -> None:
            if not math.isnan(error):  # a group of one profile shows none
                figures[f"{name}_stderr"] = error

        for key, values in _GROUPS.items():
            for value in values:
                put(value, [o for o, metadata in rows if metadata.get(key) == value])
        put("recoverable", [o for o, metadata in rows if metadata.get("recoverable") is True])
        put("unrecoverable", [o for o, metadata in rows if metadata.get("recoverable") is False])

        types = [[o for o, metadata in rows if metadata.get("task_type") == t] for t in AVERAGED]
        if all(types):
            figures["average"] = mean_of_means(types)
            put_stderr("average", mean_of_means_stderr(types))
        profiles = list(dict.fromkeys(o.cluster for o, _ in rows))
        by_profile = {p: [(o, m) for o, m in rows if o.cluster == p] for p in profiles}
        if rows:
            figures["profile_mean"] = mean_of_means([[o for o, _ in group] for group in by_profile.values()])
        averages = [_average(group) for group in by_profile.values()]
        if rows and all(average is not None for average in averages):
            figures["average_profile_mean"] = sum(a for a in averages if a is not None) / len(averages)
        if (session := _session(rows)) is not None:
            figures["session"] = session
        for profile, group in by_profile.items():
            figures[profile] = mean([o for o, _ in group])
        return figures

    return compute


def _average(rows: list[tuple[Observation, dict[str, Any]]]) -> float | None:
    types = [[o for o, metadata in rows if metadata.get("task_type") == t] for t in AVERAGED]
    return mean_of_means(types) if all(types) else None


def _session(rows: list[tuple[Observation, dict[str, Any]]]) -> float | None:
    if any(o.value not in (0.0, 1.0) for o, _ in rows):
        return None
    topics: dict[tuple[str, str], list[tuple[Observation, int]]] = {}
    for o, metadata in rows:
        key = (str(metadata.get("profile")), str(metadata.get("topic")))
        topics.setdefault(key, []).append((o, int(metadata.get("topic_turns", 0))))
    whole = [group for group in topics.values() if len(group) == group[0][1]]
    if not whole:
        return None
    return sum(all(o.value == 1.0 for o, _ in group) for group in whole) / len(whole)


@metric(name="incidence", scores="unreduced")
def incidence() -> Metric:
    """Share of failures (turns that are not exact) that carry each label, and the number of failures."""

    def compute(scores: list[SampleScore]) -> Value:
        failures = [labels for score in scores if any((labels := score.score.as_dict()).values())]
        figures: dict[str, float] = {
            label: sum(bool(labels.get(label)) for labels in failures) / len(failures) if failures else 0.0
            for label in LABELS
        }
        return {**figures, "failures": float(len(failures))}

    return compute


@metric(name="figures", scores="unreduced")
def figures() -> Metric:
    """Means of the per-turn figures, and precision and recall of asking over lack-of-information turns.

    `ask_precision`: of the turns in which the model asked, those that were unrecoverable; `ask_recall`: of the
    unrecoverable turns, those in which it asked. `sentences_per_question`: question sentences a question.
    """

    def compute(scores: list[SampleScore]) -> Value:
        values = [(score.score.as_dict(), score.sample_metadata or {}) for score in scores]
        if not values:
            return {"progress": 0.0, "optimal": 0.0, "rounds": 0.0, "calls": 0.0}

        def average(key: str) -> float:
            return sum(float(value[key] or 0) for value, _ in values) / len(values)

        found: dict[str, float] = {key: average(key) for key in ("progress", "optimal", "rounds", "calls", "asked")}
        questions = sum(float(value["questions"] or 0) for value, _ in values)
        if questions:
            found["sentences_per_question"] = (
                sum(float(value["question_sentences"] or 0) for value, _ in values) / questions
            )
        loi = [(bool(v["asked"]), not m["recoverable"]) for v, m in values if m.get("recoverable") is not None]
        _put_share(found, "ask_precision", [needed for asked, needed in loi if asked])
        _put_share(found, "ask_recall", [asked for asked, needed in loi if needed])
        return found

    return compute


def _put_share(found: dict[str, float], name: str, group: list[bool]) -> None:
    if group:
        found[name] = sum(group) / len(group)


__all__: list[str] = ["AVERAGED", "breakdown", "figures", "incidence", "stderr"]
