"""The public evaluator's verdict."""

from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState

from utb_inspect.datasets.record import TurnRecord, marked_error
from utb_inspect.scorers.judged import unscored
from utb_inspect.scorers.metrics import breakdown, stderr


@scorer(metrics=[accuracy(), stderr(), breakdown()])
def utb_upstream() -> Scorer:
    """Whether the public evaluator labels the run `correct`, its quirks included.

    Only for runs made with `verdict=upstream`, which are answered and stopped as that evaluator does it; others are
    unscored, and so are runs that ended in an error. Source: spec section 5, Upstream verdicts.
    """
    from utb_inspect.upstream import UpstreamCall, UpstreamRun  # loads jieba

    async def score(state: TaskState, target: Target) -> Score:
        if (error := marked_error(state.store)) is not None:
            return unscored(error)
        record = TurnRecord.load(state.store)
        if record is None or record.public is None:
            return unscored("the run was not made with verdict=upstream")
        run = UpstreamRun(record.public.tools, record.public.answer_list)
        ended = False
        for message in record.messages(state.messages):
            if ended:
                break
            calls = [UpstreamCall(call.id, call.name, call.arguments) for call in message.calls]
            ended = run.reply(message.text or None, calls or None).ended
        if not ended:
            return unscored("the run was cut short from outside")
        verdict = run.verdict()
        return Score(
            value=verdict.label == "correct",
            explanation="\n".join(verdict.reasons) or "Correct by the public evaluator.",
            metadata={
                "action_name_label": verdict.action_name_label,
                "action_arguments_label": verdict.action_arguments_label,
                "is_optimal": verdict.is_optimal,
                "steps": verdict.steps,
            },
        )

    return score
