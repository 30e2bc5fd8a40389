"""The dataset of tests/data/ferries, and how the tests of the offline models run on it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval, task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import Tool, ToolInfo, tool

from utb_inspect._registry import user_tool_bench
from utb_inspect.baselines.oracle import reference_plan
from utb_inspect.baselines.player import Action, Player
from utb_inspect.datasets import load
from utb_inspect.datasets.history import Prompts, View
from utb_inspect.datasets.record import TurnRecord
from utb_inspect.datasets.wire import tool_info
from utb_inspect.schema import CallStep

FERRIES = Path(__file__).parent / "data" / "ferries"
DATASET = load(str(FERRIES))


def run(model: str, tmp_path: Path, arguments: dict[str, Any] | None = None, **more: Any) -> EvalLog:
    options = {"data": str(FERRIES), **more.pop("task_args", {})}
    return eval(
        user_tool_bench(**options),
        model=f"utb/{model}",
        model_args=arguments or {},
        log_dir=str(tmp_path / "logs"),
        display="none",
        **more,
    )[0]


def exact(log: EvalLog) -> dict[str, bool]:
    assert log.status == "success", log.error
    return {str(s.id): bool(s.scores["utb_exact"].value) for s in log.samples or [] if s.scores}


def shown(turn_id: str) -> tuple[list[ChatMessage], list[ToolInfo]]:
    turn = DATASET.by_id[turn_id]
    return Prompts(DATASET, View()).messages(turn), [tool_info(tool) for tool in turn.toolset.tools]


def act(player: Player, messages: list[ChatMessage], tools: list[ToolInfo]) -> Action:
    return asyncio.run(player.act(messages, tools))


def record(turn_id: str) -> TurnRecord:
    turn = DATASET.by_id[turn_id]
    return TurnRecord(turn=turn.turn, toolset=turn.toolset, start=1)


def reference_responses(turn_id: str) -> list[dict[str, Any]]:
    """The reference as the responses of a file, tools under their own names."""
    responses: list[dict[str, Any]] = []
    for round_ in reference_plan(record(turn_id)):
        calls = [
            {"name": step.call, "arguments": step.arguments} for step in round_.steps if isinstance(step, CallStep)
        ]
        responses.append({"content": round_.action.text, "tool_calls": calls})
    return responses


def write_lines(file: Path, lines: list[dict[str, Any]]) -> None:
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


@tool
def add() -> Tool:
    async def execute(x: int, y: int) -> int:
        """Add two numbers.

        Args:
            x: First number.
            y: Second number.
        """
        return x + y

    return execute


@task
def other_task() -> Task:
    """A task that has nothing to do with this suite."""
    return Task(
        dataset=[Sample(id=7, input="Add 3 and 4, please.", target="Done")],
        solver=[use_tools(add()), generate()],
        scorer=includes(),
    )
