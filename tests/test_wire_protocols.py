"""The servers themselves: they refuse what providers refuse, and answer in the SDKs' own types."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from anthropic.types import Message, RawMessageStreamEvent
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter
from wire import KINDS, Kind, Reply, ReplyCall
from wire.given import Given
from wire.request import Item
from wire.server import PROTOCOLS

SCHEMA = {"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]}
ARGUMENTS = '{"day": "today"}'


def chat() -> dict[str, Any]:
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": ARGUMENTS}}
    return {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Help."},
            {"role": "user", "content": "Trains?"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "T1"},
            {"role": "assistant", "content": "T1 goes."},
            {"role": "user", "content": "And back?"},
        ],
        "tools": [{"type": "function", "function": {"name": "find", "description": "Finds.", "parameters": SCHEMA}}],
    }


def responses() -> dict[str, Any]:
    return {
        "model": "m",
        "input": [
            {"role": "system", "content": "Help."},
            {"role": "user", "content": "Trains?"},
            {"type": "function_call", "call_id": "c1", "name": "find", "arguments": ARGUMENTS},
            {"type": "function_call_output", "call_id": "c1", "output": "T1"},
            {"role": "assistant", "content": "T1 goes."},
            {"role": "user", "content": "And back?"},
        ],
        "tools": [{"type": "function", "name": "find", "description": "Finds.", "parameters": SCHEMA, "strict": False}],
    }


def anthropic() -> dict[str, Any]:
    use = {"type": "tool_use", "id": "c1", "name": "find", "input": json.loads(ARGUMENTS)}
    return {
        "model": "m",
        "max_tokens": 9,
        "system": "Help.",
        "messages": [
            {"role": "user", "content": "Trains?"},
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "T1"}]},
            {"role": "assistant", "content": "T1 goes."},
            {"role": "user", "content": "And back?"},
        ],
        "tools": [{"name": "find", "description": "Finds.", "input_schema": SCHEMA}],
    }


SOUND: dict[Kind, Callable[[], dict[str, Any]]] = {
    "openai": chat,
    "responses": responses,
    "compatible": chat,
    "anthropic": anthropic,
}


def faults(kind: Kind, body: dict[str, Any]) -> str:
    return "; ".join(PROTOCOLS[kind].problems(body))


def broken(kind: Kind, old: str, new: str) -> dict[str, Any]:
    """The sound request with some of its JSON text replaced."""
    text = json.dumps(SOUND[kind]())
    assert old in text
    body: dict[str, Any] = json.loads(text.replace(old, new))
    return body


def talk(kind: Kind, body: dict[str, Any]) -> list[Any]:
    """The messages of a request, system message first where it is one."""
    found: list[Any] = body["input"] if kind == "responses" else body["messages"]
    return found


# --- requests ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_sound_request_is_taken_and_read(kind: Kind) -> None:
    body = SOUND[kind]()
    assert faults(kind, body) == ""
    assert faults(kind, {**body, "stream": True}) == ""
    assert PROTOCOLS[kind].read(body) == [
        Item("system", "Help."),
        Item("user", "Trains?"),
        Item("call", f"find {ARGUMENTS}"),
        Item("result", "T1"),
        Item("assistant", "T1 goes."),
        Item("user", "And back?"),
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('"model": "m"', '"model": 7', "model"),
        ('"model": "m"', '"model": "m", "profile": "p01"', "profile: Extra"),
        ('"content": "And back?"', '"content": "And back?", "turn": 1', "turn: Extra"),
        ('"role": "user"', '"role": "guest"', "MessageParam"),
        ('"content": "And back?"', '"content": ""', "empty content of the user"),
        ('"content": "And back?"', '"content": []', "empty content of the user"),
        ('"content": "T1 goes."', '"content": " \\n"', "empty content of the assistant"),
        ('"name": "find"', '"name": "rail.find"', "tool name 'rail.find'"),
        ('"name": "find"', '"name": "rail.find"', "name of a called tool 'rail.find'"),
        ('"name": "find"', f'"name": "{"x" * 65}"', "tool name"),
        ('"name": "find"', '"name": ""', "tool name ''"),
        ('"Finds."', f'"{"x" * 1025}"', "a description of 1025 characters"),
        ('"c1"', '"call 1"', "call id 'call 1'"),
        ('"c1"', f'"{"x" * 41}"', "call id"),
        ('"c1"', '""', "call id ''"),
        ('"type": "object"', '"type": "dict"', "no object schema"),
        ('"properties": {"day"', '"props": {"day"', "no object schema"),
        ('{"type": "string"}', '{"type": "float"}', "no JSON Schema"),
        ('{"type": "string"}', '{"type": "array"}', "day: an array without items"),
        ('{"type": "string"}', '{"type": ["null", "array"]}', "day: an array without items"),
        ('{"type": "string"}', '{"anyOf": [{"type": "array"}]}', "day.anyOf.0: an array without items"),
        ('{"type": "string"}', '{"minimum": "low"}', "no JSON Schema"),
        ('"required": ["day"]', '"oneOf": [{"required": ["day"]}]', "oneOf at the top"),
        ('{"day": {', '{"the day": {', "property name 'the day'"),
        ('{"type": "string"}', '{"pattern": "("}', "no JSON Schema"),
        ('{"type": "string"}', '{"$ref": "#/$defs/none"}', "no JSON Schema"),
        ('{"type": "string"}', '{"$ref": "http://127.0.0.1:9/none"}', "no JSON Schema"),
        ('"type": "object"', '"type": ["object", "null"]', "no object schema"),
        ('"Help."', '""', "an empty system message"),
        ('"Help."', '"  "', "an empty system message"),
    ],
)
def test_a_broken_request_is_refused(kind: Kind, old: str, new: str, fault: str) -> None:
    assert fault in faults(kind, broken(kind, old, new))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("order", "fault"),
    [
        # Of the six parts: system, user, call, result, assistant, user.
        ((0, 1, 2, 4, 5), "calls that are not followed by their results"),
        ((0, 1, 2, 5), "calls that are not followed by their results"),
        ((0, 1, 3, 4, 5), "results that are not those of the calls right before"),
        ((0, 1, 2, 3, 5), "results that are followed by the user"),
        ((0, 1, 2, 3, 4), "the last message is the assistant's own"),
        ((0, 1, 5), "two messages of the user in a row"),
        ((0, 1, 2, 3, 4, 5, 1), "two messages of the user in a row"),
        ((0, 4, 5), "the first message after the system message is not the user's"),
        ((0,), "the first message after the system message is not the user's"),
        ((0, 1, 2, 3, 4, 1, 2, 3), "call id c1 is used twice"),
    ],
)
def test_a_conversation_out_of_order_is_refused(kind: Kind, order: tuple[int, ...], fault: str) -> None:
    body = SOUND[kind]()
    messages = talk(kind, body)
    parts = [*([None] if kind == "anthropic" else []), *messages]
    messages[:] = [deepcopy(part) for part in (parts[i] for i in order) if part is not None]
    if kind == "anthropic" and order == (0,):
        assert faults(kind, body) != ""
    else:
        assert fault in faults(kind, body)


@pytest.mark.parametrize("kind", ["openai", "responses", "compatible"])
def test_a_system_message_in_the_middle_is_refused(kind: Kind) -> None:
    body = SOUND[kind]()
    talk(kind, body).insert(5, {"role": "system", "content": "Now then."})
    assert "a system message in the middle" in faults(kind, body)


@pytest.mark.parametrize("kind", ["openai", "responses", "compatible"])
@pytest.mark.parametrize("arguments", ["[]", "{broken", "", "null"])
def test_arguments_are_the_text_of_an_object(kind: Kind, arguments: str) -> None:
    body = broken(kind, json.dumps(ARGUMENTS), json.dumps(arguments))
    assert "arguments that are no object" in faults(kind, body)


@pytest.mark.parametrize("kind", KINDS)
def test_tools_stand_once_and_are_there_when_called(kind: Kind) -> None:
    body = SOUND[kind]()
    tool = body["tools"][0]
    assert "two tools called find" in faults(kind, {**body, "tools": [tool, tool]})
    del body["tools"]
    assert "no tools" in faults(kind, body)


CHOICES: dict[Kind, tuple[Any, Callable[[str], Any]]] = {
    "openai": ("auto", lambda name: {"type": "function", "function": {"name": name}}),
    "compatible": ("auto", lambda name: {"type": "function", "function": {"name": name}}),
    "responses": ("auto", lambda name: {"type": "function", "name": name}),
    "anthropic": ({"type": "auto"}, lambda name: {"type": "tool", "name": name}),
}
"""The choice left to the model, and that of one tool."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_choice_is_among_the_tools(kind: Kind) -> None:
    auto, named = CHOICES[kind]
    body = SOUND[kind]()
    assert faults(kind, {**body, "tool_choice": auto}) == ""
    assert faults(kind, {**body, "tool_choice": named("find")}) == ""
    assert "tool_choice of 'found', which is no tool" in faults(kind, {**body, "tool_choice": named("found")})
    messages = talk(kind, body)
    messages[:] = messages[:1] if kind == "anthropic" else messages[:2]
    del body["tools"]
    assert faults(kind, body) == ""
    assert "tools is an empty list" in faults(kind, {**body, "tools": []})
    assert "tool_choice without tools" in faults(kind, {**body, "tool_choice": auto})
    if kind != "anthropic":  # it has no such field
        assert "parallel_tool_calls without tools" in faults(kind, {**body, "parallel_tool_calls": True})


@pytest.mark.parametrize("kind", KINDS)
def test_strict_schemas_are_refused(kind: Kind) -> None:
    """They allow few keywords: one that is sent as strict would have to be another schema."""
    body = SOUND[kind]()
    tool = body["tools"][0]
    tool.get("function", tool)["strict"] = True
    assert "tool find is strict" in faults(kind, body)


def test_rules_of_responses_alone() -> None:
    body = responses()
    del body["tools"][0]["strict"]  # counts as true
    assert "strict" in faults("responses", body)
    body = responses()
    body["input"][2]["id"] = "call_7"
    assert "id 'call_7' does not begin with fc_" in faults("responses", body)
    body = responses()
    body["input"].insert(1, {"type": "reasoning", "id": "rs_1", "summary": []})
    assert "reasoning without the item that followed it" in faults("responses", body)
    body = responses()
    body["input"].insert(2, {"type": "reasoning", "id": "rs_1", "summary": []})
    assert faults("responses", body) == ""
    assert faults("responses", {"model": "m", "input": "Hello"}) == ""


def test_rules_of_anthropic_alone() -> None:
    body = anthropic()
    result = body["messages"][2]["content"][0]
    body["messages"][2]["content"] = [{"type": "text", "text": "Here:"}, result]
    assert "results that do not come first" in faults("anthropic", body)
    body = anthropic()
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
    body["messages"][1]["content"].append(thought)
    assert "thinking that does not come first" in faults("anthropic", body)
    body = anthropic()
    mark = {"cache_control": {"type": "ephemeral"}}
    body["messages"][4]["content"] = [{"type": "text", "text": f"{i}", **mark} for i in range(5)]
    assert "too many cache marks" in faults("anthropic", body)


def test_reasoning_of_compatible_servers_is_sent_back_to_them_alone() -> None:
    body = chat()
    body["messages"][4]["reasoning_content"] = "Hm."
    assert faults("compatible", body) == ""
    assert "reasoning_content: Extra" in faults("openai", body)


# --- reasoning that comes back -------------------------------------------------------------------------------

THOUGHT = Reply("", [ReplyCall("find", {"day": "today"}, id="c1")], reasoning="Hm. Trains.")
ASKED = {"model": "m", "include": ["reasoning.encrypted_content"]}


def given(kind: Kind, *replies: Reply) -> tuple[Given, dict[str, Any]]:
    """What a server gave that made some replies, and a request that sends the last back as it was."""
    memory = Given(kind)
    for number, reply in enumerate(replies):
        body = PROTOCOLS[kind].answer(reply, ASKED, number).body
        memory.keep(body)
    request = SOUND[kind]()
    if kind == "responses":
        request["input"][2:3] = deepcopy(body["output"])
    else:
        request["messages"][1]["content"] = deepcopy(body["content"])
    assert faults(kind, request) == ""
    assert list(memory.faults(request)) == []
    return memory, request


REDACTED = replace(THOUGHT, redacted=True)


@pytest.mark.parametrize("reply", [THOUGHT, REDACTED])
@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda items: items[2].update(encrypted_content="other"), "item 2: reasoning that was changed"),
        (lambda items: items[2].pop("encrypted_content"), "item 2: reasoning that was changed"),
        (lambda items: items[2].update(id="rs_7"), "item 2: id rs_7 was never given"),
        (lambda items: items[2].pop("id"), "item 2: reasoning without its id"),
        (lambda items: items[3].update(id="fc_7"), "item 3: id fc_7 was never given"),
        (lambda items: items[3].pop("id"), "item 2: reasoning that is followed by another item"),
        (lambda items: items.pop(2), "item 2: the reasoning before it is missing"),
        (lambda items: items.insert(5, items.pop(2)), "item 2: the reasoning before it is missing"),
        (lambda items: items.insert(3, {"role": "assistant", "content": "Hm."}), "followed by another item"),
        (lambda items: items[3].update(call_id="c9", name="found", arguments="{}"), ""),  # mended
    ],
)
def test_reasoning_of_responses_comes_back_as_it_was(change: Callable[[Any], Any], fault: str, reply: Reply) -> None:
    memory, request = given("responses", REPLIES["text"], reply)
    change(request["input"])
    found = list(memory.faults(request))
    assert any(fault in one for one in found) if fault else not found


def test_an_item_is_encrypted_when_that_is_asked_for() -> None:
    whole = [PROTOCOLS["responses"].answer(THOUGHT, body, 3).body["output"][0] for body in (ASKED, {"model": "m"})]
    assert ["encrypted_content" in item for item in whole] == [True, False]


@pytest.mark.parametrize("reply", [THOUGHT, REDACTED])
@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda blocks: blocks[0].update(signature="other"), "never given, or was changed"),
        (lambda blocks: blocks[0].update(data="other"), "never given, or was changed"),
        (lambda blocks: blocks[0].update(thinking="Trains."), "never given, or was changed"),
        (lambda blocks: blocks.pop(0), "calls without the thinking before them"),
        (lambda blocks: blocks.insert(0, blocks[0]), "calls without the thinking before them"),
    ],
)
def test_thinking_comes_back_as_it_was(change: Callable[[Any], Any], fault: str, reply: Reply) -> None:
    memory, request = given("anthropic", REPLIES["text"], reply)
    blocks = request["messages"][1]["content"]
    kept = json.dumps(blocks)
    change(blocks)
    assert json.dumps(blocks) != kept
    assert any(fault in one for one in memory.faults(request))


# --- answers -------------------------------------------------------------------------------------------------

REPLIES = {
    "text": Reply("T1 goes at nine."),
    "blank": Reply(""),
    "calls": Reply("", [ReplyCall("find", {"day": "today"}), ReplyCall("find", {})]),
    "all at once": Reply("One moment.", [ReplyCall("find", {"day": "today"}, id="own")], reasoning="Hm. Trains."),
    "redacted": Reply("", [ReplyCall("find", {})], reasoning="Hm.", redacted=True),
    "refusal": Reply(refusal="I would rather not."),
    "cut": Reply("T1 go", stop="length"),
    "filtered": Reply("T1", stop="filter"),
}

TYPES: dict[Kind, tuple[Any, Any]] = {
    "openai": (ChatCompletion, ChatCompletionChunk),
    "responses": (Response, ResponseStreamEvent),
    "compatible": (ChatCompletion, ChatCompletionChunk),
    "anthropic": (Message, RawMessageStreamEvent),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", REPLIES)
def test_an_answer_is_of_the_sdk_s_types(kind: Kind, name: str) -> None:
    whole, event = TYPES[kind]
    answer = PROTOCOLS[kind].answer(REPLIES[name], {**ASKED, "stream_options": {"include_usage": True}}, 3)
    TypeAdapter(whole).validate_python(answer.body)
    lines = [line for sent in answer.events for line in sent.splitlines() if line.startswith("data: ")]
    assert all(sent.endswith("\n\n") for sent in answer.events)
    data = [line.removeprefix("data: ") for line in lines]
    if event is ChatCompletionChunk:
        assert data.pop() == "[DONE]"
    for one in data:
        TypeAdapter(event).validate_json(one)


@pytest.mark.parametrize("kind", KINDS)
def test_calls_of_an_answer_have_ids_of_their_own(kind: Kind) -> None:
    answers = [PROTOCOLS[kind].answer(REPLIES["calls"], {"model": "m"}, number).body for number in (3, 4)]
    text = json.dumps(answers)
    keys = {"anthropic": '"id": "toolu_', "responses": '"call_id": "call_'}
    assert len({part[:30] for part in text.split(keys.get(kind, '"id": "call_'))[1:]}) == 4
