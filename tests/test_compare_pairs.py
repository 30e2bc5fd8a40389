"""Pairs of systems: tests counted by hand and by brute force, and what a comparison may say."""

from __future__ import annotations

import doctest
import math
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from utb_inspect.compare.pairs import (
    PairResult,
    adjust,
    most_tests,
    paired,
    sign_flip,
    smallest_difference,
    verdict_words,
)

Counts = tuple[int, int, int, int]
"""Turns of a profile that both get right, the first alone, the second alone, neither."""


def compared(*profiles: Counts) -> PairResult:
    cells = ((True, True), (True, False), (False, True), (False, False))
    rows = [
        (*cell, f"p{i}")
        for i, counts in enumerate(profiles)
        for cell, count in zip(cells, counts, strict=True)
        for _ in range(count)
    ]
    return paired([a for a, _, _ in rows], [b for _, b, _ in rows], [name for _, _, name in rows])


# --- the sign-flip test, counted by hand ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([0.1, 0.2, 0.3], 2 / 8),  # only all as they are and all turned round are as far from 0
        ([3, 2, -1], 4 / 8),  # sums 6, 4, 2, 0 and their opposites; 4 was seen
        ([0.1, 0.1, 0.1, -0.1], 10 / 16),  # two units: 1 + 4 sums of two or more, and their opposites
        ([0.1, 0.2, -0.3], 1.0),  # 0 was seen, which in floats it is not
        ([1, 1, 1, 1, 1, 1, 0, 0], 2 / 64),  # profiles without a difference add nothing
        ([0.0, 0.0], 1.0),
        ([0.5], 1.0),
        ([], 1.0),
    ],
)
def test_sign_flip_counts_the_changes_of_signs(differences: list[float], p: float) -> None:
    assert sign_flip(differences) == p


SHARES = st.integers(1, 12).flatmap(lambda n: st.integers(-n, n).map(lambda k: Fraction(k, n)))


@given(st.lists(SHARES, min_size=1, max_size=8))
def test_sign_flip_agrees_with_exact_fractions(differences: list[Fraction]) -> None:
    seen = abs(sum(differences))
    changes = list(product((1, -1), repeat=len(differences)))
    as_far = sum(abs(sum(s * d for s, d in zip(signs, differences, strict=True))) >= seen for signs in changes)
    assert sign_flip([float(d) for d in differences]) == as_far / len(changes)


def test_many_profiles_are_sampled_and_agree_with_the_sign_test() -> None:
    # 25 differences of one size, 18 of them up: the sum depends on the number of signs alone, a binomial test.
    differences = [0.1] * 18 + [-0.1] * 7
    p = float(stats.binomtest(18, 25).pvalue)
    assert sign_flip(differences) == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / 100_000))
    assert sign_flip(differences[::-1]) == sign_flip(differences)


def test_changes_of_signs_are_counted_where_few_of_many_profiles_differ() -> None:
    assert sign_flip([0.1] * 6 + [0.0] * 40) == 2 / 64


def test_sampled_p_value_is_never_zero() -> None:
    assert sign_flip([0.1] * 60) == 1 / 100_000


# --- a pair, by hand -----------------------------------------------------------------------------------------


def test_difference_is_the_mean_over_profiles() -> None:
    # Differences of 10, 2 and 10 turns: 2/10, 1/2, -1/10; their mean 0.2. Pooled: (2 + 1 - 1) / 22.
    pair = compared((4, 3, 1, 2), (0, 1, 0, 1), (5, 1, 2, 2))
    assert pair.difference.estimate == pytest.approx(0.2)
    assert pair.pooled.estimate == pytest.approx(2 / 22)
    assert (pair.first_only, pair.second_only) == (5, 3)
    assert (pair.profiles, pair.differing, pair.samples, pair.missing) == (3, 3, 22, 0)
    assert pair.floor == 2 / 8
    # Deviations 0, 0.3, -0.3: variance 0.18 / 2.
    assert pair.deviation == pytest.approx(0.3)
    reach = 4.302653 * 0.3 / math.sqrt(3)
    assert (pair.difference.low, pair.difference.high) == pytest.approx((0.2 - reach, 0.2 + reach))
    # The sum seen is 0.6; all changes of signs give 0.8, 0.6, 0.4, 0.2 and their opposites.
    assert pair.p == 4 / 8


def test_mcnemar_is_the_binomial_test_of_the_samples_that_differ() -> None:
    # 8 against 2: 2 * (1 + 10 + 45) / 2^10.
    assert compared((3, 5, 1, 3), (3, 3, 1, 3)).mcnemar == pytest.approx(112 / 1024)
    assert compared((3, 0, 0, 3), (3, 0, 0, 3)).mcnemar == 1


@given(st.integers(0, 30), st.integers(0, 30))
def test_mcnemar_agrees_with_statsmodels(first: int, second: int) -> None:
    table = [[1, first], [second, 0]]
    assert compared((1, first, second, 0)).mcnemar == pytest.approx(mcnemar(table, exact=True).pvalue)


@given(st.lists(st.tuples(*[st.integers(0, 5)] * 4).filter(any), min_size=3, max_size=12))
def test_interval_is_that_of_a_paired_t_test_over_profiles(profiles: list[Counts]) -> None:
    pair = compared(*profiles)
    firsts, seconds = zip(*(((a + b) / sum(c), (a + d) / sum(c)) for c in profiles for a, b, d, _ in [c]), strict=True)
    if pair.difference.method == "t":
        low, high = stats.ttest_rel(firsts, seconds).confidence_interval()
        assert (pair.difference.low, pair.difference.high) == pytest.approx((max(low, -1), min(high, 1)))
    assert pair.p == sign_flip(np.subtract(firsts, seconds))


@given(st.lists(st.tuples(*[st.integers(0, 5)] * 4).filter(any), min_size=2, max_size=10))
def test_swapped_systems_swap_the_signs(profiles: list[Counts]) -> None:
    pair = compared(*profiles)
    other = compared(*((both, second, first, none) for both, first, second, none in profiles))
    assert other.p == pair.p
    assert other.mcnemar == pair.mcnemar
    assert (other.first_only, other.second_only) == (pair.second_only, pair.first_only)
    for ours, theirs in ((pair.difference, other.difference), (pair.pooled, other.pooled)):
        assert (theirs.estimate, theirs.low, theirs.high) == pytest.approx((-ours.estimate, -ours.high, -ours.low))


@given(st.lists(st.tuples(*[st.integers(0, 5)] * 4).filter(any), min_size=2, max_size=10))
def test_an_interval_holds_its_difference_and_is_never_empty(profiles: list[Counts]) -> None:
    pair = compared(*profiles)
    for found in (pair.difference, pair.pooled):
        assert -1 <= found.low <= found.estimate <= found.high <= 1
        assert found.high - found.low > 0.001


def test_two_systems_that_decide_alike_are_not_known_to_be_equal() -> None:
    # 800 turns of 10 profiles count as 800 * (1.962938 / 2.262157)^2 = 602.4. One is added for each side:
    # shares 1 / 604.4 each, difference 0, standard error sqrt(2 / 604.4 / 604.4).
    pair = compared(*[(50, 0, 0, 30)] * 10)
    reach = 1.959964 * math.sqrt(2) / 604.364
    assert (pair.difference.low, pair.difference.high) == pytest.approx((-reach, reach), rel=1e-4)
    assert pair.difference.method == "bonett-price"
    assert (pair.p, pair.floor, pair.differing) == (1, 1, 0)


def test_the_same_difference_everywhere_has_a_width() -> None:
    pair = compared(*[(4, 3, 1, 2)] * 8)
    assert pair.difference.method == "bonett-price"
    assert pair.difference.low < 0.2 < pair.difference.high
    assert pair.p == 2 / 2**8


def test_average_of_groups() -> None:
    # Single-tool: a 1 - 0, b 1 - 1, mean 1/2. Multi-tool: a 1 - 0 and 1 - 1, which is 1/2; b 1 - 0, 1 - 0 and 0 - 0,
    # which is 2/3; mean 7/12. By profile: a (1 + 1/2) / 2, b (0 + 2/3) / 2.
    pair = paired(
        [1, 1, 1, 1, 1, 1, 0],
        [0, 1, 0, 1, 0, 0, 0],
        ["a", "b", "a", "a", "b", "b", "b"],
        ["st", "st", "mt", "mt", "mt", "mt", "mt"],
    )
    assert pair.difference.estimate == pytest.approx((1 / 2 + 7 / 12) / 2)
    assert pair.deviation == pytest.approx(np.std([3 / 4, 1 / 3], ddof=1))


# --- what is missing -----------------------------------------------------------------------------------------


def test_samples_that_one_lacks_are_left_out() -> None:
    nan = math.nan
    pair = paired([1, 0, 1, nan, 1, nan], [0, 0, nan, 1, 1, nan], ["a", "a", "a", "b", "b", "c"])
    # Left: a with 1 - 0 and 0 - 0, b with 1 - 1.
    assert (pair.samples, pair.missing, pair.profiles) == (3, 3, 2)
    assert pair.difference.estimate == pytest.approx(0.25)
    assert (pair.first_only, pair.second_only) == (1, 0)


def test_no_common_sample_no_test() -> None:
    pair = paired([1, math.nan], [math.nan, 1], ["a", "b"])
    assert all(map(math.isnan, (pair.difference.estimate, pair.difference.low, pair.p, pair.deviation)))
    assert (pair.first_only, pair.second_only, pair.mcnemar) == (0, 0, None)


def test_a_group_without_common_sample_has_no_test() -> None:
    pair = paired([1, 0, 1], [0, 0, math.nan], ["a", "b", "a"], ["st", "st", "mt"])
    assert math.isnan(pair.difference.estimate)
    assert math.isnan(pair.p)


def test_means_over_epochs_have_no_mcnemar() -> None:
    pair = paired([1, 0.5], [0, 0.5], ["a", "b"])
    assert (pair.first_only, pair.second_only, pair.mcnemar) == (None, None, None)
    assert pair.difference.estimate == 0.5


def test_one_profile_shows_nothing() -> None:
    pair = compared((2, 5, 0, 1))
    assert (pair.p, pair.floor, pair.difference.method) == (1, 1, "none")
    assert verdict_words(pair, 1, 1, "x", "y") == (
        "No difference shown: x minus y is +62.50 points (p = 1); over fewer than 6 profiles the test can show none, "
        "however large."
    )


def test_both_must_be_of_the_same_samples() -> None:
    with pytest.raises(ValueError, match="2 values and 3"):
        paired([1, 0], [1, 0, 0], ["a", "b"])
    with pytest.raises(ValueError, match="outside 0 to 1"):
        paired([2, 0], [1, 0], ["a", "b"])


# --- several pairs -------------------------------------------------------------------------------------------


def test_holm_by_hand() -> None:
    # In order 0.005 * 4, 0.01 * 3, 0.03 * 2, and 0.04 * 1, which may not fall below the one before.
    assert adjust([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_counts_the_tests_that_there_are() -> None:
    found = adjust([0.01, math.nan, 0.5])
    assert [found[0], found[2]] == pytest.approx([0.02, 0.5])
    assert math.isnan(found[1])
    assert adjust([]) == []


@pytest.mark.parametrize(("profiles", "tests"), [(1, 0), (5, 0), (6, 1), (7, 3), (8, 6), (9, 12), (10, 25), (12, 102)])
def test_how_many_pairs_a_number_of_profiles_can_bear(profiles: int, tests: int) -> None:
    # 0.05 / (2 / 2^n): 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 102.4.
    assert most_tests(profiles) == tests
    if tests:
        assert min(adjust([2 / 2**profiles] * tests)) <= 0.05
    assert min(adjust([2 / 2**profiles] * (tests + 1))) > 0.05


def test_holm_agrees_with_statsmodels() -> None:
    pvalues = list(np.random.default_rng(0).random(45) ** 8)
    assert adjust(pvalues) == pytest.approx(list(multipletests(pvalues, method="holm")[1]))


# --- what could have been found ------------------------------------------------------------------------------


@pytest.mark.parametrize(("profiles", "tests", "level"), [(10, 1, 25 / 512), (10, 3, 8 / 512), (9, 6, 2 / 256)])
def test_smallest_difference_has_eighty_percent_power(profiles: int, tests: int, level: float) -> None:
    # The levels that can be kept are multiples of 2 / 2^profiles: 0.05 * 512 = 25.6, a third of it, 12.8 / 6 = 2.1.
    size = smallest_difference(0.08, profiles, tests) / 0.08
    assert TTestPower().power(size, profiles, level) == pytest.approx(0.8, abs=1e-4)


def test_at_the_floor_all_profiles_must_differ_the_same_way() -> None:
    # 6 profiles: p <= 0.05 only when all six differences have one sign, which has the chance Phi(d)^6.
    assert stats.norm.cdf(smallest_difference(0.1, 6) / 0.1) ** 6 == pytest.approx(0.8)


def test_smallest_difference_grows_with_spread_and_pairs_and_falls_with_profiles() -> None:
    assert smallest_difference(0.1, 10) == pytest.approx(2 * smallest_difference(0.05, 10))
    by_pairs = [smallest_difference(0.1, 10, pairs) for pairs in range(1, 26)]
    assert by_pairs == sorted(by_pairs)
    by_profiles = [smallest_difference(0.1, profiles) for profiles in (6, 8, 10, 15, 20, 50, 200)]
    assert by_profiles == sorted(by_profiles, reverse=True)


@pytest.mark.parametrize(
    ("deviation", "profiles", "tests"),
    [(0.1, 5, 1), (0.1, 10, 26), (0.0, 10, 1), (math.nan, 1, 1), (0.9, 6, 1)],
)
def test_no_smallest_difference(deviation: float, profiles: int, tests: int) -> None:
    assert math.isnan(smallest_difference(deviation, profiles, tests))


# --- in words ------------------------------------------------------------------------------------------------

VARIED = [(40, n, 10, 30) for n in (8, 10, 14, 9, 7, 12, 13, 11, 6, 10)]


def test_no_difference_is_said_with_what_could_have_been_found() -> None:
    words = verdict_words(compared(*VARIED), 0.9, 3, "x", "y")
    assert words.startswith("No difference shown: x minus y is ")
    assert "p = 0.9 corrected for 3 pairs" in words
    assert "for this pair alone" in words
    smallest = smallest_difference(compared(*VARIED).deviation, 10, 3)
    assert words.endswith(f"; one of {100 * smallest:.2f} points would have been found 4 times in 5.")


def test_a_difference_names_the_higher_one() -> None:
    # Of 100 turns each, 15 more in four profiles, 16 in three, 17 in three.
    pair = compared(*[(40, 20 + n % 3, 5, 35 - n % 3) for n in range(10)])
    assert verdict_words(pair, pair.p, 1, "x", "y").startswith("x is above y by 15.90 points (p = 0.002,")
    swapped = compared(*[(40, 5, 20 + n % 3, 35 - n % 3) for n in range(10)])
    assert verdict_words(swapped, 0.0001, 1, "x", "y").startswith("y is above x by 15.90 points")
    assert "p < 0.001" in verdict_words(swapped, 0.0001, 1, "x", "y")


def test_too_many_pairs_for_the_profiles_is_said() -> None:
    pair = compared(*[(0, 60 + n, 0, 20 - n) for n in range(10)])
    assert pair.p == 2 / 1024
    (adjusted, *_) = adjust([pair.p] * 28)
    assert verdict_words(pair, adjusted, 28, "x", "y").endswith(
        "over 10 profiles the test can show none, however large, among more than 25 pairs."
    )


def test_too_few_profiles_that_differ_is_said() -> None:
    pair = compared(*[(40, 20, 0, 20)] * 5, *[(40, 0, 0, 40)] * 5)
    assert pair.p == pair.floor == 2 / 32
    assert verdict_words(pair, pair.p, 1, "x", "y").endswith(
        "the two differ in 5 of 10 profiles, too few for the test to show anything."
    )


def test_a_spread_in_which_nothing_can_be_found_is_said() -> None:
    pair = compared(*[(0, 8, 0, 0), (0, 0, 7, 0)] * 3)
    assert verdict_words(pair, pair.p, 1, "x", "y").endswith(
        "its size varies too much between profiles for any to be found reliably."
    )


@settings(max_examples=30)
@given(
    st.lists(st.tuples(*[st.integers(0, 5)] * 4).filter(any), min_size=1, max_size=10),
    st.integers(1, 40),
)
def test_words_never_say_nan(profiles: list[Counts], tests: int) -> None:
    pair = compared(*profiles)
    assert "nan" not in verdict_words(pair, min(1, pair.p * tests), tests, "x", "y")


# --- the page that explains it -------------------------------------------------------------------------------


def test_figures_of_the_page_are_those_that_its_lines_print() -> None:
    page = Path(__file__).parents[1] / "docs" / "comparing-statistics.md"
    found = doctest.testfile(str(page), module_relative=False)
    assert found.attempted > 0
    assert found.failed == 0
