"""Which runs compare, which do not and why, and what is said of systems with different samples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from compare_data import SIGNATURE, UPSTREAM_SIGNATURE, made_info, made_runs

from utb_inspect.compare.frame import RunInfo, Runs
from utb_inspect.compare.guards import Groups, comparable

IDS = ["p01-t01.1", "p01-t01.2", "p02-t01.1", "p02-t01.2"]


def of(*infos: RunInfo, samples: Iterable[str] = IDS, without: dict[int, set[str]] | None = None) -> Runs:
    """Runs that all have the same samples, but for what some of them are without."""
    rows: list[dict[str, Any]] = []
    for number, info in enumerate(infos):
        for sample in samples:
            if sample not in (without or {}).get(number, set()):
                kind = "single_tool" if sample.endswith(".1") else "chat"
                rows.append({"run": number, "model": info.label, "sample": sample, "task_type": kind})
    return made_runs(rows, infos)


def with_part(part: str, value: str) -> str:
    parts = dict(text.split(":", 1) for text in SIGNATURE.split("|"))
    return "|".join(f"{key}:{text}" for key, text in (parts | {part: value}).items())


def members(groups: Groups) -> list[list[str]]:
    return [[info.label for info in group.runs.infos] for group in groups.groups]


def test_runs_made_alike_are_one_group() -> None:
    runs = of(made_info("a"), made_info("b"))
    groups = comparable(runs)
    assert members(groups) == [["a", "b"]]
    assert groups.reasons == []
    (group,) = groups.groups
    assert (group.title, group.upstream, group.warnings) == ("harbour@1.0.0#a1b2c3", False, [])
    assert group.runs.samples.equals(runs.samples)


@pytest.mark.parametrize(
    ("part", "value", "reason", "titles"),
    [
        ("history", "none", "history:full and history:none", ["history full", "history none"]),
        ("environment", "system", "environment:inline and environment:system", ["environment inline"]),
        ("off_path", "stop", "off_path:continue and off_path:stop", ["off_path stop"]),
        ("verdict", "spec-2", "verdict:spec-1 and verdict:spec-2", ["verdict spec-2"]),
        ("prompt", "ab12cd", "prompt:default and prompt:ab12cd", ["prompt default", "prompt ab12cd"]),
        ("max_rounds", "3", "max_rounds:default and max_rounds:3", ["max_rounds 3"]),
        ("language", "zh", "language:default and language:zh", ["language zh"]),
        ("data", "harbour@1.0.1#ffffff", "data:harbour@1.0.0#a1b2c3 and data:harbour@1.0.1#ffffff", ["harbour@1.0.1"]),
    ],
)
def test_what_changes_figures_makes_groups(part: str, value: str, reason: str, titles: list[str]) -> None:
    runs = of(made_info("a"), made_info("b"), made_info("c", signature=with_part(part, value)))
    groups = comparable(runs)
    assert members(groups) == [["a", "b"], ["c"]]
    assert groups.reasons == [f"{reason}: not averaged, not tested against each other"]
    shown = " | ".join(group.title for group in groups.groups)
    assert all(title in shown for title in titles)
    assert [list(group.runs.samples["run"].unique()) for group in groups.groups] == [[0, 1], [0]]
    assert list(groups.groups[1].runs.samples["model"].unique()) == ["c"]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"limits": {"message_limit": 50}}, "message_limit:default and message_limit:50"),
        ({"limits": {"token_limit": 900}}, "token_limit:default and token_limit:900"),
        ({"version": "1.1"}, "task_version:1.0 and task_version:1.1"),
    ],
)
def test_limits_and_task_versions_make_groups(fields: dict[str, Any], reason: str) -> None:
    groups = comparable(of(made_info("a"), made_info("b", **fields)))
    assert members(groups) == [["a"], ["b"]]
    assert groups.reasons == [f"{reason}: not averaged, not tested against each other"]


def test_every_difference_is_a_reason() -> None:
    other = with_part("history", "topic")
    groups = comparable(of(made_info("a"), made_info("b", signature=other, limits={"time_limit": 9}), made_info("c")))
    assert members(groups) == [["a", "c"], ["b"]]
    assert [reason.split(":")[0] for reason in groups.reasons] == ["history", "time_limit"]
    assert groups.groups[1].title == "harbour@1.0.0#a1b2c3, history topic, time_limit 9"


def test_upstream_runs_are_a_group_of_their_own_and_come_last() -> None:
    groups = comparable(of(made_info("a", signature=UPSTREAM_SIGNATURE), made_info("b")))
    assert members(groups) == [["b"], ["a"]]
    assert [group.upstream for group in groups.groups] == [False, True]
    assert "verdict upstream" in groups.groups[1].title


def test_upstream_runs_alone_are_named_as_such() -> None:
    (group,) = comparable(of(made_info("a", signature=UPSTREAM_SIGNATURE))).groups
    assert group.title == "harbour@1.0.0#a1b2c3, verdict upstream"


@pytest.mark.parametrize("part", ["suite", "inspect"])
def test_other_versions_are_warned_of_and_compared(part: str) -> None:
    (group,) = comparable(of(made_info("a"), made_info("b", signature=with_part(part, "0.9.9")))).groups
    (warning,) = group.warnings
    assert warning.startswith(f"versions of {part} differ (0.")
    assert "0.9.9" in warning


def test_profiles_and_tasks_are_parts_of_a_system() -> None:
    """A model run by profile and by task has the samples that another has in one log."""
    infos = [
        made_info("a", task="chat", signature=with_part("profiles", "p01")),
        made_info("a", task="chat", signature=with_part("profiles", "p02")),
        made_info("a", task="single_tool"),
        made_info("b"),
    ]
    ones, twos = {IDS[0], IDS[2]}, {IDS[1], IDS[3]}
    without = {0: ones | {IDS[3]}, 1: ones | {IDS[1]}, 2: twos}
    (group,) = comparable(of(*infos, without=without)).groups
    assert group.warnings == []
    assert len(group.runs.samples) == 8


def test_systems_with_other_samples_are_told_with_counts() -> None:
    (group,) = comparable(of(made_info("a"), made_info("b"), without={1: {IDS[1], IDS[3], IDS[2]}})).groups
    assert group.warnings == [
        "systems have different samples, and figures are over each one's own",
        "b lacks 3 of 4 samples: chat 2, single_tool 1 (p01-t01.2, p02-t01.1, p02-t01.2)",
    ]
    assert len(group.runs.samples) == 5


def test_common_samples_alone_are_compared_when_asked() -> None:
    runs = of(made_info("a", samples=4), made_info("b", samples=3), without={0: {IDS[0]}, 1: {IDS[3]}})
    (group,) = comparable(runs, common=True).groups
    assert group.warnings == [
        "compared on the 2 samples of 4 that all systems share",
        "a lacks 1 of 4 samples: single_tool 1 (p01-t01.1)",
        "b lacks 1 of 4 samples: chat 1 (p02-t01.2)",
    ]
    for label in "ab":
        rows = group.runs.samples[group.runs.samples["model"] == label]
        assert list(rows["sample"]) == [IDS[1], IDS[2]]
    assert [info.samples for info in group.runs.infos] == [2, 2]


def test_without_common_samples_it_says_so() -> None:
    runs = of(made_info("a"), made_info("b"), without={0: set(IDS[:2]), 1: set(IDS[2:])})
    (group,) = comparable(runs, common=True).groups
    assert group.warnings[0].startswith("no sample is common to all systems; systems have different samples")
    assert len(group.runs.samples) == 4


def test_samples_that_failed_are_samples_of_the_run() -> None:
    rows = [{"model": label, "sample": sample} for label in "ab" for sample in IDS]
    rows[-1]["error"] = "never ran"
    (group,) = comparable(made_runs(rows), common=True).groups
    assert group.warnings == []
    assert len(group.runs.samples) == 8


def test_epochs_that_differ_are_told() -> None:
    rows = [{"model": "a", "sample": s} for s in IDS] + [
        {"model": "b", "sample": s, "epoch": epoch} for s in IDS for epoch in (1, 2, 3)
    ]
    (group,) = comparable(made_runs(rows)).groups
    assert group.warnings == ["systems ran their samples a different number of times (epochs: a 1, b 3)"]


def test_a_single_run_is_a_group() -> None:
    groups = comparable(of(made_info("a")))
    assert (len(groups.groups), groups.reasons, groups.groups[0].warnings) == (1, [], [])
