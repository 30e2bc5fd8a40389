"""The tables of a comparison, each on a few rows worked out by hand (spec section 5)."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
import pytest
from compare_data import UPSTREAM_SIGNATURE, made_info, made_runs, row, rows, tables, turn

from utb_inspect.compare.build import build_report
from utb_inspect.compare.frame import NEVER_RAN, NOT_SCORED, Runs
from utb_inspect.compare.pairs import smallest_difference
from utb_inspect.compare.tables.kinds import history_bin
from utb_inspect.explain import FLAGS

Rows = Iterable[Mapping[str, Any]]


# --- accuracy ------------------------------------------------------------------------------------------------


def eight_turns() -> list[dict[str, Any]]:
    """p1 all three right; p2 one single-tool turn of five."""
    given = [
        ("p1", "single_tool", "first", True),
        ("p1", "multi_tool", "first", True),
        ("p1", "lack_of_information", "last", True),
        ("p2", "single_tool", "first", True),
        ("p2", "single_tool", "last", False),
        ("p2", "multi_tool", "last", False),
        ("p2", "multi_tool", "last", False),
        ("p2", "lack_of_information", "last", False),
    ]
    return [
        turn(f"{profile}-t1.{index + 1}", kind, third=third, exact=right)
        for index, (profile, kind, third, right) in enumerate(given)
    ]


def test_accuracy_is_the_mean_over_profiles_of_their_means() -> None:
    found = row(made_runs(eight_turns()), "accuracy_exact")
    wanted = {
        "single_tool": (1 + 1 / 2) / 2,
        "multi_tool": (1 + 0) / 2,
        "lack_of_information": (1 + 0) / 2,
        "first": (1 + 1) / 2,
        "middle": None,
        "last": (1 + 0) / 2,
        "average": (3 / 4 + 1 / 2 + 1 / 2) / 3,
        "chat": None,
        "all": (1 + 1 / 5) / 2,
        "turns": 8,
    }
    assert {key: found[key] for key in wanted} == pytest.approx(wanted)


def test_pooled_accuracy_stands_beside() -> None:
    found = row(made_runs(eight_turns()), "accuracy_exact_pooled")
    wanted = {
        "single_tool": 2 / 3,
        "multi_tool": 1 / 3,
        "lack_of_information": 1 / 2,
        "first": 1,
        "last": 1 / 5,
        "average": 1 / 2,
        "all": 1 / 2,
    }
    assert {key: found[key] for key in wanted} == pytest.approx(wanted)


def test_the_turns_behind_each_figure_are_counted() -> None:
    found = row(made_runs([*eight_turns(), turn("p1-t1.9", "chat", third="last")]), "accuracy_turns")
    assert [found[key] for key in ("single_tool", "multi_tool", "lack_of_information")] == [3, 3, 2]
    assert [found[key] for key in ("first", "middle", "last")] == [3, 0, 6]
    assert [found[key] for key in ("average", "chat", "all")] == [8, 1, 9]


def test_chat_is_outside_the_average_and_inside_the_thirds_and_all_turns() -> None:
    with_chat = [
        *eight_turns(),
        turn("p1-t1.9", "chat", third="last"),
        turn("p2-t1.9", "chat", third="last", exact=True),
    ]
    found = row(made_runs(with_chat), "accuracy_exact")
    assert found["average"] == pytest.approx(7 / 12)
    assert found["chat"] == pytest.approx(1 / 2)
    assert found["last"] == pytest.approx((1 / 2 + 1 / 5) / 2)
    assert found["all"] == pytest.approx((3 / 4 + 2 / 6) / 2)


def test_no_average_without_all_three_task_types() -> None:
    runs = made_runs([r for r in eight_turns() if r["task_type"] != "multi_tool"])
    for name in ("accuracy_exact", "accuracy_exact_pooled", "headline"):
        assert rows(runs, name)[0]["average"] is None
    assert row(runs, "accuracy_turns")["average"] == 0


def five_profiles() -> list[dict[str, Any]]:
    """Five turns a profile, of which 1, 2, 2, 3 and 2 are right."""
    return [
        turn(f"p{profile}-t1.{index + 1}", exact=index < right)
        for profile, right in enumerate((1, 2, 2, 3, 2), 1)
        for index in range(5)
    ]


def test_intervals_are_t_intervals_over_profiles() -> None:
    found = row(made_runs(five_profiles()), "accuracy_exact")
    # Means .2 .4 .4 .6 .4: deviation sqrt(.08 / 4), over sqrt(5); t for 4 degrees of freedom 2.776445.
    reach = 2.776445 * math.sqrt(0.02 / 5)
    assert (found["all"], found["all_low"], found["all_high"]) == pytest.approx((0.4, 0.4 - reach, 0.4 + reach))
    pooled = row(made_runs(five_profiles()), "accuracy_exact_pooled")
    # Deviations added up a profile: -1, 0, 0, 1, 0: sqrt(5 / 4 * 2) / 25; profiles of one size give the same.
    assert (pooled["all_low"], pooled["all_high"]) == pytest.approx((0.4 - reach, 0.4 + reach))


def test_a_single_profile_has_no_interval() -> None:
    found = row(made_runs(five_profiles()[:5]), "accuracy_exact")
    assert (found["all"], found["all_low"], found["all_high"]) == (pytest.approx(0.2), None, None)


def test_relaxed_minus_exact() -> None:
    given = eight_turns()
    given[4]["relaxed"] = True  # a single-tool turn of p2, in the last third
    found = row(made_runs(given), "gap")
    assert (found["single_tool"], found["multi_tool"], found["all"]) == pytest.approx((1 / 4, 0, 1 / 10))
    assert (found["first"], found["last"], found["average"]) == pytest.approx((0, 1 / 8, 1 / 12))
    assert (found["exact"], found["relaxed"]) == pytest.approx((7 / 12, 7 / 12 + 1 / 12))


def test_a_turn_of_several_epochs_counts_with_its_mean_over_those_scored() -> None:
    given = [
        turn("p1-t1.1", exact=True),
        turn("p1-t1.1", exact=False, epoch=2),
        turn("p1-t1.2", exact=False),
        turn("p1-t1.2", error="gone", epoch=2),
    ]
    runs = made_runs(given)
    assert row(runs, "accuracy_exact")["all"] == pytest.approx((1 / 2 + 0) / 2)
    assert row(runs, "accuracy_turns")["all"] == 2
    overview = row(runs, "overview")
    assert (overview["samples"], overview["scored"], overview["errored"]) == (4, 3, 1)
    assert (overview["exact"], overview["exact_errors_wrong"]) == pytest.approx((1 / 4, 1 / 4))


@pytest.mark.parametrize("lacks", ["single_tool", "multi_tool", "lack_of_information"])
def test_a_system_without_the_average_takes_it_from_the_headlines_and_is_named(lacks: str) -> None:
    given = [r | {"model": model} for model in "ab" for r in eight_turns()]
    given = [r for r in given if (r["model"], r["task_type"]) != ("b", lacks)]
    assert headings(given) == ("Exact, all turns", "Exact, all turns")
    short = {"single_tool": "ST", "multi_tool": "MT", "lack_of_information": "LOI"}[lacks]
    assert headline_words(given) == [
        f"Headline figures are over all turns, not the paper's average. Without scored turns of {short}: b."
    ]


def test_systems_without_the_average_are_named_by_what_they_lack() -> None:
    given = [turn("p1-t1.1", model="a"), turn("p1-t1.1", model="b"), turn("p1-t1.2", "multi_tool", model="c")]
    (words,) = headline_words(given)
    assert words.endswith("Without scored turns of MT, LOI: a, b; ST, LOI: c.")


@pytest.mark.parametrize("error", ["gone", NEVER_RAN, NOT_SCORED])
def test_a_system_without_scores_leaves_the_headlines_of_the_others_alone(error: str) -> None:
    given = [*eight_turns(), *({**r, "model": "b", "exact": None, "error": error} for r in eight_turns())]
    assert headings(given) == ("Exact, average", "Exact, average")
    assert headline_words(given) == []
    (section,) = [s for s in build_report(made_runs(given)).sections if s.title == "Accuracy"]
    assert section.plots[0].y == "average"
    alone, beside = (rows(made_runs(r), "cost")[0]["exact"] for r in (eight_turns(), given))
    assert alone == beside == pytest.approx(7 / 12)


@pytest.mark.parametrize(
    ("lacks", "told"),
    [
        ({}, None),
        ({"a": ["middle"], "b": ["middle"]}, "Middle: a, b"),
        ({"a": ["middle", "last"], "b": ["first"]}, "Middle, Last: a; First: b"),
    ],
)
def test_thirds_without_a_figure_are_told(lacks: Mapping[str, list[str]], told: str | None) -> None:
    given = [
        turn(f"p1-t1.{index + 1}", model=model, third=third)
        | ({"error": "gone"} if third in lacks.get(model, []) else {"exact": True})
        for model in "ab"
        for index, third in enumerate(("first", "middle", "last"))
    ]
    runs = made_runs([*given, turn("p1-t1.1", model="lost", error="gone")])
    for found in rows(runs, "accuracy_exact")[:2]:
        assert [third for third in ("first", "middle", "last") if found[third] is None] == lacks.get(found["model"], [])
    words = [words for words in accuracy_words(runs) if words.startswith("Figures of thirds")]
    assert words == ([f"Figures of thirds are empty without scored turns of {told}."] if told else [])


def headings(given: Rows) -> tuple[str, str]:
    """What the tables of relaxed minus exact and of cost say their accuracy is over."""
    found = tables(made_runs(given))
    gap, cost = (next(c.label for c in found[name].columns if c.key == "exact") for name in ("gap", "cost"))
    return gap, cost


def headline_words(given: Rows) -> list[str]:
    return [words for words in accuracy_words(made_runs(given)) if words.startswith("Headline")]


def accuracy_words(runs: Runs) -> list[str]:
    (section,) = [section for section in build_report(runs).sections if section.title == "Accuracy"]
    return list(section.text)


# --- what was run --------------------------------------------------------------------------------------------


def test_errors_are_counted_and_what_they_would_make_of_the_accuracy_is_told() -> None:
    given = [
        turn("p1-t1.1", exact=True, total_tokens=10, cost=0.5),
        turn("p1-t1.2", exact=True, total_tokens=20, cost=0.25),
        turn("p2-t1.1", exact=False, relaxed=True, total_tokens=30, cost=0.25),
        turn("p2-t1.2", error="the provider refused", total_tokens=5, cost=0.125),
        turn("p2-t1.3", error=NEVER_RAN),
    ]
    found = row(made_runs(given, [made_info("a", status="cancelled", samples=5)]), "overview")
    assert (found["model"], found["tasks"], found["status"]) == ("a", "user_tool_bench", "cancelled")
    assert [found[key] for key in ("samples", "scored", "errored", "never_ran")] == [5, 3, 1, 1]
    assert (found["exact"], found["exact_errors_wrong"]) == pytest.approx((2 / 3, 2 / 5))
    assert (found["relaxed"], found["relaxed_errors_wrong"]) == pytest.approx((1, 3 / 5))
    assert (found["tokens"], found["cost"]) == (65, 1.125)


def test_why_samples_are_not_scored_is_told() -> None:
    long = "RateLimitError('" + 200 * "x" + "')"
    given = [
        turn("p1-t1.1", model="a", exact=True),
        turn("p1-t1.1", model="a", epoch=2, error="gone"),
        turn("p1-t1.2", model="a", error="limit: token"),
        turn("p1-t1.3", model="a", error="gone"),
        turn("p1-t1.1", model="b", error=NEVER_RAN),
        turn("p1-t1.2", model="b", error=long),
        turn("p1-t1.1", model="c", exact=True),
    ]
    found = rows(made_runs(given), "unscored")
    assert [(r["model"], r["reason"], r["samples"]) for r in found] == [
        ("a", "gone", 2),
        ("a", "limit: token", 1),
        ("b", NEVER_RAN, 1),
        ("b", long[:119] + "…", 1),
    ]
    assert not tables(made_runs(given))["unscored"].detail


def test_where_all_is_scored_there_is_no_table_of_why_not() -> None:
    found = tables(made_runs(eight_turns()))
    assert "unscored" not in found
    assert "waiting" not in found["overview"].frame


def test_samples_that_wait_for_a_scorer_are_neither_errors_nor_wrong() -> None:
    """As after `--no-score`, with an error among them; beside it a system that was scored in part."""
    given = [
        turn("p1-t1.1", model="a", error=NOT_SCORED, total_tokens=10, cost=0.5),
        turn("p1-t1.2", model="a", error=NOT_SCORED, total_tokens=10, cost=0.5),
        turn("p1-t1.3", model="a", error="gone"),
        turn("p1-t1.1", model="b", exact=True),
        turn("p1-t1.2", model="b", error=NOT_SCORED),
        turn("p1-t1.3", model="b", error="gone"),
    ]
    runs = made_runs(given)
    for name in ("overview", "logs"):
        counts = [[r[k] for k in ("samples", "scored", "errored", "never_ran", "waiting")] for r in rows(runs, name)]
        assert counts == [[3, 0, 1, 0, 2], [3, 1, 1, 0, 1]]
    waits, part = rows(runs, "overview")
    assert (waits["exact"], waits["exact_errors_wrong"]) == (None, 0)  # of the one that errored
    assert (part["exact"], part["exact_errors_wrong"]) == (1, pytest.approx(1 / 2))
    for r in rows(runs, "cost"):
        assert (r["right"], r["cost_per_right"], r["seconds_per_right"]) == (None, None, None)
    assert row(made_runs(given[:2]), "overview")["exact_errors_wrong"] is None


def test_tasks_of_one_model_make_up_one_system_with_a_row_a_log_beside() -> None:
    infos = [
        made_info("a", task="single_tool", location="logs/one.eval"),
        made_info("a", task="multi_tool", location="logs/two.eval", status="error"),
    ]
    given = [
        turn("p1-t1.1", exact=True, run=0),
        turn("p1-t1.2", "multi_tool", run=1),
        turn("p1-t1.3", "multi_tool", run=1),
    ]
    runs = made_runs(given, infos)
    found = row(runs, "overview")
    assert (found["tasks"], found["status"]) == ("single_tool, multi_tool", "1 success, 1 error")
    assert (found["samples"], found["exact"]) == (3, pytest.approx(1 / 3))
    logs = rows(runs, "logs")
    assert [(r["log"], r["task"], r["samples"]) for r in logs] == [
        ("one.eval", "single_tool", 1),
        ("two.eval", "multi_tool", 2),
    ]
    assert [r["signature"] for r in logs] == [info.signature for info in infos]


# --- what went wrong -----------------------------------------------------------------------------------------


def failures() -> Runs:
    return made_runs(
        [
            turn("p1-t1.1", exact=True),
            turn("p1-t1.2", severity="slight", implicit_preference=True),
            turn("p1-t1.3", wrong_tool=True, clarification=True, step_cap=True, output_cut=True),
            turn("p2-t1.1", wrong_tool=True),
            turn("p2-t1.2", no_answer=True, output_cut=True),
            turn("p2-t1.3", error="gone"),
        ]
    )


def test_labels_are_shares_of_the_failures() -> None:
    found = row(failures(), "labels")
    assert found["failures"] == 4
    assert (found["wrong_tool"], found["clarification"], found["missing_tool"]) == (1 / 2, 1 / 4, 0)
    one_by_one = {r["label"]: r for r in rows(failures(), "label_shares")}
    wrong = one_by_one["Wrong tool"]
    # p1: 1 of its 2 failures; p2: 1 of 2.
    assert (wrong["failures"], wrong["labelled"], wrong["share"], wrong["profile_mean"]) == (4, 2, 1 / 2, 1 / 2)
    assert one_by_one["No answer"]["profile_mean"] == pytest.approx((0 + 1 / 2) / 2)


def test_severity_is_of_all_scored_turns_and_of_the_failures() -> None:
    found = row(failures(), "severity")
    assert (found["turns"], found["failures"]) == (5, 4)
    assert (found["slight"], found["major"]) == pytest.approx((1 / 5, 3 / 5))
    assert (found["slight_profile_mean"], found["major_profile_mean"]) == pytest.approx((1 / 6, (1 / 3 + 1) / 2))
    assert (found["slight_of_failures"], found["major_of_failures"]) == pytest.approx((1 / 4, 3 / 4))


def test_flags_are_counted() -> None:
    found = row(failures(), "flags")
    assert [found[key] for key in ("turns", "step_cap", "output_cut")] == [5, 1, 2]
    assert (found["step_cap_share"], found["output_cut_share"]) == pytest.approx((1 / 5, 2 / 5))


def test_flags_are_worded_as_in_explanations() -> None:
    headings = [column.label for column in tables(failures())["flags"].columns if column.kind == "count"]
    assert headings[1:] == [flag.capitalize() for flag in FLAGS]


def test_without_failures_there_are_no_shares() -> None:
    runs = made_runs([turn("p1-t1.1", exact=True), turn("p2-t1.1", exact=True)])
    found = row(runs, "labels")
    assert (found["failures"], found["wrong_tool"]) == (0, None)
    assert row(runs, "severity")["major_of_failures"] is None


# --- asking and steps ----------------------------------------------------------------------------------------


def test_asking() -> None:
    def loi(sample: str, *, recoverable: bool | None, asked: bool) -> dict[str, Any]:
        kind = "single_tool" if recoverable is None else "lack_of_information"
        questions = int(asked)
        return turn(
            sample, kind, recoverable=recoverable, asked=asked, questions=questions, question_sentences=2 * questions
        )

    given = [
        loi("p1-t1.1", recoverable=False, asked=True),
        loi("p1-t1.2", recoverable=False, asked=True),
        loi("p1-t1.3", recoverable=False, asked=False),
        loi("p1-t1.4", recoverable=False, asked=False),
        loi("p1-t1.5", recoverable=False, asked=False),
        loi("p1-t1.6", recoverable=True, asked=True),
        loi("p1-t1.7", recoverable=True, asked=False),
        loi("p1-t1.8", recoverable=None, asked=True),  # another task type
    ]
    found = row(made_runs(given), "asking")
    assert [found[key] for key in ("turns", "needed", "asked", "asked_and_needed", "questions")] == [7, 5, 3, 2, 4]
    assert (found["precision"], found["recall"], found["sentences"]) == pytest.approx((2 / 3, 2 / 5, 2))


def test_who_never_asks_has_no_precision() -> None:
    found = row(made_runs([turn("p1-t1.1", "lack_of_information", recoverable=True)]), "asking")
    assert (found["precision"], found["recall"], found["sentences"]) == (None, None, None)


def test_lack_of_information_by_what_history_settles() -> None:
    given = [
        turn("p1-t1.1", "lack_of_information", recoverable=True, exact=True),
        turn("p1-t1.2", "lack_of_information", recoverable=False, relaxed=True),
        turn("p2-t1.2", "lack_of_information", recoverable=False, exact=True),
        turn("p2-t1.1"),
    ]
    first, second = rows(made_runs(given), "by_recoverable")
    assert (first["recoverable"], first["turns"], first["exact"]) == ("recoverable", 1, 1)
    assert (second["recoverable"], second["turns"], second["exact"], second["relaxed"]) == (
        "unrecoverable",
        2,
        1 / 2,
        1,
    )


def test_progress_and_steps() -> None:
    given = [
        turn("p1-t1.1", exact=True, progress=1.0, optimal=True, rounds=2, calls=1),
        turn("p1-t1.2", exact=True, progress=1.0, optimal=False, rounds=5, calls=3),
        turn("p2-t1.1", progress=0.25, optimal=False, rounds=2, calls=2, questions=1),
    ]
    found = row(made_runs(given), "steps")
    assert (found["progress"], found["progress_pooled"]) == pytest.approx(((1 + 0.25) / 2, 2.25 / 3))
    assert (found["optimal"], found["optimal_pooled"], found["optimal_of_exact"]) == pytest.approx(
        (1 / 4, 1 / 3, 1 / 2)
    )
    assert (found["rounds"], found["calls"], found["questions"]) == pytest.approx((3, 2, 1 / 3))


# --- kinds of turn -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turns", "name"),
    [
        *((0, "0"), (1, "1 to 9"), (9, "1 to 9"), (10, "10 to 24"), (24, "10 to 24"), (25, "25 to 49")),
        *((74, "50 to 74"), (99, "75 to 99"), (100, "100 to 149"), (199, "150 to 199"), (200, "200 or more")),
    ],
)
def test_bins_of_history(turns: int, name: str) -> None:
    assert history_bin(turns) == name


def test_kinds_stand_in_their_order_and_those_with_errors_alone_are_shown_without_a_figure() -> None:
    given = [
        turn("p1-t2.1", third="last", history_turns=12, toolset="rail10", exact=True),
        turn("p1-t1.1", third="first", history_turns=0, toolset="rail2"),
        turn("p1-t1.2", third="middle", history_turns=1, toolset="rail2", error="gone"),
    ]
    runs = made_runs(given)
    assert [(r["third"], r["turns"], r["exact"]) for r in rows(runs, "by_third")] == [
        ("first", 1, 0),
        ("middle", 0, None),
        ("last", 1, 1),
    ]
    assert [(r["history"], r["exact"]) for r in rows(runs, "by_history")] == [
        ("0", 0),
        ("1 to 9", None),
        ("10 to 24", 1),
    ]
    assert [(r["toolset"], r["exact"]) for r in rows(runs, "by_toolset")] == [("rail2", 0), ("rail10", 1)]
    assert [r["turn_index"] for r in rows(runs, "by_turn_index")] == ["1", "2"]


def test_sessions_are_topics_with_every_turn_in_the_run_and_scored() -> None:
    def topic(name: str, turns: int, *right: bool | None) -> list[dict[str, Any]]:
        """None: not scored."""
        return [
            turn(f"{name}.{i + 1}", topic_turns=turns, **({"error": "gone"} if r is None else {"exact": r}))
            for i, r in enumerate(right)
        ]

    given = [
        *topic("p1-t1", 2, True, True),
        *topic("p1-t2", 2, True, False),
        *topic("p1-t3", 3, True, True),  # a turn is not in the run
        *topic("p1-t4", 2, True, None),  # a turn is not scored
        *topic("p2-t1", 1, True),
    ]
    found = row(made_runs(given), "sessions")
    assert (found["topics"], found["exact"], found["exact_pooled"]) == (
        3,
        pytest.approx((1 / 2 + 1) / 2),
        pytest.approx(2 / 3),
    )


def test_changes_are_counted_over_turns_that_turn_on_one() -> None:
    given = [
        turn("p1-t1.1", change="update", stale_preference=True, user_constraint=True),
        turn("p1-t1.2", change="update", exact=True),
        turn("p2-t1.1", change="update", wrong_tool=True),
        turn("p2-t1.2", "multi_tool", change="conflict", stale_preference=True),
        turn("p2-t1.3", "chat", stale_preference=True),
    ]
    update, conflict = rows(made_runs(given), "changes_by_change")
    assert (update["change"], update["turns"]) == ("update", 3)
    assert (update["exact"], update["exact_pooled"]) == pytest.approx(((1 / 2 + 0) / 2, 1 / 3))
    assert (update["stale"], update["stale_pooled"]) == pytest.approx(((1 / 2 + 0) / 2, 1 / 3))
    assert (conflict["change"], conflict["turns"], conflict["stale_pooled"]) == ("conflict", 1, 1)
    assert [r["task_type"] for r in rows(made_runs(given), "changes_by_task_type")] == ["single_tool", "multi_tool"]


def test_data_without_changes_has_no_table_of_them() -> None:
    assert not [name for name in tables(made_runs(eight_turns())) if name.startswith("changes")]


# --- pairs ---------------------------------------------------------------------------------------------------


def two_systems(*rights: tuple[int, int]) -> list[dict[str, Any]]:
    """Four turns a profile; of each profile, how many the one and the other get right, from the first turn on."""
    return [
        turn(f"p{profile}-t1.{index + 1}", model=model, exact=index < right)
        for profile, pair in enumerate(rights, 1)
        for model, right in zip("ab", pair, strict=True)
        for index in range(4)
    ]


def test_a_pair_that_differs() -> None:
    given = two_systems((4, 1), (3, 1), (4, 2), (3, 2), (4, 2), (3, 1))
    found = row(made_runs(given), "pairs_exact")
    differences = [3 / 4, 2 / 4, 2 / 4, 1 / 4, 2 / 4, 2 / 4]
    assert (found["first"], found["second"], found["over"]) == ("a", "b", "All turns")
    assert (found["samples"], found["missing"], found["profiles"]) == (24, 0, 6)
    assert found["difference"] == pytest.approx(statistics.mean(differences))
    # All six go one way: of the 64 changes of signs this one and its opposite are as far from 0.
    assert (found["p"], found["p_corrected"]) == pytest.approx((2 / 64, 2 / 64))
    assert (found["first_only"], found["second_only"]) == (12, 0)
    assert found["p_mcnemar"] == pytest.approx(2 / 2**12)
    assert found["finding"] == "first is above"
    other = two_systems((1, 4), (1, 3), (2, 4), (2, 3), (2, 4), (1, 3))
    assert row(made_runs(other), "pairs_exact")["finding"] == "second is above"
    assert found["smallest"] == pytest.approx(smallest_difference(statistics.stdev(differences), 6, 1))


def test_a_pair_that_may_be_noise() -> None:
    runs = made_runs(two_systems((2, 1), (1, 2), (2, 2), (3, 1), (1, 2), (2, 1)))
    assert row(runs, "pairs_exact")["finding"] == "no difference shown"
    (words,) = pair_words(runs)
    assert words.startswith("Exact: No difference shown")


def test_pairs_are_corrected_for_their_number() -> None:
    given = two_systems((4, 0), (4, 0), (4, 0), (4, 0), (4, 0), (4, 0))
    given += [{**r, "model": "c"} for r in given if r["model"] == "a"]
    found = {(r["first"], r["second"]): r for r in rows(made_runs(given), "pairs_exact")}
    assert list(found) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [r["p"] for r in found.values()] == pytest.approx([2 / 64, 1, 2 / 64])
    # The two smallest are multiplied by 3 and 2, and none is below one that came before.
    assert [r["p_corrected"] for r in found.values()] == pytest.approx([6 / 64, 1, 6 / 64])


def test_pairs_are_over_the_samples_that_both_have_scored() -> None:
    given = two_systems((4, 1), (3, 1))
    given[0].update(error="gone", exact=None)  # of a, right
    given[-1].update(error=NEVER_RAN, exact=None)  # of b, wrong, as is a's
    given.append(turn("p9-t1.1", model="a", exact=True))
    found = row(made_runs(given), "pairs_exact")
    assert (found["samples"], found["missing"], found["profiles"]) == (6, 3, 2)
    # p1: 3 of 3 against 0 of 3 (b's right one is left out); p2: 3 of 3 against 1 of 3.
    assert found["difference"] == pytest.approx((1 + 2 / 3) / 2)


def test_a_pair_without_a_common_sample_shows_nothing() -> None:
    found = row(made_runs([turn("p1-t1.1", model="a", exact=True), turn("p1-t1.2", model="b")]), "pairs_exact")
    assert (found["samples"], found["missing"], found["finding"]) == (0, 2, "no sample in common")
    assert (found["difference"], found["p"], found["p_corrected"], found["p_mcnemar"]) == (None, None, None, None)
    assert (found["first_only"], found["second_only"]) == (0, 0)


def pair_words(runs: Runs) -> list[str]:
    """What pairs show, told above the tables of accuracy."""
    return [words for words in accuracy_words(runs) if words.startswith("Exact:")]


def test_pairs_without_a_common_sample_are_told_apart_from_those_that_were_tested() -> None:
    """Four systems on the same turns, two of whose six pairs would differ; and one or two systems without a score."""
    tested = two_systems(*[(4, 0)] * 8)
    tested = [r | {"model": model} for r in tested for model in {"a": "ab", "b": "cd"}[r["model"]]]
    assert len(pair_words(made_runs(tested))) == 6
    lost = [{**r, "model": "e", "exact": None, "error": "gone"} for r in tested if r["model"] == "a"]
    words = pair_words(made_runs([*tested, *lost]))
    assert words[:-1] == pair_words(made_runs(tested))
    assert words[-1] == "Exact: 4 pairs have no scored sample in common."
    more = [r | {"model": "f"} for r in tested if r["model"] == "a"]
    # Six of the ten that were tested differ, each with p = 2 / 2^8, which Holm multiplies by ten.
    assert 10 * 2 / 2**8 > 0.05
    assert pair_words(made_runs([*tested, *more, *lost])) == [
        "Exact: a difference is shown for 0 of 10 pairs, none for the others.",
        "Exact: 5 pairs have no scored sample in common.",
    ]


def repeated(given: Rows, *runs: tuple[str, str]) -> Runs:
    """Runs of these rows, and a repeat for each of `runs`: its label, and the system that it is."""
    rows = [*given, *({**r, "model": label} for label, first in runs for r in given if r["model"] == first)]
    infos = [made_info(label, repeats=dict(runs).get(label)) for label in dict.fromkeys(r["model"] for r in rows)]
    return made_runs(rows, infos)


def test_a_system_and_its_repeat_are_no_pair_of_systems() -> None:
    """Six profiles that all go one way: p is 2 / 64, which two pairs double, and three would make 6 / 64."""
    runs = repeated(two_systems(*[(4, 0)] * 6), ("a #2", "a"))
    found = {(r["first"], r["second"]): r for r in rows(runs, "pairs_exact")}
    assert list(found) == [("a", "b"), ("a", "a #2"), ("b", "a #2")]
    assert [r["p_corrected"] for r in found.values()] == [pytest.approx(4 / 64), None, pytest.approx(4 / 64)]
    own = found["a", "a #2"]
    assert own["finding"] == "one system, run again"
    # What its two runs differ by is shown all the same.
    assert (own["difference"], own["samples"], own["first_only"], own["smallest"]) == (0, 24, 0, None)
    words = pair_words(runs)
    assert len(words) == 3
    assert all("corrected for 2 pairs" in sentence for sentence in words[:2])
    assert words[2] == (
        "Exact: no p-value is corrected for 1 pair of a system with its own repeat, since what varies from run to run "
        "is no difference between systems."
    )
    assert "corrected by Holm for 2 pairs, not for a system with its own repeat." in tables(runs)["pairs_exact"].note
    # With the repeat's system as baseline, the other alone is tested.
    alone = {(r["first"], r["second"]): r for r in rows(runs, "pairs_exact", baseline="a")}
    assert [r["p_corrected"] for r in alone.values()] == [pytest.approx(2 / 64), None]
    assert list(alone) == [("b", "a"), ("a #2", "a")]


def test_repeats_of_a_repeat_and_of_several_systems_are_no_pairs_either() -> None:
    given = two_systems(*[(4, 0)] * 6)
    runs = repeated(given, ("a #2", "a"), ("a #3", "a"), ("b #2", "b"))
    found = rows(runs, "pairs_exact")
    own = {(r["first"], r["second"]) for r in found if r["p_corrected"] is None}
    assert own == {("a", "a #2"), ("a", "a #3"), ("a #2", "a #3"), ("b", "b #2")}
    # Six pairs are left of the ten: p = 2 / 64 each, times six.
    assert [r["p_corrected"] for r in found if r["p_corrected"] is not None] == pytest.approx([12 / 64] * 6)


def test_a_system_and_its_repeat_alone_test_nothing() -> None:
    given = [r for r in two_systems(*[(4, 0)] * 6) if r["model"] == "a"]
    runs = repeated(given, ("a #2", "a"))
    assert row(runs, "pairs_exact")["p_corrected"] is None
    (words,) = pair_words(runs)
    assert words.startswith("Exact: no p-value is corrected for 1 pair of a system with its own repeat")


def test_two_systems_without_a_common_sample_are_no_pair() -> None:
    given = [turn("p1-t1.1", model="a", exact=True), turn("p1-t1.2", model="b")]
    assert pair_words(made_runs(given)) == ["Exact: 1 pair has no scored sample in common."]


def test_pairs_compare_the_average_where_there_is_one() -> None:
    kinds = ("single_tool", "multi_tool", "lack_of_information", "chat")
    given = [
        turn(f"{profile}-t1.{index + 1}", kind, model=model, exact=model == "a" and kind in ("single_tool", "chat"))
        for profile in ("p1", "p2")
        for model in "ab"
        for index, kind in enumerate(kinds)
    ]
    found = row(made_runs(given), "pairs_exact")
    assert (found["over"], found["samples"], found["difference"]) == ("Average", 6, pytest.approx(1 / 3))
    assert (found["first_only"], found["second_only"]) == (2, 0)


def test_the_difference_of_a_pair_is_that_of_the_headlines() -> None:
    given = eight_turns() + [{**r, "model": "b", "exact": not r["exact"]} for r in eight_turns()]
    runs = made_runs(given)
    averages = {r["model"]: r["average"] for r in rows(runs, "accuracy_exact")}
    assert row(runs, "pairs_exact")["difference"] == pytest.approx(averages["a"] - averages["b"])


def test_a_single_system_has_no_pairs() -> None:
    assert not [name for name in tables(made_runs(eight_turns())) if name.startswith(("pairs", "differ"))]


def test_many_pairs_are_summed_up() -> None:
    given = [{**r, "model": model} for r in two_systems((4, 0), (4, 0)) if r["model"] == "a" for model in "abcdef"]
    assert pair_words(made_runs(given)) == ["Exact: a difference is shown for 0 of 15 pairs, none for the others."]


# --- where they differ ---------------------------------------------------------------------------------------


def test_where_systems_differ() -> None:
    given = [
        turn("p1-t1.1", model="a", exact=True, answer="findTrains > answer", position=1),
        turn("p1-t1.1", model="b", wrong_tool=True, clarification=True, answer="answer", position=1),
        turn("p1-t1.2", model="a", exact=True, position=2),
        turn("p1-t1.2", model="b", exact=True, position=2),
        turn("p1-t1.3", model="a", position=3),
        turn("p1-t1.3", model="b", position=3),
        turn("p1-t1.4", model="a", error="gone", position=4),
        turn("p1-t1.4", model="b", exact=True, position=4),
        turn("p1-t1.10", "multi_tool", model="a", position=10),
        turn("p1-t1.10", "multi_tool", model="b", exact=True, position=10),
    ]
    runs = made_runs(given)
    found = rows(runs, "differences")
    assert [(r["sample"], r["model"], r["verdict"], r["labels"]) for r in found] == [
        ("p1-t1.1", "a", "right", ""),
        ("p1-t1.1", "b", "wrong", "wrong_tool, clarification"),
        ("p1-t1.10", "a", "wrong", "user_constraint"),
        ("p1-t1.10", "b", "right", ""),
    ]
    assert found[0]["answer"] == "findTrains > answer"
    assert found[1]["link"] == "#/logs/b.eval/samples/sample/p1-t1.1/1/"
    assert "epoch" not in found[0]
    counts = {r["task_type"]: r for r in rows(runs, "difference_counts")}
    keys = ("turns", "both", "first_only", "second_only", "neither")
    assert [counts["single_tool"][key] for key in keys] == [3, 1, 1, 0, 1]
    assert [counts["multi_tool"][key] for key in keys] == [1, 0, 0, 1, 0]


def test_of_several_epochs_a_turn_is_right_when_it_is_in_each() -> None:
    given = [
        turn("p1-t1.1", model="a", exact=True),
        turn("p1-t1.1", model="a", exact=True, epoch=2),
        turn("p1-t1.1", model="b", exact=True),
        turn("p1-t1.1", model="b", exact=False, epoch=2),
    ]
    runs = made_runs(given)
    assert [(r["model"], r["epoch"], r["verdict"]) for r in rows(runs, "differences")] == [
        ("a", 1, "right"),
        ("a", 2, "right"),
        ("b", 1, "right"),
        ("b", 2, "wrong"),
    ]
    assert row(runs, "difference_counts")["first_only"] == 1
    pair = row(runs, "pairs_exact")
    assert (pair["difference"], pair["first_only"], pair["p_mcnemar"]) == (1 / 2, None, None)


# --- epochs --------------------------------------------------------------------------------------------------


def test_epochs() -> None:
    def epochs(sample: str, *right: bool | None) -> list[dict[str, Any]]:
        return [
            turn(sample, epoch=i + 1, **({"error": "gone"} if r is None else {"exact": r})) for i, r in enumerate(right)
        ]

    given = [
        *epochs("p1-t1.1", True, True, False),
        *epochs("p1-t1.2", True, False, None),
        *epochs("p2-t1.1", True, True, True),
    ]
    one, two, three = rows(made_runs(given), "epochs_exact")
    assert [(r["k"], r["turns"]) for r in (one, two, three)] == [(1, 3), (2, 3), (3, 2)]
    once = ((2 / 3 + 1 / 2) / 2 + 1) / 2
    assert (one["pass_at"], one["pass_hat"]) == pytest.approx((once, once))
    # Of three draws of two: all hold a right one, one is all right. Of the one draw: it holds one.
    assert (two["pass_at"], two["pass_hat"]) == pytest.approx((1, ((1 / 3 + 0) / 2 + 1) / 2))
    assert (three["pass_at"], three["pass_hat"]) == pytest.approx((1, (0 + 1) / 2))
    assert two["pass_hat_pooled"] == pytest.approx((1 / 3 + 0 + 1) / 3)


def test_a_single_epoch_has_no_such_table() -> None:
    assert not [name for name in tables(made_runs(eight_turns())) if name.startswith("epochs")]


# --- cost ----------------------------------------------------------------------------------------------------


def spent(tokens: int | None, cost: float | None, **more: Any) -> dict[str, Any]:
    return {"input_tokens": tokens, "total_tokens": tokens, "cost": cost, "seconds": 2.0, "working_seconds": 1.5} | more


def test_cost_and_tokens_are_over_all_that_ran() -> None:
    given = [
        turn("p1-t1.1", exact=True, **spent(100, 0.25)),
        turn("p1-t1.2", **spent(200, 0.5, retries=2)),
        turn("p1-t1.3", error="refused", **spent(50, 0.25)),
        turn("p1-t1.4", error="before the first call", seconds=2.0, working_seconds=1.5),
        turn("p1-t1.5", error=NEVER_RAN),
    ]
    runs = made_runs(given)
    cost, tokens = row(runs, "cost"), row(runs, "tokens")
    assert (cost["samples"], cost["right"], cost["cost"]) == (4, 1, 1.0)
    assert (cost["cost_per_sample"], cost["cost_per_right"]) == (1 / 4, 1.0)
    assert (cost["seconds_per_sample"], cost["seconds_per_right"], cost["working_seconds_per_sample"]) == (2, 8, 1.5)
    assert cost["retries"] == 2
    assert (tokens["total_tokens"], tokens["tokens_per_sample"], tokens["tokens_per_right"]) == (350, 350 / 4, 350)
    assert tokens["output_tokens"] is None  # of no sample known


@pytest.mark.parametrize(
    "unknown",
    [
        turn("p1-t1.2", **spent(200, None)),
        turn("p1-t1.2", **spent(None, None)),
        turn("p1-t1.2", error="refused", **spent(50, None)),
    ],
    ids=["scored", "scored without tokens", "errored"],
)
def test_a_cost_that_is_not_known_of_every_sample_is_missing_and_never_less(unknown: dict[str, Any]) -> None:
    runs = made_runs([turn("p1-t1.1", exact=True, **spent(100, 0.25)), unknown])
    found = row(runs, "cost")
    assert [found[key] for key in ("cost", "cost_per_sample", "cost_per_right")] == [None] * 3
    assert row(runs, "overview")["cost"] is None


def test_without_a_right_decision_none_has_a_price() -> None:
    found = row(made_runs([turn("p1-t1.1", **spent(100, 0.25))]), "cost")
    assert (found["cost"], found["cost_per_right"], found["seconds_per_right"]) == (0.25, None, None)


@pytest.mark.parametrize(
    ("costs", "drawn"),
    [
        ((0.25, 0.5), ["cost_per_sample"]),
        ((None, None), ["tokens_per_sample"]),
        ((0.25, None), ["cost_per_sample", "tokens_per_sample"]),  # so that none is missing
    ],
)
def test_the_picture_of_cost_falls_back_on_tokens(costs: tuple[float | None, ...], drawn: list[str]) -> None:
    given = [turn("p1-t1.1", model=model, **spent(100, cost)) for model, cost in zip("ab", costs, strict=True)]
    sections = build_report(made_runs(given)).sections
    assert [plot.x for section in sections for plot in section.plots if plot.table == "cost"] == drawn


# --- odd runs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        [turn("p1-t1.1", error="gone"), turn("p2-t1.1", error=NEVER_RAN)],
        [turn("p1-t1.1", model=model, error="gone") for model in "ab"],
        [turn("p1-t1.1", model="a", error="gone"), turn("p1-t1.1", model="b", exact=True)],
        [{"model": "a", "sample": "p1-t1.1", "error": NEVER_RAN, "profile": None, "topic": None, "task_type": None}],
        [turn("p1-t1.1", model="a", exact=True), turn("p1-t1.2", model="b", exact=True)],
        [turn("p1-t1.1", relaxed=None)],
    ],
    ids=["one system of errors", "two", "one of two", "nothing known", "nothing in common", "no relaxed score"],
)
def test_runs_without_figures_make_a_report_all_the_same(given: list[dict[str, Any]]) -> None:
    found = tables(made_runs(given))
    assert found["overview"].frame["samples"].sum() == len(given)
    assert all({column.key for column in table.columns} <= set(table.frame.columns) for table in found.values())


def test_the_public_evaluators_verdicts_have_tables_of_their_own() -> None:
    given = [turn("p1-t1.1", upstream=True), turn("p2-t1.1", upstream=False, recoverable=True)]
    found = tables(made_runs(given, [made_info("a", signature=UPSTREAM_SIGNATURE)]))
    assert found["accuracy_upstream"].frame["all"].tolist() == [1 / 2]
    assert found["overview_upstream"].frame["upstream"].tolist() == [1 / 2]
    assert found["cost"].frame["right"].tolist() == [1]
    absent = {"overview", "accuracy_exact", "gap", "labels", "severity", "flags", "steps", "asking"}
    assert not absent & found.keys()
    for table in found.values():
        assert not {"exact", "relaxed"} & {column.key for column in table.columns}, table.name


def test_words_stand_before_figures_and_every_interval_has_bounds() -> None:
    for table in tables(made_runs(eight_turns() + [{**r, "model": "b"} for r in eight_turns()])).values():
        words = [column.kind in ("text", "link") for column in table.columns]
        assert words == sorted(words, reverse=True), table.name
        wanted = [
            key
            for column in table.columns
            for key in ([column.key] + [f"{column.key}_{end}" for end in ("low", "high") if column.interval])
        ]
        assert list(table.frame.columns) == wanted, table.name
        assert table.note, table.name
        assert isinstance(table.frame, pd.DataFrame)
