"""Tools that return what a run answers."""

from __future__ import annotations

from collections import defaultdict, deque
from functools import cache
from typing import Any

from inspect_ai.model import ChatMessageAssistant
from inspect_ai.solver._task_state import sample_state
from inspect_ai.tool import Tool, ToolDef, ToolParams

from utb_inspect.answers import start_run
from utb_inspect.datasets.record import TurnRecord
from utb_inspect.datasets.wire import WireParams, wire_name
from utb_inspect.trajectory.run import Answers, content_text


def queue_tool(name: str, results: deque[str]) -> ToolDef:
    """A tool that takes any arguments and returns the next of the results."""

    async def run(**arguments: Any) -> str:
        return results.popleft()

    return ToolDef(
        run,
        name=name,
        description=name,
        parameters=ToolParams(additionalProperties=True),
        parallel=False,  # results stand in the order of the calls
        max_output=0,
    )


def answering_tools(record: TurnRecord) -> list[Tool]:
    """The toolset for solvers other than this suite's: each call returns what a run of the turn answers.

    A call off the toolset or with arguments that cannot be parsed is answered by Inspect itself.
    """
    results: defaultdict[str, deque[str]] = defaultdict(deque)
    seen: set[str] = set()

    @cache
    def run() -> Answers:  # started by the first call: this suite's own solver makes none
        return start_run(record)

    def answer(message: ChatMessageAssistant) -> None:
        """Answer the calls of a message, once."""
        if message.id in seen or run().ended is not None:
            return
        seen.add(message.id or "")
        for result, call in zip(run().reply(record.message(message)).results, message.tool_calls or (), strict=False):
            results[call.id].append(content_text(result.content))

    def tool(name: str, description: str, parameters: dict[str, Any]) -> Tool:
        async def call(**arguments: Any) -> str:
            state = sample_state()
            assert state is not None
            message = next(m for m in reversed(state.messages) if isinstance(m, ChatMessageAssistant))
            answer(message)
            own = [c.id for c in message.tool_calls or () if c.function == wire_name(name)]
            found = next((results[i] for i in own if results[i]), None)
            return "" if found is None else found.popleft()

        # Inspect refuses tools without a description.
        return ToolDef(
            call,
            name=wire_name(name),
            description=description or name,
            parameters=WireParams.of(parameters),
            parallel=False,
            max_output=0,
        ).as_tool()

    return [tool(t.name, t.function.description, t.function.parameters) for t in record.toolset.tools]
