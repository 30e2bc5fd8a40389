"""A loaded dataset: topics with their toolsets and profiles, and the turns in the order of time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from utb_inspect.schema import DatasetInfo, Model, Profile, Subtype, TaskType, Third, Toolset, Topic, Turn
from utb_inspect.trajectory.calls import Tools

Layout = Literal["inline", "system"]
"""Where the environment stands: in the first message of every topic, or in the system message."""


@dataclass(frozen=True)
class PlacedTurn:
    """A turn with its place in the profile's interaction."""

    id: str
    topic: Topic
    index: int
    """Index in the topic, from 0."""
    position: int
    """Index among all turns of the profile, from 0."""
    third: Third
    toolset: Toolset
    public: PublicTurn | None = None

    @property
    def turn(self) -> Turn:
        return self.topic.turns[self.index]

    @property
    def profile(self) -> str:
        return self.topic.profile

    @property
    def task_type(self) -> TaskType:
        return self.turn.task_type

    @property
    def subtype(self) -> Subtype:
        return self.turn.subtype


class PublicTurn(Model):
    """What the public format says of a turn beyond the data model."""

    tools: list[dict[str, Any]]
    """Tools as the row gives them."""
    answer_list: list[dict[str, Any]]


@dataclass(frozen=True)
class Dataset:
    """Topics of one or more profiles, in order of time within each profile."""

    info: DatasetInfo
    layout: Layout
    toolsets: dict[str, Toolset]
    topics: list[Topic]
    hash: str
    """First 12 hex digits of SHA-256 over what the dataset says, independent of file order and formatting."""
    profiles: dict[str, Profile] = field(default_factory=dict)
    """Hidden; for checks and audits alone."""
    public: dict[str, PublicTurn] = field(default_factory=dict)
    """Turn id to its public form, for datasets read from the public row format."""
    warnings: list[str] = field(default_factory=list)
    """What was read in spite of a fault, a line each."""
    compiled: dict[str, Tools] = field(default_factory=dict, repr=False, compare=False)
    """Toolsets compiled so far, by id; `tools` fills it."""

    def tools(self, toolset: str) -> Tools:
        """A toolset, compiled once for all who read this dataset."""
        if toolset not in self.compiled:
            self.compiled[toolset] = Tools(self.toolsets[toolset])
        return self.compiled[toolset]

    @property
    def name(self) -> str:
        """`name@version#hash`, as signatures carry it."""
        return f"{self.info.name}@{self.info.version}#{self.hash[:6]}"

    @cached_property
    def turns(self) -> list[PlacedTurn]:
        """All turns, profile by profile, in order of time."""
        return [turn for turns in self.by_profile.values() for turn in turns]

    @cached_property
    def by_profile(self) -> dict[str, list[PlacedTurn]]:
        """The turns of each profile in order of time, chat included."""
        return {profile: list(self._place(topics)) for profile, topics in self._topics_by_profile().items()}

    @cached_property
    def by_id(self) -> dict[str, PlacedTurn]:
        return {turn.id: turn for turn in self.turns}

    def _topics_by_profile(self) -> dict[str, list[Topic]]:
        grouped: dict[str, list[Topic]] = {}
        for topic in self.topics:
            grouped.setdefault(topic.profile, []).append(topic)
        return grouped

    def _place(self, topics: list[Topic]) -> Iterator[PlacedTurn]:
        total = sum(len(topic.turns) for topic in topics)
        position = 0
        for topic in topics:
            for index in range(len(topic.turns)):
                turn_id = topic.turn_id(index)
                yield PlacedTurn(
                    turn_id,
                    topic,
                    index,
                    position,
                    third_of(position, total),
                    self.toolsets[topic.toolset],
                    self.public.get(turn_id),
                )
                position += 1


def content_hash(info: DatasetInfo, topics: Iterable[Topic], toolsets: Iterable[Toolset]) -> str:
    """First 12 hex digits of SHA-256 over what a dataset says, in canonical JSON.

    Profiles and canaries are left out, since no model is shown them; so are toolsets that no topic uses. Fields
    at their default count as not given, so that a new optional field of the format changes no hash.
    """
    topics = list(topics)
    used = {topic.toolset for topic in topics}
    content = {
        "name": info.name,
        "version": info.version,
        "topics": {topic.id: _content(topic) for topic in topics},
        "toolsets": {toolset.id: _content(toolset) for toolset in toolsets if toolset.id in used},
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]


def _content(model: Topic | Toolset) -> dict[str, Any]:
    return model.model_dump(by_alias=True, exclude_defaults=True, exclude={"canary"})


def third_of(position: int, total: int) -> Third:
    """The third of a profile's turns that a position falls in; earlier thirds take the extra turns.

    Source: spec section 1, trajectory position.
    """
    base, extra = divmod(total, 3)
    first = base + (extra > 0)
    middle = first + base + (extra > 1)
    return "first" if position < first else "middle" if position < middle else "last"
