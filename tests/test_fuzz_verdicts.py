"""Verdicts on whatever a model does: no crash, no contradiction, and nothing hangs on how a run is written down."""

from __future__ import annotations

import json
import random
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from fuzzing import Target, json_values, texts
from hypothesis import strategies as st
from near_runs import SHIPPED, Given, in_some_order, near_runs
from test_fuzz_values import WORDS, rewritten
from test_verdict_properties import DECISIONS, TOOLS, TURNS, play_consistently, runs

from utb_inspect.schema import Path, Turn
from utb_inspect.trajectory.calls import Call, Message, Tools
from utb_inspect.trajectory.rounds import fewest_rounds
from utb_inspect.trajectory.run import Run, replay
from utb_inspect.trajectory.verdict import judge_messages
from utb_inspect.upstream import UpstreamCall, UpstreamRun
from utb_inspect.upstream import judge as judge_upstream

SENTENCES = st.lists(WORDS | texts(), max_size=8).map(" ".join)
SEEDS = st.integers(0, 2**32)


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


def with_repeats(run: Given, chance: random.Random) -> Given:
    """Some of the calls made again, right after and word for word."""
    turn, tools, messages = run
    return turn, tools, [m for m in messages for _ in range(2 if m.calls and chance.random() < 0.5 else 1)]


def accented(run: Given, chance: random.Random) -> Given:
    """Texts of some of the arguments with accents, which can be written in two forms; some of the calls made again."""
    turn, tools, messages = run

    def accent(call: Call) -> Call:
        return with_texts(call, lambda text: text.replace("e", "é")) if chance.random() < 0.5 else call

    return with_repeats((turn, tools, [Message(m.text, tuple(map(accent, m.calls))) for m in messages]), chance)


def with_texts(call: Call, rewrite: Callable[[str], str]) -> Call:
    return replace(call, arguments=rewritten(call.arguments, rewrite)) if isinstance(call.arguments, dict) else call


def scores(turn: Turn, tools: Tools, messages: list[Message]) -> Any:
    verdict = judge_messages(Run(turn, tools), messages)
    return (verdict.exact, verdict.relaxed, verdict.severity, verdict.labels, verdict.progress, verdict.optimal)


def answers(turn: Turn, tools: Tools, messages: list[Message]) -> Any:
    """What follows each message; of a call that is not valid only that it is not, since its words may be quoted."""
    return [
        ([(r.kind, r.content if r.kind != "invalid" else None) for r in reply.results], reply.user, reply.ended)
        for reply in replay(Run(turn, tools), messages)
    ]


def check_same(given: Given, messages: list[Message]) -> None:
    turn, tools, before = given
    assert answers(turn, tools, messages) == answers(turn, tools, before)
    assert scores(turn, tools, messages) == scores(turn, tools, before)


def check_consistent(run: Given, _: random.Random) -> None:
    turn, tools, messages = run
    for off_path in ("continue", "stop"):
        replies = play_consistently(Run(turn, tools, off_path), messages)
        json.dumps([result.content for reply in replies for result in reply.results])


def check_keys(run: Given, chance: random.Random) -> None:
    """Each call has its keys in an order of its own, so that a call and its repeat differ."""
    messages = run[2]

    def shuffled(value: Any) -> Any:
        match value:
            case list():
                return [shuffled(item) for item in value]
            case dict():
                return {name: shuffled(value[name]) for name in chance.sample(list(value), len(value))}
        return value

    check_same(
        run, [Message(m.text, tuple(replace(c, arguments=shuffled(c.arguments)) for c in m.calls)) for m in messages]
    )


def check_call_order(run: Given, chance: random.Random) -> None:
    turn, tools, messages = run
    other = [Message(m.text, tuple(chance.sample(m.calls, len(m.calls)))) for m in messages]
    assert scores(turn, tools, other) == scores(turn, tools, messages)


def check_rounds(run: Given, _: random.Random) -> None:
    """Rounds that are independent may change places, in wrong runs too."""
    turn, tools, messages = run
    before = judge_messages(Run(turn, tools), messages)
    for i in independent_rounds(run):
        other = [*messages[:i], messages[i + 1], messages[i], *messages[i + 2 :]]
        after = judge_messages(Run(turn, tools), other)
        assert replace(after, against=before.against) == before


def independent_rounds(run: Given) -> list[int]:
    """Each played message of calls to other tools than the next, where no reference call of either waits for the other.

    Each call then keeps its place among the calls of its tool and among the steps it waits for: all that spec section 5
    has verdicts depend on.
    """
    turn, tools, messages = run
    played = messages[: len(replay(Run(turn, tools), messages))]
    waits = {pair for path in turn.paths for pair in waiting(path)}
    return [
        i
        for i, (first, second) in enumerate(pairwise(played))
        if (pairs := {(a.name, b.name) for a in first.calls for b in second.calls})
        and not any(a == b or (a, b) in waits or (b, a) in waits for a, b in pairs)
    ]


def waiting(path: Path) -> set[tuple[str, str]]:
    """Pairs of tools: one that is called after the other, directly or through other steps."""
    return {(a.call, b.call) for a in path.calls for b in path.calls if b.id in path.before(a.id)}


def check_text_form(run: Given, chance: random.Random) -> None:
    """What is said and given is read in any Unicode form; each call has its own, so that its repeat differs."""
    _, tools, messages = run

    def rewrite(call: Call) -> Call:
        form = chance.choice(("NFC", "NFD"))
        other = with_texts(call, lambda text: unicodedata.normalize(form, text))
        # A schema counts and matches code points.
        return other if (tools.read(other).fault is None) == (tools.read(call).fault is None) else call

    check_same(run, [Message(unicodedata.normalize("NFD", m.text), tuple(map(rewrite, m.calls))) for m in messages])


def check_reference(given: tuple[int, int]) -> None:
    index, seed = given
    turn, tools = SHIPPED[index]
    messages = in_some_order(turn.paths[0], random.Random(seed))
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


def two_runs(
    check: Callable[[Given, random.Random], None], change: Callable[[Given, random.Random], Given] = lambda run, _: run
) -> Target:
    """A target that gets a run near the reference, since hardly any other is right or nearly, and one of any kind."""

    def both(given: tuple[Given, Given, int]) -> None:
        *pair, seed = given
        for run in pair:
            check(change(run, random.Random(seed)), random.Random(seed))

    return Target(st.tuples(near_runs(), runs() | wild_runs(), SEEDS), both)


TARGETS = {
    "any run": two_runs(check_consistent),
    "order of keys": two_runs(check_keys, with_repeats),
    "order of the calls of a message": two_runs(check_call_order),
    "order of independent rounds": two_runs(check_rounds),
    "Unicode form of texts": two_runs(check_text_form, accented),
    "reference in any order": Target(st.tuples(st.integers(0, len(SHIPPED) - 1), SEEDS), check_reference),
    "upstream verdicts": Target(public_turns(), check_upstream),
}


@pytest.mark.parametrize("name", TARGETS)
def test_it_holds_for_whatever_a_model_does(name: str) -> None:
    TARGETS[name].fuzz()
