"""Runs of several epochs: a turn counts once, with its mean, in every share and every bound."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from compare_data import made_runs, row, rows, tables, turn, varied_rows


def several_epochs() -> list[dict[str, Any]]:
    """p1: a turn right once of three times, and one wrong every time; p2: one right both times that it was scored."""
    return [
        turn("p1-t1.1", exact=True, optimal=True, rounds=2, change="update"),
        turn("p1-t1.1", epoch=2, severity="slight", wrong_tool=True, progress=0.5, rounds=5, change="update"),
        turn("p1-t1.1", epoch=3, stale_preference=True, progress=0.25, rounds=2, change="update"),
        *(turn("p1-t1.2", epoch=e, wrong_tool=True, rounds=6, change="update") for e in (1, 2, 3)),
        turn("p2-t1.1", exact=True, optimal=True, rounds=2, change="update"),
        turn("p2-t1.1", exact=True, optimal=False, rounds=4, change="update", epoch=2),
        turn("p2-t1.1", error="gone", change="update", epoch=3),
    ]


def test_of_several_epochs_a_turn_counts_once() -> None:
    runs = made_runs(several_epochs())
    steps = row(runs, "steps")
    assert steps["turns"] == 3
    progress = (1 + 0.5 + 0.25) / 3
    assert (steps["progress"], steps["progress_pooled"]) == pytest.approx(((progress / 2 + 1) / 2, (progress + 1) / 3))
    assert (steps["optimal"], steps["optimal_pooled"]) == pytest.approx(
        (((1 / 3) / 2 + 1 / 2) / 2, (1 / 3 + 1 / 2) / 3)
    )
    # Of turns right at least once: always, and half the times.
    assert (steps["optimal_of_exact"], steps["rounds"]) == pytest.approx(((1 + 1 / 2) / 2, (3 + 6 + 3) / 3))
    changes = row(runs, "changes_by_change")
    assert (changes["turns"], changes["stale"], changes["stale_pooled"]) == (
        3,
        pytest.approx((1 / 3) / 2 / 2),
        pytest.approx((1 / 3) / 3),
    )


def test_of_several_epochs_a_failure_counts_with_those_that_failed() -> None:
    runs = made_runs(several_epochs())
    labels = row(runs, "labels")
    # Two turns of p1 failed: half the times by the wrong tool, and always.
    assert (labels["failures"], labels["wrong_tool"], labels["stale_preference"]) == (2, 3 / 4, 1 / 4)
    wrong = next(r for r in rows(runs, "label_shares") if r["label"] == "Wrong tool")
    assert (wrong["failures"], wrong["labelled"], wrong["share"], wrong["profile_mean"]) == (2, 2, 3 / 4, 3 / 4)
    severity = row(runs, "severity")
    assert (severity["turns"], severity["failures"]) == (3, 2)
    assert (severity["slight"], severity["major"]) == pytest.approx(((1 / 3) / 3, (1 / 3 + 1) / 3))
    assert severity["major_profile_mean"] == pytest.approx((1 / 3 + 1) / 2 / 2)
    assert (severity["slight_of_failures"], severity["major_of_failures"]) == pytest.approx((1 / 4, 3 / 4))


@pytest.mark.parametrize("times", [2, 5])
def test_epochs_that_say_the_same_change_no_share_and_no_bound(times: int) -> None:
    """`c` is right and `d` wrong every time: profiles that are all alike have bounds by the number of samples."""
    once = varied_rows(6, 1, a=0.3, b=0.7, c=1, d=0)
    often = [{**r, "epoch": epoch} for epoch in range(1, times + 1) for r in once]
    before, after = tables(made_runs(once)), tables(made_runs(often))
    assert {name for name in after if not name.startswith("epochs")} == set(before)
    bounds = 0
    for name, table in before.items():
        for column in table.columns:
            if column.kind in ("share", "difference", "points", "p"):
                keys = [column.key, *(f"{column.key}_{end}" for end in ("low", "high") if column.interval)]
                wanted, found = (each[name].frame[keys].to_numpy(float) for each in (before, after))
                assert found == pytest.approx(wanted, nan_ok=True), (name, column.key)
                bounds += np.isfinite(wanted).sum() if column.interval else 0
    assert bounds > 1000


def test_bounds_of_profiles_that_are_all_alike_are_those_of_so_many_samples() -> None:
    """54 turns of 6 profiles, each three times, and always optimal: exact binomial bounds for 54 samples at most."""
    given = [
        {**r, "exact": True, "optimal": True, "progress": 1.0, "epoch": epoch}
        for epoch in (1, 2, 3)
        for r in varied_rows(6, 1, a=1)
    ]
    found = row(made_runs(given), "steps")
    # As 54 * (2.005746 / 2.570582)^2 = 32.88 samples: t of 53 and of 5 degrees of freedom. All right: (1 / 40)^(1 / n).
    low = (1 / 40) ** (1 / 32.88)
    for key in ("progress", "optimal", "progress_pooled", "optimal_pooled"):
        assert (found[f"{key}_low"], found[f"{key}_high"]) == (pytest.approx(low, abs=1e-4), 1)
