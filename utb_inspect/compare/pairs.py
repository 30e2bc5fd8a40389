"""Two systems on the same samples: how far apart they are, and whether that is more than noise.

The statistics and their limits are told in docs/comparing-statistics.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, stats

from utb_inspect.compare.intervals import NEGLIGIBLE, TAIL, Estimate, Interval, Method, estimate, outcomes, shares

ALPHA = 0.05
"""Chance of seeing any difference among all pairs when there is none, at most."""
POWER = 0.8
"""Chance of finding a difference of the size that is called detectable."""
EXACT = 16
"""Up to so many profiles all changes of signs are gone through (65,536)."""
DRAWS = 99_999
"""Changes of signs drawn for more profiles, the one seen coming on top."""
LEAST = 6
"""Profiles without which the sign-flip test can show nothing: 2 / 2^5 is more than 0.05."""


@dataclass(frozen=True)
class PairResult:
    """First minus second, over the samples that both have scored.

    Attributes:
        difference: Mean over profiles of their mean differences, with a t interval over the profiles (of this pair
            alone, not corrected for other pairs).
        pooled: Mean difference over all samples, with an interval clustered by profile.
        missing: Samples left out since one of the two, or both, have no score.
        p: Two-sided p-value of the sign-flip test over profiles, not corrected; NaN without a common sample.
        differing: Profiles in which the two are not equal, which are those that the test rests on.
        floor: The lowest p-value that the test can give with those.
        first_only: Samples that the first gets right and the second does not; None for values other than 0 and 1 (means
            over epochs).
        second_only: The other way round.
        mcnemar: Exact p-value of McNemar's test, which takes samples as independent; None likewise, and for no sample.
        deviation: Standard deviation of the profiles' differences; NaN for fewer than two profiles.
    """

    difference: Interval
    pooled: Interval
    missing: int
    p: float
    differing: int
    floor: float
    first_only: int | None
    second_only: int | None
    mcnemar: float | None
    deviation: float

    @property
    def profiles(self) -> int:
        """Profiles with a sample that both have scored."""
        return self.difference.profiles

    @property
    def samples(self) -> int:
        """Samples that both have scored."""
        return self.difference.samples


def paired(
    first: ArrayLike, second: ArrayLike, clusters: Sequence[str], groups: Sequence[str] | None = None
) -> PairResult:
    """Compare two systems on the same samples.

    Where all profiles have the same difference, a t interval would have no width; the bounds are then those of Bonett
    and Price (2012) for a paired difference of shares, samples counted as `mean_interval` does in that case.

    Args:
        first: A value from 0 to 1 for each sample (booleans do), NaN where there is none. Of several epochs, the
            sample's mean over those scored: epochs are no samples of their own.
        second: The other system's values of the same samples, in the same order.
        clusters: The profile of each sample.
        groups: As in `mean_interval`: the task types to average.

    Raises:
        ValueError: a value outside 0 to 1, or sequences of different lengths.
    """
    ours, theirs = shares(first), shares(second)
    if ours.shape != theirs.shape:
        raise ValueError(f"{ours.size} values and {theirs.size}: both must be of the same samples")
    differences = ours - theirs
    found = outcomes(differences, clusters, groups)
    apart = outcomes(np.abs(differences), clusters, groups)
    by_profile = estimate(found, by_profile=True)
    parts = np.array(list(by_profile.parts.values()))
    differing = int(np.sum(np.abs(parts) > NEGLIGIBLE))
    first_only, second_only, independent = _discordant(ours, theirs)
    return PairResult(
        difference=_interval(by_profile, estimate(apart, by_profile=True)),
        pooled=_interval(estimate(found, by_profile=False), estimate(apart, by_profile=False)),
        missing=int(np.sum(np.isnan(differences))),
        p=math.nan if math.isnan(by_profile.value) else sign_flip(parts),
        differing=differing,
        floor=_floor(differing),
        first_only=first_only,
        second_only=second_only,
        mcnemar=independent,
        deviation=by_profile.stderr * math.sqrt(len(parts)),
    )


def sign_flip(differences: ArrayLike) -> float:
    """Two-sided p-value of the sign-flip test of differences, one a profile.

    If two systems do equally well with the users that profiles are drawn from, each difference might as well have come
    with the other sign. The p-value is the share of all changes of signs, none included, whose sum is at least as far
    from 0 as the one seen; with more than 16 profiles that differ, of 99,999 random ones and the one seen. Equal
    differences give equal p-values.
    """
    sizes = np.abs(np.asarray(differences, dtype=float))
    seen = abs(float(np.sum(differences)))
    as_far = seen - NEGLIGIBLE * float(np.sum(sizes))  # sums that are equal but for rounding count as equal
    sizes = np.sort(sizes[sizes > NEGLIGIBLE])  # the sign of a zero changes nothing
    if len(sizes) <= EXACT:
        sums = np.zeros(1)
        for size in sizes:
            sums = np.concatenate([sums + size, sums - size])
        return float(np.mean(np.abs(sums) >= as_far))
    random = np.random.default_rng(0)
    sums = np.zeros(DRAWS)
    for size in sizes:
        sums += size * (2 * random.integers(0, 2, DRAWS, dtype=np.int8) - 1)
    return (1 + int(np.sum(np.abs(sums) >= as_far))) / (1 + DRAWS)


def adjust(pvalues: Sequence[float]) -> list[float]:
    """P-values corrected for their number by Holm's procedure; NaNs stay NaN and do not count."""
    corrected = np.asarray(pvalues, dtype=float)
    order = np.argsort(corrected)[: np.count_nonzero(~np.isnan(corrected))]  # NaNs come last
    steps = corrected[order] * np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(1, np.maximum.accumulate(steps))
    return [float(p) for p in corrected]


def most_tests(profiles: int) -> int:
    """How many pairs can be compared over so many profiles: with more, no corrected p-value can fall to 5 %."""
    return int(ALPHA / _floor(profiles))


def smallest_difference(deviation: float, profiles: int, tests: int = 1) -> float:
    """The smallest difference that would have been found 4 times in 5 (80 % power) at 5 % over all tests.

    Args:
        deviation: Standard deviation of the profiles' differences (`PairResult.deviation`).
        profiles: Their number.
        tests: Pairs that are compared; the first step of Holm's procedure is counted, which asks most.

    Returns:
        A difference of shares, for normal differences and the t test at the level that the sign-flip test can keep. NaN
        when none could be found: too few profiles for so many pairs, no spread to go by, or more than 1.
    """
    changes = int(ALPHA / tests / _floor(profiles))
    if changes == 0 or not deviation > NEGLIGIBLE:
        return math.nan
    if changes == 1:  # the test then asks that all profiles differ the same way
        size = float(stats.norm.ppf(POWER ** (1 / profiles)))
    else:
        size = _t_size(profiles, changes * _floor(profiles))
    return size * deviation if size * deviation <= 1 else math.nan


def verdict_words(pair: PairResult, adjusted: float, tests: int, first: str, second: str) -> str:
    """What a pair shows, in a sentence: the difference, or that none is shown and what could have been found.

    Args:
        pair: The comparison, of at least one common sample.
        adjusted: Its p-value corrected for `tests` pairs (`adjust`).
        tests: Pairs that are compared.
        first: Name of the first system.
        second: Name of the second.
    """
    found = pair.difference
    p = "p < 0.001" if adjusted < 0.001 else f"p = {adjusted:.2g}"
    corrected = f" corrected for {tests} pairs" if tests > 1 else ""
    shown = adjusted <= ALPHA
    sign = -1 if shown and found.estimate < 0 else 1
    low, high = sorted((sign * 100 * found.low, sign * 100 * found.high))
    interval = "" if found.method == "none" else f", 95 % interval {low:+.2f} to {high:+.2f} for this pair alone"
    if not shown:
        figures = f"{first} minus {second} is {100 * found.estimate:+.2f} points ({p}{corrected}{interval})"
        return f"No difference shown: {figures}; {_could_find(pair, tests)}."
    higher, lower = (first, second) if found.estimate > 0 else (second, first)
    return f"{higher} is above {lower} by {100 * abs(found.estimate):.2f} points ({p}{corrected}{interval})."


def _could_find(pair: PairResult, tests: int) -> str:
    """What a pair in which no difference is shown could have shown."""
    most = most_tests(pair.profiles)
    if most == 0:
        return f"over fewer than {LEAST} profiles the test can show none, however large"
    if most < tests:
        return f"over {pair.profiles} profiles the test can show none, however large, among more than {most} pairs"
    if pair.floor * tests > ALPHA:
        return f"the two differ in {pair.differing} of {pair.profiles} profiles, too few for the test to show anything"
    smallest = smallest_difference(pair.deviation, pair.profiles, tests)
    if math.isnan(smallest):
        return "its size varies too much between profiles for any to be found reliably"
    return f"one of {100 * smallest:.2f} points would have been found 4 times in 5"


def _floor(profiles: int) -> float:
    """The lowest p-value of the sign-flip test: the differences as seen, and all of them the other way round."""
    return max(min(1.0, 2.0 ** (1 - profiles)), 1 / (1 + DRAWS))


def _t_size(profiles: int, level: float) -> float:
    """The difference, in standard deviations, that a two-sided t test finds with the power asked for."""
    critical = stats.t.isf(level / 2, profiles - 1)
    shift = optimize.brentq(lambda shift: stats.nct.sf(critical, profiles - 1, shift) - POWER, 0, 3 * critical)
    return float(shift) / math.sqrt(profiles)


def _discordant(
    first: NDArray[np.float64], second: NDArray[np.float64]
) -> tuple[int, int, float | None] | tuple[None, None, None]:
    """Samples that the first alone gets right, those that the second alone does, and McNemar's exact p-value."""
    common = ~np.isnan(first - second)
    if not common.any():
        return 0, 0, None
    if not np.isin([first[common], second[common]], (0, 1)).all():
        return None, None, None
    ours, theirs = int(np.sum(first > second)), int(np.sum(second > first))
    return ours, theirs, float(stats.binomtest(ours, ours + theirs).pvalue) if ours + theirs else 1.0


def _interval(found: Estimate, apart: Estimate) -> Interval:
    """The interval of a difference; `apart` averages its absolute values: the share of samples that differ."""
    method: Method = "t"
    if math.isnan(found.stderr):
        low, high, method = math.nan, math.nan, "none"
    elif found.stderr < NEGLIGIBLE:
        low, high = _bonett_price(found, apart.value)
        method = "bonett-price"
    else:
        low, high = found.t_bounds
    low, high = (float(bound) for bound in np.clip((low, high), -1, 1))
    return Interval(found.value, low, high, len(found.parts), found.samples, method)


def _bonett_price(found: Estimate, apart: float) -> tuple[float, float]:
    size = found.binomial_size(found.independent)
    # One more sample that the first alone gets right, and one that the second alone does.
    difference, differing = found.value * size / (size + 2), (apart * size + 2) / (size + 2)
    reach = float(stats.norm.isf(TAIL)) * math.sqrt((differing - difference**2) / (size + 2))
    return difference - reach, difference + reach
