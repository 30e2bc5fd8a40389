"""Calls as a model makes them: parsed, validated, keyed (spec section 3)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from utb_inspect.foreign_text import one_line
from utb_inspect.schema import DataError, Effect, Tool, Toolset
from utb_inspect.trajectory.canonical import canonical
from utb_inspect.trajectory.json_schema import ArgumentSchema
from utb_inspect.trajectory.text import in_form

LONGEST = 500_000
"""Characters that arguments may have, names and texts together: more than a model writes in one message."""
DEEPEST = 100
"""Levels of nesting that arguments may have; no tool needs them, and recursion would end in a crash."""
HALF_A_PAIR = "a text holds half a surrogate pair"
MOST_BITS = 4096
"""Size of the largest whole number that arguments may hold; Python refuses to print much larger ones."""
MOST_VALUES = 20_000
"""Objects, lists, texts and numbers that arguments may hold; each is compared with the reference's."""
LONGEST_FAULT = 300
"""Characters of a fault as a model is shown it."""


@dataclass(frozen=True)
class Call:
    """A tool call as a model wrote it."""

    id: str
    name: str
    arguments: str | Mapping[str, Any] | None
    """A JSON text, or the object decoded from one."""
    parse_error: str | None = None
    """Why the provider could not read the arguments."""


@dataclass(frozen=True)
class Message:
    """What a model says in one round."""

    text: str = ""
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True)
class ReadCall:
    """A call, validated: `arguments` without nulls for optional ones, or the `fault` that makes it invalid."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    fault: str | None = None

    @property
    def key(self) -> str:
        """Equal for calls that are the same, argument for argument: numbers by value, texts in any Unicode form."""
        return self.name + canonical(self.arguments, partial(in_form, "NFC"))


class CompiledTool:
    """A tool with its schema compiled."""

    def __init__(self, tool: Tool) -> None:
        self.name = tool.name
        self.effect: Effect = tool.effect
        self.technical = frozenset(tool.technical)
        self.schema = ArgumentSchema(tool.function.parameters)


class Tools:
    """A toolset, compiled.

    Raises:
        DataError: when a tool's parameters are no JSON Schema; names every such tool.
    """

    def __init__(self, toolset: Toolset) -> None:
        self.toolset = toolset
        self._tools: dict[str, CompiledTool] = {}
        faults = []
        for tool in toolset.tools:
            try:
                self._tools[tool.name] = CompiledTool(tool)
            except ValueError as error:
                faults.append(one_line(f"toolset '{toolset.id}', tool '{tool.name}': {error}"))
        if faults:
            raise DataError("\n".join(faults))

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __getitem__(self, name: str) -> CompiledTool:
        return self._tools[name]

    def read(self, call: Call) -> ReadCall:
        """Parse and validate a call. A call that is not valid has a `fault`, fit to be shown to the model."""
        tool = self._tools.get(call.name)
        if tool is None:
            return ReadCall(call.name, fault=_clip(f"there is no tool named '{call.name}'"))
        if call.parse_error is not None:
            return ReadCall(call.name, fault=_clip(f"the arguments could not be read: {call.parse_error}"))
        try:
            arguments = parse_arguments(call.arguments)
        except ValueError as error:
            return ReadCall(call.name, fault=_clip(f"the arguments could not be read: {error}"))
        arguments, fault = tool.schema.read(arguments)
        return ReadCall(call.name, arguments, None if fault is None else _clip(fault))


def _clip(fault: str) -> str:
    """A fault short enough to be shown, in one line, and free of lone surrogates, which no encoding takes."""
    readable = one_line(fault[:LONGEST])
    return readable if len(readable) <= LONGEST_FAULT else f"{readable[: LONGEST_FAULT - 3]}..."


def parse_arguments(arguments: str | Mapping[str, Any] | None) -> dict[str, Any]:
    """The arguments of a call as an object; nothing at all, blank text and `null` are `{}`.

    Args:
        arguments: A JSON text, or the object decoded from one.

    Raises:
        ValueError: no JSON (NaN and infinities are none), JSON that is no object, or too much of it.
    """
    if isinstance(arguments, str):
        if not arguments.strip():
            return {}
        try:
            arguments = json.loads(arguments, parse_constant=_no_constant)
        except RecursionError:
            raise ValueError("nested too deeply") from None
    if arguments is None:
        return {}
    if not isinstance(arguments, Mapping):
        raise ValueError("they must be a JSON object")
    _check_values(arguments)
    return dict(arguments)


def _check_values(arguments: Mapping[str, Any]) -> None:
    """Refuse what no JSON text should say: infinities, half characters, numbers and texts and nesting without end."""
    level: list[Any] = [arguments]
    values, length = 0, 0
    for _ in range(DEEPEST):
        inner: list[Any] = []
        for item in level:
            match item:
                case str():
                    length += len(item)
                    _check_text(item)
                case Mapping():
                    inner.extend(item.values())
                    length += sum(map(len, item))
                    _check_text("".join(item))
                case list() | tuple():
                    inner.extend(item)
                case float() if not math.isfinite(item):
                    raise ValueError(f"{item} is no JSON")
                case int() if item.bit_length() > MOST_BITS:
                    raise ValueError("a number has too many digits")
        values += len(level)
        if values > MOST_VALUES:
            raise ValueError(f"they hold more than {MOST_VALUES} values")
        if length > LONGEST:
            raise ValueError(f"they have more than {LONGEST} characters")
        if not inner:
            return
        level = inner
    raise ValueError("nested too deeply")


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(HALF_A_PAIR) from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
