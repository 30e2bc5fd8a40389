"""A sample judged: the one computation that all scorers share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

from inspect_ai.event import ErrorEvent, ModelEvent, SampleLimitEvent
from inspect_ai.log import transcript
from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

from utb_inspect.datasets.record import TurnRecord, marked_cut, marked_error, marked_played
from utb_inspect.explain import escape, explain, flags, run_line
from utb_inspect.faults import provider_fault
from utb_inspect.trajectory.run import Run, replay
from utb_inspect.trajectory.verdict import Verdict, judge


@dataclass(frozen=True)
class Judged:
    """A run with its verdict."""

    run: Run
    verdict: Verdict
    cut: bool
    """Whether an output was cut at `max_tokens`: a decision like another, but flagged."""

    @property
    def ended(self) -> str:
        return self.run.ended or "not ended"

    @cached_property
    def answer(self) -> str:
        """The run in one line, flags behind it."""
        line = run_line(self.run.messages, self.run.ended is not None)
        return " ".join([line, *(f"({flag})" for flag in self.flags)])

    @property
    def flags(self) -> list[str]:
        return flags(self.run, self.cut)

    @cached_property
    def explanation(self) -> str:
        return explain(self.run, self.verdict, cut=self.cut)


CUT_SHORT = "the run was cut short from outside (an error, or a limit on time, tokens or messages)"
"""Why a run that nobody ended is not scored."""

_judged: WeakKeyDictionary[TaskState, tuple[int, Judged | str]] = WeakKeyDictionary()


def judged(state: TaskState) -> Judged | str:
    """Judge a sample from what its log holds; a text says why there is nothing to judge."""
    length, found = _judged.get(state, (-1, ""))
    if length != len(state.messages):  # a solver may ask for a score before it goes on
        found = _judge(state)
        _judged[state] = len(state.messages), found
    return found


def _judge(state: TaskState) -> Judged | str:
    if (fault := run_fault(state)) is not None:
        return fault
    record = TurnRecord.load(state.store)
    if record is None:
        return "the sample has no turn in its store; it was not set up by utb_inspect/show"
    if record.verdict == "upstream":
        return "the run was made with verdict=upstream, which stops at the first wrong action"
    run = record.run()
    replay(run, record.messages(state.messages))
    if run.ended is None and (marked_played(state.store) or not run.messages or run.messages[-1].calls):
        # The suite's own solver ends every run it is not kept from ending; others go on as long as there are calls.
        return CUT_SHORT
    return Judged(run, judge(run), marked_cut(state.store))


def run_fault(state: TaskState) -> str | None:
    """The error that a run met: the mark of the suite's own solver; of others, which leave none, the transcript's."""
    return marked_error(state.store) or (None if marked_played(state.store) else _logged_fault())


def _logged_fault() -> str | None:
    """An error of the run as the transcript has it, both while it runs and when a log is scored again."""
    for event in transcript().events:
        match event:
            case ErrorEvent():
                return f"the run ended in an error: {event.error.message}"
            case SampleLimitEvent():
                return f"the run was cut short by a limit: {event.message}"
            case ModelEvent() if not event.pending and (fault := provider_fault(event.output)) is not None:
                return fault
    return None


def score_of(state: TaskState, score: Callable[[Judged], Score]) -> Score:
    """A sample's score, made from its verdict; unscored when there is nothing to judge."""
    found = judged(state)
    return unscored(found) if isinstance(found, str) else score(found)


def unscored(reason: str) -> Score:
    """A score that no metric counts, with why."""
    return Score.unscored(reason="scoring_failed", explanation=f"**Not scored**: {escape(reason)}")
