"""The steps of a run beside the reference's, in the order made, and the arguments of each call that differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from utb_inspect.explain.markdown import (
    LONGEST,
    LONGEST_CALL,
    MOST_ROWS,
    Row,
    escape,
    first,
    name,
    quote,
    series,
    table,
    value,
    values,
)
from utb_inspect.explain.reasons import SAME, basis_words, reason
from utb_inspect.schema import AskStep, CallStep
from utb_inspect.trajectory.agreement import ArgumentCheck
from utb_inspect.trajectory.questions import is_question
from utb_inspect.trajectory.run import MadeCall
from utb_inspect.trajectory.verdict import PathVerdict

_STEPS = ("#", "made", "reference", "verdict")
_ARGUMENTS = ("argument", "made", "reference", "verdict")
_MOST_TABLES = 8
"""Calls whose arguments are shown."""


def steps_table(against: PathVerdict) -> str:
    """Rows of calls, questions and the answer as they were made; then what the reference has and the run has not.

    The first column is the round, from 1.
    """
    made: list[Row] = []
    for round_, message in enumerate(against.run.messages):
        made.extend(_call_row(against, call) for call in against.run.calls if call.round == round_)
        if not message.calls:
            made.append(_text_row(against, round_, message.text))
    return table(_STEPS, [*first(made), *_absent_rows(against)])


def argument_tables(against: PathVerdict) -> Iterator[str]:
    """For each call that differs, and each guess: which it is, and a table of its arguments."""
    differ = {i: ("", checks) for i, checks in against.checks.items() if not all(check.agrees for check in checks)}
    for call in against.guesses:
        if further(against, call) != "repeat":
            step, checks = nearest(against, call)
            differ[call.index] = f", a guess, beside step {name(step.id)}", checks
    for index, (beside, checks) in sorted(differ.items())[:_MOST_TABLES]:
        call = against.run.calls[index]
        yield f"Arguments of **{name(call.name)}** (round {call.round + 1}){beside}:"
        yield table(_ARGUMENTS, _argument_rows(checks))
    if len(differ) > _MOST_TABLES:
        yield f"{len(differ) - _MOST_TABLES} more calls differ."


def nearest(against: PathVerdict, guess: MadeCall) -> tuple[CallStep, list[ArgumentCheck]]:
    """The reference call that a guess misses by the least, and the arguments of both."""
    state = against.state
    each = [(step, state.checks(guess, step)) for step in state.steps_of(guess.name)]
    return min(each, key=lambda found: sum(check.misses_unambiguous for check in found[1]))


# --- rows ----------------------------------------------------------------------------------------------------


def _call_row(against: PathVerdict, call: MadeCall) -> Row:
    number = str(call.round + 1)
    step = against.assigned.get(call.index)
    if step is None:
        unread = not call.valid and not call.read.arguments
        arguments = "" if unread else f" {value(call.read.arguments, LONGEST_CALL)}"
        return number, f"{name(call.name)}{arguments}", "", further(against, call)
    faults = []
    if early := [before for late, before in against.out_of_order if late is call]:
        steps = f"step {name(early[0])} comes" if len(early) == 1 else f"steps {series(map(name, early))} come"
        faults.append(f"too early: {steps} first")
    checks = against.checks[call.index]
    if wrong := sum(not check.agrees for check in checks):
        of = f"{wrong} of {len(checks)} arguments" if len(checks) > 1 else "the argument"
        faults.append(f"{of} differ{'s' * (wrong == 1)}")
    return number, name(call.name), _step(step), "; ".join(faults) or "right"


def further(against: PathVerdict, call: MadeCall) -> str:
    """What a call that stands for no reference call is."""
    if not call.valid:
        return "not valid"
    if against.is_write(call):
        return "further write"
    if call.read.key in (other.read.key for other in against.run.calls[: call.index] if other.valid):
        return "repeat"
    return "guess" if call in against.guesses else "further read"


def _text_row(against: PathVerdict, round_: int, text: str) -> Row:
    number, run = str(round_ + 1), against.run
    if not text.strip():
        return number, "says nothing", "answer", "no answer"
    said = f"{'asks' if is_question(text) else 'answers'}: {quote(text, LONGEST)}"
    if run.ended == "answer" and round_ == len(run.messages) - 1:
        needless = against.ended_on_question and against.missing
        return (number, said, "", "not due") if needless else (number, said, "answer", "given")
    met = [ask for ask in against.state.path.asks if asked_in(against, ask, round_)]
    verdicts = dict.fromkeys(ask_verdict(against, ask) for ask in met)
    return number, said, ", ".join(map(_ask, met)), ", ".join(verdicts) or "not due"


def asked_in(against: PathVerdict, ask: AskStep, round_: int) -> bool:
    """Whether a question of a round met an ask step, or spent it."""
    asked = against.state.asked.get(ask.id)
    return asked is not None and asked.round == round_


def ask_verdict(against: PathVerdict, ask: AskStep) -> str:
    """How a due question went."""
    asked = against.state.asked.get(ask.id)
    if asked is None:
        return "not asked"
    return "right" if against.ask_is_right(ask) else "too late" if asked.on_target else "off target"


def _absent_rows(against: PathVerdict) -> Iterator[Row]:
    for ask in against.state.path.asks:
        if ask.id not in against.state.asked:
            yield "", "(not asked)", _ask(ask), "**missing**"
    for step in against.missing:
        yield "", "(not called)", f"{_step(step)} {value(step.arguments, LONGEST_CALL)}", "**missing**"


def _argument_rows(checks: Sequence[ArgumentCheck]) -> list[Row]:
    """A row an argument; of very many, those that differ come first."""
    ordered = checks if len(checks) <= MOST_ROWS else sorted(checks, key=lambda check: check.agrees)
    return first([_argument_row(check) for check in ordered])


def _argument_row(check: ArgumentCheck) -> Row:
    right, made = values(check.reference, check.made)
    basis = basis_words(check)
    verdict = f"{'agrees' if check.agrees else '**differs**'}{f' ({name(basis)})' if basis else ''}"
    why = reason(check)
    return name(check.path), made, right, verdict if why == SAME else f"{verdict}: {escape(why)}"


# --- words ---------------------------------------------------------------------------------------------------


def _step(step: CallStep) -> str:
    return f"{name(step.id)}: {name(step.call)}"


def _ask(ask: AskStep) -> str:
    return f"{name(ask.id)}: ask {items(ask.ask)}"


def items(names: Sequence[str]) -> str:
    """Missing items, escaped."""
    return series(map(name, names))
