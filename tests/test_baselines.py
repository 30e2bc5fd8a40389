"""Offline models: what each plays, what they see, and the files they read and write."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    get_model,
)
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import Tool, ToolCall, ToolInfo, ToolParams, tool
from inspect_ai.util import JSONSchema

from utb_inspect._registry import user_tool_bench
from utb_inspect.baselines.floors import AlwaysAsk, copy_first, copy_last, first_tool, never_ask
from utb_inspect.baselines.guesses import guess, other_values
from utb_inspect.baselines.mailbox import file_name
from utb_inspect.baselines.noisy import Noisy, labels
from utb_inspect.baselines.oracle import reference_plan
from utb_inspect.baselines.player import Action, Player, SampleKey
from utb_inspect.baselines.prompts import first_prompts
from utb_inspect.baselines.provider import MODELS
from utb_inspect.baselines.readers import Reader, parameters
from utb_inspect.baselines.recall import Caller, recall
from utb_inspect.baselines.responses import Response, ResponseCall
from utb_inspect.baselines.talk import Talk, question
from utb_inspect.datasets import Dataset, load
from utb_inspect.datasets.history import Prompts, View
from utb_inspect.datasets.record import TurnRecord
from utb_inspect.datasets.wire import tool_info, wire_name
from utb_inspect.schema import SHARED_PROFILE_FIELDS, TASK_TYPES, CallStep, DataError
from utb_inspect.trajectory.json_schema import SchemaView
from utb_inspect.trajectory.questions import is_question
from utb_inspect.trajectory.verdict import LABELS

# --- a small dataset ----------------------------------------------------------------------------------------


def _tool(name: str, description: str, effect: str, required: list[str], **properties: Any) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    function = {"name": name, "description": description, "parameters": parameters}
    return {
        "type": "function",
        "function": function,
        "effect": effect,
        "technical": ["limit"] if "limit" in properties else [],
    }


def _text(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


TOOLSET = {
    "id": "ferry",
    "domain": "travel",
    "description": "Ferries.",
    "tools": [
        _tool(
            "searchSailings",
            "Lists the sailings from a port on a day.",
            "read",
            ["port", "date"],
            port=_text("Port of departure, by name."),
            date=_text("Day of travel, YYYY-MM-DD.", format="date"),
            deck=_text("Deck to travel on.", enum=["any", "open", "covered"], default="any"),
            limit={"type": "integer", "default": 5},
        ),
        _tool(
            "bookSailing",
            "Books places on a sailing.",
            "write",
            ["sailing_id"],
            sailing_id=_text("Identifier of the sailing."),
            meal=_text("Meal on board.", enum=["none", "fish", "soup"], default="none"),
        ),
        _tool("listBookings", "The user's bookings.", "read", [], past={"type": "boolean", "default": False}),
        _tool("cancelBooking", "Cancels a booking.", "write", ["booking_id"], booking_id=_text("Which one.")),
    ],
}


def _call(step: str, name: str, after: list[str], observation: Any, **arguments: Any) -> dict[str, Any]:
    """A reference call; an argument is (value, ground)."""
    return {
        "id": step,
        "call": name,
        "arguments": {key: value for key, (value, _) in arguments.items()},
        "grounds": {key: ground for key, (_, ground) in arguments.items()},
        "after": after,
        "observation": observation,
    }


def _turn(task_type: str, subtype: str, request: str, *steps: dict[str, Any], answer: str) -> dict[str, Any]:
    last = {"id": "z", "answer": answer, "after": [step["id"] for step in steps]}
    return {"task_type": task_type, "subtype": subtype, "request": request, "reference": [*steps, last]}


REQUEST = {"basis": "request"}
SAILINGS = {"sailings": [{"sailing_id": "S-1", "deck": "open"}, {"sailing_id": "S-2", "deck": "covered"}]}
OPEN_DECK = {
    "basis": "preference",
    "evidence": [{"turn": "p01-t1.1", "quote": "Up on the open deck"}],
    "superseded": [{"value": "covered", "turn": "p01-t1.1", "quote": "not the covered one any more"}],
}
TOPICS = [
    {
        "id": "p01-t1",
        "profile": "p01",
        "toolset": "ferry",
        "environment": {"now": "2025-02-01T09:00:00+00:00", "place": "Oban, Scotland"},
        "turns": [
            _turn(
                "single_tool",
                "cross_topic",
                "Search the sailings from Oban on 3 February. Up on the open deck, not the covered one any more.",
                _call(
                    "a",
                    "searchSailings",
                    [],
                    SAILINGS,
                    port=("Oban", REQUEST),
                    date=("2025-02-03", REQUEST),
                    deck=("open", REQUEST),
                ),
                answer="Two: S-1 and S-2.",
            ),
            _turn(
                "lack_of_information",
                "partial_information",
                "Now search the sailings back, from Mallaig.",
                {
                    "id": "q",
                    "ask": ["date"],
                    "cues": {"date": ["day", "date", "when"]},
                    "settled": {"deck": ["which deck"]},
                    "message": "Which day?",
                    "reply": "On 5 February.",
                    "after": [],
                },
                _call(
                    "a",
                    "searchSailings",
                    ["q"],
                    SAILINGS,
                    port=("Mallaig", REQUEST),
                    date=("2025-02-05", {"basis": "reply"}),
                    deck=("open", OPEN_DECK),
                ),
                answer="Two again.",
            ),
            _turn("chat", "partial_information", "Thank you kindly, that was quick.", answer="A pleasure."),
        ],
    },
    {
        "id": "p01-t2",
        "profile": "p01",
        "toolset": "ferry",
        "environment": {"now": "2025-02-02T09:00:00+00:00", "place": "Oban, Scotland"},
        "turns": [
            _turn(
                "multi_tool",
                "cross_topic",
                "Search the port of Oban for the day of 4 February, and book me on one of the sailings with the soup.",
                _call(
                    "a",
                    "searchSailings",
                    [],
                    SAILINGS,
                    port=("Oban", REQUEST),
                    date=("2025-02-04", REQUEST),
                    deck=("open", OPEN_DECK),
                ),
                _call(
                    "b",
                    "bookSailing",
                    ["a"],
                    {"booking_id": "B-7"},
                    sailing_id=("S-1", {"basis": "observation", "from": "a"}),
                    meal=("soup", REQUEST),
                ),
                answer="Booked, B-7.",
            ),
        ],
    },
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("ferries")
    info = {"name": "ferries", "version": "1.0.0", "licence": "MIT"}
    files = {
        "dataset.json": info,
        "profiles/p01.json": dict.fromkeys(SHARED_PROFILE_FIELDS, "none") | {"own": "none", "other": "none"},
        "toolsets/ferry.json": TOOLSET,
        **{f"topics/p01/{t['id']}.json": t for t in TOPICS},
    }
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(json.dumps(data))
    return root


@pytest.fixture(scope="module")
def dataset(folder: Path) -> Dataset:
    return load(str(folder))


def run(folder: Path, model: str, tmp_path: Path, arguments: dict[str, Any] | None = None, **more: Any) -> EvalLog:
    options = {"data": str(folder), **more.pop("task_args", {})}
    return eval(
        user_tool_bench(**options),
        model=f"utb/{model}",
        model_args=arguments or {},
        log_dir=str(tmp_path / "logs"),
        display="none",
        **more,
    )[0]


def exact(log: EvalLog) -> dict[str, bool]:
    assert log.status == "success", log.error
    return {str(s.id): bool(s.scores["utb_exact"].value) for s in log.samples or [] if s.scores}


def shown(dataset: Dataset, turn_id: str) -> tuple[list[ChatMessage], list[ToolInfo]]:
    turn = dataset.by_id[turn_id]
    return Prompts(dataset, View()).messages(turn), [tool_info(tool) for tool in turn.toolset.tools]


def act(player: Player, messages: list[ChatMessage], tools: list[ToolInfo]) -> Action:
    return asyncio.run(player.act(messages, tools))


# --- the oracle and the noisy oracle ------------------------------------------------------------------------


def test_oracle_is_exact(folder, tmp_path):
    assert all(exact(run(folder, "oracle", tmp_path)).values())


def test_oracle_is_right_for_the_public_evaluator_too(folder, tmp_path):
    log = run(folder, "oracle", tmp_path, task_args={"verdict": "upstream"})
    assert log.status == "success"
    assert [s.scores["utb_upstream"].value for s in log.samples] == [True] * 4


def test_oracle_refuses_other_tasks(tmp_path):
    log = eval(other_task(), model="utb/oracle", log_dir=str(tmp_path), display="none")[0]
    assert log.status == "error"
    assert "samples of this suite's tasks only" in log.error.message


@pytest.mark.parametrize("seed", [0, 1])
def test_noisy_makes_the_mistakes_it_plans(folder, dataset, tmp_path, seed):
    log = run(folder, "noisy", tmp_path, {"error_rate": 1, "seed": seed}, epochs=12)
    assert log.status == "success"
    noisy = Noisy(1, seed)
    realised = set()
    for sample in log.samples:
        _, tools = shown(dataset, str(sample.id))
        plan = noisy.plan(record(dataset, str(sample.id)), tools, SampleKey(str(sample.id), sample.epoch))
        scored = {label for label, holds in sample.scores["utb_labels"].value.items() if holds}
        assert plan[1] in scored
        realised |= scored
    assert realised == set(LABELS)


def test_noisy_errs_as_often_as_told(dataset):
    tools = shown(dataset, "p01-t1.1")[1]
    for rate, low, high in ((0, 0, 0), (0.3, 90, 150), (1, 400, 400)):
        noisy = Noisy(rate, 5)
        plans = [noisy.plan(record(dataset, "p01-t1.1"), tools, SampleKey("p01-t1.1", e)) for e in range(400)]
        assert low <= sum(label is not None for _, label in plans) <= high


def test_noisy_plays_the_reference_at_rate_0(folder, tmp_path):
    assert all(exact(run(folder, "noisy", tmp_path, {"error_rate": 0})).values())


def test_reference_plan_has_no_label(dataset):
    for turn in dataset.turns:
        assert labels(reference_plan(record(dataset, turn.id)), record(dataset, turn.id), []) == frozenset()


@pytest.mark.parametrize(
    ("model", "arguments", "message"),
    [
        ("noisy", {"error_rate": 1.5}, "error_rate=1.5: give a number from 0 to 1"),
        ("noisy", {"error_rate": "half"}, "error_rate=half"),
        ("noisy", {"seed": 0.5}, "seed=0.5: give a whole number"),
        ("noisy", {"rate": 1}, "unexpected keyword argument 'rate'; it takes -M error_rate=..., -M seed=..."),
        ("replay", {}, "missing a required argument: 'file'; it takes -M file=..."),
        ("replay", {"file": "/no/such/file.jsonl"}, "/no/such/file.jsonl: cannot be read"),
        ("mailbox", {"dir": "/dev/null/box"}, "/dev/null/box: the folder cannot be made"),
        ("mailbox", {"dir": "box", "timeout": 0}, "timeout=0: give a number of seconds above 0"),
        ("recall", {"k1": 1}, "it takes no argument"),
        ("nobody", {}, "there is no model utb/nobody; there are oracle, recall"),
    ],
)
def test_arguments_are_checked(model, arguments, message):
    with pytest.raises(PrerequisiteError) as error:
        get_model(f"utb/{model}", memoize=False, **arguments)
    assert message in str(error.value.message)


def record(dataset: Dataset, turn_id: str) -> TurnRecord:
    turn = dataset.by_id[turn_id]
    return TurnRecord(turn=turn.turn, toolset=turn.toolset, start=1)


# --- cheap answers ------------------------------------------------------------------------------------------


def test_always_ask_is_right_only_where_asking_or_talk_is(folder, tmp_path):
    right = exact(run(folder, "always_ask", tmp_path))
    assert right == {"p01-t1.1": False, "p01-t1.2": True, "p01-t1.3": True, "p01-t2.1": False}


def test_recall_reads_remembers_and_goes_on(folder, tmp_path):
    log = run(folder, "recall", tmp_path)
    # Where it should have asked for the day, history had one.
    assert exact(log) == {"p01-t1.1": True, "p01-t1.2": False, "p01-t1.3": True, "p01-t2.1": True}


@pytest.mark.parametrize("model", ["recall", "always_ask", "never_ask", "copy_last", "copy_first", "first_tool"])
def test_cheap_answers_play_every_sample(folder, tmp_path, model):
    assert len(exact(run(folder, model, tmp_path, task_args={"history": "none"}))) == 4


def test_always_ask_names_every_parameter_once(dataset):
    messages, tools = shown(dataset, "p01-t1.1")
    text = act(AlwaysAsk(), messages, tools).text
    assert text == (
        "Could you tell me the port, the date, the deck, the limit, the sailing id, the meal, the past "
        "and the booking id?"
    )
    assert is_question(text)


@pytest.mark.parametrize("things", [[], ["day"], ["day", "area"]])
def test_questions_are_questions(things):
    assert is_question(question(things))


HISTORY: list[ChatMessage] = [
    ChatMessageSystem(content="You help."),
    ChatMessageUser(content="[Saturday 2025-02-01 09:00, Oban, Scotland]\nSailings from Oban on Monday."),
    ChatMessageAssistant(
        content="",
        tool_calls=[ToolCall("a", "searchSailings", {"port": "Oban", "date": "2025-02-03", "deck": "covered"})],
    ),
    ChatMessageTool(content='{"sailings": [{"sailing_id": "S-1"}]}', tool_call_id="a"),
    ChatMessageAssistant(content="There is S-1."),
    ChatMessageUser(content="And from Mallaig on Tuesday."),
    ChatMessageAssistant(
        content="",
        tool_calls=[ToolCall("b", "searchSailings", {"port": "Mallaig", "date": "2025-02-04", "deck": "open"})],
    ),
    ChatMessageTool(content="nothing", tool_call_id="b"),
    ChatMessageAssistant(content="None."),
]


@pytest.mark.parametrize(
    ("player", "request_", "expected"),
    [
        (recall(), "search sailings from Oban tomorrow", ("searchSailings", "Oban", "2025-02-02", "open")),
        (recall(), "which sailings leave this port tomorrow", ("searchSailings", "Mallaig", "2025-02-02", "open")),
        (never_ask(), "sailings, covered", ("searchSailings", "Mallaig", "2025-02-04", "covered")),
        (copy_last(), "search sailings from Oban tomorrow", ("searchSailings", "Mallaig", "2025-02-04", "open")),
        (copy_first(), "search sailings from Mallaig tomorrow", ("searchSailings", "Oban", "2025-02-03", "covered")),
        (first_tool(), "hm", ("searchSailings", "any", "any", None)),
    ],
)
def test_values_come_from_where_the_strategy_says(dataset, player: Caller, request_, expected):
    tools = shown(dataset, "p01-t1.1")[1]
    action = act(player, [*HISTORY, ChatMessageUser(content=request_)], tools)
    name, arguments = action.calls[0]
    assert isinstance(arguments, dict)
    assert (name, *(arguments.get(key) for key in ("port", "date", "deck"))) == expected


def test_recall_takes_an_identifier_from_the_newest_observation(dataset):
    tools = shown(dataset, "p01-t1.1")[1]
    action = act(recall(), [*HISTORY, ChatMessageUser(content="Book it, with fish")], tools)
    assert action.calls == [("bookSailing", {"sailing_id": "S-1", "meal": "fish"})]


def test_recall_talks_when_no_word_matches(dataset):
    tools = shown(dataset, "p01-t1.1")[1]
    for player in (recall(), never_ask(), copy_last()):
        assert act(player, [ChatMessageUser(content="Thank you kindly!")], tools) == Action("I see.")


def test_recall_asks_once(dataset):
    tools = shown(dataset, "p01-t1.1")[1]
    messages: list[ChatMessage] = [ChatMessageUser(content="List sailings.")]
    asked = act(recall(), messages, tools)
    assert asked.text == "Could you tell me the port and the date?"
    messages += [ChatMessageAssistant(content=asked.text), ChatMessageUser(content="Whatever you like.")]
    given_up = act(recall(), messages, tools)
    assert not given_up.calls
    assert not is_question(given_up.text)


def test_strategies_see_no_more_than_the_prompt(dataset):
    """Without a sample, a store or a record they act all the same."""
    messages, tools = shown(dataset, "p01-t2.1")
    for name in ("recall", "always_ask", "never_ask", "copy_last", "copy_first", "first_tool"):
        assert act(MODELS[name](), messages, tools) == act(MODELS[name](), messages, tools)


@pytest.mark.parametrize("tools", [[], [ToolInfo(name="go", description="Goes.")]])
@pytest.mark.parametrize("name", ["recall", "always_ask", "never_ask", "copy_last", "copy_first", "first_tool"])
def test_strategies_take_any_toolset(name, tools):
    assert act(MODELS[name](), [ChatMessageUser(content="Go, please.")], tools)


def test_a_conversation_is_read_from_its_end():
    talk = Talk.of(
        [
            *HISTORY,
            ChatMessageUser(content="[Sunday 2025-02-09 08:00, Oban]\nBack again."),
            ChatMessageAssistant(content=question(["date"])),
            ChatMessageUser(content="On Friday."),
        ]
    )
    assert talk.request == "Back again."
    assert talk.replies == ["On Friday."]
    assert [arguments["port"] for arguments in talk.past] == ["Oban", "Mallaig"]
    assert talk.made == []
    assert talk.observations == [{"sailings": [{"sailing_id": "S-1"}]}, "nothing"]
    assert str(talk.today) == "2025-02-09"


PARAMETERS = {
    p.name: p
    for p in parameters(
        ToolInfo(
            name="all",
            description="",
            parameters=ToolParams(
                properties={
                    "date": JSONSchema(type="string", description="YYYY-MM-DD"),
                    "leaveTime": JSONSchema(type="string", description="HH:MM"),
                    "start": JSONSchema(type="string", description="YYYY-MM-DDTHH:MM"),
                    "guests": JSONSchema(type="integer"),
                    "price": JSONSchema(type="number"),
                    "city": JSONSchema(type="string"),
                    "train_id": JSONSchema(type="string"),
                    "kind": JSONSchema(type="string", enum=["sole_trader", "company"]),
                    "tags": JSONSchema(type="array", items=JSONSchema(type="string", enum=["hot", "cold"])),
                },
                required=["date"],
            ),
        )
    )
}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("date", "on 2025-03-01", "2025-03-01"),
        ("date", "on Friday the 7th of March", "2025-03-07"),
        ("date", "March 3rd, 2026", "2026-03-03"),
        ("date", "the 2nd, if you can", "2025-02-02"),
        ("date", "on 1 January", "2026-01-01"),
        ("date", "tomorrow", "2025-02-02"),
        ("date", "on saturday", "2025-02-08"),
        ("date", "on 31 February", None),
        ("leaveTime", "at 7.30pm", "19:30"),
        ("leaveTime", "by noon", "12:00"),
        ("leaveTime", "at 9:05", "09:05"),
        ("leaveTime", "at 25:00", None),
        ("start", "tomorrow at 3 pm", "2025-02-02T15:00"),
        ("start", "tomorrow", None),
        ("guests", "at 19:00 on 3 March for four", 4),
        ("guests", "for 2.5", None),
        ("price", "up to 12.50", 12.5),
        ("city", "take me to New Haven, please", "New Haven"),
        ("city", 'look for "the old town"', "the old town"),
        ("city", "Nothing here", None),
        ("train_id", "take TGV-9712", "TGV-9712"),
        ("kind", "a sole trader, if there is one", "sole_trader"),
        ("tags", "cold and hot", ["cold", "hot"]),
    ],
)
def test_values_are_read_from_a_text(name, text, expected):
    from datetime import date

    value = Reader(text, date(2025, 2, 1)).read(PARAMETERS[name])
    assert (value if PARAMETERS[name].admits(value) else None) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string", "default": "x"}, "x"),
        ({"enum": ["a", "b"]}, "a"),
        ({"const": 3}, 3),
        ({"type": "integer", "minimum": 4}, 4),
        ({"type": "number", "maximum": 0.5}, 0.5),
        ({"type": ["null", "boolean"]}, False),
        ({"type": "array", "minItems": 1, "items": {"type": "integer"}}, [1]),
        ({"type": "object", "properties": {"a": {}, "b": {}}, "required": ["b"]}, {"b": "any"}),
    ],
)
def test_guesses_are_of_the_type(schema, expected):
    assert guess(SchemaView(schema, schema)) == expected


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        ("a", {"enum": ["a", "b"]}, "b"),
        (True, {}, False),
        (3, {}, 4),
        ("2025-02-28", {}, "2025-03-02"),
        ("2025-02-28T23:10", {}, "2025-03-02T23:10"),
        ("23:10", {}, "01:10"),
        ("S-17", {}, "S-18"),
        ("Oban", {}, "something else"),
        ([1, 2], {}, [1, 3]),
        ({"a": 1}, {}, {"a": 2}),
    ],
)
def test_other_values_are_of_the_kind(value, schema, expected):
    assert next(other_values(value, SchemaView(schema, schema))) == expected


# --- answers made elsewhere ---------------------------------------------------------------------------------


def reference_responses(dataset: Dataset, turn_id: str) -> list[dict[str, Any]]:
    """The reference as the responses of a file, tools under their own names."""
    responses: list[dict[str, Any]] = []
    for round_ in reference_plan(record(dataset, turn_id)):
        calls = [
            {"name": step.call, "arguments": step.arguments} for step in round_.steps if isinstance(step, CallStep)
        ]
        responses.append({"content": round_.action.text, "tool_calls": calls})
    return responses


def write_lines(file: Path, lines: list[dict[str, Any]]) -> None:
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


def test_replay_plays_back(folder, dataset, tmp_path):
    file = tmp_path / "answers.jsonl"
    lines = [{"id": turn.id, "responses": reference_responses(dataset, turn.id)} for turn in dataset.turns]
    # Arguments may be JSON text, a line may be for one epoch, and a line separator in a text is no end of line.
    call = lines[0]["responses"][0]["tool_calls"][0]
    call["arguments"] = json.dumps(call["arguments"])
    lines[2]["responses"][-1]["content"] = "A\u2028pleasure."
    lines.append({"id": "p01-t1.1", "epoch": 2, "responses": [{"content": "No."}]})
    write_lines(file, lines)
    log = run(folder, "replay", tmp_path, {"file": str(file)}, epochs=2)
    assert log.status == "success"
    wrong = [(s.id, s.epoch) for s in log.samples if not s.scores["utb_exact"].value]
    assert wrong == [("p01-t1.1", 2)]


def test_answers_take_own_and_wire_names():
    wire = wire_name("list bookings")
    for name, expected in (("list bookings", wire), (wire, wire), ("no such tool", "no such tool")):
        action = Response(tool_calls=[ResponseCall(name=name, arguments={})]).action(
            [ToolInfo(name=wire, description="")]
        )
        assert action.calls == [(expected, {})]


def test_replay_lacking_an_answer_is_an_error(folder, dataset, tmp_path):
    file = tmp_path / "answers.jsonl"
    write_lines(file, [{"id": "p01-t1.1", "responses": reference_responses(dataset, "p01-t1.1")[:1]}])
    log = run(folder, "replay", tmp_path, {"file": str(file)}, fail_on_error=False)
    messages = {str(s.id): s.error.message for s in log.samples}
    assert "epoch 1 has come to round 2, and there are 1 responses" in messages["p01-t1.1"]
    assert "no line for sample p01-t2.1, epoch 1" in messages["p01-t2.1"]
    assert all(not s.scores or s.scores["utb_exact"].unscored for s in log.samples)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1: no JSON"),
        ('\n{"id": "a"}', "line 2: field 'responses': is missing"),
        ('{"id": "a", "responses": [{}]}', "give 'content', 'tool_calls' or both"),
        ('{"id": "a", "responses": [{"tool_calls": [{"name": "x"}]}]}', "tool_calls[0].arguments': is missing"),
        ('{"id": "a", "responses": []}\n{"id": "a", "responses": []}', "line 2: a second line for sample a"),
    ],
)
def test_replay_names_faults_of_the_file(tmp_path, text, message):
    file = tmp_path / "answers.jsonl"
    file.write_text(text)
    with pytest.raises(PrerequisiteError) as error:
        get_model("utb/replay", memoize=False, file=str(file))
    assert message in str(error.value.message)


def test_replay_reads_a_changed_file_again(folder, dataset, tmp_path):
    file = tmp_path / "answers.jsonl"
    write_lines(file, [{"id": t.id, "responses": [{"content": "No."}]} for t in dataset.turns])
    assert sum(exact(run(folder, "replay", tmp_path, {"file": str(file)})).values()) == 1
    write_lines(file, [{"id": t.id, "responses": reference_responses(dataset, t.id)} for t in dataset.turns])
    assert all(exact(run(folder, "replay", tmp_path, {"file": str(file)})).values())


# --- the mailbox --------------------------------------------------------------------------------------------


class Reader_(threading.Thread):  # noqa: N801
    """Someone who answers by file, with the reference."""

    def __init__(self, box: Path, dataset: Dataset) -> None:
        super().__init__(daemon=True)
        self.box = box
        self.dataset = dataset
        self.waiting_at_once = 0
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.is_set():
            time.sleep(0.3)
            open_ = [
                (file, answer)
                for file in self.box.glob("*.request.json")
                if not (answer := file.with_name(file.name.replace("request", "response"))).exists()
            ]
            self.waiting_at_once = max(self.waiting_at_once, len(open_))
            for file, answer in open_:
                request = json.loads(file.read_text(encoding="utf-8"))
                response = reference_responses(self.dataset, request["id"])[request["round"] - 1]
                answer.write_text(json.dumps(response)[:20])  # half of it first
                time.sleep(0.05)
                answer.write_text(json.dumps(response))


@pytest.fixture
def box(tmp_path: Path) -> Path:
    folder = tmp_path / "box"
    folder.mkdir()
    return folder


def by_mail(folder: Path, dataset: Dataset, box: Path, tmp_path: Path, **more: Any) -> tuple[EvalLog, Reader_]:
    reader = Reader_(box, dataset)
    reader.start()
    try:
        return run(folder, "mailbox", tmp_path, {"dir": str(box), "timeout": 30}, **more), reader
    finally:
        reader.stopped.set()
        reader.join()


def test_mailbox_is_answered_by_file(folder, dataset, box, tmp_path):
    log, reader = by_mail(folder, dataset, box, tmp_path, epochs=2)
    assert all(exact(log).values())
    assert reader.waiting_at_once == 8
    names = {file.name for file in box.iterdir() if "request" in file.name}
    assert {"p01-t1.2.1.request.json", "p01-t1.2.3.request.json", "p01-t1.2@2.3.request.json"} <= names
    assert len(names) == 2 * (2 + 3 + 1 + 3)


def test_mailbox_holds_what_a_model_sees(folder, dataset, box, tmp_path):
    by_mail(folder, dataset, box, tmp_path)
    exported = {line["id"]: line for line in first_prompts(dataset, TASK_TYPES)}
    for turn in dataset.turns:
        assert json.loads((box / f"{turn.id}.1.request.json").read_text()) == exported[turn.id]
    last = json.loads((box / "p01-t2.1.3.request.json").read_text())
    assert set(last) == {"id", "round", "messages", "tools"}
    assert [m["role"] for m in last["messages"][-5:]] == ["user", "assistant", "tool", "assistant", "tool"]
    called, returned = last["messages"][-2:]
    assert called["tool_calls"][0]["name"] == "bookSailing"
    assert called["tool_calls"][0]["arguments"] == {"sailing_id": "S-1", "meal": "soup"}
    assert returned == {
        "role": "tool",
        "content": '{"booking_id": "B-7"}',
        "tool_call_id": called["tool_calls"][0]["id"],
    }
    own = TOOLSET["tools"][0]["function"]
    assert last["tools"][0] == {key: own[key] for key in ("name", "description", "parameters")}


def test_mailbox_goes_on_with_answers_it_has(folder, dataset, box, tmp_path):
    by_mail(folder, dataset, box, tmp_path)
    before = {file.name: file.stat().st_mtime_ns for file in box.iterdir()}
    log = run(folder, "mailbox", tmp_path, {"dir": str(box), "timeout": 5})
    assert all(exact(log).values())
    assert {file.name: file.stat().st_mtime_ns for file in box.iterdir()} == before


def test_mailbox_puts_stale_answers_aside(folder, dataset, box, tmp_path):
    by_mail(folder, dataset, box, tmp_path)
    log = run(folder, "mailbox", tmp_path, {"dir": str(box), "timeout": 0.5}, task_args={"system_prompt": "New."})
    assert log.status == "error"
    assert "no answer within 0.5 seconds" in log.error.message
    stale = {file.name for file in box.glob("*.stale")}
    assert stale
    assert {name.split(".response")[0][-2:] for name in stale} == {".1"}
    assert not (box / "p01-t1.1.1.response.json").exists()


def test_mailbox_takes_no_answer_without_its_request(folder, box, tmp_path):
    (box / "p01-t1.1.1.response.json").write_text('{"content": "Early."}')
    run(folder, "mailbox", tmp_path, {"dir": str(box), "timeout": 0.5}, sample_id="p01-t1.1")
    assert (box / "p01-t1.1.1.response.json.stale").read_text() == '{"content": "Early."}'


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ('{"content": "Half', "no JSON"),
        ("[]", "p01-t1.1.1.response.json: input should be"),
        ('{"text": "Hi"}', "field 'text': is not a field of the format"),
        ('{"tool_calls": [{"name": "x", "arguments": [1]}]}', "tool_calls[0].arguments"),
    ],
)
def test_mailbox_names_faults_of_an_answer(folder, box, tmp_path, monkeypatch, answer, message):
    monkeypatch.setattr("utb_inspect.baselines.mailbox.SETTLE_SECONDS", 0.5)

    def reply() -> None:
        while not (box / "p01-t1.1.1.request.json").exists():
            time.sleep(0.05)
        (box / "p01-t1.1.1.response.json").write_text(answer)

    thread = threading.Thread(target=reply, daemon=True)
    thread.start()
    log = run(folder, "mailbox", tmp_path, {"dir": str(box), "timeout": 10}, sample_id="p01-t1.1")
    thread.join()
    assert log.status == "error"
    assert message in log.error.message


@pytest.mark.parametrize(
    ("sample_id", "epoch", "name"),
    [
        ("p03-t07.1", 1, "p03-t07.1"),
        ("p03-t07.1", 2, "p03-t07.1@2"),
        ("a/b c@2", 1, "a%2Fb%20c%402"),
        ("..", 1, "%2E."),
        ("主题_1", 1, "%E4%B8%BB%E9%A2%98_1"),
    ],
)
def test_sample_ids_become_file_names(sample_id, epoch, name):
    assert file_name(SampleKey(sample_id, epoch)) == name


def test_long_sample_ids_stay_apart():
    names = {file_name(SampleKey("题" * 40 + end, 1)) for end in "ab"}
    assert len(names) == 2
    assert all(len(name) < 200 for name in names)


# --- under Inspect ------------------------------------------------------------------------------------------


@tool
def add() -> Tool:
    async def execute(x: int, y: int) -> int:
        """Add two numbers.

        Args:
            x: First number.
            y: Second number.
        """
        return x + y

    return execute


@task
def other_task() -> Task:
    """A task that has nothing to do with this suite."""
    return Task(
        dataset=[Sample(id=7, input="Add 3 and 4, please.", target="Done")],
        solver=[use_tools(add()), generate()],
        scorer=includes(),
    )


def test_recall_works_under_other_tasks(tmp_path):
    log = eval(other_task(), model="utb/recall", log_dir=str(tmp_path), display="none")[0]
    assert log.status == "success"
    messages = log.samples[0].messages
    assert messages[1].tool_calls[0].arguments == {"x": 3, "y": 4}
    assert messages[2].text == "7"
    assert messages[3].text == "Done."


def test_replay_works_under_other_tasks(tmp_path):
    file = tmp_path / "answers.jsonl"
    write_lines(
        file,
        [{"id": 7, "responses": [{"tool_calls": [{"name": "add", "arguments": {"x": 1, "y": 1}}]}, {"content": "2"}]}],
    )
    log = eval(
        other_task(), model="utb/replay", model_args={"file": str(file)}, log_dir=str(tmp_path / "l"), display="none"
    )[0]
    assert [m.text for m in log.samples[0].messages[-2:]] == ["2", "2"]


def test_the_cache_gives_no_answers_of_other_arguments(folder, tmp_path):
    first = exact(run(folder, "noisy", tmp_path, {"error_rate": 1}, cache=True))
    second = exact(run(folder, "noisy", tmp_path, {"error_rate": 0}, cache=True))
    assert not any(first.values())
    assert all(second.values())


def test_usage_is_set(folder, tmp_path):
    log = run(folder, "oracle", tmp_path, sample_id="p01-t1.1")
    assert log.samples[0].model_usage["utb/oracle"].total_tokens > 0


def test_first_prompts_take_profiles_and_views(dataset):
    lines = list(first_prompts(dataset, ("multi_tool",), ["p01"], View(history="none")))
    assert [line["id"] for line in lines] == ["p01-t2.1"]
    assert [m["role"] for m in lines[0]["messages"]] == ["system", "user"]
    assert json.loads(json.dumps(lines)) == lines
    with pytest.raises(DataError, match="no such profile"):
        list(first_prompts(dataset, TASK_TYPES, ["p09"]))
