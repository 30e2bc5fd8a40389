"""Runs near the reference: played in some order that respects `after`, then changed in up to three places."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from oracle import question
from test_verdict_properties import TOOLS, TURNS

from utb_inspect.datasets import load
from utb_inspect.schema import AskStep, CallStep, Path, Turn
from utb_inspect.trajectory.calls import Call, Message, Tools

Given = tuple[Turn, Tools, list[Message]]
Place = tuple[int, int, str]
"""Message, call in the message, name of an argument."""
SHIPPED = [
    (turn.turn, data.tools(turn.topic.toolset)) for name in ("utb_open", "utb_open_dynamic") for data in [load(name)]
    for turn in data.turns
]  # fmt: skip
POOL = [*zip(TURNS, TOOLS, strict=True), *SHIPPED]

EDITS = ("left out", "said again", "swapped", *["other value"] * 3, "argument left out", "call", "words")
OTHER_VALUES = (None, 3, "other", "Café Zoë", "cafe\u0301")
OTHER_WORDS = ("Which day?", "Anything else?", "Done.", "")


def in_some_order(path: Path, chance: random.Random) -> list[Message]:
    """A path in an order that respects `after`: some of the calls that are ready, or a question that is."""
    todo = list(path.steps[:-1])
    done: set[str] = set()
    messages = []
    while todo:
        ready = [step for step in todo if done.issuperset(step.after)]
        asks = [step for step in ready if isinstance(step, AskStep)]
        calls = [step for step in ready if isinstance(step, CallStep)]
        if asks and (not calls or chance.random() < 0.5):
            made: list[Any] = asks[:1]
            messages.append(Message(question(asks[0])))
        else:
            made = chance.sample(calls, chance.randint(1, len(calls)))
            messages.append(Message(calls=tuple(Call(s.id, s.call, s.arguments) for s in made)))
        done.update(step.id for step in made)
        todo = [step for step in todo if step.id not in done]
    return [*messages, Message(path.answer)]


@st.composite
def near_runs(draw: Any) -> Given:
    turn, tools = draw(st.sampled_from(POOL))
    chance = random.Random(draw(st.integers(0, 2**32)))
    messages = in_some_order(chance.choice(turn.paths), chance)
    for _ in range(draw(st.integers(0, 3))):
        messages = edited(messages, turn, tools, chance)
    return turn, tools, messages


def edited(messages: list[Message], turn: Turn, tools: Tools, chance: random.Random) -> list[Message]:
    """A run with one thing changed, or nothing where the change drawn does not apply."""
    if not messages:
        return messages
    at, other = chance.randrange(len(messages)), chance.randrange(len(messages))
    before, message, after = messages[:at], messages[at], messages[at + 1 :]
    match chance.choice(EDITS):
        case "left out":
            return before + after
        case "said again":
            return [*messages[:other], message, *messages[other:]]
        case "swapped":
            messages = list(messages)
            messages[at], messages[other] = messages[other], messages[at]
            return messages
        case "other value":
            return with_other_value(messages, turn, tools, chance)
        case "argument left out":
            return with_argument_left_out(messages, chance)
        case "call":
            return [*before, Message(calls=(some_call(turn, tools, chance),)), message, *after]
        case _:
            return [*before, Message(chance.choice(OTHER_WORDS)), message, *after]


def with_other_value(messages: list[Message], turn: Turn, tools: Tools, chance: random.Random) -> list[Message]:
    """One argument, often a preference, as it was superseded, or as another call has it, or as its schema allows."""
    places = arguments_of(messages)
    grounds = [(step.call, name, g) for path in turn.paths for step in path.calls for name, g in step.grounds.items()]
    preferred = [(call, name) for call, name, ground in grounds if ground.basis == "preference"]
    preferences = [place for place in places if (messages[place[0]].calls[place[1]].name, place[2]) in preferred]
    if not places:
        return messages
    place = chance.choice(chance.choice((preferences, places)) or places)
    call, name = messages[place[0]].calls[place[1]], place[2]
    superseded = [old.value for tool, key, g in grounds if (tool, key) == (call.name, name) for old in g.superseded]
    others = [step.arguments[name] for path in turn.paths for step in path.calls if name in step.arguments]
    values = superseded or [*others, *other_values(tools, call, name)]
    other = chance.choice([value for value in values if value != call.arguments[name]] or OTHER_VALUES)
    return with_arguments(messages, place, {**call.arguments, name: other})


def other_values(tools: Tools, call: Call, name: str) -> list[Any]:
    """The choices that a schema gives for an argument, else values like the one it has."""
    parameters = next(tool.function.parameters for tool in tools.toolset.tools if tool.name == call.name)
    schema = parameters.get("properties", {}).get(name)
    match call.arguments[name]:
        case _ if isinstance(schema, dict) and "enum" in schema:
            return schema["enum"]
        case bool(value):
            return [not value]
        case int(value) | float(value):
            return [value + 1]
        case list(value):
            return [value[1:], [*value, *value[:1]]]
    return list(OTHER_VALUES)


def with_argument_left_out(messages: list[Message], chance: random.Random) -> list[Message]:
    places = arguments_of(messages)
    if not places:
        return messages
    i, j, left_out = chance.choice(places)
    arguments = messages[i].calls[j].arguments.items()
    return with_arguments(messages, (i, j, left_out), {name: v for name, v in arguments if name != left_out})


def arguments_of(messages: list[Message]) -> list[Place]:
    calls = [(i, j, call) for i, message in enumerate(messages) for j, call in enumerate(message.calls)]
    return [(i, j, name) for i, j, call in calls for name in call.arguments]


def with_arguments(messages: list[Message], place: Place, arguments: dict[str, Any]) -> list[Message]:
    i, j, _ = place
    calls = list(messages[i].calls)
    calls[j] = replace(calls[j], arguments=arguments)
    return [*messages[:i], replace(messages[i], calls=tuple(calls)), *messages[i + 1 :]]


def some_call(turn: Turn, tools: Tools, chance: random.Random) -> Call:
    """A call of the reference, or one of any tool without arguments."""
    steps = [step for path in turn.paths for step in path.calls]
    if steps and chance.random() < 0.5:
        step = chance.choice(steps)
        return Call("", step.call, step.arguments)
    return Call("", chance.choice(tools.toolset.tools).name, {})
