"""A sample judged: the one computation that all scorers share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

from utb_inspect.datasets.record import TurnRecord, marked_cut, marked_error, marked_played
from utb_inspect.explain import explain, run_line
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
        """The run in one line."""
        return run_line(self.run)

    @cached_property
    def explanation(self) -> str:
        return explain(self.run, self.verdict, cut=self.cut)


_judged: WeakKeyDictionary[TaskState, Judged | str] = WeakKeyDictionary()


def judged(state: TaskState) -> Judged | str:
    """Judge a sample from what its log holds; a text says why there is nothing to judge."""
    if state not in _judged:
        _judged[state] = _judge(state)
    return _judged[state]


def _judge(state: TaskState) -> Judged | str:
    if (error := marked_error(state.store)) is not None:
        return error
    record = TurnRecord.load(state.store)
    if record is None:
        return "the sample has no turn in its store; it was not set up by utb_inspect/show"
    if record.verdict == "upstream":
        return "the run was made with verdict=upstream, which stops at the first wrong action"
    run = record.run()
    replay(run, record.messages(state.messages))
    if not marked_played(state.store) and state.output.choices and (fault := provider_fault(state.output)) is not None:
        return fault  # another solver leaves no mark
    if run.ended is None and (marked_played(state.store) or not run.messages or run.messages[-1].calls):
        # The suite's own solver ends every run it is not kept from ending; others go on as long as there are calls.
        return "the run was cut short from outside (an error, or a limit on time, tokens or messages)"
    return Judged(run, judge(run), marked_cut(state.store))


def unscored(reason: str) -> Score:
    """A score that no metric counts, with why."""
    return Score.unscored(reason="scoring_failed", explanation=f"Not scored: {reason}.")
