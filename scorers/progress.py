"""How far a run got, and in how many steps."""

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from utb_inspect.scorers.judged import Judged, score_of
from utb_inspect.scorers.metrics import figures
from utb_inspect.trajectory.verdict import SPEC_VERSION


@scorer(metrics=[figures()], verdict=SPEC_VERSION)
def utb_progress() -> Scorer:
    """Progress (0 to 1), optimal, asked, and counts of rounds, calls, questions and question sentences.

    Unscored when the run ended in an error. Source: spec section 5, Further per-turn figures.
    """

    def value(judged: Judged) -> Score:
        verdict = judged.verdict
        return Score(
            value={
                "progress": verdict.progress,
                "optimal": verdict.optimal,
                "asked": verdict.asked,
                "rounds": verdict.rounds,
                "calls": verdict.calls,
                "questions": verdict.questions,
                "question_sentences": verdict.question_sentences,
            },
            answer=judged.answer,
            metadata={"ended": judged.ended, "cut": judged.cut},
        )

    async def score(state: TaskState, target: Target) -> Score:
        return score_of(state, value)

    return score
