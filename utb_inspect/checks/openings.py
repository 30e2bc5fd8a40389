"""How requests open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from utb_inspect.checks.finding import Finding, profile_file
from utb_inspect.datasets.dataset import Dataset
from utb_inspect.trajectory.text import words

COMMON = ("can you", "i need", "please", "hey")
"""Openings that people are made to use too often."""
ONE_IN = 8


def openings_vary(dataset: Dataset) -> Iterator[Finding]:
    """ "Can you", "I need", "Please" and "Hey" together open at most one request in eight of a profile."""
    for profile, turns in dataset.by_profile.items():
        if fault := common_openings([turn.turn.request for turn in turns]):
            yield Finding(profile_file(profile), None, fault)


def common_openings(requests: Sequence[str]) -> str | None:
    """Why too many requests open with common words; None when they do not. One may at any rate."""
    found = Counter(
        opening for request in requests for opening in COMMON if f"{opening_words(request)} ".startswith(f"{opening} ")
    )
    count = sum(found.values())
    if count <= max(1, len(requests) / ONE_IN):
        return None
    named = ", ".join(f"'{opening}' {times}" for opening, times in found.most_common())
    return f"{count} of {len(requests)} requests open with common words ({named}); at most one in {ONE_IN} should"


def opening_words(text: str) -> str:
    """A text in plain words, for comparing how it opens."""
    return " ".join(words(text))
