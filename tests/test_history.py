"""What a model is shown, message for message (spec section 4, Layout)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool
from support import TOPICS, TURNS, shipped_or_skip, write_dataset, write_public

from utb_inspect.datasets import Dataset, load
from utb_inspect.datasets.history import Prompts, View, environment_line, play_rounds
from utb_inspect.datasets.wire import wire_call_id
from utb_inspect.schema import DataError, Environment, Turn

SYSTEM = ("system", "You are the user's personal assistant.")
MONDAY = "[Monday 2025-03-10 09:00, Utrecht, Netherlands]"
FRIDAY = "[Friday 2025-03-14 18:20, Utrecht, Netherlands]"
LYON = "Trains to Lyon on Saturday, from Utrecht as always, and by the window."
LYON_CALL = {"origin": "Utrecht", "destination": "Lyon", "day": "2025-03-15", "seat": "window", "limit": 3}
LILLE_CALL = {"origin": "Utrecht", "destination": "Lille", "day": "2025-03-16", "seat": "window"}
LILLE = "And to Lille on Sunday, book the early one."

SAME = {"harbour", "utb_open", "utb_open_dynamic"}


@pytest.fixture(scope="session")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return load(str(write_dataset(tmp_path_factory.mktemp("history") / "harbour")))


@pytest.fixture(scope="session", params=sorted(SAME))
def dataset(request: pytest.FixtureRequest, harbour: Dataset) -> Dataset:
    return harbour if request.param == "harbour" else shipped_or_skip(request.param)


def shown(dataset: Dataset, turn: str, **view: Any) -> list[ChatMessage]:
    return Prompts(dataset, View(**view)).messages(dataset.by_id[turn])


def plain(message: ChatMessage) -> tuple[Any, ...]:
    """A message as it goes over the wire, ids of calls aside."""
    if isinstance(message, ChatMessageAssistant) and message.tool_calls:
        return "assistant", message.content, [(call.function, call.arguments) for call in message.tool_calls]
    if isinstance(message, ChatMessageTool):
        return "tool", message.function, message.content
    return message.role, message.content


def sent(message: ChatMessage) -> dict[str, Any]:
    """All of a message that a provider is sent."""
    return message.model_dump(include={"role", "content", "tool_calls", "tool_call_id", "function"})


def texts(messages: list[ChatMessage]) -> list[str]:
    return [message.text for message in messages]


# --- a history written out -----------------------------------------------------------------------------------


def test_full_history_message_for_message(harbour: Dataset) -> None:
    assert [plain(m) for m in shown(harbour, "p01-t02.1")] == [
        SYSTEM,
        ("user", f"{MONDAY}\n{LYON}"),
        ("assistant", [], [("findTrains", LYON_CALL)]),
        ("tool", "findTrains", '{"trains": [{"id": "T1"}, {"id": "T2"}]}'),
        ("assistant", "T1 and T2 go to Lyon."),
        ("user", "Is Lyon nice in March?"),
        ("assistant", "Mild, and less crowded."),
        ("user", LILLE),
        ("assistant", [], [("findTrains", LILLE_CALL)]),
        ("tool", "findTrains", '{"trains": [{"id": "L1", "at": "07:10"}, {"id": "L2", "at": "09:10"}]}'),
        ("assistant", [], [("bookTrain", {"train_id": "L1", "seat": "window"})]),
        ("tool", "bookTrain", '{"booking": "B77"}'),
        ("assistant", "L1 is booked."),
        ("user", f"{FRIDAY}\nGet me a table at De Eend, outside."),
    ]


def test_questions_are_played_one_by_one_with_their_replies(harbour: Dataset) -> None:
    assert [plain(m) for m in shown(harbour, "p01-t02.2", history="topic")] == [
        SYSTEM,
        ("user", f"{FRIDAY}\nGet me a table at De Eend, outside."),
        ("assistant", "For how many people?"),
        ("user", "Four of us."),
        ("assistant", "On which day?"),
        ("user", "Friday the 21st."),
        (
            "assistant",
            [],
            [("reserveTable", {"restaurant": "De Eend", "guests": 4, "day": "2025-03-21", "terrace": True})],
        ),
        ("tool", "reserveTable", '{"table": "E9"}'),
        ("assistant", "Table E9 is yours."),
        ("user", "A table at De Eend for the 28th."),
    ]


def test_calls_that_are_ready_share_a_message_and_results_keep_their_order(harbour: Dataset) -> None:
    played = [plain(m) for m in shown(harbour, "p02-t02.3", history="last:1")]
    kinds = [m[0] if len(m) == 2 else [name for name, _ in m[2]] if m[0] == "assistant" else m[2] for m in played]
    assert kinds == [
        "system",
        "user",
        ["planMenu", "planMenu"],
        '{"menu": "M-2"}',
        '{"menu": "M-3"}',
        ["reserveTable"],
        '{"table": "K5"}',
        "assistant",
        "user",
    ]


def test_history_is_of_the_own_profile_alone(harbour: Dataset) -> None:
    assert len(shown(harbour, "p02-t01.1")) == 2
    assert not any("Lyon" in text for text in texts(shown(harbour, "p02-t02.3")))


def test_history_plays_the_reference_and_no_alternative(harbour: Dataset) -> None:
    assert not any("K2" in text for text in texts(shown(harbour, "p02-t02.2")))


# --- how much is shown ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("history", "requests"),
    [
        ("none", [f"{FRIDAY}\nA table at De Eend for the 28th."]),
        ("topic", [f"{FRIDAY}\nGet me a table at De Eend, outside.", "A table at De Eend for the 28th."]),
        ("last:0", [f"{FRIDAY}\nA table at De Eend for the 28th."]),
        ("last:1", [f"{FRIDAY}\nGet me a table at De Eend, outside.", "A table at De Eend for the 28th."]),
        (
            "last:2",
            [
                f"{MONDAY}\n{LILLE}",
                f"{FRIDAY}\nGet me a table at De Eend, outside.",
                "A table at De Eend for the 28th.",
            ],
        ),
        (
            "last:3",
            [
                f"{MONDAY}\nIs Lyon nice in March?",
                LILLE,
                f"{FRIDAY}\nGet me a table at De Eend, outside.",
                "A table at De Eend for the 28th.",
            ],
        ),
        (
            "last:99",
            [
                f"{MONDAY}\n{LYON}",
                "Is Lyon nice in March?",
                LILLE,
                f"{FRIDAY}\nGet me a table at De Eend, outside.",
                "A table at De Eend for the 28th.",
            ],
        ),
    ],
)
def test_each_topic_shown_opens_with_its_line(harbour: Dataset, history: str, requests: list[str]) -> None:
    messages = shown(harbour, "p01-t02.2", history=history)
    replies = ("Four of us.", "Friday the 21st.")
    assert [m.text for m in messages if m.role == "user" and m.text not in replies] == requests


def test_last_n_as_large_as_the_history_is_the_full_one(dataset: Dataset) -> None:
    last = dataset.turns[-1].id
    assert list(map(sent, shown(dataset, last, history="last:9999"))) == list(map(sent, shown(dataset, last)))


@pytest.mark.parametrize("history", ["all", "last", "last:", "last:x", "last:-1", "LAST:2", "", "last:2 "])
def test_an_unknown_history_is_a_fault(history: str) -> None:
    with pytest.raises(DataError, match=r"give full, none, topic or last:N"):
        View(history)


def test_an_unknown_environment_is_a_fault() -> None:
    with pytest.raises(DataError, match="give inline or system"):
        View(environment="outline")  # type: ignore[arg-type]


# --- environment and system message --------------------------------------------------------------------------


def test_environment_in_the_system_message_is_of_the_current_turn_alone(harbour: Dataset) -> None:
    messages = shown(harbour, "p01-t02.1", environment="system")
    assert messages[0].text == "Current Date: 2025-03-14 18:20:00 Friday, Utrecht, Netherlands"
    assert messages[1].text == LYON
    assert messages[-1].text == "Get me a table at De Eend, outside."
    assert [m.role for m in messages].count("system") == 1


def test_a_system_prompt_replaces_the_message_and_stands_before_the_date(harbour: Dataset) -> None:
    assert shown(harbour, "p01-t01.1", system_prompt="Be brief.")[0].text == "Be brief."
    with_date = shown(harbour, "p01-t01.1", system_prompt="Be brief.", environment="system")[0].text
    assert with_date == "Be brief.\n\nCurrent Date: 2025-03-10 09:00:00 Monday, Utrecht, Netherlands"


def test_public_rows_have_the_date_in_the_system_message_and_none_in_history(tmp_path: Path) -> None:
    public = load(str(write_public(tmp_path / "ann.jsonl")))
    messages = shown(public, "ann_topic_0.2")
    assert messages[0].text == "Current Date: Current Time: 2024-05-08 19:05:10 Wednesday"
    assert [m.text for m in messages if m.role == "user"] == ["Search trains to Oslo.", "And overnight, pie on board."]
    inline = shown(public, "ann_topic_0.2", environment="inline")
    assert inline[0].text == SYSTEM[1]
    assert inline[1].text == "[Current Time: 2024-05-08 19:05:10 Wednesday]\nSearch trains to Oslo."


@pytest.mark.parametrize(
    ("environment", "line"),
    [
        ({"now": "2025-03-14T18:20:00+01:00", "place": "Utrecht"}, "[Friday 2025-03-14 18:20, Utrecht]"),
        ({"now": "2025-03-14T18:20:00+01:00"}, "[Friday 2025-03-14 18:20]"),
        ({"place": "Utrecht"}, "[Utrecht]"),
        ({"info": "a rainy day"}, "[a rainy day]"),
        ({}, ""),
    ],
)
def test_environment_line(environment: dict[str, str], line: str) -> None:
    assert environment_line(Environment.model_validate(environment)) == line


def test_the_system_message_is_the_same_for_all_samples(dataset: Dataset) -> None:
    prompts = Prompts(dataset, View())
    assert {prompts.messages(turn)[0].text for turn in dataset.turns} == {SYSTEM[1]}


# --- rules that hold for every turn --------------------------------------------------------------------------


def test_history_only_grows(dataset: Dataset) -> None:
    """Prompt caching: what was sent for a turn is sent again, word for word, in front of what is new."""
    prompts = Prompts(dataset, View())
    for turns in dataset.by_profile.values():
        before: list[dict[str, Any]] = []
        for turn in turns:
            now = [sent(m) for m in prompts.messages(turn)]
            assert now[: len(before)] == before
            assert len(now) > len(before)
            before = now


def test_history_of_the_topic_only_grows_within_it(dataset: Dataset) -> None:
    prompts = Prompts(dataset, View(history="topic"))
    for earlier, later in zip(dataset.turns, dataset.turns[1:], strict=False):
        if earlier.topic is later.topic:
            before = [sent(m) for m in prompts.messages(earlier)]
            assert [sent(m) for m in prompts.messages(later)][: len(before)] == before


def test_no_call_is_without_its_result_and_no_result_without_its_call(dataset: Dataset) -> None:
    """Providers refuse orphans; each call's result follows at once, in the order of the calls."""
    for turn in dataset.turns:
        open_calls: list[str] = []
        for message in Prompts(dataset, View()).messages(turn):
            if isinstance(message, ChatMessageTool):
                assert open_calls
                assert message.tool_call_id == open_calls.pop(0)
            else:
                assert not open_calls
                if isinstance(message, ChatMessageAssistant):
                    open_calls = [call.id for call in message.tool_calls or ()]
        assert not open_calls


def test_call_ids_suit_every_provider_and_never_repeat(dataset: Dataset) -> None:
    for turns in dataset.by_profile.values():
        messages = Prompts(dataset, View()).messages(turns[-1])
        ids = [c.id for m in messages if isinstance(m, ChatMessageAssistant) for c in m.tool_calls or ()]
        assert ids
        assert all(re.fullmatch("[a-zA-Z0-9]{9}", call_id) for call_id in ids)
        assert len(set(ids)) == len(ids)


def test_a_message_that_only_calls_tools_has_no_content(dataset: Dataset) -> None:
    """With `""` some providers get "(no content)" in its place."""
    messages = [m for turn in dataset.turns for m in Prompts(dataset, View()).messages(turn)]
    calling = [m for m in messages if isinstance(m, ChatMessageAssistant) and m.tool_calls]
    assert calling
    assert all(m.content == [] for m in calling)


def test_every_prompt_ends_with_the_request_and_says_nothing_of_the_turn_beyond(dataset: Dataset) -> None:
    for turn in dataset.turns:
        last = Prompts(dataset, View()).messages(turn)[-1]
        assert last.role == "user"
        assert last.text.endswith(turn.turn.request)
        line = environment_line(turn.topic.environment)
        assert last.text == (f"{line}\n{turn.turn.request}" if turn.index == 0 else turn.turn.request)


def test_prompts_are_the_same_each_time(dataset: Dataset) -> None:
    turn = dataset.turns[-1]
    first, second = (Prompts(dataset, View()).messages(turn) for _ in range(2))
    assert [m.model_dump() for m in first] == [m.model_dump() for m in second]


def test_message_ids_do_not_repeat(dataset: Dataset) -> None:
    for turns in dataset.by_profile.values():
        ids = [m.id for m in Prompts(dataset, View()).messages(turns[-1])]
        assert len(set(ids)) == len(ids)


def test_turns_are_in_order_of_time(harbour: Dataset) -> None:
    assert [turn.id for turn in harbour.turns] == TURNS


# --- pieces --------------------------------------------------------------------------------------------------


def test_call_ids_depend_on_all_parts_and_on_where_they_are_split() -> None:
    ids = {wire_call_id("t1.1", "a"), wire_call_id("t1.1", "b"), wire_call_id("t1.", "1a"), wire_call_id("t1.1a")}
    assert len(ids) == 4
    assert wire_call_id("t1.1", "a") == wire_call_id("t1.1", "a")


def test_rounds_of_a_reference_put_due_questions_first() -> None:
    turn = Turn.model_validate(json.loads(json.dumps(TOPICS[1]["turns"][0])))
    assert [[step.id for step in round_] for round_ in play_rounds(turn.paths[0])] == [["q"], ["r"], ["a"]]
    mixed = Turn.model_validate(TOPICS[3]["turns"][1])
    assert [[step.id for step in round_] for round_ in play_rounds(mixed.paths[0])] == [["a", "b"], ["c"]]


def test_text_observations_stand_as_they_are(harbour: Dataset) -> None:
    messages = shown(harbour, "p02-t01.2")
    assert plain(messages[3]) == ("tool", "findTrains", TOPICS[2]["turns"][0]["reference"][0]["observation"])
