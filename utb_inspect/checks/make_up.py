"""What a whole split is made of: the guide's table, asked of a plan or of a dataset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from utb_inspect.analysis.diversity import ASK, Diversity, Trajectory, trajectory_diversity
from utb_inspect.checks.finding import INFO, Finding
from utb_inspect.checks.rows import Row, by_profile, by_topic
from utb_inspect.datasets.dataset import third_of
from utb_inspect.schema import TASK_TYPES, Change, Third


@dataclass(frozen=True)
class Bounds:
    """How much there is to be of something."""

    least: float
    most: float | None = None

    def fault(self, count: float) -> str | None:
        """Why a count is not within the bounds; None when it is."""
        if self.most == self.least and count != self.least:
            return f"is {_figure(count)}, not {_figure(self.least)}"
        if count < self.least:
            return f"is {_figure(count)}; at least {_figure(self.least)}"
        if self.most is not None and count > self.most:
            return f"is {_figure(count)}; at most {_figure(self.most)}"
        return None


def _figure(number: float) -> str:
    return f"{number:g}" if number >= 1000 or number == int(number) else f"{number:.4g}"


def exactly(count: int) -> Bounds:
    return Bounds(count, count)


@dataclass(frozen=True)
class MakeUp:
    """The make-up of a split."""

    prefix: str
    """Profiles of the split have ids that start so."""
    profiles: Bounds
    topics: Bounds
    turns: Bounds
    topics_a_profile: Bounds
    task_types: Mapping[str, Bounds]
    unrecoverable: Bounds
    vague: Bounds
    """Share of the unrecoverable turns with a vague reply, which need a second question."""
    structures: Mapping[str, Bounds]
    subtypes: Mapping[str, Bounds]
    changes: Mapping[str, Bounds]
    profiles_a_toolset: Bounds = Bounds(0)
    turns_a_topic: Bounds = Bounds(2, 5)


ONE_IN_FOUR = Bounds(0.2, 0.3)

MAKE_UP: Mapping[str, MakeUp] = {
    "utb_open": MakeUp(
        prefix="p",
        profiles=exactly(10),
        topics=exactly(300),
        turns=exactly(1065),
        topics_a_profile=exactly(30),
        task_types={
            "lack_of_information": exactly(278),
            "single_tool": exactly(265),
            "multi_tool": exactly(256),
            "chat": exactly(266),
        },
        unrecoverable=Bounds(140, 160),
        vague=ONE_IN_FOUR,
        structures={"parallel": Bounds(70), "sequential": Bounds(100), "mixed": Bounds(60)},
        subtypes={
            "cross_topic": exactly(300),
            "long_range_dependency": exactly(180),
            "partial_information": exactly(585),
        },
        changes={change: exactly(0) for change in get_args(Change)},
        profiles_a_toolset=Bounds(6),
    ),
    "utb_open_dynamic": MakeUp(
        prefix="d",
        profiles=exactly(10),
        topics=exactly(100),
        turns=exactly(350),
        topics_a_profile=exactly(10),
        task_types={
            "lack_of_information": exactly(90),
            "single_tool": exactly(90),
            "multi_tool": exactly(90),
            "chat": exactly(80),
        },
        unrecoverable=exactly(45),
        vague=ONE_IN_FOUR,
        structures={structure: Bounds(1) for structure in ("parallel", "sequential", "mixed")},
        # As in the main split: a cross-topic turn a topic, and 180 of the 1,065 turns long range, to a tenth.
        subtypes={"cross_topic": exactly(100), "long_range_dependency": Bounds(53, 65)},
        changes={change: Bounds(40) for change in get_args(Change)},
    ),
}
"""The guide's table, by the name of the split."""

SEQUENCE_UNIQUENESS = 0.9567
SEQUENCE_DISTANCE = 0.7277
EXACT_UNIQUENESS = 0.99
EXACT_DISTANCE = 0.9797
"""The paper's trajectory diversity over topics under the same toolset, which a split must reach."""


def totals_hold(rows: Sequence[Row], make_up: MakeUp, file: str = INFO) -> Iterator[Finding]:
    """Profiles, topics, turns and their kinds are as many as the guide's table says."""
    unrecoverable = [row for row in rows if row.loi == "unrecoverable"]
    vague = sum(len(set(row.decision.asks)) < len(row.decision.asks) for row in unrecoverable)
    counted: list[tuple[str, Bounds, float]] = [
        ("the number of profiles", make_up.profiles, len({row.profile for row in rows})),
        ("the number of topics", make_up.topics, len({row.topic for row in rows})),
        ("the number of turns", make_up.turns, len(rows)),
        ("the number of unrecoverable turns", make_up.unrecoverable, len(unrecoverable)),
        ("the share of them with a second question", make_up.vague, vague / len(unrecoverable) if unrecoverable else 0),
    ]
    for kind, bounds in (
        ("task_type", make_up.task_types),
        ("structure", make_up.structures),
        ("subtype", make_up.subtypes),
        ("change", make_up.changes),
    ):
        counts = Counter(getattr(row, kind) for row in rows)
        counted += [(f"the number of turns of {kind} {name}", bound, counts[name]) for name, bound in bounds.items()]
    for what, bound, count in counted:
        if fault := bound.fault(count):
            yield Finding(file, None, f"{what} {fault}")


def toolsets_serve_many(
    rows: Sequence[Row], make_up: MakeUp, toolsets: Iterable[str], file: str = INFO
) -> Iterator[Finding]:
    """Each toolset serves at least six profiles."""
    serves: dict[str, set[str]] = {toolset: set() for toolset in toolsets}
    for row in rows:
        serves.setdefault(row.toolset, set()).add(row.profile)
    for toolset, profiles in serves.items():
        if fault := make_up.profiles_a_toolset.fault(len(profiles)):
            yield Finding(file, None, f"the number of profiles that toolset {toolset} serves {fault}")


def topics_hold_two_to_five_turns(rows: Sequence[Row], bounds: Bounds = Bounds(2, 5)) -> Iterator[Finding]:
    """A topic has two to five turns."""
    for turns in by_topic(rows).values():
        if fault := bounds.fault(len(turns)):
            yield Finding(turns[0].file, turns[0].topic, f"the number of its turns {fault}")


def profiles_hold_their_topics(rows: Sequence[Row], make_up: MakeUp, file: str = INFO) -> Iterator[Finding]:
    """Each profile has as many topics as the guide's table says."""
    for profile, own in by_profile(rows):
        if fault := make_up.topics_a_profile.fault(len({row.topic for row in own})):
            yield Finding(file, None, f"the number of topics of profile {profile} {fault}")


def every_third_has_every_type(rows: Sequence[Row], file: str = INFO) -> Iterator[Finding]:
    """Each third of a profile's turns holds every task type."""
    for profile, own in by_profile(rows):
        thirds: dict[Third, set[str]] = {third: set() for third in get_args(Third)}
        for i, row in enumerate(own):
            thirds[third_of(i, len(own))].add(row.task_type)
        for third, types in thirds.items():
            if missing := [name for name in TASK_TYPES if name not in types]:
                yield Finding(
                    file, None, f"the {third} third of profile {profile} has no {' and no '.join(missing)} turn"
                )


def sequences_differ(rows: Sequence[Row], file: str = INFO) -> Iterator[Finding]:
    """Tool sequences of topics under the same toolset are as distinct and as far apart as the paper's."""
    trajectories = [
        Trajectory(turns[0].toolset, turns[0].profile, tuple(step for row in turns for step in steps_of(row)))
        for turns in by_topic(rows).values()
    ]
    yield from diversity_findings(
        "tool sequences", trajectory_diversity(trajectories), SEQUENCE_UNIQUENESS, SEQUENCE_DISTANCE, file
    )


def steps_of(row: Row) -> tuple[str, ...]:
    """Questions and tool names of a turn, in their order."""
    return (*(ASK for _ in row.decision.asks), *row.decision.calls)


def diversity_findings(
    what: str, diversity: Diversity, uniqueness: float, distance: float, file: str
) -> Iterator[Finding]:
    """Where a diversity falls short."""
    if diversity.uniqueness is not None and diversity.uniqueness < uniqueness:
        yield Finding(file, None, f"{diversity.uniqueness:.2%} of the {what} are distinct; at least {uniqueness:.2%}")
    if diversity.mean_distance is not None and diversity.mean_distance < distance:
        yield Finding(
            file, None, f"the mean distance of {what} is {diversity.mean_distance:.2%}; at least {distance:.2%}"
        )
