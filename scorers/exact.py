"""Exact decisions."""

from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState

from utb_inspect.scorers.judged import Judged, score_of
from utb_inspect.scorers.metrics import breakdown, stderr
from utb_inspect.trajectory.verdict import SPEC_VERSION


@scorer(metrics=[accuracy(), stderr(), breakdown()], verdict=SPEC_VERSION)
def utb_exact() -> Scorer:
    """Whether every call, argument, order, question and the answer are as the reference has them.

    Value: true or false. Unscored when the run ended in an error. Source: spec section 5, Exact.
    """

    def value(judged: Judged) -> Score:
        return Score(value=judged.verdict.exact, answer=judged.answer, explanation=judged.explanation)

    async def score(state: TaskState, target: Target) -> Score:
        return score_of(state, value)

    return score
