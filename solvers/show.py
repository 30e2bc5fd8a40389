"""The setup solver: environment and history in front of the request, the turn's record into the store."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

from anyio import Lock
from anyio.lowlevel import checkpoint
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, ChatMessageAssistant
from inspect_ai.solver import Generate, Solver, TaskState, solver

from utb_inspect.datasets import load
from utb_inspect.datasets.dataset import Layout, PlacedTurn
from utb_inspect.datasets.history import Prompts, View, earlier_turns, environment_line
from utb_inspect.datasets.language import Language
from utb_inspect.datasets.public_form import public_form
from utb_inspect.datasets.record import TurnRecord, VerdictKind
from utb_inspect.datasets.samples import decision_line
from utb_inspect.explain import escape
from utb_inspect.faults import watch_raw_answers
from utb_inspect.solvers.tools import answering_tools
from utb_inspect.trajectory.run import OffPath


@solver
def show(
    data: str,
    history: str = "full",
    environment: Layout | None = None,
    system_prompt: str | None = None,
    off_path: OffPath = "continue",
    max_rounds: int | None = None,
    verdict: VerdictKind = "spec",
    language: Language | None = None,
) -> Solver:
    """Put the environment and the history in front of the request.

    Kept when `--solver` replaces the main one: any solver then sees the same messages, and finds tools in
    `state.tools` that return the recorded observations.

    Args:
        data: The dataset, as `utb_inspect.datasets.load` takes it.
        history: `full`, `none`, `topic` or `last:N` turns.
        environment: `inline` or `system`; by default as the dataset's format has it.
        system_prompt: Replaces the system message (in front of the date with `environment=system`).
        off_path: `stop` ends a run at the first call off the reference path.
        max_rounds: Step cap, in model messages; by default twice the reference steps plus four.
        verdict: `upstream` answers and stops as the public evaluator does.
        language: Language of data that has two, `en` or `zh`.
    """
    prompts = Prompts(load(data, language=language), View(history, environment, system_prompt))
    one_by_one = Lock()  # samples start all at once, and the event loop would stand still until all are set up

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        async with one_by_one:
            await checkpoint()
        turn = prompts.dataset.by_id[str(state.sample_id)]
        state.messages = [_own(message) for message in prompts.messages(turn)]
        record = TurnRecord(
            turn=turn.turn,
            toolset=turn.toolset,
            start=len(state.messages),
            verdict=verdict,
            off_path=off_path,
            max_rounds=max_rounds,
            public=public_form(turn) if verdict == "upstream" else None,
        )
        record.save(state.store)
        transcript().info(_boundary(prompts, turn, len(state.messages)), source="utb_inspect")
        state.tools = answering_tools(record)
        watch_raw_answers()  # another solver than the suite's own does not look at them
        return state

    return solve


def _boundary(prompts: Prompts, turn: PlacedTurn, messages: int) -> str:
    """What a reader is told where history ends and the run begins."""
    earlier = earlier_turns(prompts.dataset, turn, prompts.view.history)
    turns = f"{len(earlier)} turn{'s' * (len(earlier) > 1)}"
    shown = f"{turns}, from {earlier[0].id} to {earlier[-1].id}" if earlier else "none"
    where = environment_line(turn.topic.environment).strip("[]") or "unknown"
    return f"""**History ends here and the run begins.**

- History: {shown}; {messages} messages with the system message and the request
- Date and place: {escape(where)}
- Request: {escape(turn.turn.request)}
- Reference: {escape(decision_line(turn))}"""


def _own(message: ChatMessage) -> ChatMessage:
    """A copy that a solver may edit: other samples show the same history. Cheaper than a deep one."""
    own = message.model_copy()
    if isinstance(own.content, list):
        own.content = list(own.content)
    if isinstance(own, ChatMessageAssistant) and own.tool_calls:
        own.tool_calls = [replace(call, arguments=deepcopy(call.arguments)) for call in own.tool_calls]
    return own
