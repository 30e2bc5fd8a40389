"""A model that knows the reference: what a turn's own recorded decision scores."""

from __future__ import annotations

from utb_inspect.datasets import Dataset, PlacedTurn
from utb_inspect.schema import AskStep, CallStep
from utb_inspect.trajectory.calls import Call, Message
from utb_inspect.trajectory.questions import on_target
from utb_inspect.trajectory.run import Run
from utb_inspect.trajectory.verdict import Verdict, judge


def question(step: AskStep) -> str:
    """The recorded question, or one made of cues when the recorded words ask for nothing."""
    if on_target(step, step.message):
        return step.message
    return f"Which {', '.join(cues[0] for cues in step.cues.values())}?"


def oracle(turn: PlacedTurn) -> list[Message]:
    """The reference in dependency rounds: due questions one by one, else all calls that are ready, then the answer."""
    path = turn.turn.paths[0]
    todo = [step for step in path.steps if isinstance(step, CallStep | AskStep)]
    done: set[str] = set()
    messages = []
    while todo:
        ready = [step for step in todo if done.issuperset(step.after)]
        ask = next((step for step in ready if isinstance(step, AskStep)), None)
        if ask is not None:
            ready = [ask]
            messages.append(Message(text=question(ask)))
        else:
            calls = [Call(f"c{step.id}", step.call, step.arguments) for step in ready if isinstance(step, CallStep)]
            messages.append(Message(calls=tuple(calls)))
        done.update(step.id for step in ready)
        todo = [step for step in todo if step.id not in done]
    return [*messages, Message(text=path.answer)]


def play(dataset: Dataset, turn_id: str, messages: list[Message] | None = None) -> Verdict:
    """The verdict on a turn played with the given messages, by default the oracle's."""
    turn = dataset.by_id[turn_id]
    run = Run(turn.turn, dataset.tools(turn.topic.toolset))
    for message in oracle(turn) if messages is None else messages:
        if run.ended is None:
            run.reply(message)
    return judge(run)
