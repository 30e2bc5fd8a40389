"""What must hold of every verdict, whatever a model does (spec section 5)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fuzzing import tools
from hypothesis import given, settings
from hypothesis import strategies as st

from utb_inspect.schema import CallStep, Toolset, Turn
from utb_inspect.trajectory.calls import Call, Message, Tools
from utb_inspect.trajectory.rounds import fewest_rounds
from utb_inspect.trajectory.run import Run, replay, step_cap
from utb_inspect.trajectory.verdict import LABELS, judge, judge_messages
from utb_inspect.verify import message, read_cases

CASES = Path(__file__).parent / "cases"
DECISIONS = [case for name in ("decisions", "decisions_more") for case in read_cases(CASES / f"{name}.jsonl")]
TOOLS = [Tools(Toolset.model_validate(case["toolset"])) for case in DECISIONS]
TURNS = [Turn.model_validate(case["turn"]) for case in DECISIONS]


def values():
    scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
    return st.recursive(
        scalars, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=4), v, max_size=3)
    )


@st.composite
def runs(draw):
    """A turn of the cases and messages made of its reference, of other calls, of mutated values and of odd ones."""
    index = draw(st.integers(0, len(DECISIONS) - 1))
    turn, tools = TURNS[index], TOOLS[index]
    reference = [step for path in turn.paths for step in path.calls]
    names = [tool.name for tool in tools.toolset.tools] + ["unknown_tool"]

    def call(number: int) -> Call:
        if reference and draw(st.booleans()):
            step = draw(st.sampled_from(reference))
            arguments = dict(step.arguments)
            if arguments and draw(st.integers(0, 3)) == 0:
                key = draw(st.sampled_from(sorted(arguments)))
                if draw(st.booleans()):
                    arguments.pop(key)
                else:
                    arguments[key] = draw(values())
            return Call(f"c{number % 3}", step.call, arguments)
        odd = draw(st.sampled_from(["", "{", "[]", "null", '{"a": NaN}']) | values().map(json.dumps))
        return Call("c", draw(st.sampled_from(names)), odd)

    texts = [
        "",
        " ",
        "Done.",
        "Which city and date?",
        "Anything else?",
        *(a.message for p in turn.paths for a in p.asks),
    ]
    messages = [
        Message(draw(st.sampled_from(texts)), tuple(call(i) for i in range(draw(st.integers(0, 3)))))
        for _ in range(draw(st.integers(0, 6)))
    ]
    return turn, tools, messages


def play_consistently(run, messages):
    """Play a run, see that its verdict does not contradict itself, and return the replies."""
    replies = replay(run, messages)
    verdict = judge(run)
    assert not verdict.exact or verdict.relaxed
    assert verdict.exact == (verdict.severity == "none") == (not verdict.labels)
    assert verdict.labels <= set(LABELS)
    assert 0 <= verdict.progress <= 1
    assert not verdict.exact or verdict.progress == 1
    assert not verdict.optimal or verdict.exact
    assert verdict.severity != "slight" or not verdict.labels & {"missing_tool", "clarification", "no_answer"}
    assert verdict.severity != "slight" or "user_constraint" not in verdict.labels
    ids = [result.call_id for reply in replies for result in reply.results]
    assert len(ids) == len(set(ids)) == len(run.calls)
    assert len(run.messages) <= step_cap(run.turn)
    return replies


def reference_rounds(turn: Turn, random) -> list[Message]:
    """The reference in some order that respects `after`: due questions when they are due, calls one by one."""
    path = turn.paths[0]
    done: set[str] = set()
    messages = []
    todo = list(path.steps[:-1])
    while todo:
        ready = [step for step in todo if done.issuperset(step.after)]
        step = random.choice(ready)
        if isinstance(step, CallStep):
            messages.append(Message(calls=(Call(f"c{len(messages)}", step.call, step.arguments),)))
            done.add(step.id)
        else:
            # A question meets every due ask that it is on target for; ask them all at once.
            asks = [s for s in ready if not isinstance(s, CallStep)]
            text = " ".join(f"Could you tell me the {a.cues[item][0]}?" for a in asks for item in a.ask)
            messages.append(Message(text))
            done.update(a.id for a in asks)
        todo = [s for s in todo if s.id not in done]
    return [*messages, Message("Done.")]


@pytest.mark.parametrize("index", range(len(DECISIONS)), ids=[case["id"] for case in DECISIONS])
@given(random=st.randoms(use_true_random=False))
@settings(max_examples=5, deadline=None)
def test_the_reference_is_exact_in_any_order_that_respects_after(index, random):
    messages = reference_rounds(TURNS[index], random)
    verdict = judge_messages(Run(TURNS[index], TOOLS[index]), messages)
    assert verdict.exact, verdict.labels
    assert len(messages) >= fewest_rounds(TURNS[index].paths[0])


def test_scripts_of_the_cases_are_messages():
    assert message({"content": None, "tool_calls": [{"id": "a", "name": "t", "arguments": "{}"}]}) == Message(
        "", (Call("a", "t", "{}"),)
    )


CAFE, CAFE_DECOMPOSED, TEA = "caf\u00e9", "cafe\u0301", "th\u00e9"


@pytest.mark.parametrize(
    ("second", "kind"), [(CAFE, "repeat"), (CAFE_DECOMPOSED, "repeat"), ("CAF\u00c9", "reference"), (TEA, "reference")]
)
def test_a_read_repeated_in_any_unicode_form_takes_no_step(second, kind):
    calls = [
        {"id": id_, "call": "t", "arguments": {"q": q}, "after": [], "observation": {}}
        for id_, q in (("a", CAFE), ("b", TEA))
    ]
    answer = {"id": "z", "answer": "Done.", "after": ["a", "b"]}
    turn = Turn.model_validate(
        {"task_type": "multi_tool", "subtype": "cross_topic", "request": "r", "reference": [*calls, answer]}
    )
    run = Run(turn, tools({"type": "object", "properties": {"q": {"type": "string"}}}))
    replies = replay(run, [Message(calls=(Call("", "t", {"q": q}),)) for q in (CAFE, second)])
    assert [result.kind for reply in replies for result in reply.results] == ["reference", kind]
