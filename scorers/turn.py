"""What the sample list shows of a turn beside its verdicts."""

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from utb_inspect.scorers.judged import Judged, score_of
from utb_inspect.scorers.metrics import flagged
from utb_inspect.trajectory.verdict import SPEC_VERSION

_SHOWN = ("task_type", "subtype", "third", "profile")


@scorer(metrics=[flagged()], verdict=SPEC_VERSION)
def utb_turn() -> Scorer:
    """Labels in one line, flags, and what kind of turn it is, as texts.

    Inspect View can only show scores as columns, and filters texts by what they hold. Unscored when the run ended in an
    error.
    """

    async def score(state: TaskState, target: Target) -> Score:
        def value(judged: Judged) -> Score:
            labels = ", ".join(sorted(judged.verdict.labels))
            shown = {key: str(state.metadata.get(key, "")) for key in _SHOWN}
            return Score(value={"labels": labels, "flags": ", ".join(judged.flags), **shown}, answer=judged.answer)

        return score_of(state, value)

    return score
