"""A run explained: what was right, what was made, and why that differs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from utb_inspect.schema import AnswerStep, AskStep
from utb_inspect.trajectory.agreement import ArgumentCheck
from utb_inspect.trajectory.calls import Message
from utb_inspect.trajectory.json_schema import MISSING
from utb_inspect.trajectory.questions import is_question
from utb_inspect.trajectory.run import MadeCall, Run
from utb_inspect.trajectory.verdict import PathVerdict, Verdict

_LONGEST = 160
_ENDED = {
    "answer": "the run ended with an answer",
    "no_answer": "the run ended without an answer",
    "off_path": "the run was stopped at a call off the reference path",
    "step_cap": "the run was ended by the step cap",
    None: "the run was not ended",
}


def run_line(messages: Sequence[Message], ended: bool) -> str:
    """A run in one line: `searchTrains > bookTrain > answer`, calls of one round joined by `+`."""
    words = []
    for i, message in enumerate(messages):
        if message.calls:
            words.append(" + ".join(call.name for call in message.calls))
        elif not message.text.strip():
            words.append("nothing")
        elif is_question(message.text):
            words.append("question")
        else:
            words.append("answer" if ended and i == len(messages) - 1 else "text")
    return " > ".join(words)


def explain(run: Run, verdict: Verdict, cut: bool = False) -> str:
    """The verdict in words, then a table of the steps and of the arguments that differ (Markdown)."""
    return "\n\n".join(_sections(run, verdict, cut))


def _sections(run: Run, verdict: Verdict, cut: bool) -> Iterator[str]:
    against = verdict.against
    kind = "exact" if verdict.exact else "relaxed, not exact" if verdict.relaxed else "wrong"
    labels = f" Labels: {', '.join(f'`{label}`' for label in sorted(verdict.labels))}." if verdict.labels else ""
    severity = "" if verdict.exact else f", severity **{verdict.severity}**"
    ended = _ENDED[run.ended]
    if against.ended_on_question and against.missing:
        ended = "the run ended on a question while a call was still to be made,"
    rounds = f"{verdict.rounds} round{'s' * (verdict.rounds != 1)}"
    yield f"The decision is **{kind}**{severity}; {ended} after {rounds}.{labels}"
    if cut:
        yield "An output was cut at `max_tokens`; the decision counts as it stands."
    if len(run.paths) > 1:
        which = "the reference" if verdict.path == 0 else f"alternative {verdict.path}"
        yield f"Judged against {which}, the path of {len(run.paths)} that comes out best."
    if rows := list(_step_rows(against)):
        yield _table(("step", "reference", "made", "round", "verdict"), rows)
    if rows := list(_argument_rows(against)):
        yield _table(("step", "argument", "reference", "made", "basis", "evidence"), rows)


def _step_rows(against: PathVerdict) -> Iterator[tuple[str, ...]]:
    calls = against.run.calls
    made = {step.id: calls[index] for index, step in against.assigned.items()}
    late = {(call.index, before) for call, before in against.out_of_order}
    for step in against.state.path.steps:
        if isinstance(step, AnswerStep):
            continue
        if isinstance(step, AskStep):
            asked = against.state.asked.get(step.id)
            if asked is None:
                yield step.id, f"ask {', '.join(step.ask)}", "", "", "not asked"
            else:
                right = against.ask_is_right(step)
                fault = "off target" if not asked.on_target else "too late"
                yield (
                    step.id,
                    f"ask {', '.join(step.ask)}",
                    "asked",
                    str(asked.round + 1),
                    "right" if right else fault,
                )
        elif step.id not in made:
            yield step.id, step.call, "", "", "missing"
        else:
            call = made[step.id]
            faults = [f"before '{b}'" for b in step.after if (call.index, b) in late]
            if wrong := sum(not check.agrees for check in against.checks[call.index]):
                faults.append(f"{wrong} argument{'s' if wrong > 1 else ''} differ{'' if wrong > 1 else 's'}")
            yield step.id, step.call, call.name, str(call.round + 1), ", ".join(faults) or "right"
    if against.ended_on_question and against.missing:
        yield "", "", f"asked: {_clip(against.run.final_text)}", str(len(against.run.messages)), "not due"
    for call in sorted([*against.further, *against.invalid], key=lambda call: call.index):
        yield (
            "",
            "",
            f"{call.name} {_value(call.read.arguments)}",
            str(call.round + 1),
            _further(against, call),
        )


def _further(against: PathVerdict, call: MadeCall) -> str:
    if call.read.fault is not None:
        return f"not valid: {call.read.fault}"
    return "a further write" if against.is_write(call) else "a guess" if call in against.guesses else "a further read"


def _argument_rows(against: PathVerdict) -> Iterator[tuple[str, ...]]:
    for index, checks in against.checks.items():
        for check in checks:
            if not check.agrees:
                step = against.assigned[index].id
                yield (
                    step,
                    check.path,
                    _value(check.reference),
                    _value(check.made) + (" (superseded)" if check.stale else ""),
                    check.basis or "unsupported",
                    _evidence(check),
                )


def _evidence(check: ArgumentCheck) -> str:
    if check.ground is None or check.basis not in ("history", "preference"):
        return ""
    return "; ".join(f"{e.turn}: “{e.quote}”" for e in check.ground.evidence)


def _value(value: Any) -> str:
    if value is MISSING:
        return "(left out)"
    return _clip(json.dumps(value, ensure_ascii=False))


def _clip(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    """Text that breaks no table and is no markup."""
    if text == "---":
        return text
    return re.sub(r"([\\`*_{}\[\]<>#|~$])", r"\\\1", " ".join(text.split()))
