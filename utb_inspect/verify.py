"""Running files of cases: does the code give the verdicts that are right? (`utb verify`)"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from utb_inspect.files import json_lines
from utb_inspect.schema import CallStep, DataError, Ground, Toolset, Turn, parse
from utb_inspect.trajectory.agreement import check_arguments
from utb_inspect.trajectory.calls import Call, CompiledTool, Message, Tools
from utb_inspect.trajectory.run import Run, replay
from utb_inspect.trajectory.verdict import judge

Kind = Literal["decisions", "arguments", "upstream"]


def read_cases(file: Path) -> Iterator[dict[str, Any]]:
    """Cases of a JSON Lines file.

    Raises:
        DataError: the file cannot be read, or a line is no JSON object with an `id`.
    """
    for place, case in json_lines(file):
        if not isinstance(case, dict) or "id" not in case or not case.get("expected"):
            raise DataError(f"{place}: a case is an object with 'id' and a filled 'expected'")
        yield case


def message(response: Mapping[str, Any]) -> Message:
    """A scripted model message: `content`, and `tool_calls` with `id`, `name` and `arguments`."""
    return Message(
        response.get("content") or "",
        tuple(Call(c.get("id") or "", c["name"], c.get("arguments")) for c in response.get("tool_calls") or ()),
    )


_ROUNDED = 0.0005
"""Cases may give progress to three decimals."""


def verify_decision(case: Mapping[str, Any]) -> list[str]:
    """Differences between a run's verdict and the expected one."""
    toolset = parse(Toolset, case["toolset"], f"case {case['id']}, toolset")
    turn = parse(Turn, case["turn"], f"case {case['id']}, turn")
    run = Run(turn, Tools(toolset), case.get("off_path", "continue"), case.get("max_rounds"))
    replies = replay(run, map(message, case["responses"]))
    verdict = judge(run)
    got: dict[str, Any] = {
        "exact": verdict.exact,
        "relaxed": verdict.relaxed,
        "severity": verdict.severity,
        "labels": sorted(verdict.labels),
        "optimal": verdict.optimal,
        "progress": verdict.progress,
        "rounds": verdict.rounds,
        "calls": verdict.calls,
        "asked": verdict.asked,
        "ended": run.ended,
        "observations": {result.call_id: result.content for reply in replies for result in reply.results},
    }
    differences = []
    for key, expected in case["expected"].items():
        if key not in got:
            differences.append(f"{key}: not a figure of a verdict")
        elif key == "progress" and abs(got[key] - expected) < _ROUNDED:
            continue
        elif key == "observations":
            differences.extend(
                f"observation of {call}: expected {json.dumps(content)}, got {json.dumps(got[key].get(call))}"
                for call, content in expected.items()
                if call not in got[key] or got[key][call] != content
            )
        elif (sorted(expected) if key == "labels" else expected) != got[key]:
            differences.append(f"{key}: expected {json.dumps(expected)}, got {json.dumps(got[key])}")
    return differences


def verify_arguments(case: Mapping[str, Any]) -> list[str]:
    """Differences between the agreement of two values and the expected one."""
    schema = case["schema"]
    parameters = {"type": "object", "properties": {"value": schema}, "required": ["value"]}
    if isinstance(schema, dict):  # a reference in the schema is meant from its own top
        parameters |= {key: schema[key] for key in ("$defs", "definitions") if key in schema}
    tool = parse(
        Toolset,
        {
            "id": "case",
            "domain": "case",
            "description": "",
            "tools": [{"function": {"name": "tool", "parameters": parameters}, "effect": "read"}],
        },
        f"case {case['id']}",
    ).tools[0]
    ground = {"basis": "request", **case.get("ground", {})}
    compiled = CompiledTool(tool)
    step = CallStep(
        id="a",
        call="tool",
        arguments={"value": case["reference"]},
        grounds={"value": parse(Ground, ground, f"case {case['id']}, ground")},
        observation=None,
    )
    arguments = compiled.schema.drop_nulls({"value": case["predicted"]})
    if (fault := compiled.schema.fault(arguments)) is not None:
        got, why = "invalid", fault
    else:
        checks = check_arguments(compiled, step, arguments, {})
        got = "agree" if all(check.agrees for check in checks) else "differ"
        why = ", ".join(f"{c.path} {'agrees' if c.agrees else 'differs'}" for c in checks)
    return [] if got == case["expected"] else [f"expected {case['expected']}, got {got}: {why}"]


def verify_upstream(case: Mapping[str, Any]) -> list[str]:
    """Differences between the reproduced public verdict and the expected one."""
    from utb_inspect.upstream.verify import verify_case  # loads jieba, which takes a moment

    return verify_case(dict(case))


VERIFIERS: dict[Kind, Callable[[Mapping[str, Any]], list[str]]] = {
    "decisions": verify_decision,
    "arguments": verify_arguments,
    "upstream": verify_upstream,
}
