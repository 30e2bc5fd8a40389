"""What went wrong."""

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from utb_inspect.scorers.judged import Judged, score_of
from utb_inspect.scorers.metrics import incidence
from utb_inspect.trajectory.verdict import LABELS, SPEC_VERSION


@scorer(metrics=[incidence()], verdict=SPEC_VERSION)
def utb_labels() -> Scorer:
    """The failure labels of a turn, each true or false; all false when it is exact.

    Unscored when the run ended in an error. Source: spec section 5, Labels.
    """

    def value(judged: Judged) -> Score:
        labels = judged.verdict.labels
        return Score(value={label: label in labels for label in LABELS}, answer=", ".join(sorted(labels)) or "none")

    async def score(state: TaskState, target: Target) -> Score:
        return score_of(state, value)

    return score
