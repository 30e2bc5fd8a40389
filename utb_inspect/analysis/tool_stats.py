"""How many tools toolsets hold, and how many parameters the tools have (the paper's table 11)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from utb_inspect.schema import Function, Toolset

Functions = Sequence[Function]
"""The tools of one toolset, as far as a provider is sent them."""


@dataclass(frozen=True)
class ToolStatistics:
    """The tool ecosystem of some toolsets. A tool in two toolsets occurs twice. Means of nothing are None."""

    toolsets: int
    occurrences: int
    """Tools over all toolsets."""
    unique_names: int
    parameter_slots: int
    """Top-level properties of the parameter schemas, over all occurrences."""

    @property
    def tools_per_toolset(self) -> float | None:
        return self.occurrences / self.toolsets if self.toolsets else None

    @property
    def slots_per_tool(self) -> float | None:
        """Parameter slots over occurrences."""
        return self.parameter_slots / self.occurrences if self.occurrences else None


def tool_statistics(toolsets: Iterable[Functions]) -> ToolStatistics:
    """Count toolsets, tools and parameter slots."""
    toolsets = list(toolsets)
    tools = [function for functions in toolsets for function in functions]
    return ToolStatistics(
        toolsets=len(toolsets),
        occurrences=len(tools),
        unique_names=len({function.name for function in tools}),
        parameter_slots=sum(map(slots, tools)),
    )


def slots(function: Function) -> int:
    """Parameter slots of a tool: its schema's top-level properties, required or not; an object is one slot."""
    properties = function.parameters.get("properties")
    return len(properties) if isinstance(properties, Mapping) else 0


def functions_of(toolset: Toolset) -> list[Function]:
    return [tool.function for tool in toolset.tools]
