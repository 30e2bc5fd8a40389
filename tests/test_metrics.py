"""Aggregates: figures worked out by hand, and what epochs, errors and empty runs do to them (spec section 5)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from inspect_ai import Epochs
from inspect_ai.log import EvalLog
from inspect_ai.scorer import SampleScore, Score
from inspect_ai.scorer import stderr as inspect_stderr
from support import Seen, metrics, output, plays, run, write_dataset

from utb_inspect.analysis.statistics import (
    Outcome,
    clustered_stderr,
    mean,
    mean_of_means,
    mean_of_means_stderr,
)
from utb_inspect.datasets import load
from utb_inspect.scorers.metrics import breakdown, figures, incidence, stderr
from utb_inspect.tasks import user_tool_bench
from utb_inspect.trajectory.verdict import LABELS


def score(value: Any, profile: str = "p1", task_type: str = "single_tool", **metadata: Any) -> SampleScore:
    return SampleScore(
        score=Score(value=value), sample_metadata={"profile": profile, "task_type": task_type, **metadata}
    )


def table() -> list[SampleScore]:
    """Eight turns: p1 all three right; p2 one single-tool turn of five."""
    rows = [
        ("p1", "single_tool", True),
        ("p1", "multi_tool", True),
        ("p1", "lack_of_information", True),
        ("p2", "single_tool", True),
        ("p2", "single_tool", False),
        ("p2", "multi_tool", False),
        ("p2", "multi_tool", False),
        ("p2", "lack_of_information", False),
    ]
    return [score(value, profile, task_type) for profile, task_type, value in rows]


# --- the table, by hand --------------------------------------------------------------------------------------


def test_stderr_is_clustered_by_profile() -> None:
    # Mean 4/8. Deviations added up: p1 3 * 0.5 = 1.5; p2 0.5 - 4 * 0.5 = -1.5.
    # sqrt(2 / (2 - 1) * (1.5^2 + 1.5^2)) / 8 = sqrt(9) / 8 = 3/8.
    assert stderr()(table()) == pytest.approx(3 / 8)


def test_stderr_is_the_one_of_inspect() -> None:
    assert stderr()(table()) == pytest.approx(inspect_stderr(cluster="profile")(table()))  # type: ignore[arg-type]


def test_figures_by_task_type() -> None:
    found = breakdown()(table())
    assert isinstance(found, dict)
    # Single tool: 2 of 3. Deviations p1 1/3, p2 1/3 - 2/3 = -1/3: sqrt(2 * 2/9) / 3 = 2/9.
    assert found["single_tool"] == pytest.approx(2 / 3)
    assert found["single_tool_stderr"] == pytest.approx(2 / 9)
    # Multi tool: 1 of 3. Deviations 2/3, -2/3: sqrt(2 * 8/9) / 3 = 4/9.
    assert found["multi_tool"] == pytest.approx(1 / 3)
    assert found["multi_tool_stderr"] == pytest.approx(4 / 9)
    # Lack of information: 1 of 2. Deviations 1/2, -1/2: sqrt(2 * 1/2) / 2 = 1/2.
    assert found["lack_of_information"] == pytest.approx(1 / 2)
    assert found["lack_of_information_stderr"] == pytest.approx(1 / 2)
    assert "chat" not in found


def test_average_is_the_unweighted_mean_of_three_task_types() -> None:
    found = breakdown()(table())
    assert isinstance(found, dict)
    assert found["average"] == pytest.approx((2 / 3 + 1 / 3 + 1 / 2) / 3)
    # p1's share: (1/3)/9 + (2/3)/9 + (1/2)/6 = 7/36, p2's the opposite: sqrt(2 * 2) * 7/36 = 7/18.
    assert found["average_stderr"] == pytest.approx(7 / 18)


def test_chat_counts_in_accuracy_but_not_in_the_average() -> None:
    with_chat = [*table(), score(True, "p1", "chat"), score(True, "p2", "chat")]
    found = breakdown()(with_chat)
    assert isinstance(found, dict)
    assert found["average"] == pytest.approx(1 / 2)
    assert found["chat"] == 1.0
    assert found["profile_p2"] == pytest.approx(2 / 6)


def test_means_over_profiles_stand_beside_the_pooled_figures() -> None:
    found = breakdown()(table())
    assert isinstance(found, dict)
    assert (found["profile_p1"], found["profile_p2"]) == (1.0, pytest.approx(1 / 5))
    assert found["profile_mean"] == pytest.approx((1 + 1 / 5) / 2)
    # p1: (1 + 1 + 1) / 3; p2: (1/2 + 0 + 0) / 3.
    assert found["average_profile_mean"] == pytest.approx((1 + 1 / 6) / 2)


def test_no_average_without_all_three_task_types() -> None:
    found = breakdown()([s for s in table() if (s.sample_metadata or {})["task_type"] != "multi_tool"])
    assert isinstance(found, dict)
    assert not {"average", "average_stderr", "average_profile_mean", "multi_tool"} & found.keys()


def test_no_profile_mean_of_averages_when_a_profile_lacks_a_task_type() -> None:
    found = breakdown()([*table(), score(True, "p3", "single_tool")])
    assert isinstance(found, dict)
    assert "average_profile_mean" not in found
    assert found["average"] == pytest.approx((3 / 4 + 1 / 3 + 1 / 2) / 3)


def test_groups() -> None:
    rows = [
        score(True, third="first", subtype="cross_topic", structure="parallel", change="update"),
        score(False, third="last", subtype="partial_information", structure="parallel", recoverable=True),
        score(True, "p2", third="last", subtype="cross_topic", structure="mixed", recoverable=False),
    ]
    found = breakdown()(rows)
    assert isinstance(found, dict)
    wanted = {
        "first": 1,
        "last": 1 / 2,
        "cross_topic": 1,
        "partial_information": 0,
        "parallel": 1 / 2,
        "mixed": 1,
        "update": 1,
        "recoverable": 0,
        "unrecoverable": 1,
    }
    assert {key: found[key] for key in wanted} == wanted
    assert not {"middle", "sequential", "reversal", "long_range_dependency"} & found.keys()
    # Two profiles show a spread, one does not.
    assert "last_stderr" in found
    assert "parallel_stderr" not in found


def test_one_profile_has_no_stderr() -> None:
    assert math.isnan(stderr()([score(True), score(False)]))


def topic(name: str, turns: int, *values_: float, profile: str = "p1") -> list[SampleScore]:
    return [score(value, profile, topic=name, topic_turns=turns) for value in values_]


@pytest.mark.parametrize(
    ("rows", "session"),
    [
        ([*topic("t1", 2, 1, 1), *topic("t2", 2, 1, 0)], 1 / 2),
        # The third turn of t3 is not in the run, or not scored: the topic does not count.
        ([*topic("t1", 2, 1, 1), *topic("t3", 3, 1, 0)], 1.0),
        (topic("t3", 3, 1, 1), None),
        # Two profiles may use one name for a topic.
        ([*topic("t", 1, 1), *topic("t", 1, 0, profile="p2")], 1 / 2),
        # Epochs averaged to fractions say nothing of a session.
        ([*topic("t1", 2, 1, 0.5), *topic("t2", 1, 1)], None),
    ],
)
def test_session_is_the_share_of_whole_topics_with_every_turn_right(
    rows: list[SampleScore], session: float | None
) -> None:
    found = breakdown()(rows)
    assert isinstance(found, dict)
    assert found.get("session") == session


# --- labels and questions ------------------------------------------------------------------------------------


def labelled(*held: str) -> SampleScore:
    return score({label: label in held for label in LABELS})


def test_labels_are_shares_of_the_failures() -> None:
    found = incidence()(
        [labelled(), labelled("wrong_tool", "clarification"), labelled("wrong_tool"), labelled(), labelled("no_answer")]
    )
    assert isinstance(found, dict)
    assert found["failures"] == 3
    assert found["wrong_tool"] == pytest.approx(2 / 3)
    assert found["clarification"] == found["no_answer"] == pytest.approx(1 / 3)
    assert found["missing_tool"] == 0
    assert set(found) == {*LABELS, "failures"}


def test_without_failures_no_label_has_a_share() -> None:
    assert set(dict(incidence()([labelled()])).values()) == {0.0}


def test_the_stale_rate_is_over_turns_that_turn_on_a_change() -> None:
    def changed(change: str | None, *held: str) -> SampleScore:
        return score({label: label in held for label in LABELS}, change=change)

    found = incidence()(
        [
            changed("update", "stale_preference", "user_constraint"),
            changed("update"),
            changed("update", "wrong_tool"),
            changed("conflict", "stale_preference"),
            changed(None, "stale_preference"),
            changed(None),
        ]
    )
    assert isinstance(found, dict)
    assert found["stale_rate"] == pytest.approx(2 / 4)
    assert found["stale_rate_update"] == pytest.approx(1 / 3)
    assert found["stale_rate_conflict"] == 1
    assert "stale_rate_reversal" not in found
    assert found["stale_preference"] == pytest.approx(3 / 4)  # of the failures, whatever they turn on


def asked(asked_: bool, recoverable: bool | None, **more: Any) -> SampleScore:
    value = {
        "progress": 0.5,
        "optimal": True,
        "asked": asked_,
        "rounds": 3,
        "calls": 2,
        "questions": int(asked_),
        "question_sentences": 2 * int(asked_),
        **more,
    }
    metadata: dict[str, Any] = {} if recoverable is None else {"recoverable": recoverable}
    return score(value, **metadata)


def test_precision_and_recall_of_asking_are_over_lack_of_information_turns() -> None:
    rows = [
        asked(True, False),
        asked(True, False),
        asked(False, False),
        asked(False, False),
        asked(False, False),
        asked(True, True),
        asked(False, True),
        asked(True, None),  # another task type
    ]
    found = figures()(rows)
    assert isinstance(found, dict)
    assert found["ask_precision"] == pytest.approx(2 / 3)  # asked in three turns, needed in two of them
    assert found["ask_recall"] == pytest.approx(2 / 5)  # needed in five turns, asked in two of them
    assert found["asked"] == pytest.approx(4 / 8)
    assert found["sentences_per_question"] == 2


def test_shares_without_a_case_are_left_out() -> None:
    found = figures()([asked(False, True)])
    assert isinstance(found, dict)
    assert not {"ask_precision", "ask_recall", "sentences_per_question"} & found.keys()


def test_figures_are_means() -> None:
    found = figures()([asked(False, None, progress=1.0, rounds=2), asked(False, None, progress=0.0, optimal=False)])
    assert isinstance(found, dict)
    assert (found["progress"], found["optimal"], found["rounds"], found["calls"]) == (0.5, 0.5, 2.5, 2.0)


@pytest.mark.parametrize("metric", [stderr, breakdown, incidence, figures], ids=lambda m: m.__name__)
def test_metrics_take_an_empty_run(metric: Callable[[], Any]) -> None:
    metric()([])


# --- statistics ----------------------------------------------------------------------------------------------


def test_empty_groups_have_no_mean_and_no_error() -> None:
    group = [Outcome(1.0, "p1"), Outcome(0.0, "p2")]
    for value in (
        mean([]),
        clustered_stderr([]),
        mean_of_means([]),
        mean_of_means([group, []]),
        mean_of_means_stderr([group, []]),
        mean_of_means_stderr([]),
    ):
        assert math.isnan(value)


def test_a_cluster_that_runs_across_groups_is_one() -> None:
    # Means 1/2 and 1/2. p1's share: (1/2)/4 + (-1/2)/4 = 0, and so is p2's: what one group shows, the other undoes.
    groups = [
        [Outcome(1.0, "p1"), Outcome(0.0, "p2")],
        [Outcome(0.0, "p1"), Outcome(1.0, "p2")],
    ]
    assert mean_of_means_stderr(groups) == pytest.approx(0.0)


# --- under Inspect -------------------------------------------------------------------------------------------

RIGHT = ("findTrains", {"origin": "Utrecht", "destination": "Lyon", "day": "2025-03-15", "seat": "window"})


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_dataset(tmp_path_factory.mktemp("metrics") / "harbour"))


@pytest.fixture(scope="session")
def epochs(folder: str) -> EvalLog:
    """Three epochs of two turns: right, right, slightly wrong; right, badly wrong, an error."""

    def script(seen: Seen) -> Any:
        if seen.sample == "p01-t01.2":
            if seen.epoch == 3:
                raise ConnectionError("gone")
            return output("Mild.") if seen.epoch == 1 else output(" ")
        if seen.round == 0:
            return seen.call(RIGHT)
        return seen.call(RIGHT) if seen.epoch == 3 and seen.round == 1 else output("T1.")

    task = user_tool_bench(data=folder)
    return run(task, script, sample_id=["p01-t01.1", "p01-t01.2"], epochs=Epochs(3, ["mean", "pass_k_2"]))


def reduced(log: EvalLog, scorer: str) -> dict[str | None, dict[str, float]]:
    assert log.results is not None
    return {
        s.reducer: {name: metric.value for name, metric in s.metrics.items()}
        for s in log.results.scores
        if s.name == scorer
    }


def test_epochs_are_reduced_to_their_mean_and_other_reducers_work_too(epochs: EvalLog) -> None:
    found = reduced(epochs, "utb_exact")
    # 2 of 3 and 1 of the 2 that are scored.
    assert found["mean"]["accuracy"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert found["mean"]["single_tool"] == pytest.approx(2 / 3)
    # Two draws right: C(2, 2) / C(3, 2) = 1/3, and C(1, 2) / C(2, 2) = 0.
    assert found["pass_k_2"]["accuracy"] == pytest.approx((1 / 3 + 0) / 2)
    # The repeated read of the third epoch is free.
    assert reduced(epochs, "utb_relaxed")["mean"]["single_tool"] == 1.0


def test_severity_is_counted_over_all_epochs_and_no_string_becomes_a_number(epochs: EvalLog) -> None:
    (found,) = reduced(epochs, "utb_severity").values()
    assert found == {"none": pytest.approx(3 / 5), "slight": pytest.approx(1 / 5), "major": pytest.approx(1 / 5)}


def test_labels_and_progress_are_counted_over_all_epochs(epochs: EvalLog) -> None:
    (labels,) = reduced(epochs, "utb_labels").values()
    assert (labels["failures"], labels["wrong_tool"], labels["no_answer"]) == (2, 1 / 2, 1 / 2)
    (progress,) = reduced(epochs, "utb_progress").values()
    assert progress["progress"] == pytest.approx(4 / 5)  # a chat turn without an answer has none
    assert progress["optimal"] == pytest.approx(3 / 5)


def test_accuracy_comes_first_and_is_the_headline(epochs: EvalLog) -> None:
    for scorer in ("utb_exact", "utb_relaxed"):
        assert list(reduced(epochs, scorer)["mean"])[:2] == ["accuracy", "stderr"]
    assert epochs.results is not None
    assert epochs.results.headline is not None
    assert (epochs.results.headline.scorer, epochs.results.headline.metric) == ("utb_exact", "accuracy")


def test_a_run_of_right_decisions_has_every_figure_at_one(folder: str) -> None:
    log = run(user_tool_bench(data=folder), plays(load(folder)))
    found = metrics(log, "utb_exact")
    kinds = {"single_tool", "multi_tool", "lack_of_information", "chat"}
    groups = kinds | {"first", "middle", "last", "cross_topic", "partial_information", "long_range_dependency"}
    groups |= {"parallel", "sequential", "mixed", "recoverable", "unrecoverable", "profile_p01", "profile_p02"}
    groups |= {"accuracy", "average", "profile_mean", "session"}
    assert {name for name in found if not name.endswith(("stderr", "_profile_mean"))} == groups
    assert {found[name] for name in groups} == {1.0}
    assert metrics(log, "utb_severity") == {"none": 1.0, "slight": 0.0, "major": 0.0}
    assert metrics(log, "utb_labels")["failures"] == 0
    progress = metrics(log, "utb_progress")
    assert (progress["progress"], progress["ask_precision"], progress["ask_recall"]) == (1.0, 1.0, 1.0)
    # The recorded questions are asked one by one, where one message could have asked both.
    assert progress["optimal"] == pytest.approx(9 / 10)


def test_errors_are_out_of_every_figure_and_counted(folder: str) -> None:
    def script(seen: Seen) -> Any:
        if seen.sample == "p01-t01.2":
            return output("", stop="content_filter")
        return output("I will not look.")

    log = run(user_tool_bench(data=folder), script, sample_id=["p01-t01.1", "p01-t01.2"])
    assert log.results is not None
    assert log.results.total_samples == 2
    assert {s.scored_samples for s in log.results.scores} == {1}
    assert metrics(log, "utb_exact")["accuracy"] == 0.0
    assert "chat" not in metrics(log, "utb_exact")
    assert "session" not in metrics(log, "utb_exact")
    assert metrics(log, "utb_severity") == {"none": 0.0, "slight": 0.0, "major": 1.0}
    assert metrics(log, "utb_labels")["failures"] == 1
    assert metrics(log, "utb_progress")["rounds"] == 1


def test_a_run_of_errors_alone_has_no_figures(folder: str) -> None:
    log = run(user_tool_bench(data=folder), lambda seen: output("", stop="content_filter"), sample_id="p01-t01.1")
    assert [s.error is not None for s in log.samples or ()] == [True]
    assert log.results is None or all(s.scored_samples == 0 for s in log.results.scores)


def test_task_types_and_thirds_have_means_over_profiles() -> None:
    # single_tool: p1 right in 1 of 1; p2 right in 1 of 2. Pooled 2/3, over profiles (1 + 1/2) / 2.
    rows = [score(True, "p1", "single_tool"), score(True, "p2", "single_tool"), score(False, "p2", "single_tool")]
    found = breakdown()(rows)
    assert isinstance(found, dict)
    assert found["single_tool"] == pytest.approx(2 / 3)
    assert found["single_tool_profile_mean"] == pytest.approx(3 / 4)


def test_a_profile_named_like_a_group_overwrites_nothing() -> None:
    found = breakdown()([score(True, "single_tool", "single_tool"), score(False, "average", "single_tool")])
    assert isinstance(found, dict)
    assert found["single_tool"] == pytest.approx(1 / 2)
    assert (found["profile_single_tool"], found["profile_average"]) == (1.0, 0.0)
