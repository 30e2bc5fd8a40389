"""The reference's own run."""

from __future__ import annotations

from collections.abc import Iterator

from utb_inspect.checks.finding import Finding, found
from utb_inspect.datasets.dataset import Dataset, PlacedTurn
from utb_inspect.schema import AnswerStep, AskStep, CallStep
from utb_inspect.trajectory.calls import Call, Message, Tools
from utb_inspect.trajectory.run import Run
from utb_inspect.trajectory.verdict import judge


def own_runs_score_exact(dataset: Dataset) -> Iterator[Finding]:
    """The reference, and each alternative, played as it stands, is exact."""
    for turn in dataset.turns:
        tools = dataset.tools(turn.topic.toolset)
        for i in range(len(turn.turn.paths)):
            verdict = judge(play(turn, i, tools))
            if not verdict.exact:
                which = f"alternative {i}" if i else "the reference"
                labels = ", ".join(sorted(verdict.labels)) or "no label"
                yield found(turn, f"{which}, played as it stands, is not exact ({labels})")


def play(turn: PlacedTurn, index: int, tools: Tools) -> Run:
    """The run of one path: due questions one by one in their own words, else every call that is ready, at last the
    answer."""
    run = Run(turn.turn, tools)
    state = run.paths[index]
    while run.ended is None:
        steps = state.next_steps()
        match steps[0]:
            case AskStep(message=text) | AnswerStep(answer=text):
                run.reply(Message(text=text))
            case _:
                calls = [step for step in steps if isinstance(step, CallStep)]
                run.reply(Message(calls=tuple(Call(step.id, step.call, step.arguments) for step in calls)))
    return run
