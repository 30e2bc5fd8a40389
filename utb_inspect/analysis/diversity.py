"""How different the trajectories of topics under the same toolset are (the paper's table 3)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Any

from rapidfuzz.distance import Levenshtein

from utb_inspect.schema import AskStep, CallStep, Topic

ASK = "<ask>"
"""Stands for a clarifying question in a sequence; no tool can have this name."""


@dataclass(frozen=True)
class Trajectory:
    """What a topic's reference does, step by step."""

    toolset: str
    profile: str
    steps: tuple[Hashable, ...]
    """Compared whole: tool names, or calls with their arguments."""


@dataclass(frozen=True)
class Diversity:
    """How far the trajectories of a dataset differ within each toolset."""

    topics: int
    distinct: int
    """Distinct pairs of toolset and trajectory."""
    pairs: int
    """Pairs of topics under the same toolset."""
    mean_distance: float | None
    """Mean distance of those pairs, 0 (all alike) to 1; None without a pair."""
    pairs_across_profiles: int
    """Those of the pairs whose topics are two profiles'."""
    mean_distance_across_profiles: float | None

    @property
    def uniqueness(self) -> float | None:
        """Distinct trajectories over topics, 0 to 1; None without a topic."""
        return self.distinct / self.topics if self.topics else None


def sequence_distance(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Levenshtein distance over the length of the longer sequence: 0 when equal, 1 when no step can be kept.

    Elements are compared whole, and every insertion, deletion and substitution counts 1. Two empty sequences are equal.
    """
    return Levenshtein.normalized_distance(list(first), list(second))


def trajectory_diversity(trajectories: Iterable[Trajectory]) -> Diversity:
    """Uniqueness over all topics, and mean distance over all pairs of topics under the same toolset.

    Pairs of all toolsets are pooled: a toolset with more topics weighs more. Pairs of one profile's topics count; the
    figure for pairs of different profiles stands beside it.
    """
    grouped: defaultdict[str, list[Trajectory]] = defaultdict(list)
    for trajectory in trajectories:
        grouped[trajectory.toolset].append(trajectory)
    same: list[float] = []
    across: list[float] = []
    for group in grouped.values():
        for first, second in combinations(group, 2):
            distance = sequence_distance(first.steps, second.steps)
            (same if first.profile == second.profile else across).append(distance)
    return Diversity(
        topics=sum(map(len, grouped.values())),
        distinct=sum(len({trajectory.steps for trajectory in group}) for group in grouped.values()),
        pairs=len(same) + len(across),
        mean_distance=fmean([*same, *across]) if same or across else None,
        pairs_across_profiles=len(across),
        mean_distance_across_profiles=fmean(across) if across else None,
    )


def tool_sequence(topic: Topic) -> tuple[str, ...]:
    """Tool names of a topic's reference steps, turn after turn, in the order of the file; a question is `ASK`.

    Answers and alternatives are left out. A topic of talk alone has the empty sequence.
    """
    return tuple(step.call if isinstance(step, CallStep) else ASK for step in _steps(topic))


def exact_trajectory(topic: Topic) -> tuple[str, ...]:
    """The same steps, calls with their arguments in canonical JSON and questions with the items they ask for."""
    return tuple(
        f"{step.call} {_canonical(step.arguments)}"
        if isinstance(step, CallStep)
        else f"{ASK} {_canonical(sorted(step.ask))}"
        for step in _steps(topic)
    )


def sequence_diversity(topics: Iterable[Topic]) -> Diversity:
    """Diversity of the topics' tool sequences."""
    return trajectory_diversity(Trajectory(topic.toolset, topic.profile, tool_sequence(topic)) for topic in topics)


def exact_diversity(topics: Iterable[Topic]) -> Diversity:
    """Diversity of the topics' exact trajectories."""
    return trajectory_diversity(Trajectory(topic.toolset, topic.profile, exact_trajectory(topic)) for topic in topics)


def _steps(topic: Topic) -> Iterator[CallStep | AskStep]:
    for turn in topic.turns:
        yield from (step for step in turn.paths[0].steps if isinstance(step, CallStep | AskStep))


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
