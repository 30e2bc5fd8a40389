"""All figures of a dataset: what `utb dataset stats` shows (definitions in docs/statistics.md)."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass

from utb_inspect import __version__
from utb_inspect.analysis.diversity import Diversity, exact_diversity, sequence_diversity
from utb_inspect.analysis.field_diversity import FieldDiversity, field_diversity
from utb_inspect.analysis.profile_fields import (
    Coverage,
    Descriptors,
    FieldGroup,
    SchemaGroup,
    coverage,
    descriptors,
    field_groups,
    schema_groups,
)
from utb_inspect.analysis.profile_similarity import Similarity, profile_similarity
from utb_inspect.analysis.tool_stats import ToolStatistics, functions_of, tool_statistics
from utb_inspect.analysis.turn_counts import TurnCounts, turn_counts
from utb_inspect.datasets.dataset import Dataset


@dataclass(frozen=True)
class DomainShare:
    """A bar of figure 2, right: the toolsets in use of a domain."""

    domain: str
    toolsets: int
    share: float
    """Of the toolsets in use, 0 to 1."""
    topics: int


@dataclass(frozen=True)
class ProfileStatistics:
    """What may be said of hidden profiles: names of fields, counts and similarities."""

    schema_groups: list[SchemaGroup]
    coverage: list[Coverage]
    descriptors: Descriptors
    fields: list[FieldDiversity]
    similarity: Similarity
    """English stop words left out."""
    similarity_all_words: Similarity
    """Stop words kept."""
    field_groups: list[FieldGroup]


@dataclass(frozen=True)
class DatasetStatistics:
    """All figures of a dataset."""

    dataset: str
    """`name@version#hash`."""
    signature: str
    """What the figures were made with: the data, the profiles (which the data's hash leaves out) and the suite."""
    users: int
    """Profiles that topics are of, whether or not the dataset holds them."""
    topics: int
    turns: TurnCounts
    sequences: Diversity
    trajectories: Diversity
    tools: ToolStatistics
    """Of the toolsets in use."""
    toolsets_offered: int
    """Toolsets of the dataset, those that no topic uses among them."""
    domains: list[DomainShare] | None
    """None: the format names no domain."""
    profiles: ProfileStatistics | None
    """None: the dataset holds no profile."""


def dataset_statistics(dataset: Dataset) -> DatasetStatistics:
    """Compute all figures of a dataset."""
    used = Counter(topic.toolset for topic in dataset.topics)
    toolsets = [toolset for name, toolset in dataset.toolsets.items() if name in used]
    return DatasetStatistics(
        dataset=dataset.name,
        signature=_signature(dataset),
        users=len(dataset.by_profile),
        topics=len(dataset.topics),
        turns=turn_counts(turn.turn for turn in dataset.turns),
        sequences=sequence_diversity(dataset.topics),
        trajectories=exact_diversity(dataset.topics),
        tools=tool_statistics(map(functions_of, toolsets)),
        toolsets_offered=len(dataset.toolsets),
        domains=None if dataset.public else domain_shares(dataset),
        profiles=profile_statistics(dataset),
    )


def domain_shares(dataset: Dataset) -> list[DomainShare]:
    """Domains of the toolsets in use, the largest first; domains are compared as they are spelt."""
    topics: Counter[str] = Counter(dataset.toolsets[topic.toolset].domain for topic in dataset.topics)
    toolsets = Counter(dataset.toolsets[name].domain for name in {topic.toolset for topic in dataset.topics})
    total = toolsets.total()
    ordered = sorted(toolsets.items(), key=lambda item: (-item[1], item[0]))
    return [DomainShare(domain, count, count / total, topics[domain]) for domain, count in ordered]


def profile_statistics(dataset: Dataset) -> ProfileStatistics | None:
    """Figures of the profiles; None when the dataset holds none."""
    profiles = dataset.profiles
    if not profiles:
        return None
    return ProfileStatistics(
        schema_groups=schema_groups(profiles),
        coverage=coverage(profiles),
        descriptors=descriptors(profiles),
        fields=field_diversity(profiles),
        similarity=profile_similarity(profiles),
        similarity_all_words=profile_similarity(profiles, stop_words=True),
        field_groups=field_groups(profiles),
    )


def _signature(dataset: Dataset) -> str:
    fields = {name: profile.fields for name, profile in dataset.profiles.items()}
    profiles = hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:6] if fields else "none"
    return f"data:{dataset.name}|profiles:{profiles}|suite:{__version__}"
