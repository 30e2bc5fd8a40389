"""Relaxed decisions."""

from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState

from utb_inspect.scorers.judged import Judged, score_of
from utb_inspect.scorers.metrics import breakdown, stderr
from utb_inspect.trajectory.verdict import SPEC_VERSION


@scorer(metrics=[accuracy(), stderr(), breakdown()], verdict=SPEC_VERSION)
def utb_relaxed() -> Scorer:
    """Whether the decision is right but for preferences, order without need, and calls without effect.

    Value: true or false. Unscored when the run ended in an error. Source: spec section 5, Relaxed.
    """

    def value(judged: Judged) -> Score:
        return Score(value=judged.verdict.relaxed, answer=judged.answer)

    async def score(state: TaskState, target: Target) -> Score:
        return score_of(state, value)

    return score
