"""The oracle: plays the reference."""

from __future__ import annotations

from inspect_ai.model import ChatMessage
from inspect_ai.tool import ToolInfo
from inspect_ai.util import store

from utb_inspect.baselines.player import Action
from utb_inspect.datasets.record import TurnRecord
from utb_inspect.datasets.wire import wire_name
from utb_inspect.schema import AskStep, CallStep, DataError
from utb_inspect.trajectory.questions import on_target
from utb_inspect.trajectory.run import Run, replay


class Oracle:
    """Reads the reference from the sample's store and plays it: exact on every sample of a sound dataset."""

    async def act(self, messages: list[ChatMessage], tools: list[ToolInfo]) -> Action:
        record = current_record()
        played = record.messages(messages)
        if record.verdict == "upstream":
            return self._upstream(record, len(played))
        run = record.run()
        replay(run, played)
        return next_action(run)

    @staticmethod
    def _upstream(record: TurnRecord, round_: int) -> Action:
        """The rounds in which the public layout plays a reference."""
        from utb_inspect.upstream import play_order

        assert record.public is not None
        answers = record.public.answer_list
        order = play_order(answers)
        chosen = [answers[i] for i in order[min(round_, len(order) - 1)]]
        if "user_input" in chosen[0] or chosen[0]["action"]["name"] == "prepare_to_answer":
            return Action(str(chosen[0]["observation"]))
        return Action(
            calls=[(wire_name(entry["action"]["name"]), entry["action"]["arguments"]) for entry in chosen]
        )


def current_record() -> TurnRecord:
    """The record of the sample that is being played.

    Raises:
        DataError: the task is not one of this suite.
    """
    record = TurnRecord.load(store())
    if record is None:
        raise DataError("this model plays samples of this suite's tasks only, e.g. utb_inspect/multi_tool")
    return record


def next_action(run: Run) -> Action:
    """The next message of the reference: the first due question, else every call that is ready, else the answer."""
    state = run.paths[0]
    due = state.due()
    if due:
        return Action(question(due[0]))
    ready = [
        step
        for step in state.path.calls
        if step.id not in state.matched and all(before in state.returned for before in step.after)
    ]
    if ready:
        return Action(calls=[reference_call(step) for step in ready])
    return Action(state.path.answer)


def reference_call(step: CallStep) -> tuple[str, dict[str, object]]:
    return wire_name(step.call), step.arguments


def question(step: AskStep) -> str:
    """The recorded question, or one made of the cues when that would not be read as one (public data)."""
    if on_target(step, step.message):
        return step.message
    wanted = " and ".join(step.cues[item][0] for item in step.ask)
    return f"Could you tell me the {wanted}?"
