"""Toolsets: how many, how large, and what their parameters are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from utb_inspect.analysis.tool_stats import functions_of, tool_statistics
from utb_inspect.checks.counts import whole_split
from utb_inspect.checks.finding import INFO, Finding
from utb_inspect.datasets.dataset import Dataset
from utb_inspect.datasets.files import read_json
from utb_inspect.datasets.wire import wire_faults

TOOLSETS = 36
TOOLS = 170
PARAMETERS = 2.5
"""Parameters a tool has, on average."""


def tool_names_differ(dataset: Dataset) -> Iterator[Finding]:
    """No two toolsets have a tool of the same name."""
    owner: dict[str, str] = {}
    for toolset in dataset.toolsets.values():
        for tool in toolset.tools:
            if owner.setdefault(tool.name, toolset.id) != toolset.id:
                yield Finding(_file(dataset, toolset.id), None, f"tool '{tool.name}' is one of {owner[tool.name]} too")


def providers_take_the_tools(dataset: Dataset) -> Iterator[Finding]:
    """No tool's parameters are written as some provider refuses them."""
    for toolset in dataset.toolsets.values():
        for fault in wire_faults(toolset):
            yield Finding(_file(dataset, toolset.id), None, fault)


def tools_are_as_many_and_as_rich(dataset: Dataset) -> Iterator[Finding]:
    """A whole split has 36 toolsets and 170 tools, 2.5 parameters a tool or more, of every kind the guide names."""
    if whole_split(dataset) is None:
        return
    tools = [tool for toolset in dataset.toolsets.values() for tool in toolset.tools]
    names = {tool.name for tool in tools}
    if len(dataset.toolsets) != TOOLSETS:
        yield Finding(INFO, None, f"there are {len(dataset.toolsets)} toolsets, not {TOOLSETS}")
    if len(names) != TOOLS:
        yield Finding(INFO, None, f"there are {len(names)} tool names, not {TOOLS}")
    slots = tool_statistics(map(functions_of, dataset.toolsets.values())).slots_per_tool
    if slots is not None and slots < PARAMETERS:
        yield Finding(INFO, None, f"tools have {slots:.2f} parameters on average; at least {PARAMETERS}")
    kinds = {kind for tool in tools for kind in _kinds(tool.function.parameters, top=True)}
    for kind in ("object", "array", "enum", "boolean", "number", "default"):
        if kind not in kinds:
            yield Finding(INFO, None, f"no tool has a parameter of the kind '{kind}'")


def _kinds(schema: Any, *, top: bool = False) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    if not top:
        declared = schema.get("type")
        yield from (name for name in ("enum", "default") if name in schema)
        yield "number" if declared == "integer" else str(declared)
    for inner in (schema.get("properties") or {}).values():
        yield from _kinds(inner)
    yield from _kinds(schema.get("items"))


def tools_say_what_they_change(folder: Path) -> Iterator[Finding]:
    """Every tool of a dataset's own toolsets says `effect` and `technical`, if only that there is none."""
    for file in sorted(folder.glob("toolsets/*.json")):
        data = read_json(file, strict=False)
        for tool in data["tools"]:
            if missing := [name for name in ("effect", "technical") if name not in tool]:
                name = tool["function"]["name"]
                yield Finding(f"toolsets/{file.name}", None, f"tool '{name}' does not say {' and '.join(missing)}")


def _file(dataset: Dataset, toolset: str) -> str:
    return f"{dataset.info.toolsets}/{toolset}.json"
