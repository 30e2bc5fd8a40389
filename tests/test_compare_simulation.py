"""Do intervals cover, and does the test reject, as often as they say? Simulated users, seeded.

Ten profiles are drawn from a population whose mean is known; turns of a profile share its level, and two systems on one
turn share its difficulty. Tolerances are three standard errors of the simulated proportion itself.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from utb_inspect.compare.intervals import clustered_interval, mean_interval
from utb_inspect.compare.pairs import adjust, most_tests, paired, sign_flip, smallest_difference

Array = NDArray[Any]
PROFILES, TURNS = 10, 26
"""As many as a task type has turns a profile in the shipped data."""
RUNS = 1500
MEAN = 0.5


def profiles_of(sizes: Array) -> list[str]:
    return [f"p{i:02}" for i, size in enumerate(sizes) for _ in range(size)]


def results(random: np.random.Generator, sizes: Array, systems: int, *, gain: float = 0.0, apart: float = 0.1) -> Array:
    """Verdicts of some systems on the same turns, rows being systems; true means 0.5, and `gain` more for the first.

    A profile's level is uniform between 0.25 and 0.75, so that its variance is a twelfth of one turn's: turns of a
    profile correlate at 0.08. Each system differs from it by up to `apart` either way. Systems see a turn's difficulty
    through normal variables that correlate at 0.5.
    """
    level = random.uniform(MEAN - 0.25, MEAN + 0.25, len(sizes))
    chance = level + random.uniform(-apart, apart, (systems, len(sizes)))
    chance[0] += gain
    turns = int(sum(sizes))
    difficulty = math.sqrt(0.5) * (random.standard_normal(turns) + random.standard_normal((systems, turns)))
    return stats.norm.cdf(difficulty) < np.repeat(chance, sizes, axis=1)


def error(rate: float, runs: int = RUNS) -> float:
    """Three standard errors of a simulated proportion."""
    return 3 * math.sqrt(rate * (1 - rate) / runs)


EQUAL = np.full(PROFILES, TURNS)
UNEQUAL = np.array([14, 18, 20, 22, 24, 26, 30, 32, 36, 38])


# --- intervals cover -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [EQUAL, UNEQUAL], ids=["equal", "unequal"])
def test_intervals_cover_the_true_share(sizes: Array) -> None:
    random = np.random.default_rng(1)
    clusters = profiles_of(sizes)
    covered = np.zeros(3)
    for _ in range(RUNS):
        (values,) = results(random, sizes, 1)
        for i, found in enumerate((mean_interval(values, clusters), clustered_interval(values, clusters))):
            covered[i] += found.low <= MEAN <= found.high
        # What would be said if turns were independent.
        covered[2] += abs(values.mean() - MEAN) <= 1.96 * math.sqrt(values.var() / len(values))
    ours, pooled, naive = covered / RUNS
    assert ours == pytest.approx(0.95, abs=error(0.95))
    assert pooled == pytest.approx(0.95, abs=error(0.95))
    assert naive < 0.85


def test_intervals_of_the_average_cover() -> None:
    random = np.random.default_rng(2)
    sizes = np.full(PROFILES, 3 * 9)
    clusters, groups = profiles_of(sizes), ["st", "st", "st", "st", "mt", "mt", "mt", "loi", "loi"] * 30
    covered = np.zeros(2)
    for _ in range(RUNS):
        (values,) = results(random, sizes, 1)
        for i, interval in enumerate((mean_interval, clustered_interval)):
            found = interval(values, clusters, groups)
            covered[i] += found.low <= MEAN <= found.high
    assert covered / RUNS == pytest.approx(0.95, abs=error(0.95))


def coverage(share: float, turns: int, correlation: float) -> tuple[float, float]:
    """How often the interval covers, and how often a t interval would; profiles' levels have a beta distribution."""
    random = np.random.default_rng(3)
    clusters = profiles_of(np.full(PROFILES, turns))
    known = 1 / correlation - 1
    covered = np.zeros(2)
    for _ in range(RUNS):
        level = random.beta(known * share, known * (1 - share), PROFILES)
        values = random.random(PROFILES * turns) < np.repeat(level, turns)
        found = mean_interval(values, clusters)
        means = values.reshape(PROFILES, turns).mean(axis=1)
        reach = stats.t.isf(0.025, 9) * means.std(ddof=1) / math.sqrt(PROFILES)
        covered += (found.low <= share <= found.high, abs(means.mean() - share) <= reach)
    ours, t = covered / RUNS
    return float(ours), float(t)


@pytest.mark.parametrize("share", [0.9, 0.95, 0.98, 0.99])
def test_intervals_near_one_cover_where_the_t_interval_does_not(share: float) -> None:
    # Two points less than 95 % are admitted; more is no fault.
    ours, t = coverage(share, TURNS, 0.02)
    assert ours >= 0.93 - error(0.93)
    assert ours >= t
    if share >= 0.95:
        assert t < 0.95 - error(0.95)


def test_the_limit_that_the_page_tells_of() -> None:
    # Most users always right, a few often wrong: ten profiles may well hold none of the few.
    ours, t = coverage(0.99, 80, 0.1)
    assert t + 0.05 < ours < 0.9


# --- the difference covers, the test keeps its level, and finds what is there --------------------------------


def simulated_pairs(seed: int, gain: float, runs: int, sizes: Array = UNEQUAL) -> dict[str, float]:
    random = np.random.default_rng(seed)
    clusters = profiles_of(sizes)
    found = [paired(*results(random, sizes, 2, gain=gain), clusters) for _ in range(runs)]
    return {
        "covers": float(np.mean([pair.difference.low <= gain <= pair.difference.high for pair in found])),
        "pooled covers": float(np.mean([pair.pooled.low <= gain <= pair.pooled.high for pair in found])),
        "rejects": float(np.mean([pair.p <= 0.05 for pair in found])),
        "rightly": float(np.mean([pair.p <= 0.05 and pair.difference.estimate > 0 for pair in found])),
    }


def test_without_a_difference_the_test_rejects_at_its_level() -> None:
    rates = simulated_pairs(4, gain=0.0, runs=RUNS)
    # The levels that ten profiles allow are multiples of 2 / 1024; the one next below 0.05 is 50 / 1024.
    assert rates["rejects"] == pytest.approx(50 / 1024, abs=error(0.05))
    assert rates["covers"] == pytest.approx(0.95, abs=error(0.95))
    assert rates["pooled covers"] == pytest.approx(0.95, abs=error(0.95))


def test_a_planted_difference_is_found() -> None:
    rates = simulated_pairs(5, gain=0.15, runs=500)
    assert rates["rightly"] > 0.8
    assert rates["covers"] == pytest.approx(0.95, abs=error(0.95, 500))
    assert rates["pooled covers"] == pytest.approx(0.95, abs=error(0.95, 500))


def test_mcnemar_rejects_too_often_when_systems_suit_different_users() -> None:
    # As many turns as all of a profile: McNemar's test takes them for independent, the sign-flip test does not.
    random = np.random.default_rng(6)
    sizes = np.full(PROFILES, 106)
    clusters = profiles_of(sizes)
    found = [paired(*results(random, sizes, 2, apart=0.15), clusters) for _ in range(400)]
    assert np.mean([pair.p <= 0.05 for pair in found]) == pytest.approx(50 / 1024, abs=error(0.05, 400))
    assert np.mean([pair.mcnemar <= 0.05 for pair in found if pair.mcnemar is not None]) > 0.1


def test_holm_keeps_the_level_over_all_pairs() -> None:
    random = np.random.default_rng(7)
    clusters = profiles_of(EQUAL)
    false = 0
    for _ in range(400):
        systems = results(random, EQUAL, 4)
        pvalues = [paired(first, second, clusters).p for first, second in combinations(systems, 2)]
        false += min(adjust(pvalues)) <= 0.05
    assert 0 < false / 400 <= 0.05 + error(0.05, 400)


@pytest.mark.parametrize(
    ("profiles", "tests"), [(6, 1), (8, 1), (8, 6), (10, 1), (10, 3), (10, 10), (10, 25), (12, 45)]
)
def test_the_smallest_difference_is_found_four_times_in_five(profiles: int, tests: int) -> None:
    # For normal differences of deviation 0.1. Just above the floor, where the t test stands in for the sign-flip test,
    # the figure may be a tenth too small; it is never too large.
    random = np.random.default_rng(8)
    size = smallest_difference(0.1, profiles, tests)
    noise = random.normal(0, 0.1, (RUNS, profiles))
    power, more = (np.mean([sign_flip(row) <= 0.05 / tests for row in noise + size * by]) for by in (1, 1.1))
    assert power <= 0.8 + error(0.8)
    assert more >= 0.8 - error(0.8)


def test_more_pairs_than_the_profiles_bear_find_nothing() -> None:
    random = np.random.default_rng(9)
    pvalues = [sign_flip(random.normal(1, 0.01, PROFILES)) for _ in range(most_tests(PROFILES) + 1)]
    assert min(adjust(pvalues)) > 0.05
