"""Counts: those of `dataset.json`, and for a whole split those of the guide's table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from utb_inspect.analysis.diversity import exact_diversity
from utb_inspect.checks import make_up
from utb_inspect.checks.finding import INFO, Finding
from utb_inspect.checks.make_up import MAKE_UP, MakeUp
from utb_inspect.checks.rows import written_rows
from utb_inspect.datasets.dataset import Dataset

AGES = (22, 60)
GENDERS = {"woman": 5, "man": 5}
DISTINCT = {"nationality": 7, "education": 10, "occupation": 10}
"""Profile field to the different values that the main split has of it, at least."""
PROFILE_JACCARD = 0.197
PROFILE_TFIDF = 0.242
"""The paper's mean similarities of profiles, which a split stays under."""

_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


def counts_are_those_of_dataset_json(dataset: Dataset) -> Iterator[Finding]:
    """`counts` in dataset.json says of everything how much there is."""
    counted = _counted(dataset)
    given = dataset.info.counts
    if not given:
        yield Finding(INFO, None, "counts is empty; say how many profiles, topics, turns and kinds there are")
        return
    for name in [*counted, *(name for name in given if name not in counted)]:
        if name not in counted:
            yield Finding(INFO, None, f"counts.{name} is nothing that is counted")
        elif name not in given:
            if counted[name]:  # nothing to count: no need to say so
                yield Finding(INFO, None, f"counts.{name} is missing; it is {counted[name]}")
        elif given[name] != counted[name]:
            yield Finding(INFO, None, f"counts.{name} is {given[name]}, but there are {counted[name]}")


def _counted(dataset: Dataset) -> dict[str, Any]:
    rows = written_rows(dataset)

    def kinds(name: str) -> dict[str, int]:
        return dict(Counter(kind for row in rows if (kind := getattr(row, name)) is not None))

    return {
        "profiles": len(dataset.profiles),
        "toolsets": len(dataset.toolsets),
        "topics": len(dataset.topics),
        "turns": len(rows),
        "task_types": kinds("task_type"),
        "subtypes": kinds("subtype"),
        "structures": kinds("structure"),
        "loi": kinds("loi"),
        "changes": kinds("change"),
    }


def whole_split(dataset: Dataset) -> MakeUp | None:
    """The make-up that a dataset must have; None when it is no shipped split, or one still being written."""
    version = _VERSION.match(dataset.info.version)
    written = version is not None and int(version[1]) >= 1
    return MAKE_UP.get(dataset.info.name) if written else None


def the_split_is_made_up_as_planned(dataset: Dataset) -> Iterator[Finding]:
    """A whole split has the totals of the guide's table, and so has each profile, each third and each topic."""
    table = whole_split(dataset)
    if table is None:
        return
    rows = written_rows(dataset)
    yield from make_up.totals_hold(rows, table)
    yield from make_up.profiles_hold_their_topics(rows, table)
    yield from make_up.topics_hold_two_to_five_turns(rows, table.turns_a_topic)
    yield from make_up.every_third_has_every_type(rows)
    yield from make_up.toolsets_serve_many(rows, table, dataset.toolsets)
    for profile in dataset.profiles:
        if profile not in dataset.by_profile:
            yield Finding(INFO, None, f"profile {profile} has no topic")


def trajectories_differ(dataset: Dataset) -> Iterator[Finding]:
    """In a whole split, trajectories under one toolset are as diverse as the paper's, with and without arguments."""
    if whole_split(dataset) is None:
        return
    yield from make_up.sequences_differ(written_rows(dataset))
    diversity = exact_diversity(dataset.topics)
    yield from make_up.diversity_findings(
        "exact trajectories", diversity, make_up.EXACT_UNIQUENESS, make_up.EXACT_DISTANCE, INFO
    )


def users_differ(dataset: Dataset) -> Iterator[Finding]:
    """The users of the whole main split differ in age, gender, nationality, education and occupation."""
    if whole_split(dataset) is None or dataset.info.name != "utb_open":
        return
    fields = {profile.id: profile.fields for profile in dataset.profiles.values()}
    for profile, own in fields.items():
        age = own.get("age")
        if not isinstance(age, int) or not AGES[0] <= age <= AGES[1]:
            yield Finding(f"profiles/{profile}.json", None, f"age is not between {AGES[0]} and {AGES[1]}")
    genders = Counter(str(own.get("gender")).casefold() for own in fields.values())
    for gender, count in GENDERS.items():
        if genders[gender] != count:
            yield Finding(INFO, None, f"{genders[gender]} profiles have the gender {gender}; {count} should")
    for name, least in DISTINCT.items():
        distinct = len({str(own.get(name)).casefold() for own in fields.values()})
        if distinct < least:
            yield Finding(INFO, None, f"profiles have {distinct} values of {name}; at least {least}")


def profiles_are_unlike(dataset: Dataset) -> Iterator[Finding]:
    """In a whole split, profiles are on average no more alike than the paper's."""
    if whole_split(dataset) is None:
        return
    from utb_inspect.analysis.profile_similarity import profile_similarity

    similarity = profile_similarity(dataset.profiles)
    for what, spread, most in (
        ("token Jaccard", similarity.jaccard, PROFILE_JACCARD),
        ("TF-IDF cosine", similarity.tfidf, PROFILE_TFIDF),
    ):
        if spread is not None and spread.mean > most:
            alike = " and ".join(spread.most_similar)
            yield Finding(
                INFO, None, f"mean {what} of profiles is {spread.mean:.3f}, at most {most}; most alike: {alike}"
            )
