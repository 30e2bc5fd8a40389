"""How long a verdict takes, and how that grows with the reference."""

from __future__ import annotations

import time
from statistics import median
from typing import Any

from utb_inspect.schema import Toolset, Turn
from utb_inspect.trajectory.calls import Call, Message, Tools
from utb_inspect.trajectory.run import Run
from utb_inspect.trajectory.verdict import judge_messages
from utb_inspect.upstream import judge as judge_upstream

_PARAMETERS = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "day": {"type": "string"}},
    "required": ["city", "day"],
}
_TOOLS = [
    {
        "type": "function",
        "function": {"name": f"tool{i}", "description": f"Tool {i}.", "parameters": _PARAMETERS},
    }
    for i in range(4)
]


def _turn(calls: int, *, chain: bool) -> Turn:
    steps: list[dict[str, Any]] = [
        {
            "id": f"s{i}",
            "call": f"tool{i % 4}",
            "arguments": {"city": f"City {i}", "day": "2025-03-14"},
            "grounds": {"city": {"basis": "request"}, "day": {"basis": "environment"}},
            "after": [f"s{i - 1}"] if chain and i else [],
            "observation": {"n": i},
        }
        for i in range(calls)
    ]
    steps.append({"id": "z", "answer": "Done.", "after": [f"s{i}" for i in range(calls)]})
    return Turn.model_validate(
        {"task_type": "multi_tool", "subtype": "cross_topic", "request": "All of them.", "reference": steps}
    )


def _messages(turn: Turn, *, chain: bool) -> list[Message]:
    """The reference backwards where order is free, so that nothing is matched at first sight."""
    calls = [Call(f"c{i}", s.call, s.arguments) for i, s in enumerate(turn.paths[0].calls)]
    rounds = [(call,) for call in calls] if chain else [tuple(reversed(calls))]
    return [*(Message(calls=round_) for round_ in rounds), Message("Done.")]


def _answer_list(turn: Turn) -> list[dict[str, Any]]:
    index = {step.id: i for i, step in enumerate(turn.reference)}
    entries: list[dict[str, Any]] = [
        {
            "action": {"name": step.call, "arguments": step.arguments},
            "observation": step.observation,
            "dependency_list": [index[a] for a in step.after],
        }
        for step in turn.paths[0].calls
    ]
    last = {"name": "prepare_to_answer", "arguments": {"answer_type": "tool"}}
    return [*entries, {"action": last, "observation": "Done.", "dependency_list": list(range(len(entries)))}]


def _seconds(work: Any, repeats: int = 7) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return median(times)


def table() -> list[str]:
    """Rows of a Markdown table: reference, milliseconds by the spec and by the public evaluator's rules, growth."""
    toolset = Toolset.model_validate(
        {
            "id": "bench",
            "domain": "bench",
            "description": "",
            "tools": [{**tool, "effect": "read"} for tool in _TOOLS],
        }
    )
    tools = Tools(toolset)
    rows = [
        "| reference | spec verdict, ms | against the row above | public verdict, ms | against the row above |",
        "|---|---:|---:|---:|---:|",
    ]
    for chain, sizes in ((False, range(2, 13, 2)), (True, (5, 10, 20, 40))):
        before: tuple[float, float] | None = None
        for size in sizes:
            turn = _turn(size, chain=chain)
            messages = _messages(turn, chain=chain)
            answers = _answer_list(turn)
            responses = [
                {
                    "content": m.text or None,
                    "tool_calls": [
                        {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
                        for c in m.calls
                    ]
                    or None,
                }
                for m in messages
            ]
            verdict = judge_messages(Run(turn, tools), messages)
            assert verdict.exact, "the benchmark's reference must be exact"
            spec = _seconds(lambda t=turn, m=messages: judge_messages(Run(t, tools), m))
            public = _seconds(lambda a=answers, r=responses: judge_upstream(_TOOLS, a, r))
            growth = ("", "") if before is None else (f"x {spec / before[0]:.1f}", f"x {public / before[1]:.1f}")
            name = f"chain of {size}" if chain else f"{size} independent calls"
            rows.append(f"| {name} | {spec * 1e3:.2f} | {growth[0]} | {public * 1e3:.2f} | {growth[1]} |")
            before = (spec, public)
    return rows
