"""Explanations of any run, whatever it holds: complete, short, and with no markup but our own."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from explained import AWKWARD, BOOK, LYON, OURS, READERS, Read, call, explained, judged, read, turn
from hypothesis import given, settings
from hypothesis import strategies as st
from support import TOOLSETS, answer_step, basis, call_step
from test_verdict_properties import runs

from utb_inspect.explain import explain
from utb_inspect.explain.faults import label_reasons, severity_reasons
from utb_inspect.explain.markdown import LONGEST, LONGEST_CALL, escape, values
from utb_inspect.explain.steps import steps_table
from utb_inspect.schema import Toolset, Turn
from utb_inspect.trajectory.calls import Call, Message, Tools
from utb_inspect.trajectory.run import Run, replay
from utb_inspect.trajectory.verdict import PathVerdict, judge

LONGEST_EXPLANATION = 20_000
SLIGHT = ("only a preference differs (", "only preferences differ (", "one call without effect was made")
ANY_ARGUMENTS = {"type": "object", "properties": {}, "additionalProperties": True}


def shown(text: str) -> str:
    """What a reader sees of a text: on one line, and what cannot be seen or encoded as JSON would write it."""
    line = " ".join(text.split())
    return re.sub("[\x00-\x1f\x7f\ud800-\udfff]", lambda c: f"\\u{ord(c[0]):04x}", line).replace("\u2060", "")


def cut(text: str, longest: int) -> str:
    return shown(text if len(text) <= longest else f"{text[:longest]}… ({len(text):,} characters)")


def shown_value(value: Any, longest: int = LONGEST) -> str:
    return cut(json.dumps(value, ensure_ascii=False), longest)


def assert_ours_alone(found: Read) -> None:
    assert found.elements <= OURS, found.elements - OURS
    for table in found.tables:
        assert {len(row) for row in table} == {4}


# --- awkward values ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("awkward", AWKWARD, ids=ascii)
def test_values_names_and_texts_are_shown_as_they_are(awkward: str, reader: str) -> None:
    value = awkward.replace("\ud83d", "")  # arguments with half a pair are not read
    odd = call("findTrains", LYON, destination=value)
    said = f"So {awkward} it is."
    run, verdict = judged([[odd], [call(f"x{awkward}", {awkward: awkward})], [BOOK], said])
    text = explain(run, verdict)
    text.encode()
    found = read(text, reader)
    assert_ours_alone(found)
    steps, arguments = found.tables
    assert [row[0] for row in steps] == ["#", "1", "2", "3", "4"]
    assert steps[2] == ["2", shown(f"x{awkward}"), "", "not valid"]
    assert steps[4][1].partition(" ")[2] == f"“{cut(' '.join(said.split()), LONGEST)}”"
    assert arguments[2][:3] == ["destination", shown_value(value), '"Lyon"']


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("awkward", [text for text in AWKWARD if "\ud83d" not in text], ids=ascii)
def test_the_texts_of_a_dataset_are_shown_as_they_are(awkward: str, reader: str) -> None:
    said = f"I said {awkward}"
    seat = {**basis("preference", (awkward, said)), "superseded": [{"value": awkward, "turn": "t1", "quote": said}]}
    data = turn("lack_of_information", ask=True, seat=seat).model_dump(by_alias=True, exclude_defaults=True)
    ask = data["reference"][0]
    ask.update(ask=[f"n{awkward}"], cues={f"n{awkward}": ["when", awkward or "day"]}, settled={}, message=said)
    run, verdict = judged(
        ["Cheese?", [call("findTrains", LYON, seat="any")], [BOOK], "Done."], Turn.model_validate(data)
    )
    text = explain(run, verdict)
    text.encode()
    found = read(text, reader)
    assert_ours_alone(found)
    assert f"{shown(f'n{awkward}')} could not be known and was to be asked for: “{shown(said)}”" in found.text
    assert f'seat = "window" (preference): {shown(awkward)}' in found.text
    assert f"not {shown_value(awkward)}, as in t1 “{shown(said)}”" in found.text


@pytest.mark.parametrize("reader", READERS)
@given(text=st.text(st.characters() | st.sampled_from("\\|`*_[]()<>&$~!#:-/;\n\u2060"), max_size=40))
@settings(max_examples=150, deadline=None)
def test_any_text_is_shown_as_it_is(reader: str, text: str) -> None:
    found = read(
        f"| a | b | c | d |\n| --- | --- | --- | --- |\n| {escape(f'x{text}x')} | {escape(text)} | | |", reader
    )
    assert_ours_alone(found)
    assert [row[0] for row in found.tables[0]] == ["a", shown(f"x{text}x")]


# --- long values ---------------------------------------------------------------------------------------------


def test_a_long_value_is_cut_and_its_length_told() -> None:
    found = explained([[call("findTrains", LYON, destination="x" * 100_000)], [BOOK], "y" * 100_000])
    assert found.tables[1][2][1] == f'"{"x" * (LONGEST - 1)}… (100,002 characters)'
    assert found.tables[0][3][1] == f"answers: “{'y' * LONGEST}… (100,000 characters)”"


def test_values_that_part_late_are_cut_where_they_part() -> None:
    right, made = values("x" * 5000 + "right", "x" * 5000 + "wrong")
    assert (right, made) == ('… xxxxxxxxxxxxright"', '… xxxxxxxxxxxxwrong"')
    right, made = values(["é" * 5000], ["é" * 5000 + "!"])
    assert (right, made) == (f'… {"é" * 12}"]', f'… {"é" * 12}!"]')


def test_equal_values_are_shown_from_their_start() -> None:
    assert values("a" + "x" * 5000, "a" + "x" * 5000) == (f'"a{"x" * (LONGEST - 2)}… (5,003 characters)',) * 2


def test_deep_nesting_is_shown() -> None:
    deep: Any = 1
    for _ in range(40):
        deep = {"a": [deep]}
    found = explained([[call("listBookings", deep)], [call("fly", deep)], "Done."])
    assert found.tables[0][1][1] == f"listBookings {shown_value(deep, LONGEST_CALL)}"


def open_turn(arguments: dict[str, Any]) -> tuple[Turn, Tools]:
    """A turn of one call to a tool that takes any arguments."""
    function = {"name": "note", "description": "Notes.", "parameters": ANY_ARGUMENTS}
    toolset = {**TOOLSETS["rail"], "tools": [{"type": "function", "function": function, "effect": "read"}]}
    step = call_step("a", "note", arguments, dict.fromkeys(arguments, "request"), {})
    data = {"task_type": "single_tool", "subtype": "cross_topic", "request": "Go."}
    return (
        Turn.model_validate({**data, "reference": [step, answer_step("Noted.", "a")]}),
        Tools(Toolset.model_validate(toolset)),
    )


HUGE = "<&|*_\\" * 20_000
EXCESSIVE: dict[str, list[Message]] = {
    "arguments": [Message(calls=(Call("", "note", {f"{i}{HUGE}": HUGE for i in range(300)}),))],
    "guesses": [Message(calls=tuple(Call("", "note", {"text": f"{i}{HUGE}"}) for i in range(300)))],
    "unknown tools": [Message(calls=tuple(Call("", f"{i}{HUGE}", {}) for i in range(300)))],
    "faults": [Message(calls=tuple(Call("", "note", f"{i}{HUGE}") for i in range(300)))],
    "text": [Message(HUGE)],
}


@pytest.mark.parametrize("name", EXCESSIVE)
def test_no_model_can_make_an_explanation_long(name: str) -> None:
    turn_, tools = open_turn({"text": "milk"})
    run = Run(turn_, tools)
    replay(run, EXCESSIVE[name])
    text = explain(run, judge(run))
    assert len(text) < LONGEST_EXPLANATION
    assert_ours_alone(read(text))


def test_of_very_many_rows_the_differing_ones_are_shown() -> None:
    turn_, tools = open_turn({f"right{i}": i for i in range(100)})
    run = Run(turn_, tools)
    replay(run, [Message(calls=(Call("", "note", {f"right{i}": i for i in range(99)}),)), Message("Done.")])
    _, arguments = read(explain(run, judge(run))).tables
    assert arguments[1] == ["right99", "(left out)", "99", "differs (request): left out"]
    assert arguments[-1] == ["", "… and 60 more", "", ""]
    assert len(arguments) == 1 + 40 + 1


# --- any run -------------------------------------------------------------------------------------------------


@st.composite
def awkward_runs(draw: st.DrawFn) -> tuple[Turn, Tools, list[Message]]:
    """Runs as for verdicts, with awkward and long texts strewn in."""
    turn_, tools, messages = draw(runs())
    odd = st.sampled_from([*AWKWARD, HUGE])
    for _ in range(draw(st.integers(0, 2))):
        text, name = draw(odd), draw(odd | st.sampled_from([tool.name for tool in tools.toolset.tools]))
        message = draw(st.sampled_from([Message(text), Message(calls=(Call("", name, {text: text}),))]))
        messages.insert(draw(st.integers(0, len(messages))), message)
    return turn_, tools, messages


@given(awkward_runs())
@settings(max_examples=300, deadline=None)
def test_any_run_is_explained(given_run: tuple[Turn, Tools, list[Message]]) -> None:
    turn_, tools, messages = given_run
    run = Run(turn_, tools)
    replay(run, messages)
    verdict = judge(run)
    text = explain(run, verdict)
    assert len(text.encode()) < LONGEST_EXPLANATION
    found = read(text)
    assert_ours_alone(found)
    reasons = {label: why for label, _, why in (line.partition(": ") for line in label_reasons(verdict.against))}
    assert {label.strip("`") for label in reasons} == verdict.labels
    assert all(reasons.values())
    assert [bullet.partition(":")[0] for bullet in found.bullets[: len(reasons)]] == [x.strip("`") for x in reasons]
    texts = sum(not message.calls for message in run.messages)
    unasked = sum(ask.id not in verdict.against.state.asked for ask in verdict.against.state.path.asks)
    (steps,) = read(steps_table(verdict.against)).tables
    assert len(steps) - 1 == len(run.calls) + texts + len(verdict.against.missing) + unasked


@given(awkward_runs())
@settings(max_examples=300, deadline=None)
def test_severity_has_its_reasons(given_run: tuple[Turn, Tools, list[Message]]) -> None:
    turn_, tools, messages = given_run
    run = Run(turn_, tools)
    replay(run, messages)
    for against in (PathVerdict(run, state) for state in run.paths):
        reasons = severity_reasons(against)
        assert bool(reasons) == (not against.exact)
        slight = [reason.startswith(SLIGHT) for reason in reasons]
        assert all(slight) if against.severity == "slight" else not any(slight)
