"""What a reader needs beside the tables: questions that went wrong, and where a value could be known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from utb_inspect.explain.markdown import LONGEST_QUOTE, clip, escape, name, quote, series, value
from utb_inspect.explain.steps import asked_in, items, nearest
from utb_inspect.schema import AskStep, CallStep
from utb_inspect.trajectory.agreement import ArgumentCheck, check_arguments
from utb_inspect.trajectory.questions import on_target
from utb_inspect.trajectory.verdict import PathVerdict


def question_notes(against: PathVerdict) -> list[str]:
    """A line for each due question that went wrong: what was missing, what should have been asked, what was."""
    return [f"{_due(ask)} {_went(against, ask)}" for ask in against.wrong_asks]


def _due(ask: AskStep) -> str:
    was = "was" if len(ask.ask) == 1 else "were"
    return f"**{items(ask.ask)}** could not be known and {was} to be asked for: {quote(ask.message)}"


def _went(against: PathVerdict, ask: AskStep) -> str:
    asked = against.state.asked.get(ask.id)
    if asked is None:
        return "That was not asked."
    text, number = against.run.messages[asked.round].text, asked.round + 1
    how = "came after a call that should have waited for the reply" if asked.on_target else _off(ask, text)
    spent = [other for other in against.wrong_asks if asked_in(against, other, asked.round)]
    # A question that several asks were spent on is quoted once.
    said = f"Round {number} asked {quote(text)}, which" if ask is spent[0] else f"The question of round {number}"
    return f"{said} {how}."


def _off(ask: AskStep, text: str) -> str:
    """Why a question is off target."""
    faults = []
    if lacking := [item for item in ask.ask if not on_target(_part(ask, [item]), text)]:
        cues = ", ".join(cue for item in lacking for cue in ask.cues[item])
        faults.append(f"has no word that asks for {items(lacking)} ({escape(clip(cues, longest=LONGEST_QUOTE))})")
    if settled := _needless(ask, text):
        faults.append(f"asks for {items(settled)}, which {'is' if len(settled) == 1 else 'are'} settled")
    return " and ".join(faults)


def _part(ask: AskStep, ask_: Sequence[str], settled: Sequence[str] = ()) -> AskStep:
    """An ask step of some of its items only."""
    return ask.model_copy(update={"ask": list(ask_), "settled": {item: ask.settled[item] for item in settled}})


def _needless(ask: AskStep, text: str) -> list[str]:
    """The settled items that a question asks for."""
    return [item for item in ask.settled if not on_target(_part(ask, [], [item]), text)]


def evidence_notes(against: PathVerdict) -> list[str]:
    """A line for each argument that history settles and the run missed: the turns and words that show its value."""
    return list(dict.fromkeys(note for check in _missed(against) if (note := _evidence_note(check))))


def _missed(against: PathVerdict) -> Iterator[ArgumentCheck]:
    """What differs in calls and guesses, what was asked for though settled, and all of the calls that are missing."""
    for _, checks in sorted(against.checks.items()):
        yield from (check for check in checks if not check.agrees)
    for call in against.guesses:
        yield from (check for check in nearest(against, call)[1] if not check.agrees)
    asked = against.state.asked
    needless = {
        item
        for ask in against.wrong_asks
        if ask.id in asked
        for item in _needless(ask, against.run.messages[asked[ask.id].round].text)
    }
    for step in against.state.path.calls if needless else against.missing:
        missing = step in against.missing
        yield from (check for check in _whole(against, step) if missing or check.path in needless)


def _whole(against: PathVerdict, step: CallStep) -> list[ArgumentCheck]:
    """The arguments of a reference call, beside nothing."""
    state = against.state
    return check_arguments(state.tools[step.call], step, {}, state.observations)


def _evidence_note(check: ArgumentCheck) -> str:
    ground = check.ground
    if ground is None or ground.basis not in ("history", "preference") or not ground.evidence:
        return ""
    shown = series(f"{name(e.turn)} {quote(e.quote)}" for e in ground.evidence)
    replaced = "".join(
        f"; not {value(old.value)}, as in {name(old.turn)} {quote(old.quote)}" for old in ground.superseded
    )
    return f"**{name(check.path)}** = {value(check.reference, LONGEST_QUOTE)} ({ground.basis}): {shown}{replaced}"
