"""What went wrong."""

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from utb_inspect.scorers.judged import Judged, score_of
from utb_inspect.scorers.metrics import incidence
from utb_inspect.trajectory.verdict import LABELS, SPEC_VERSION


@scorer(metrics=[incidence()], verdict=SPEC_VERSION)
def utb_labels() -> Scorer:
    """The failure labels of a turn, each 1 or 0; all 0 when it is exact.

    Unscored when the run ended in an error. Source: spec section 5, Labels.
    """

    def value(judged: Judged) -> Score:
        labels = judged.verdict.labels
        # Numbers: Inspect View shows true as something good.
        return Score(
            value={label: int(label in labels) for label in LABELS}, answer=", ".join(sorted(labels)) or "none"
        )

    async def score(state: TaskState, target: Target) -> Score:
        return score_of(state, value)

    return score
