"""The oracle: plays the reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inspect_ai.model import ChatMessage
from inspect_ai.tool import ToolInfo
from inspect_ai.util import store

from utb_inspect.baselines.player import Action, rounds_played, to_message
from utb_inspect.datasets.record import TurnRecord
from utb_inspect.datasets.wire import wire_name
from utb_inspect.schema import AnswerStep, AskStep, CallStep, DataError
from utb_inspect.trajectory.questions import on_target
from utb_inspect.upstream import play_order


@dataclass(frozen=True)
class Round:
    """One message of a plan, and the steps of the reference that it plays (none in a round of a mistake)."""

    action: Action
    steps: tuple[CallStep | AskStep | AnswerStep, ...] = ()


Plan = tuple[Round, ...]
"""The messages of a run, first to last."""


class Oracle:
    """Reads the reference from the sample's store and plays it: exact on every sample of a sound dataset."""

    async def act(self, messages: list[ChatMessage], tools: list[ToolInfo]) -> Action:
        return planned(reference_plan(current_record()), messages)


def planned(plan: Plan, messages: Sequence[ChatMessage]) -> Action:
    """What a plan has for this round; past its end, its last message again."""
    return plan[min(rounds_played(messages), len(plan) - 1)].action


def current_record() -> TurnRecord:
    """The record of the sample that is being played.

    Raises:
        DataError: the task is not one of this suite.
    """
    record = TurnRecord.load(store())
    if record is None:
        raise DataError("this model plays samples of this suite's tasks only, e.g. utb_inspect/multi_tool")
    return record


def reference_plan(record: TurnRecord) -> Plan:
    """The reference as messages: the first due question, else every call that is ready, at last the answer.

    Played against a run of the turn as it is planned, since one question may meet several asks.
    """
    if record.verdict == "upstream":
        assert record.public is not None  # set for verdict=upstream
        steps = record.turn.paths[0].steps
        return tuple(_round([steps[i] for i in round_]) for round_ in play_order(record.public.answer_list))
    run = record.run()
    state = run.paths[0]
    plan: list[Round] = []
    while run.ended is None:
        plan.append(_round(state.next_steps()))
        run.reply(record.message(to_message(plan[-1].action, [], len(plan))))
    return tuple(plan)


def _round(steps: Sequence[CallStep | AskStep | AnswerStep]) -> Round:
    return Round(_action(steps), tuple(steps))


def _action(steps: Sequence[CallStep | AskStep | AnswerStep]) -> Action:
    match steps[0]:
        case AskStep():
            return Action(question(steps[0]))
        case AnswerStep():
            return Action(steps[0].answer)
        case _:
            calls = [step for step in steps if isinstance(step, CallStep)]
            return Action(calls=[(wire_name(step.call), step.arguments) for step in calls])


def question(step: AskStep) -> str:
    """The recorded question, or one made of the cues when that would not be read as one (public data)."""
    if on_target(step, step.message):
        return step.message
    wanted = " and ".join(step.cues[item][0] for item in step.ask)
    return f"Could you tell me the {wanted}?"
