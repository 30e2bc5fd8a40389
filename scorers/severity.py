"""How bad a wrong decision is."""

from inspect_ai.scorer import Score, Scorer, Target, frequency, scorer
from inspect_ai.solver import TaskState

from utb_inspect.scorers.judged import judged, unscored


@scorer(metrics=[frequency(categories=["none", "slight", "major"])])
def utb_severity() -> Scorer:
    """`none`, `slight` or `major`. Unscored when the run ended in an error. Source: spec section 5, Severity."""

    async def score(state: TaskState, target: Target) -> Score:
        found = judged(state)
        if isinstance(found, str):
            return unscored(found)
        return Score(value=found.verdict.severity, answer=found.answer)

    return score
