"""A run under Inspect, end to end with scripted models (spec section 4, What a run does)."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageTool,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.solver import generate
from support import (
    TOPICS,
    Seen,
    made,
    metrics,
    output,
    plays,
    run,
    samples,
    scripted,
    values,
    write_dataset,
    write_public,
)

from utb_inspect.datasets import load
from utb_inspect.datasets.wire import wire_name
from utb_inspect.scorers import utb_exact
from utb_inspect.solvers import play
from utb_inspect.tasks import multi_tool, user_tool_bench

LYON = {"origin": "Utrecht", "destination": "Lyon", "day": "2025-03-15", "seat": "window"}
RIGHT = ("findTrains", LYON)
TRAINS = '{"trains": [{"id": "T1"}, {"id": "T2"}]}'
NO_DATA = '{"status": "no_data"}'
TABLE = {"restaurant": "De Eend", "guests": 4, "day": "2025-03-21", "terrace": True}

Steps = list[Any]
"""Round by round: a text, content, or a function that makes an output."""


def calls(*made: Any, **more: Any) -> Callable[[Seen], ModelOutput]:
    return lambda seen: seen.call(*made, **more)


def no_choice() -> ModelOutput:
    return ModelOutput(model="scripted", choices=[], usage=ModelUsage(total_tokens=1))


def faulty(error: Exception) -> Callable[[Seen], ModelOutput]:
    def fail(seen: Seen) -> ModelOutput:
        raise error

    return fail


FIND, TABLES, SOUP, LONG = "p01-t01.1", "p01-t02.1", "p02-t02.1", "p02-t01.1"

SCENARIOS: dict[str, tuple[str, Steps]] = {
    # Answers to calls
    "own_id": (FIND, [calls((*RIGHT, "abc")), "T1."]),
    "two_of_one_id": (FIND, [calls((*RIGHT, "same"), ("listBookings", {}, "same")), "T1."]),
    "id_of_an_earlier_round": (FIND, [calls((*RIGHT, "same")), calls(("listBookings", {}, "same")), "T1."]),
    "id_of_the_history": (FIND, [calls(("listBookings", {}, "")), calls(RIGHT), "T1."]),
    "unknown_tool": (FIND, [calls(("teleport", {"to": "Lyon"})), calls(RIGHT), "T1."]),
    "tool_of_an_earlier_topic": (TABLES, [calls(RIGHT), "No trains here."]),
    "unparseable": (FIND, [calls(("findTrains", '{"origin": "Utr')), calls(RIGHT), "T1."]),
    "unparseable_without_need": (FIND, [calls(("listBookings", '{"past": tru')), calls(RIGHT), "T1."]),
    "a_list_for_arguments": (FIND, [calls(("findTrains", '["Utrecht"]')), calls(RIGHT), "T1."]),
    "empty_arguments": (FIND, [calls(("listBookings", "")), calls(RIGHT), "T1."]),
    "against_the_schema": (FIND, [calls(("findTrains", {**LYON, "seat": "roof"})), calls(RIGHT), "T1."]),
    "undefined_argument": (FIND, [calls(("findTrains", {**LYON, "colour": None})), calls(RIGHT), "T1."]),
    "wrong_arguments": (FIND, [calls(("findTrains", {**LYON, "destination": "Nice"})), "T1."]),
    "repeated_read": (FIND, [calls(RIGHT), calls(RIGHT), "T1."]),
    "off_path": (FIND, [calls(("listBookings", {})), calls(RIGHT), "T1."]),
    "wrong_and_right_in_one": (FIND, [calls(("teleport", {}), RIGHT, ("listBookings", {})), "T1."]),
    "long_observation": (LONG, [calls(("findTrains", {**LYON, "origin": "Ghent"})), "G1."]),
    # Ends
    "text_beside_calls": (FIND, [calls(RIGHT, text="Shall I look on Saturday?"), "T1."]),
    "answer_at_once": (FIND, ["There is T1."]),
    "blank": (FIND, [calls(RIGHT), " \n\t"]),
    "reasoning_alone": (FIND, [calls(RIGHT), [ContentReasoning(reasoning="T1 it is, I am sure.")]]),
    "reasoning_and_text": (FIND, [calls(RIGHT), [ContentReasoning(reasoning="Hm?"), ContentText(text="T1.")]]),
    "never_ends": (FIND, [calls(("listBookings", {"past": bool(i % 2)})) for i in range(20)]),
    "cut": (FIND, [calls(RIGHT), lambda seen: output("T1 and", stop="max_tokens")]),
    "cut_in_a_call": (FIND, [calls(("findTrains", '{"origin": "Utr'), stop="max_tokens"), calls(RIGHT), "T1."]),
    # Questions
    "asked_one_by_one": (TABLES, ["For how many people?", "And on which day?", calls(("reserveTable", TABLE)), "E9."]),
    "asked_at_once": (TABLES, ["For how many people, and which day?", calls(("reserveTable", TABLE)), "E9."]),
    "asked_off_target": (TABLES, ["Which wine do you like?", calls(("reserveTable", TABLE)), "E9."]),
    "asked_for_settled": (TABLES, ["How many guests, in which restaurant?", calls(("reserveTable", TABLE)), "E9."]),
    "no_question": (TABLES, ["I cannot tell how many you are."]),
    "asked_too_late": (TABLES, [calls(("reserveTable", TABLE)), "How many people, and which day?", "E9."]),
    "asked_when_none_is_due": (FIND, ["Which day?"]),
    # Alternatives
    "the_other_path": (
        SOUP,
        [calls(("reserveTable", {"restaurant": "Karper", "guests": 1, "day": "2025-04-05"})), "K2."],
    ),
    # Errors
    "content_filter": (FIND, [calls(RIGHT), lambda seen: output("", stop="content_filter")]),
    "context_overflow": (FIND, [lambda seen: output("", stop="model_length")]),
    "no_choice": (FIND, [lambda seen: no_choice()]),
    "provider_raises": (FIND, [calls(RIGHT), faulty(ConnectionError("the line is dead"))]),
    "reported_error": (FIND, [lambda seen: output("T1.").model_copy(update={"error": "overloaded"})]),
    "timeout": (FIND, [faulty(TimeoutError())]),
}
ERRORS = ("content_filter", "context_overflow", "no_choice", "provider_raises", "reported_error", "timeout")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_dataset(tmp_path_factory.mktemp("solvers") / "harbour"))


def follow(steps: Steps, seen: Seen) -> Any:
    step = steps[seen.round]
    return step(seen) if callable(step) else output(step)


def run_each(
    task: Callable[[], Task], scenarios: dict[str, tuple[str, Steps]], **options: Any
) -> dict[str, EvalSample]:
    """Each scenario as an epoch of its sample."""
    by_sample: dict[str, list[str]] = defaultdict(list)
    for name, (sample, _) in scenarios.items():
        by_sample[sample].append(name)
    found = {}
    for sample, names in by_sample.items():

        def script(seen: Seen, names: list[str] = names) -> Any:
            return follow(scenarios[names[seen.epoch - 1]][1], seen)

        log = run(task(), script, sample_id=sample, epochs=len(names), **options)
        assert log.status == "success"
        found.update({names[s.epoch - 1]: s for s in log.samples or ()})
    return found


@pytest.fixture(scope="session")
def played(folder: str) -> dict[str, EvalSample]:
    return run_each(lambda: user_tool_bench(data=folder), SCENARIOS)


def results(sample: EvalSample) -> list[str]:
    """What the calls returned, in order."""
    return [m.text for m in made(sample) if isinstance(m, ChatMessageTool)]


def replies(sample: EvalSample) -> list[str]:
    return [m.text for m in made(sample) if m.role == "user"]


def labels(sample: EvalSample) -> set[str]:
    return {label for label, held in values(sample)["utb_labels"].items() if held}


def error_of(result: str) -> str:
    data = json.loads(result)
    assert list(data) == ["error"]
    return str(data["error"])


# --- calls ---------------------------------------------------------------------------------------------------


def test_a_call_is_answered_under_its_own_id(played: dict[str, EvalSample]) -> None:
    call, result, answer = made(played["own_id"])
    assert isinstance(call, ChatMessageAssistant)
    assert isinstance(result, ChatMessageTool)
    assert [c.id for c in call.tool_calls or ()] == ["abc"] == [result.tool_call_id]
    assert (result.function, result.text, result.error) == ("findTrains", TRAINS, None)
    assert answer.text == "T1."
    assert values(played["own_id"])["utb_exact"] is True


@pytest.mark.parametrize("name", ["two_of_one_id", "id_of_an_earlier_round", "id_of_the_history"])
def test_no_two_calls_share_an_id_and_all_are_answered(played: dict[str, EvalSample], name: str) -> None:
    messages = made(played[name])
    asked = [c.id for m in messages if isinstance(m, ChatMessageAssistant) for c in m.tool_calls or ()]
    answered = [m.tool_call_id for m in messages if isinstance(m, ChatMessageTool)]
    assert asked == answered
    assert len(set(asked)) == 2
    assert all(asked)


def test_of_two_calls_with_one_id_the_first_keeps_it_and_each_gets_its_own_result(
    played: dict[str, EvalSample],
) -> None:
    results_ = [m for m in made(played["two_of_one_id"]) if isinstance(m, ChatMessageTool)]
    assert [(m.function, m.text) for m in results_] == [("findTrains", TRAINS), ("listBookings", NO_DATA)]
    assert results_[0].tool_call_id == "same"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("unknown_tool", "there is no tool named 'teleport'"),
        ("tool_of_an_earlier_topic", "there is no tool named 'findTrains'"),
        ("unparseable", "the arguments could not be read"),
        ("unparseable_without_need", "the arguments could not be read"),
        ("a_list_for_arguments", "required property"),
        ("against_the_schema", "seat: 'roof' is not one of"),
        ("undefined_argument", "colour"),
        ("cut_in_a_call", "the arguments could not be read"),
    ],
)
def test_a_call_that_is_not_valid_is_told_why_and_the_run_goes_on(
    played: dict[str, EvalSample], name: str, why: str
) -> None:
    sample = played[name]
    assert why in error_of(results(sample)[0])
    assert "malformed_call" in labels(sample)
    assert len([m for m in made(sample) if isinstance(m, ChatMessageAssistant)]) > 1
    if name != "tool_of_an_earlier_topic":  # which ends there
        assert results(sample)[1:] == [TRAINS]
        assert values(sample)["utb_exact"] is False
        assert values(sample)["utb_relaxed"] is True
        assert values(sample)["utb_severity"] == "slight"
        assert labels(sample) == {"malformed_call"}


def test_empty_arguments_of_a_tool_that_needs_none_are_fine(played: dict[str, EvalSample]) -> None:
    assert results(played["empty_arguments"]) == [NO_DATA, TRAINS]
    assert labels(played["empty_arguments"]) == {"wrong_tool"}


def test_wrong_arguments_get_the_recorded_observation_and_are_judged_afterwards(played: dict[str, EvalSample]) -> None:
    assert results(played["wrong_arguments"]) == [TRAINS]
    assert labels(played["wrong_arguments"]) == {"user_constraint"}
    assert values(played["wrong_arguments"])["utb_severity"] == "major"


def test_a_repeated_read_gets_its_observation_again(played: dict[str, EvalSample]) -> None:
    assert results(played["repeated_read"]) == [TRAINS, TRAINS]
    assert labels(played["repeated_read"]) == {"wrong_tool"}
    assert values(played["repeated_read"])["utb_relaxed"] is True


def test_a_call_off_the_path_returns_no_data_and_the_run_goes_on(played: dict[str, EvalSample]) -> None:
    assert results(played["off_path"]) == [NO_DATA, TRAINS]
    assert values(played["off_path"])["utb_severity"] == "slight"


def test_results_stand_in_the_order_of_the_calls(played: dict[str, EvalSample]) -> None:
    unknown, right, other = results(played["wrong_and_right_in_one"])
    assert "teleport" in error_of(unknown)
    assert (right, other) == (TRAINS, NO_DATA)


def test_a_long_observation_is_not_cut(played: dict[str, EvalSample]) -> None:
    assert results(played["long_observation"]) == [TOPICS[2]["turns"][0]["reference"][0]["observation"]]
    assert len(results(played["long_observation"])[0]) > 16 * 1024


@pytest.mark.parametrize("name", ["own_id", "unknown_tool", "unparseable", "against_the_schema", "off_path"])
def test_every_call_is_an_event_of_the_log_and_none_is_refused(played: dict[str, EvalSample], name: str) -> None:
    events = [e for e in played[name].events if e.event == "tool"]
    assert [e.function for e in events] == [m.function for m in made(played[name]) if isinstance(m, ChatMessageTool)]
    assert all(e.error is None for e in events)


# --- ends ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "ended"),
    [
        ("own_id", "answer"),
        ("text_beside_calls", "answer"),
        ("answer_at_once", "answer"),
        ("blank", "no_answer"),
        ("reasoning_alone", "no_answer"),
        ("reasoning_and_text", "answer"),
        ("never_ends", "step_cap"),
        ("cut", "answer"),
        ("asked_when_none_is_due", "answer"),
        ("no_question", "answer"),
    ],
)
def test_how_a_run_ends(played: dict[str, EvalSample], name: str, ended: str) -> None:
    scores = played[name].scores or {}
    assert (scores["utb_progress"].metadata or {})["ended"] == ended
    assert ("no_answer" in labels(played[name])) == (ended != "answer")


def test_the_step_cap_counts_the_models_messages_of_the_run_alone(played: dict[str, EvalSample]) -> None:
    # Two reference steps: 2 * 2 + 4. The last call is answered too.
    messages = made(played["never_ends"])
    assert len([m for m in messages if isinstance(m, ChatMessageAssistant)]) == 8
    assert len(results(played["never_ends"])) == 8
    assert values(played["never_ends"])["utb_exact"] is False


def test_text_beside_calls_is_no_question(played: dict[str, EvalSample]) -> None:
    assert values(played["text_beside_calls"])["utb_exact"] is True
    assert values(played["text_beside_calls"])["utb_progress"]["asked"] is False


def test_reasoning_is_no_question(played: dict[str, EvalSample]) -> None:
    assert values(played["reasoning_and_text"])["utb_exact"] is True
    assert values(played["reasoning_and_text"])["utb_progress"]["asked"] is False


@pytest.mark.parametrize(("name", "flag"), [("cut", True), ("cut_in_a_call", True), ("own_id", False)])
def test_an_output_cut_at_max_tokens_is_a_decision_and_flagged(
    played: dict[str, EvalSample], name: str, flag: bool
) -> None:
    scores = played[name].scores or {}
    assert (scores["utb_progress"].metadata or {})["cut"] is flag
    assert ("max_tokens" in (scores["utb_exact"].explanation or "")) is flag
    assert isinstance(values(played[name])["utb_exact"], bool)


# --- questions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "said", "exact", "wrong"),
    [
        ("asked_one_by_one", ["Four of us.", "Friday the 21st."], True, set()),
        ("asked_at_once", ["Four of us. Friday the 21st."], True, set()),
        ("asked_off_target", ["Four of us. Friday the 21st."], False, {"clarification"}),
        ("asked_for_settled", ["Four of us. Friday the 21st."], False, {"clarification"}),
        # The call takes the reference call that waits for the replies: in time for none of them.
        ("asked_too_late", ["Four of us. Friday the 21st."], False, {"clarification"}),
        ("no_question", [], False, {"clarification", "missing_tool"}),
    ],
)
def test_recorded_replies(
    played: dict[str, EvalSample], name: str, said: list[str], exact: bool, wrong: set[str]
) -> None:
    assert replies(played[name]) == said
    assert values(played[name])["utb_exact"] is exact
    assert labels(played[name]) == wrong


def test_a_question_while_none_is_due_ends_the_run(played: dict[str, EvalSample]) -> None:
    assert replies(played["asked_when_none_is_due"]) == []
    assert labels(played["asked_when_none_is_due"]) == {"clarification", "missing_tool"}


def test_an_alternative_is_as_right_and_answered_along_its_path(played: dict[str, EvalSample]) -> None:
    assert results(played["the_other_path"]) == ['{"table": "K2"}']
    assert values(played["the_other_path"])["utb_exact"] is True


# --- rules of a run ------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def ruled(folder: str) -> dict[str, EvalSample]:
    scenarios: dict[str, tuple[str, Steps]] = {
        "stopped": (FIND, [calls(("listBookings", {})), calls(RIGHT), "T1."]),
        "not_stopped_by_an_invalid_call": (FIND, [calls(("teleport", {})), calls(RIGHT), "T1."]),
        "capped": (FIND, [calls(RIGHT), calls(RIGHT), calls(RIGHT), "T1."]),
        "in_time": (FIND, [calls(RIGHT), "T1."]),
    }
    return run_each(lambda: user_tool_bench(data=folder, off_path="stop", max_rounds=3), scenarios)


@pytest.mark.parametrize(
    ("name", "ended", "rounds"),
    [
        ("stopped", "off_path", 1),
        ("not_stopped_by_an_invalid_call", "answer", 3),
        ("capped", "step_cap", 3),
        ("in_time", "answer", 2),
    ],
)
def test_off_path_stop_and_max_rounds(ruled: dict[str, EvalSample], name: str, ended: str, rounds: int) -> None:
    progress = (ruled[name].scores or {})["utb_progress"]
    assert (progress.metadata or {})["ended"] == ended
    assert values(ruled[name])["utb_progress"]["rounds"] == rounds


def test_a_call_at_which_a_run_stops_is_answered_too(ruled: dict[str, EvalSample]) -> None:
    assert results(ruled["stopped"]) == [NO_DATA]


# --- errors --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_of_the_run_is_never_a_decision(played: dict[str, EvalSample], name: str) -> None:
    sample = played[name]
    assert sample.error is not None  # so that it can be retried
    assert sample.store["utb_error"]
    assert not sample.scores or all(v != v for v in values(sample).values())


@pytest.mark.parametrize("name", [name for name in SCENARIOS if name not in ERRORS])
def test_all_else_is_a_decision(played: dict[str, EvalSample], name: str) -> None:
    assert played[name].error is None
    assert "utb_error" not in played[name].store
    assert isinstance(values(played[name])["utb_exact"], bool)


def test_errors_are_told_by_their_cause(played: dict[str, EvalSample]) -> None:
    assert "content filter" in played["content_filter"].store["utb_error"]
    assert "context" in played["context_overflow"].store["utb_error"]
    assert "the line is dead" in played["provider_raises"].store["utb_error"]
    assert "overloaded" in played["reported_error"].store["utb_error"]


def test_an_error_can_be_retried_and_the_new_run_counts(folder: str) -> None:
    def script(seen: Seen) -> Any:
        return follow([faulty(ConnectionError("once")), calls(RIGHT), "T1."], seen)

    log = run(user_tool_bench(data=folder), script, sample_id=FIND, retry_on_error=1)
    (sample,) = samples(log).values()
    assert sample.error is None
    assert len(sample.error_retries or ()) == 1
    assert values(sample)["utb_exact"] is True


def limited(folder: str, **limit: Any) -> EvalLog:
    async def slow() -> ModelOutput:
        await asyncio.sleep(30)
        return output("T1.")

    def script(seen: Seen) -> Any:
        if "time_limit" in limit and seen.round == 1:
            return slow()
        return follow([calls(RIGHT), calls(RIGHT), "T1."], seen)

    return run(user_tool_bench(data=folder), script, sample_id=FIND, **limit)


@pytest.mark.parametrize("limit", [{"message_limit": 4}, {"token_limit": 20}, {"time_limit": 1}], ids=str)
def test_a_limit_that_cuts_a_run_short_leaves_it_unscored(folder: str, limit: dict[str, int]) -> None:
    log = limited(folder, **limit)
    (sample,) = samples(log).values()
    assert sample.limit is not None
    assert made(sample)  # something was done, and would be judged wrong
    assert all(value != value for value in values(sample).values())
    assert log.results is not None
    assert [(s.scored_samples, s.unscored_samples) for s in log.results.scores] == [(0, 1)] * 6


def test_a_limit_that_is_not_reached_changes_nothing(folder: str) -> None:
    log = run(
        user_tool_bench(data=folder),
        lambda seen: follow([calls(RIGHT), "T1."], seen),
        sample_id=FIND,
        message_limit=50,
        token_limit=500,
    )
    assert [values(s)["utb_exact"] for s in log.samples or ()] == [True]


# --- other solvers -------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def generated(folder: str) -> tuple[dict[str, EvalSample], list[Seen]]:
    """Runs of Inspect's own `generate()` in the place of `play`."""
    first: list[Seen] = []
    scenarios: dict[str, tuple[str, Steps]] = {
        "right": ("p01-t01.3", [lambda seen: lille(seen, 0), lambda seen: lille(seen, 1), "Booked."]),
        "unknown_tool": (FIND, [calls(("teleport", {})), calls(RIGHT), "T1."]),
        "off_path": (FIND, [calls(("listBookings", {})), calls(RIGHT), "T1."]),
        "wrong": (FIND, [calls(("findTrains", {**LYON, "destination": "Nice"})), "T1."]),
        "two_of_one_tool": (
            FIND,
            [calls((*RIGHT, "one"), ("findTrains", {**LYON, "destination": "Nice"}, "two")), "T1."],
        ),
        "against_the_schema": (FIND, [calls(("findTrains", {**LYON, "seat": "roof"})), calls(RIGHT), "T1."]),
        "at_once": ("p02-t01.2", [lambda seen: seen.call(ghent("Mons"), ghent("Leuven")), "V1, M1."]),
    }

    def lille(seen: Seen, step: int) -> ModelOutput:
        if step == 0:
            first.append(seen)
            return seen.call(("findTrains", {**LYON, "destination": "Lille", "day": "2025-03-16"}))
        return seen.call(("bookTrain", {"train_id": "L1", "seat": "window"}))

    def ghent(to: str) -> tuple[str, Any]:
        return "findTrains", {"origin": "Ghent", "destination": to, "day": "2025-04-03"}

    return run_each(lambda: user_tool_bench(data=folder), scenarios, solver=generate()), first


def test_another_solver_sees_the_same_messages_and_tools(
    generated: tuple[dict[str, EvalSample], list[Seen]], folder: str
) -> None:
    from utb_inspect.datasets.history import Prompts, View
    from utb_inspect.datasets.wire import tool_info

    dataset = load(folder)
    turn = dataset.by_id["p01-t01.3"]
    (seen,) = generated[1]
    wanted = Prompts(dataset, View()).messages(turn)
    assert [(m.role, m.content) for m in seen.messages] == [(m.role, m.content) for m in wanted]
    infos = [tool_info(tool) for tool in turn.toolset.tools]
    assert [t.name for t in seen.tools] == [t.name for t in infos]
    assert [t.parameters.model_dump() for t in seen.tools] == [t.parameters.model_dump() for t in infos]


def test_another_solver_gets_the_recorded_observations_and_is_scored(
    generated: tuple[dict[str, EvalSample], list[Seen]],
) -> None:
    runs, _ = generated
    assert values(runs["right"])["utb_exact"] is True
    assert results(runs["right"])[1] == '{"booking": "B77"}'
    assert results(runs["off_path"]) == [NO_DATA, TRAINS]
    assert labels(runs["off_path"]) == {"wrong_tool"}
    assert labels(runs["wrong"]) == {"user_constraint"}
    assert results(runs["wrong"]) == [TRAINS]
    assert results(runs["at_once"]) == ['{"trains": ["M1"]}', '{"trains": ["V1"]}']
    assert values(runs["at_once"])["utb_exact"] is True
    assert results(runs["two_of_one_tool"]) == [TRAINS, NO_DATA]


@pytest.mark.parametrize("name", ["unknown_tool", "against_the_schema"])
def test_another_solver_is_told_of_invalid_calls_and_goes_on(
    generated: tuple[dict[str, EvalSample], list[Seen]], name: str
) -> None:
    runs, _ = generated
    assert runs[name].error is None
    assert labels(runs[name]) == {"malformed_call"}
    assert results(runs[name])[-1] == TRAINS


def test_awkward_tools_serve_other_solvers_too(tmp_path: Path) -> None:
    """Inspect refuses tools without descriptions, and types such as `float`."""
    file = str(write_public(tmp_path / "ann.jsonl"))
    log = run(user_tool_bench(data=file), plays(load(file)), solver=generate())
    assert log.status == "success"
    assert [values(s)["utb_exact"] for s in log.samples or ()] == [True, True]
    names = [m.function for s in log.samples or () for m in made(s) if isinstance(m, ChatMessageTool)]
    assert names[0] == wire_name("rail.search/v2")


# --- upstream ------------------------------------------------------------------------------------------------


def test_verdict_upstream_stops_at_the_first_wrong_action(folder: str) -> None:
    scenarios: dict[str, tuple[str, Steps]] = {
        "right": (FIND, [calls(("findTrains", {**LYON, "limit": 3})), "T1."]),
        "other_tool": (FIND, [calls(("listBookings", {})), calls(RIGHT), "T1."]),
        "wrong_arguments": (FIND, [calls(("findTrains", {**LYON, "limit": 3, "destination": "Nice"})), "T1."]),
        "blank": (FIND, [calls(("findTrains", {**LYON, "limit": 3})), ""]),
    }
    runs = run_each(lambda: user_tool_bench(data=folder, verdict="upstream"), scenarios)
    assert {name: values(s) for name, s in runs.items()} == {
        "right": {"utb_upstream": True},
        "other_tool": {"utb_upstream": False},
        "wrong_arguments": {"utb_upstream": False},
        "blank": {"utb_upstream": False},
    }
    assert len([m for m in made(runs["other_tool"]) if isinstance(m, ChatMessageAssistant)]) == 1
    assert runs["right"].messages[0].text == "Current Date: 2025-03-10 09:00:00 Monday, Utrecht, Netherlands"


def test_verdict_upstream_plays_every_turn_of_the_dataset(folder: str) -> None:
    log = run(user_tool_bench(data=folder, verdict="upstream"), plays(load(folder)))
    assert log.status == "success"
    # That evaluator knows no `$ref`, and takes an item without a type for a string.
    refused = {"p02-t02.1", "p02-t02.2"}
    assert {s.id: values(s)["utb_upstream"] for s in log.samples or ()} == {
        turn.id: turn.id not in refused for turn in load(folder).turns
    }


# --- the whole -----------------------------------------------------------------------------------------------


def test_the_log_is_small_and_its_input_column_readable(folder: str) -> None:
    log = run(multi_tool(data=folder), plays(load(folder)))
    assert [s.input for s in log.samples or ()] == [
        "And to Lille on Sunday, book the early one.",
        "On Thursday to Leuven, and what is there to Mons?",
        "Plan pie and plan fish. With the pie, a table for two at the Karper on Monday.",
    ]
    assert next(s.target for s in log.samples or ()) == "findTrains > bookTrain > answer"
    # Values over 1 KB are left out of the sample list.
    assert all(len(json.dumps(v)) < 1024 for s in log.samples or () for v in s.metadata.values())
    assert metrics(log, "utb_exact")["accuracy"] == 1.0


def test_play_without_its_setup_says_so() -> None:
    log = run(
        Task(dataset=[Sample(input="Hi.", metadata={"profile": "p"})], solver=play(), scorer=utb_exact()),
        scripted(lambda seen: output("Hello.")),
    )
    (sample,) = samples(log).values()
    assert sample.error is not None
    assert "setup solver utb_inspect/show" in sample.error.message
