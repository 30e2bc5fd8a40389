"""Shares and their intervals: figures worked out by hand, and what no interval may do."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom

from utb_inspect.compare.epochs import pass_at_k, pass_hat_k
from utb_inspect.compare.intervals import Interval, clustered_interval, mean_interval

T2, T9, T799 = 4.302653, 2.262157, 1.962938
"""97.5 % quantiles of Student's t for 2, 9 and 799 degrees of freedom, from printed tables."""


def turns(*profiles: tuple[int, int]) -> tuple[list[bool], list[str]]:
    """Values and profiles of (right, wrong) turns a profile."""
    values = [value for right, wrong in profiles for value in [True] * right + [False] * wrong]
    return values, [f"p{i}" for i, counts in enumerate(profiles) for _ in range(sum(counts))]


# --- the t interval, by hand ---------------------------------------------------------------------------------


def test_mean_of_profile_means_weighs_profiles_alike() -> None:
    # Means 12/20 = 0.6, 1/2, 6/20 = 0.3; their mean 1.4/3.
    found = mean_interval(*turns((12, 8), (1, 1), (6, 14)))
    assert found.estimate == pytest.approx(1.4 / 3)
    assert (found.profiles, found.samples) == (3, 42)


def test_t_interval_over_profile_means() -> None:
    # Means 0.45, 0.5, 0.55: standard deviation 0.05, standard error 0.05 / sqrt(3), 2 degrees of freedom.
    found = mean_interval(*turns((9, 11), (1, 1), (11, 9)))
    reach = T2 * 0.05 / math.sqrt(3)
    assert found.method == "t"
    assert (found.low, found.high) == pytest.approx((0.5 - reach, 0.5 + reach))


def test_pooled_interval_is_clustered() -> None:
    # 21 of 42. Deviations added up by profile: 9 - 10 = -1, 0, 1. sqrt(3 / 2 * (1 + 0 + 1)) / 42 = sqrt(3) / 42.
    found = clustered_interval(*turns((9, 11), (1, 1), (11, 9)))
    reach = T2 * math.sqrt(3) / 42
    assert (found.estimate, found.method) == (0.5, "t")
    assert (found.low, found.high) == pytest.approx((0.5 - reach, 0.5 + reach))


def test_average_is_the_unweighted_mean_of_the_groups_figures() -> None:
    # Single-tool: p0 6/10, p1 4/10, p2 5/10, mean 0.5. Multi-tool: p0 1/2, p1 3/10; p2 has none: mean 0.4.
    # The average is 0.45, the mean of the two figures printed beside it.
    values, clusters = turns((6, 4), (4, 6), (5, 5), (1, 1), (3, 7))
    clusters = [{"p3": "p0", "p4": "p1"}.get(name, name) for name in clusters]
    groups = ["single"] * 30 + ["multi"] * 12
    found = mean_interval(values, clusters, groups)
    # What each profile adds to the deviation: p0 (0.1 / 3 + 0.1 / 2) / 2, p1 the same with a minus, p2 nothing.
    share = (0.1 / 3 + 0.1 / 2) / 2
    reach = T2 * math.sqrt(3 / 2 * 2 * share**2)
    assert found.estimate == pytest.approx(0.45)
    assert (found.low, found.high) == pytest.approx((0.45 - reach, 0.45 + reach))
    # Pooled: 15/30 and 4/12.
    assert clustered_interval(values, clusters, groups).estimate == pytest.approx((1 / 2 + 1 / 3) / 2)


def test_a_group_without_values_has_no_average() -> None:
    found = mean_interval([True, False, math.nan], ["a", "b", "a"], ["single", "single", "multi"])
    assert math.isnan(found.estimate)
    assert math.isnan(found.low)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=3, max_size=12))
def test_pooled_interval_is_that_of_a_regression_with_clustered_errors(profiles: list[tuple[int, int]]) -> None:
    values, clusters = turns(*profiles)
    found = clustered_interval(values, clusters)
    codes = np.unique(clusters, return_inverse=True)[1]
    fit = sm.OLS(np.array(values, float), np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": codes}, use_t=True
    )
    assert found.estimate == pytest.approx(fit.params[0])
    if found.method == "t":
        assert (found.low, found.high) == pytest.approx(tuple(fit.conf_int()[0]))


@given(st.lists(st.integers(0, 7), min_size=2, max_size=12))
def test_both_intervals_agree_when_profiles_are_of_one_size(right: list[int]) -> None:
    values, clusters = turns(*((n, 7 - n) for n in right))
    ours, pooled = mean_interval(values, clusters), clustered_interval(values, clusters)
    assert ours.method == pooled.method
    assert (ours.estimate, ours.low, ours.high) == pytest.approx((pooled.estimate, pooled.low, pooled.high), abs=1e-6)


# --- where a t interval cannot be believed -------------------------------------------------------------------


def test_all_right_is_not_certain() -> None:
    # 800 turns of 10 profiles say as much as 800 * (T799 / T9)^2 = 602.4 independent ones of which the degrees of
    # freedom are known; if all of n are right, the exact lower bound is the n-th root of 0.025.
    found = mean_interval(*turns(*[(80, 0)] * 10))
    assert (found.estimate, found.high, found.method) == (1.0, 1.0, "korn-graubard")
    assert found.low == pytest.approx(0.025 ** (1 / (800 * (T799 / T9) ** 2)), abs=1e-6)
    assert 0.99 < found.low < 0.995


def test_all_wrong_mirrors_all_right() -> None:
    right, wrong = mean_interval(*turns(*[(80, 0)] * 10)), mean_interval(*turns(*[(0, 80)] * 10))
    assert (wrong.low, wrong.high) == pytest.approx((0.0, 1 - right.low))


def test_one_turn_a_profile_gives_the_exact_binomial_interval() -> None:
    # Nothing is clustered then. Clopper and Pearson for 10 of 10: 0.025^(1/10) = 0.6915.
    assert mean_interval(*turns(*[(1, 0)] * 10)).low == pytest.approx(0.6915, abs=1e-4)


def test_profiles_that_agree_by_chance_show_no_certainty() -> None:
    # Two profiles, each half right: no spread. Of so few profiles next to nothing is known.
    found = mean_interval(*turns((4, 4), (4, 4)))
    assert found.method == "korn-graubard"
    assert found.low < 0.05
    assert found.high > 0.95


def test_a_small_profile_that_counts_like_a_large_one_widens_the_interval() -> None:
    # The mean of a profile of 1 turn and one of 99: as informative as 4 / (1/1 + 1/99) = 3.96 turns, pooled as 100.
    values, clusters = turns((1, 0), (99, 0))
    t99, t1 = 1.984217, 12.706205
    for found, size in ((mean_interval(values, clusters), 3.96), (clustered_interval(values, clusters), 100)):
        assert found.low == pytest.approx(0.025 ** (1 / (size * (t99 / t1) ** 2)), rel=1e-4)


def test_interval_that_would_pass_one_is_replaced_by_a_binomial_one() -> None:
    # One turn of 800 wrong. t: 0.99875 +- 2.262 * 0.00125 passes 1. The exact bounds for a share x of size n solve
    # P(X >= nx) = 0.025 below and P(X <= nx) = 0.025 above; n = 602.39, nx = 601.64 lie between whole numbers, so the
    # bounds lie between those of whole numbers around: of 602 with 600 right, and with 602 right.
    found = mean_interval(*turns(*[(80, 0)] * 9, (79, 1)))
    assert found.method == "korn-graubard"
    assert binom.sf(599, 602, found.low) > 0.025 > binom.sf(601, 602, found.low)
    assert found.low < 0.99875 < found.high < 1


def test_clustered_turns_never_count_for_more_than_independent_ones() -> None:
    # Two of 800 wrong, in two profiles: standard error 0.0125 * sqrt(8 / 45) / sqrt(10) = 1 / 600, as of
    # 0.9975 * 0.0025 * 600^2 = 898 independent turns. There are 800.
    found = mean_interval(*turns(*[(80, 0)] * 8, *[(79, 1)] * 2))
    size = 800 * (T799 / T9) ** 2
    assert found.method == "korn-graubard"
    assert found.low == pytest.approx(beta.ppf(0.025, 0.9975 * size, 0.0025 * size + 1), abs=1e-6)


def test_bounds_move_smoothly_from_none_wrong_to_some_wrong() -> None:
    lows = [mean_interval(*turns(*[(80, 0)] * (10 - n), *[(79, 1)] * n)).low for n in range(4)]
    assert lows == sorted(lows, reverse=True)
    assert lows[0] - lows[-1] < 0.01


SIZES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(any), min_size=2, max_size=12)


@given(SIZES)
def test_an_interval_holds_its_estimate_and_stays_within_0_and_1(profiles: list[tuple[int, int]]) -> None:
    for found in (mean_interval(*turns(*profiles)), clustered_interval(*turns(*profiles))):
        assert 0 <= found.low <= found.estimate <= found.high <= 1
        assert found.high - found.low > 0.001


@given(SIZES)
def test_right_and_wrong_have_mirrored_intervals(profiles: list[tuple[int, int]]) -> None:
    found = mean_interval(*turns(*profiles))
    values, clusters = turns(*profiles)
    mirror = mean_interval([not value for value in values], clusters)
    assert (mirror.low, mirror.high) == pytest.approx((1 - found.high, 1 - found.low), abs=1e-6)


# --- what is missing, and what is no share -------------------------------------------------------------------


def test_missing_values_are_left_out() -> None:
    values, clusters = turns((9, 11), (1, 1), (11, 9))
    more = [*values, math.nan, math.nan], [*clusters, "p0", "p3"]
    assert mean_interval(*more) == mean_interval(values, clusters)
    assert clustered_interval(*more) == clustered_interval(values, clusters)


def test_columns_of_a_frame_will_do() -> None:
    frame = pd.DataFrame(
        {"exact": pd.array([True, False, None, True], dtype="boolean"), "profile": ["a", "a", "b", "b"]}
    )
    assert mean_interval(frame["exact"], frame["profile"]).estimate == 0.75


@pytest.mark.parametrize(("values", "clusters"), [([], []), ([math.nan], ["a"])])
def test_no_value_no_share(values: list[float], clusters: list[str]) -> None:
    found = mean_interval(values, clusters)
    assert all(map(math.isnan, (found.estimate, found.low, found.high)))
    assert (found.profiles, found.samples, found.method) == (0, 0, "none")


def test_one_profile_shows_no_spread() -> None:
    for found in (mean_interval([1, 0], ["a", "a"]), clustered_interval([1, 0], ["a", "a"])):
        assert isinstance(found, Interval)
        assert (found.estimate, found.profiles, found.method) == (0.5, 1, "none")
        assert math.isnan(found.low)
        assert math.isnan(found.high)


def test_other_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="outside 0 to 1"):
        mean_interval([3, 1], ["a", "b"])


def test_a_profile_for_each_value() -> None:
    with pytest.raises(ValueError, match="zip"):
        mean_interval([1, 0], ["a"])
    with pytest.raises(ValueError, match="zip"):
        mean_interval([1, 0], ["a", "b"], ["x"])


# --- epochs --------------------------------------------------------------------------------------------------


def test_pass_at_k_and_pass_hat_k_by_counting() -> None:
    # 4 epochs, 2 right; of the 6 pairs 5 hold a right one, 1 holds two.
    assert pass_at_k([4], [2], 2) == pytest.approx([5 / 6])
    assert pass_hat_k([4], [2], 2) == pytest.approx([1 / 6])


def test_one_draw_is_the_share() -> None:
    for chance in (pass_at_k, pass_hat_k):
        assert chance([4, 5, 1], [1, 5, 0], 1) == pytest.approx([0.25, 1.0, 0.0])


def test_samples_with_too_few_epochs_have_no_value() -> None:
    for chance in (pass_at_k, pass_hat_k):
        found = chance([3, 2, 0], [3, 2, 0], 3)
        assert found[0] == 1
        assert np.isnan(found[1:]).all()


@given(st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_chances_are_those_of_all_draws(case: tuple[int, int, int]) -> None:
    scored, right, k = case
    draws = [sum(draw) for draw in combinations([1] * right + [0] * (scored - right), k)]
    assert pass_at_k([scored], [right], k) == pytest.approx([sum(n > 0 for n in draws) / len(draws)])
    assert pass_hat_k([scored], [right], k) == pytest.approx([sum(n == k for n in draws) / len(draws)])
