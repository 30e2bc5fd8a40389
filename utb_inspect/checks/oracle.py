"""The reference's own run."""

from __future__ import annotations

from collections.abc import Iterator

from utb_inspect.checks.finding import Finding, found
from utb_inspect.datasets.dataset import Dataset, PlacedTurn
from utb_inspect.schema import AskStep, CallStep
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
        ready = [
            step
            for step in state.path.steps[:-1]
            if step.id not in state.returned and all(before in state.returned for before in step.after)
        ]
        asks = [step for step in ready if isinstance(step, AskStep)]
        calls = [step for step in ready if isinstance(step, CallStep)]
        if asks:
            run.reply(Message(text=asks[0].message))
        elif calls:
            run.reply(Message(calls=tuple(Call(step.id, step.call, step.arguments) for step in calls)))
        else:
            run.reply(Message(text=state.path.answer))
    return run
