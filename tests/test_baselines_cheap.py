"""Cheap answers: what each strategy does, and what it looks at."""

from __future__ import annotations

import pytest
from ferries import act, exact, run, shown
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
)
from inspect_ai.tool import ToolCall, ToolInfo, ToolParams
from inspect_ai.util import JSONSchema

from utb_inspect.baselines.floors import AlwaysAsk, copy_first, copy_last, first_tool, never_ask
from utb_inspect.baselines.guesses import guess, other_values
from utb_inspect.baselines.player import Action
from utb_inspect.baselines.provider import MODELS
from utb_inspect.baselines.readers import Reader, parameters
from utb_inspect.baselines.recall import Caller, recall
from utb_inspect.baselines.talk import Talk, question
from utb_inspect.trajectory.json_schema import SchemaView
from utb_inspect.trajectory.questions import is_question


def test_always_ask_is_right_only_where_asking_or_talk_is(tmp_path):
    right = exact(run("always_ask", tmp_path))
    assert right == {"p01-t1.1": False, "p01-t1.2": True, "p01-t1.3": True, "p01-t2.1": False}


def test_recall_reads_remembers_and_goes_on(tmp_path):
    log = run("recall", tmp_path)
    # Where it should have asked for the day, history had one.
    assert exact(log) == {"p01-t1.1": True, "p01-t1.2": False, "p01-t1.3": True, "p01-t2.1": True}


@pytest.mark.parametrize("model", ["recall", "always_ask", "never_ask", "copy_last", "copy_first", "first_tool"])
def test_cheap_answers_play_every_sample(tmp_path, model):
    assert len(exact(run(model, tmp_path, task_args={"history": "none"}))) == 4


def test_always_ask_names_every_parameter_once():
    messages, tools = shown("p01-t1.1")
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
def test_values_come_from_where_the_strategy_says(player: Caller, request_, expected):
    tools = shown("p01-t1.1")[1]
    action = act(player, [*HISTORY, ChatMessageUser(content=request_)], tools)
    name, arguments = action.calls[0]
    assert isinstance(arguments, dict)
    assert (name, *(arguments.get(key) for key in ("port", "date", "deck"))) == expected


def test_recall_takes_an_identifier_from_the_newest_observation():
    tools = shown("p01-t1.1")[1]
    action = act(recall(), [*HISTORY, ChatMessageUser(content="Book it, with fish")], tools)
    assert action.calls == [("bookSailing", {"sailing_id": "S-1", "meal": "fish"})]


def test_recall_talks_when_no_word_matches():
    tools = shown("p01-t1.1")[1]
    for player in (recall(), never_ask(), copy_last()):
        assert act(player, [ChatMessageUser(content="Thank you kindly!")], tools) == Action("I see.")


def test_recall_asks_once():
    tools = shown("p01-t1.1")[1]
    messages: list[ChatMessage] = [ChatMessageUser(content="List sailings.")]
    asked = act(recall(), messages, tools)
    assert asked.text == "Could you tell me the port and the date?"
    messages += [ChatMessageAssistant(content=asked.text), ChatMessageUser(content="Whatever you like.")]
    given_up = act(recall(), messages, tools)
    assert not given_up.calls
    assert not is_question(given_up.text)


def test_strategies_see_no_more_than_the_prompt():
    """Without a sample, a store or a record they act all the same."""
    messages, tools = shown("p01-t2.1")
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
