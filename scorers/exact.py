"""Exact decisions."""

from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState

from utb_inspect.scorers.judged import judged, unscored
from utb_inspect.scorers.metrics import breakdown, stderr


@scorer(metrics=[accuracy(), stderr(), breakdown()])
def utb_exact() -> Scorer:
    """Whether every call, argument, order, question and the answer are as the reference has them.

    Value: true or false. Unscored when the run ended in an error. Source: spec section 5, Exact.
    """

    async def score(state: TaskState, target: Target) -> Score:
        found = judged(state)
        if isinstance(found, str):
            return unscored(found)
        return Score(value=found.verdict.exact, answer=found.answer, explanation=found.explanation)

    return score
