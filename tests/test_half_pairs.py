"""Half a surrogate pair in what a model writes; tests/test_faults.py has the verdicts, with each client."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from fault_cases import CALL, FAULTS, Case, play
from inspect_ai.model import ChatMessageAssistant, ContentReasoning, ContentText, ModelOutput
from inspect_ai.model._model_output import ChatCompletionChoice
from inspect_ai.solver import Solver, generate
from inspect_ai.tool import ToolCall
from support import newest_log, values
from wire import KINDS, Kind

from utb_inspect.half_pairs import mend_output

HALF, MENDED = "a\ud83d \udc00", "a\ufffd \ufffd"


def output(content: Any, *calls: ToolCall) -> ModelOutput:
    message = ChatMessageAssistant(content=content, tool_calls=list(calls))
    return ModelOutput(model="m", choices=[ChatCompletionChoice(message=message)])


def test_texts_are_mended() -> None:
    told = output([ContentReasoning(reasoning=HALF, summary=HALF), ContentText(text=HALF, internal={"id": [HALF]})])
    mend_output(told)
    assert told.completion == told.message.text == MENDED
    assert told.message.content == [
        ContentReasoning(reasoning=MENDED, summary=MENDED),
        ContentText(text=MENDED, internal={"id": [MENDED]}),
    ]
    mend_output(plain := output(HALF))
    assert plain.completion == plain.message.content == MENDED


@pytest.mark.parametrize(
    ("made", "mended"),
    [
        (("f", {"a": HALF}), ("f", {"a": MENDED})),
        (("f", {HALF: 1}), ("f", {MENDED: 1})),
        (("f", {"a": [{"b": [True, 1.5, None, HALF]}]}), ("f", {"a": [{"b": [True, 1.5, None, MENDED]}]})),
        ((HALF, {}), (MENDED, {})),
    ],
    ids=["value", "name", "deep", "tool"],
)
def test_a_call_with_a_half_cannot_be_read(made: tuple[str, Any], mended: tuple[str, Any]) -> None:
    mend_output(told := output("", ToolCall("1", *made)))
    (call,) = told.message.tool_calls or ()
    assert (call.function, call.arguments) == mended
    assert call.parse_error == "a text holds half a surrogate pair"
    told.model_dump_json()
    mend_output(told)
    assert call.parse_error is not None, "what was mended once stays unreadable"


def test_a_call_without_a_half_stays_as_it_is() -> None:
    whole = ToolCall("1", "f", {"\U0001f600": ["\U0001f600", 1, {"a": None}]})
    broken = ToolCall(HALF, "f", {}, parse_error=f"no JSON: {HALF}")
    mend_output(told := output("\U0001f600", whole, broken))
    assert told.message.content == "\U0001f600"
    assert told.message.tool_calls == [
        ToolCall("1", "f", {"\U0001f600": ["\U0001f600", 1, {"a": None}]}),
        ToolCall(MENDED, "f", {}, parse_error=f"no JSON: {MENDED}"),
    ]


def whole_beside(folder: Path, kind: Kind, faults: Sequence[str], solver: Solver | None) -> None:
    """Check the log, and a sample beside those that meet the faults."""
    cases = [Case(name, CALL, stays=True) for name in ["text beside a call", *faults]]
    sound, *halved = play(folder, kind, False, cases, solver=solver, log_model_api=True, log_realtime=True)
    assert values(sound.sample)["utb_exact"] is True
    for one in halved:
        outputs = [event.output.model_dump_json() for event in one.sample.events if event.event == "model"]
        assert any("\ufffd" in output for output in outputs) == (one.outcome != "error"), one.case
    log = newest_log(folder / "logs")
    assert log.status == "success"
    assert len(log.samples or ()) == len(cases)
    log.model_dump_json()  # raises where half a pair is left


@pytest.mark.parametrize("kind", KINDS)
def test_the_log_and_the_other_samples_are_whole(tmp_path: Path, kind: Kind) -> None:
    faults = [name for name in FAULTS if name.startswith("half a surrogate pair") and FAULTS[name].calls]
    assert len(faults) == 4
    whole_beside(tmp_path, kind, faults, None)


@pytest.mark.parametrize("kind", KINDS)
def test_they_are_with_another_solver(tmp_path: Path, kind: Kind) -> None:
    """It sends a message again as Inspect keeps it, which the test's server takes of these alone."""
    faults = [f"half a surrogate pair {where}" for where in ("beside a call", "in an answer", "in arguments")]
    whole_beside(tmp_path, kind, faults[:2] if kind == "responses" else faults, generate())
