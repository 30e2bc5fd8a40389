"""What was wrong with a run, fault by fault: why it is slight or major, and why it has each label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from utb_inspect.explain.markdown import escape, name, quote, series
from utb_inspect.explain.reasons import basis_words
from utb_inspect.explain.steps import ask_verdict, further, items, nearest
from utb_inspect.trajectory.agreement import ArgumentCheck
from utb_inspect.trajectory.run import MadeCall
from utb_inspect.trajectory.verdict import LABELS, Label, PathVerdict

_ASKED = {"not asked": "not asked", "too late": "asked too late", "off target": "asked off target"}
"""How a question went wrong, to words for it."""


# --- severity ------------------------------------------------------------------------------------------------


def severity_reasons(against: PathVerdict) -> list[str]:
    """What makes a decision that is not exact slight, or major: all of it, in a few words each."""
    return list(_major(against)) or list(_slight(against))


def _major(against: PathVerdict) -> Iterator[str]:
    calls = {step.id for step in against.state.path.calls}
    writes = [call.name for call in against.further if against.is_write(call)]
    free = [*against.further, *against.invalid]
    early = {call.index: call.name for call, before in against.out_of_order if before in calls}
    differing = _differing(against)
    if missing := [step.call for step in against.missing]:
        yield _counted("a call is", "calls are", "missing", missing)
    if writes:
        yield _counted("a further call", "further calls", "changed something", writes)
    if against.guesses:
        yield f"wrong values were tried ({_names(call.name for call in against.guesses)})"
    if len(free) > 1 and not writes and not against.guesses:
        yield f"{len(free)} calls too many were made"
    if early:
        yield _counted("a call", "calls", "came too early", list(early.values()))
    for went, asks in _wrong_asks(against):
        yield f"{'a question was' if len(asks) == 1 else 'questions were'} {went} ({series(asks)})"
    if wrong := [check.path for check in differing if check.misses_unambiguous]:
        yield _counted("an unambiguous argument differs", "unambiguous arguments differ", "", wrong)
    if added := [check.path for check in differing if check.unsupported]:
        yield _counted("an unsupported argument was", "unsupported arguments were", "added", added)
    if not against.answered:
        yield "there is no answer"


def _slight(against: PathVerdict) -> Iterator[str]:
    if tastes := [check.path for check in _differing(against)]:
        strict = against.run.turn.task_type == "lack_of_information"
        unforgiven = ", which a lack-of-information turn does not forgive" if strict else ""
        yield _counted("only a preference differs", "only preferences differ", "", tastes) + unforgiven
    if against.further or against.invalid:
        yield "one call without effect was made"


def _wrong_asks(against: PathVerdict) -> Iterator[tuple[str, list[str]]]:
    """Each way in which a question goes wrong, with the items of those that did."""
    for verdict, went in _ASKED.items():
        if asks := [items(ask.ask) for ask in against.wrong_asks if ask_verdict(against, ask) == verdict]:
            yield went, asks


def _differing(against: PathVerdict) -> list[ArgumentCheck]:
    return [check for checks in against.checks.values() for check in checks if not check.agrees]


def _counted(one: str, several: str, what: str, names: Sequence[str]) -> str:
    """`a call is missing (findTrains)`, `calls are missing (findTrains twice and bookTrain)`."""
    return " ".join(filter(None, (one if len(names) == 1 else several, what, f"({_names(names)})")))


# --- labels --------------------------------------------------------------------------------------------------


def label_reasons(against: PathVerdict) -> list[str]:
    """A line a label: the label and everything that earns it."""
    return [
        f"`{label}`: {series(dict.fromkeys(_REASONS[label](against)), '; ', '; ')}"
        for label in LABELS
        if label in against.labels
    ]


def _wrong_tool(against: PathVerdict) -> Iterator[str]:
    known = {step.call for step in against.state.path.calls}

    def fault(call: MadeCall) -> str:
        return f"{further(against, call)}, {'one call too many' if call.name in known else 'no tool of the reference'}"

    return _grouped(against.further, fault)


def _missing_tool(against: PathVerdict) -> Iterator[str]:
    for step in against.missing:
        yield f"{name(step.call)} (step {name(step.id)}) was not called"


def _user_constraint(against: PathVerdict) -> Iterator[str]:
    def guess(call: MadeCall) -> str:
        return f"guess, differs in {_arguments(c for c in nearest(against, call)[1] if c.misses_unambiguous)}"

    yield from _grouped(against.guesses, guess)
    yield from _differ(against, lambda c: c.misses_unambiguous and c.basis != "observation")
    for call, checks in _calls_with(against, lambda c: c.unsupported):
        yield f"{_made([call])} adds {_names(c.path for c in checks)}, which nothing supports"


def _implicit_preference(against: PathVerdict) -> Iterator[str]:
    return _differ(against, lambda check: check.misses_preference)


def _sequence_dependency(against: PathVerdict) -> Iterator[str]:
    made = {step.id for step in against.assigned.values()}
    for call, before in against.out_of_order:
        if before in made:
            yield f"{_made([call])} was made before step {name(before)} had returned"
    yield from _differ(against, lambda check: check.misses_unambiguous and check.basis == "observation")


def _clarification(against: PathVerdict) -> Iterator[str]:
    for went, asks in _wrong_asks(against):
        yield f"{went} ({series(asks)})"
    if against.ended_on_question and against.missing:
        yield f"the run ended on a question, {quote(against.run.final_text)}, while a call was still to be made"


def _malformed_call(against: PathVerdict) -> Iterator[str]:
    return _grouped(against.invalid, lambda call: escape(call.read.fault or ""))


def _no_answer(against: PathVerdict) -> Iterator[str]:
    yield "the last message is empty" if against.run.ended == "no_answer" else "the run was over before an answer"


def _stale_preference(against: PathVerdict) -> Iterator[str]:
    for call, checks in _calls_with(against, lambda check: check.stale):
        yield f"{_made([call])} has {_names(c.path for c in checks)} as it does not hold here"


_REASONS: Mapping[Label, Callable[[PathVerdict], Iterable[str]]] = {
    "wrong_tool": _wrong_tool,
    "missing_tool": _missing_tool,
    "user_constraint": _user_constraint,
    "implicit_preference": _implicit_preference,
    "sequence_dependency": _sequence_dependency,
    "clarification": _clarification,
    "malformed_call": _malformed_call,
    "no_answer": _no_answer,
    "stale_preference": _stale_preference,
}

Counts = Callable[[ArgumentCheck], bool]


def _calls_with(against: PathVerdict, counts: Counts) -> Iterator[tuple[MadeCall, list[ArgumentCheck]]]:
    """Calls and those of their arguments that count, of calls that have any."""
    for index, checks in sorted(against.checks.items()):
        if found := [check for check in checks if counts(check)]:
            yield against.run.calls[index], found


def _differ(against: PathVerdict, counts: Counts) -> Iterator[str]:
    for call, checks in _calls_with(against, counts):
        yield f"{_made([call])} differs in {_arguments(checks)}"


def _grouped(calls: Iterable[MadeCall], fault: Callable[[MadeCall], str]) -> Iterator[str]:
    """Calls of one tool with one fault together."""
    groups: dict[tuple[str, str], list[MadeCall]] = {}
    for call in calls:
        groups.setdefault((call.name, fault(call)), []).append(call)
    for (_, words), together in groups.items():
        yield f"{_made(together)}: {words}"


def _made(calls: Sequence[MadeCall]) -> str:
    """Calls of one tool: `findTrains (round 1)`, `3 calls of findTrains (rounds 1 and 2)`."""
    rounds = [str(call.round + 1) for call in calls]
    many = f"{len(calls)} calls of " if len(calls) > 1 else ""
    each = list(dict.fromkeys(rounds))
    return f"{many}{name(calls[0].name)} (round{'s' * (len(each) > 1)} {series(each)})"


def _arguments(checks: Iterable[ArgumentCheck]) -> str:
    return series(f"{name(check.path)} ({name(basis_words(check))})" for check in checks)


def _names(names: Iterable[str]) -> str:
    times = {1: "", 2: " twice"}
    return series(f"{name(each)}{times.get(n, f' {n} times')}" for each, n in Counter(names).items())
