"""Aggregates of spec section 5 as Inspect metrics; errors are clustered by profile."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, get_args

from inspect_ai.scorer import Metric, SampleScore, Value, metric, value_to_float

from utb_inspect.analysis.statistics import (
    Outcome,
    clustered_stderr,
    mean,
    mean_of_means,
    mean_of_means_stderr,
)
from utb_inspect.explain import FLAGS
from utb_inspect.schema import AVERAGED, Change, Structure, Subtype, Third
from utb_inspect.trajectory.verdict import LABELS

_to_float = value_to_float()

_GROUPS: Mapping[str, Sequence[str | bool]] = {
    "task_type": (*AVERAGED, "chat"),
    "third": get_args(Third),
    "subtype": get_args(Subtype),
    "structure": get_args(Structure),
    "change": get_args(Change),
    "recoverable": (True, False),
}
_NAMES: Mapping[str | bool, str] = {True: "recoverable", False: "unrecoverable"}
_PAPER_COLUMNS = ("task_type", "third")
_Row = tuple[Outcome, dict[str, Any]]


def _outcomes(scores: list[SampleScore]) -> list[_Row]:
    found = []
    for score in scores:
        metadata = score.sample_metadata or {}
        found.append((Outcome(_to_float(score.score.value), str(metadata.get("profile"))), metadata))
    return found


@metric(name="stderr")
def stderr() -> Metric:
    """Standard error of the mean, clustered by profile; NaN for fewer than two profiles, which show none."""

    def compute(scores: list[SampleScore]) -> Value:
        return clustered_stderr([outcome for outcome, _ in _outcomes(scores)])

    return compute


@metric(name="breakdown")
def breakdown() -> Metric:
    """Accuracy by task type, third, subtype, structure, change, recoverability and profile.

    Beside each pooled figure: `..._stderr`, clustered by profile, and for task types and thirds `..._profile_mean`, the
    mean over profiles that the paper reports; both only where two profiles or more are in the group. `profile_mean` is
    that of all turns. `average` is the unweighted mean of single-tool, multi-tool and lack-of-information turns, given
    when all three are in the run (its profile mean, when every profile has all three). `session` is the share of
    topics with every turn right, over topics whose turns are all scored; it is left out when epochs were averaged to
    fractions.
    """

    def compute(scores: list[SampleScore]) -> Value:
        rows = _outcomes(scores)
        by_profile: dict[str, list[_Row]] = {}
        for row in rows:
            by_profile.setdefault(row[0].cluster, []).append(row)
        figures: dict[str, float] = {}
        if rows:
            figures["profile_mean"] = mean_of_means([[o for o, _ in group] for group in by_profile.values()])
        for key, values in _GROUPS.items():
            for value in values:
                group = [o for o, metadata in rows if metadata.get(key) == value]
                figures |= _figures(str(_NAMES.get(value, value)), group, over_profiles=key in _PAPER_COLUMNS)
        figures |= _average_figures(rows, by_profile)
        if (session := _session(rows)) is not None:
            figures["session"] = session
        return figures | {f"profile_{name}": mean([o for o, _ in group]) for name, group in by_profile.items()}

    return compute


def _figures(name: str, group: list[Outcome], *, over_profiles: bool) -> dict[str, float]:
    """A group's pooled accuracy, its standard error and its mean over profiles."""
    if not group:
        return {}
    figures = {name: mean(group)}
    if not math.isnan(error := clustered_stderr(group)):  # a group of one profile shows none
        figures[f"{name}_stderr"] = error
        if over_profiles:
            clusters = dict.fromkeys(o.cluster for o in group)
            figures[f"{name}_profile_mean"] = mean_of_means([[o for o in group if o.cluster == c] for c in clusters])
    return figures


def _average_figures(rows: list[_Row], by_profile: Mapping[str, list[_Row]]) -> dict[str, float]:
    """The unweighted mean over the averaged task types, its standard error and its mean over profiles."""
    types = [[o for o, metadata in rows if metadata.get("task_type") == t] for t in AVERAGED]
    if not all(types):
        return {}
    figures = {"average": mean_of_means(types)}
    if not math.isnan(error := mean_of_means_stderr(types)):
        figures["average_stderr"] = error
    averages = [average for group in by_profile.values() if (average := _average(group)) is not None]
    if len(averages) == len(by_profile):
        figures["average_profile_mean"] = sum(averages) / len(averages)
    return figures


def _average(rows: list[_Row]) -> float | None:
    types = [[o for o, metadata in rows if metadata.get("task_type") == t] for t in AVERAGED]
    return mean_of_means(types) if all(types) else None


def _session(rows: list[_Row]) -> float | None:
    if any(o.value not in (0.0, 1.0) for o, _ in rows):
        return None
    topics: dict[tuple[str, str], list[tuple[Outcome, int]]] = {}
    for o, metadata in rows:
        key = (str(metadata.get("profile")), str(metadata.get("topic")))
        topics.setdefault(key, []).append((o, int(metadata.get("topic_turns", 0))))
    whole = [group for group in topics.values() if len(group) == group[0][1]]
    if not whole:
        return None
    return sum(all(o.value == 1.0 for o, _ in group) for group in whole) / len(whole)


@metric(name="incidence", scores="unreduced")
def incidence() -> Metric:
    """Share of failures (turns that are not exact) that carry each label, and the number of failures.

    Without a failure there is no share. `stale_rate`: of the turns that turn on a change, failed or not, those in which
    a superseded value was used; `stale_rate_update` and so on: the same by kind of change.
    """

    def compute(scores: list[SampleScore]) -> Value:
        failures = [labels for score in scores if any((labels := score.score.as_dict()).values())]
        figures: dict[str, float] = {}
        if failures:
            figures = {label: sum(bool(f.get(label)) for f in failures) / len(failures) for label in LABELS}
        changed = [
            (str(change), bool(score.score.as_dict().get("stale_preference")))
            for score in scores
            if (change := (score.sample_metadata or {}).get("change"))
        ]
        _put_share(figures, "stale_rate", [stale for _, stale in changed])
        for kind in get_args(Change):
            _put_share(figures, f"stale_rate_{kind}", [stale for change, stale in changed if change == kind])
        return {**figures, "failures": float(len(failures))} if scores else {}

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
            return {}

        def average(key: str) -> float:
            return fmean(float(value[key] or 0) for value, _ in values)  # the same in every order of samples

        found: dict[str, float] = {key: average(key) for key in ("progress", "optimal", "rounds", "calls", "asked")}
        questions = sum(float(value["questions"] or 0) for value, _ in values)
        if questions:
            sentences = sum(float(value["question_sentences"] or 0) for value, _ in values)
            found["sentences_per_question"] = sentences / questions
        loi = [(bool(v["asked"]), not m["recoverable"]) for v, m in values if m.get("recoverable") is not None]
        _put_share(found, "ask_precision", [needed for asked, needed in loi if asked])
        _put_share(found, "ask_recall", [asked for asked, needed in loi if needed])
        return found

    return compute


@metric(name="flagged", scores="unreduced")
def flagged() -> Metric:
    """Shares of the decisions that the step cap ended, and in which an output was cut at `max_tokens`."""

    def compute(scores: list[SampleScore]) -> Value:
        flags = [str(score.score.as_dict()["flags"]) for score in scores]
        found: dict[str, float] = {}
        for flag in FLAGS:
            _put_share(found, flag.replace(" ", "_"), [flag in given for given in flags])
        return found

    return compute


def _put_share(found: dict[str, float], name: str, group: list[bool]) -> None:
    if group:
        found[name] = sum(group) / len(group)


__all__: list[str] = ["breakdown", "figures", "flagged", "incidence", "stderr"]
