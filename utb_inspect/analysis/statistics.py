"""Means and their standard errors, clustered by profile.

Turns of one profile are not independent: its history, voice and habits run through all of them. Standard errors
therefore treat the profile as the unit (Liang and Zeger's sandwich estimator with the C / (C - 1) correction, as
Inspect's own `stderr(cluster=...)` does for a single mean).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple


class Outcome(NamedTuple):
    """A turn's value and the profile it belongs to."""

    value: float
    cluster: str


def mean(group: Sequence[Outcome]) -> float:
    """Mean value; NaN for an empty group."""
    return sum(o.value for o in group) / len(group) if group else math.nan


def clustered_stderr(group: Sequence[Outcome]) -> float:
    """Standard error of a mean over clustered outcomes; NaN for fewer than two clusters."""
    return mean_of_means_stderr([group])


def mean_of_means(groups: Sequence[Sequence[Outcome]]) -> float:
    """Unweighted mean of the groups' means; NaN when one of them is empty."""
    return sum(mean(group) for group in groups) / len(groups) if groups else math.nan


def mean_of_means_stderr(groups: Sequence[Sequence[Outcome]]) -> float:
    """Standard error of an unweighted mean of group means, clusters running across the groups.

    NaN for fewer than two clusters or an empty group.
    """
    if not groups or not all(groups):
        return math.nan
    # Each cluster's share in the deviation of the estimate: within a group, its summed deviations over the count.
    influence: defaultdict[str, float] = defaultdict(float)
    for group in groups:
        centre = mean(group)
        for outcome in group:
            influence[outcome.cluster] += (outcome.value - centre) / (len(group) * len(groups))
    count = len(influence)
    if count < 2:
        return math.nan
    return math.sqrt(count / (count - 1) * sum(share**2 for share in influence.values()))
