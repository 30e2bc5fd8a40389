"""Verdicts on whatever a model does: no crash, no contradiction, and nothing hangs on how a run is written down."""

from __future__ import annotations

import json
import random
import unicodedata
from collections.abc import Iterable
from typing import Any

import pytest
from fuzzing import Target, json_values, texts
from hypothesis import strategies as st
from oracle import question
from test_fuzz_values import WORDS, turned
from test_verdict_properties import DECISIONS, TOOLS, TURNS, play_consistently, runs

from utb_inspect.datasets import load
from utb_inspect.schema import AskStep, CallStep, Turn
from utb_inspect.trajectory.calls import Call, Message, Tools
from utb_inspect.trajectory.rounds import fewest_rounds
from utb_inspect.trajectory.run import Run
from utb_inspect.trajectory.verdict import judge_messages
from utb_inspect.upstream import UpstreamCall, UpstreamRun
from utb_inspect.upstream import judge as judge_upstream

Given = tuple[Turn, Tools, list[Message]]
SHIPPED = [
    (turn.turn, data.tools(turn.topic.toolset)) for name in ("utb_open", "utb_open_dynamic") for data in [load(name)]
    for turn in data.turns
]  # fmt: skip
SENTENCES = st.lists(WORDS | texts(), max_size=8).map(" ".join)


@st.composite
def wild_runs(draw: Any) -> Given:
    """Messages that owe little to the reference: any text, any tool, any arguments, as text and as objects."""
    index = draw(st.integers(0, len(DECISIONS) - 1))
    turn, tools = TURNS[index], TOOLS[index]
    names = st.sampled_from([tool.name for tool in tools.toolset.tools]) | texts()
    steps = [step for path in turn.paths for step in path.calls] or [None]

    def arguments() -> Any:
        step = draw(st.sampled_from(steps))
        known = {} if step is None else step.arguments
        keys = st.sampled_from(sorted(known) or ["a"]) | texts()
        made = {**known, **draw(st.dictionaries(keys, json_values(leaves=5), max_size=2))}
        return draw(st.sampled_from([made, json.dumps(made)]) | texts() | json_values(leaves=5).map(json.dumps))

    def call() -> Call:
        return Call(draw(texts()), draw(names), arguments(), draw(st.none() | st.none() | st.none() | texts()))

    messages = [
        Message(draw(SENTENCES), tuple(call() for _ in range(draw(st.integers(0, 3)))))
        for _ in range(draw(st.integers(0, 6)))
    ]
    return turn, tools, messages


def summary(turn: Turn, tools: Tools, messages: Iterable[Message]) -> Any:
    verdict = judge_messages(Run(turn, tools), messages)
    return (verdict.exact, verdict.relaxed, verdict.severity, verdict.labels, verdict.progress, verdict.optimal)


def check_consistent(given: Given) -> None:
    turn, tools, messages = given
    for off_path in ("continue", "stop"):
        replies = play_consistently(Run(turn, tools, off_path), messages)
        json.dumps([result.content for reply in replies for result in reply.results])


def check_keys(given: Given) -> None:
    turn, tools, messages = given
    mixed = [Message(m.text, tuple(Call(c.id, c.name, turned(c.arguments)) for c in m.calls)) for m in messages]
    plain = [Message(m.text, tuple(Call(c.id, c.name, c.arguments) for c in m.calls)) for m in messages]
    assert summary(turn, tools, mixed) == summary(turn, tools, plain)


def check_call_order(given: tuple[Given, int]) -> None:
    (turn, tools, messages), seed = given
    other = [Message(m.text, tuple(random.Random(seed).sample(m.calls, len(m.calls)))) for m in messages]
    assert summary(turn, tools, other) == summary(turn, tools, messages)


def check_text_form(given: Given) -> None:
    """What is said is read in any Unicode form."""
    turn, tools, messages = given
    other = [Message(unicodedata.normalize("NFD", m.text), m.calls) for m in messages]
    assert summary(turn, tools, other) == summary(turn, tools, messages)


def in_some_order(turn: Turn, seed: int) -> list[Message]:
    """The reference in an order that respects `after`: some of the calls that are ready, or all questions that are."""
    chance = random.Random(seed)
    path = turn.paths[0]
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


def check_reference(given: tuple[int, int]) -> None:
    index, seed = given
    turn, tools = SHIPPED[index]
    messages = in_some_order(turn, seed)
    verdict = judge_messages(Run(turn, tools), messages)
    assert verdict.exact, verdict.labels
    assert verdict.optimal == (len(messages) == fewest_rounds(turn.paths[0]))


# --- the public evaluator's verdicts -------------------------------------------------------------------------

STEP_NAMES = ("search", "book", "ask_user_for_required_parameters", "prepare_to_answer")


@st.composite
def public_turns(draw: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """Tools, reference and responses in the public form, each well formed in the main."""
    arguments = st.dictionaries(st.sampled_from("ab"), json_values(leaves=4), max_size=2)
    parameters = st.fixed_dictionaries({"properties": st.just({"a": {"type": "string"}, "b": {}})}) | json_values()
    tools = [{"function": {"name": name, "parameters": draw(parameters)}} for name in STEP_NAMES[:2]]
    names = draw(st.lists(st.sampled_from(STEP_NAMES), max_size=7))
    answer_list = [
        {
            "action": {"name": name, "arguments": draw(arguments)},
            "observation": draw(json_values(leaves=3)),
            "user_input": draw(st.none() | texts()),
            "dependency_list": sorted(draw(st.sets(st.integers(0, max(0, i - 1)), max_size=3))) if i else [],
        }
        for i, name in enumerate(names)
    ]
    call = st.builds(
        lambda name, made: {"id": "c", "function": {"name": name, "arguments": made}},
        st.sampled_from(STEP_NAMES),
        arguments | arguments.map(json.dumps) | texts(),
    )
    message = st.fixed_dictionaries(
        {"content": st.none() | texts(), "tool_calls": st.none() | st.lists(call | json_values(leaves=3), max_size=4)}
    )
    return tools, answer_list, draw(st.lists(message | json_values(leaves=3), max_size=6))


def check_upstream(given: tuple[list[Any], list[Any], list[Any]]) -> None:
    tools, answer_list, responses = given
    try:
        run = UpstreamRun(tools, answer_list)
    except ValueError:
        return
    assert run.verdict().label == "error"
    verdict = judge_upstream(tools, answer_list, responses)
    assert verdict.used <= len(responses)
    assert not verdict.is_optimal or verdict.label == "correct"
    assert (verdict.label == "correct") == (not verdict.reasons)
    for call in ("x", None, 3, {"id": 1, "function": {"name": "search", "arguments": None}}):
        UpstreamCall.read(call)


TARGETS = {
    "any run": Target(wild_runs() | runs(), check_consistent),
    "order of keys": Target(wild_runs() | runs(), check_keys),
    "order of the calls of a message": Target(st.tuples(runs() | wild_runs(), st.integers(0, 99)), check_call_order),
    "Unicode form of texts": Target(wild_runs(), check_text_form),
    "reference in any order": Target(
        st.tuples(st.integers(0, len(SHIPPED) - 1), st.integers(0, 2**32)), check_reference
    ),
    "upstream verdicts": Target(public_turns(), check_upstream),
}


@pytest.mark.parametrize("name", TARGETS)
def test_it_holds_for_whatever_a_model_does(name: str) -> None:
    TARGETS[name].fuzz()
