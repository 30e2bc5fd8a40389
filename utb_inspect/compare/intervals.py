"""Shares with 95 % intervals whose unit is the profile (docs/comparing-statistics.md)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from utb_inspect.analysis.statistics import Outcome, mean, mean_of_means, mean_of_means_stderr

TAIL = 0.025
"""What a 95 % interval leaves out on either side."""
NEGLIGIBLE = 1e-9
"""A standard error below this is rounding: profiles do not differ."""

Method = Literal["t", "korn-graubard", "bonett-price", "none"]


@dataclass(frozen=True)
class Interval:
    """A share, or a difference of two, and its 95 % interval.

    Attributes:
        estimate: The share; NaN when there is no value.
        low: Lower bound; NaN for fewer than two profiles, which show no spread.
        high: Upper bound; likewise.
        profiles: Profiles with a value.
        samples: Values.
        method: How the bounds were found. `t` unless that fails: `korn-graubard` for a share and `bonett-price` for a
            difference, see `mean_interval` and `utb_inspect.compare.pairs.paired`; `none` without bounds.
    """

    estimate: float
    low: float
    high: float
    profiles: int
    samples: int
    method: Method


def mean_interval(values: ArrayLike, clusters: Sequence[str], groups: Sequence[str] | None = None) -> Interval:
    """The mean over profiles of their means, as the paper reports shares, with a t interval over the profiles.

    Where the t interval would run past 0 or 1, or has no width since all profiles are alike, it is too narrow to be
    believed: the bounds are then those of Korn and Graubard (1998), exact binomial ones for the number of independent
    samples that would be as informative.

    Args:
        values: A value from 0 to 1 for each sample (booleans do), NaN where there is none. Of several epochs, the
            sample's mean over those scored.
        clusters: The profile of each.
        groups: The group of each (its task type): the figure is then the unweighted mean of the groups' figures, the
            paper's `average`, and NaN when a group has no value. Give the rows of the groups to average alone.

    Raises:
        ValueError: a value outside 0 to 1, or sequences of different lengths.
    """
    return _share(estimate(outcomes(shares(values), clusters, groups), by_profile=True))


def clustered_interval(values: ArrayLike, clusters: Sequence[str], groups: Sequence[str] | None = None) -> Interval:
    """The mean over all samples pooled, with a t interval from its standard error clustered by profile.

    Arguments, errors and the case without a t interval are as in `mean_interval`.
    """
    return _share(estimate(outcomes(shares(values), clusters, groups), by_profile=False))


@dataclass(frozen=True)
class Estimate:
    """A mean, its standard error clustered by profile, and what both rest on.

    Attributes:
        value: The mean; NaN when there is none.
        stderr: NaN for fewer than two profiles.
        parts: What each profile with a value adds to the mean.
        samples: Values.
        independent: How many samples of equal weight would say as much if samples were independent (Kish's effective
            size): fewer than there are when profiles or groups of different sizes count the same.
    """

    value: float
    stderr: float
    parts: Mapping[str, float]
    samples: int
    independent: float

    @property
    def quantile(self) -> float:
        """Standard errors on either side of a t interval; there must be two profiles."""
        return float(stats.t.isf(TAIL, len(self.parts) - 1))

    @property
    def t_bounds(self) -> tuple[float, float]:
        """The t interval, whatever the range of the values."""
        reach = self.quantile * self.stderr
        return self.value - reach, self.value + reach

    def binomial_size(self, independent: float) -> float:
        """So many independent samples, cut for a binomial interval to widen as a t interval does with few profiles."""
        return independent * float(stats.t.isf(TAIL, self.samples - 1) / self.quantile) ** 2


def shares(values: ArrayLike) -> NDArray[np.float64]:
    """Values as floats, missing ones NaN. Raises ValueError when one is no share."""
    numbers = np.asarray(values, dtype=float)
    if np.any((numbers < 0) | (numbers > 1)):
        raise ValueError("a value lies outside 0 to 1, so that this is no share")
    return numbers


def outcomes(
    values: NDArray[np.float64], clusters: Sequence[str], groups: Sequence[str] | None = None
) -> list[list[Outcome]]:
    """Values by group, without those that are missing; all in one group unless `groups` says otherwise."""
    labels = [""] * len(clusters) if groups is None else groups
    found: dict[str, list[Outcome]] = {label: [] for label in labels}
    for value, cluster, label in zip(values.tolist(), clusters, labels, strict=True):
        if not math.isnan(value):
            found[label].append(Outcome(value, cluster))
    return list(found.values())


def estimate(groups: Sequence[Sequence[Outcome]], *, by_profile: bool) -> Estimate:
    """Unweighted mean over the groups of their means: over profiles, each with the same weight, or over samples."""
    units = [_units(group, by_profile=by_profile) for group in groups]
    values = [[outcome for outcome, _ in group] for group in units]
    parts: defaultdict[str, float] = defaultdict(float)
    squares = 0.0  # of the samples' weights
    for group in units:
        for outcome, size in group:
            weight = 1 / (len(units) * len(group))
            parts[outcome.cluster] += weight * outcome.value
            squares += weight**2 / size
    return Estimate(
        value=mean_of_means(values),
        stderr=mean_of_means_stderr(values),
        parts=parts,
        samples=sum(map(len, groups)),
        independent=1 / squares if squares else 0.0,
    )


def _units(group: Sequence[Outcome], *, by_profile: bool) -> list[tuple[Outcome, int]]:
    """What has the same weight in a group's mean, with the number of samples behind it."""
    if not by_profile:
        return [(outcome, 1) for outcome in group]
    profiles: dict[str, list[Outcome]] = {}
    for outcome in group:
        profiles.setdefault(outcome.cluster, []).append(outcome)
    return [(Outcome(mean(own), profile), len(own)) for profile, own in profiles.items()]


def _share(found: Estimate) -> Interval:
    method: Method = "t"
    if math.isnan(found.stderr):
        low, high, method = math.nan, math.nan, "none"
    else:
        low, high = found.t_bounds
        if found.stderr < NEGLIGIBLE or low < 0 or high > 1:
            low, high = _korn_graubard(found)
            method = "korn-graubard"
    return Interval(found.value, low, high, len(found.parts), found.samples, method)


def _korn_graubard(found: Estimate) -> tuple[float, float]:
    share = found.value
    # Clustering never makes samples worth more than independent ones are, whatever a small spread may suggest.
    seen = share * (1 - share) / found.stderr**2 if found.stderr >= NEGLIGIBLE else math.inf
    size = found.binomial_size(min(found.independent, seen))
    right, wrong = size * share, size * (1 - share)
    low = float(stats.beta.ppf(TAIL, right, wrong + 1)) if right > NEGLIGIBLE else 0.0
    high = float(stats.beta.isf(TAIL, right + 1, wrong)) if wrong > NEGLIGIBLE else 1.0
    return low, high
