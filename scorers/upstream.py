"""The public evaluator's verdict."""

from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState

from utb_inspect.answers import UpstreamAnswers
from utb_inspect.datasets.record import TurnRecord
from utb_inspect.explain import escape, run_line
from utb_inspect.scorers.judged import CUT_SHORT, run_fault, unscored
from utb_inspect.scorers.metrics import breakdown, stderr
from utb_inspect.trajectory.run import replay
from utb_inspect.upstream import UPSTREAM_VERSION, UpstreamVerdict


@scorer(metrics=[accuracy(), stderr(), breakdown()], verdict=UPSTREAM_VERSION)
def utb_upstream() -> Scorer:
    """Whether the public evaluator labels the run `correct`, its quirks included.

    Only for runs made with `verdict=upstream`, which are answered and stopped as that evaluator does it; others are
    unscored, and so are runs that ended in an error. Source: spec section 5, Upstream verdicts.
    """

    async def score(state: TaskState, target: Target) -> Score:
        if (fault := run_fault(state)) is not None:
            return unscored(fault)
        record = TurnRecord.load(state.store)
        if record is None or record.public is None:
            return unscored("the run was not made with verdict=upstream")
        run = UpstreamAnswers(record)
        messages = record.messages(state.messages)
        replay(run, messages)
        if run.ended is None:
            return unscored(CUT_SHORT)
        verdict = run.verdict()
        return Score(
            value=verdict.label == "correct",
            answer=run_line(messages, ended=True),
            explanation=_explained(verdict),
            metadata={
                "action_name_label": verdict.action_name_label,
                "action_arguments_label": verdict.action_arguments_label,
                "is_optimal": verdict.is_optimal,
                "steps": verdict.steps,
            },
        )

    return score


def _explained(verdict: UpstreamVerdict) -> str:
    if verdict.label == "correct":
        return "**Correct** by the public evaluator."
    return "\n".join(["**Wrong** by the public evaluator:", "", *(f"- {escape(why)}" for why in verdict.reasons)])
