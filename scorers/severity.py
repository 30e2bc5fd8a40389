"""How bad a wrong decision is."""

from inspect_ai.scorer import Score, Scorer, Target, frequency, scorer
from inspect_ai.solver import TaskState

from utb_inspect.scorers.judged import Judged, score_of
from utb_inspect.trajectory.verdict import SPEC_VERSION


@scorer(metrics=[frequency(categories=["none", "slight", "major"])], verdict=SPEC_VERSION)
def utb_severity() -> Scorer:
    """`none`, `slight` or `major`. Unscored when the run ended in an error. Source: spec section 5, Severity."""

    def value(judged: Judged) -> Score:
        return Score(value=judged.verdict.severity, answer=judged.answer)

    async def score(state: TaskState, target: Target) -> Score:
        return score_of(state, value)

    return score
