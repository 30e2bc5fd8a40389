"""Tools as they go over the wire: names and ids that every provider takes, schemas whole."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from inspect_ai.tool import ToolInfo, ToolParams
from inspect_ai.util import JSONSchema
from pydantic import PrivateAttr, SerializerFunctionWrapHandler, model_serializer

from utb_inspect.schema import Tool, Toolset
from utb_inspect.trajectory.json_schema import wire_schema

_NOT_ALLOWED = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST = 64
_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"


def wire_name(name: str) -> str:
    """A tool's name as providers take it, `^[a-zA-Z0-9_-]{1,64}$`.

    A name that fits is kept. Another gets a suffix made from it, so that two names never become one.
    """
    fitting = _NOT_ALLOWED.sub("_", name)
    if fitting == name and len(name) <= _LONGEST:
        return name
    return f"{fitting[: _LONGEST - 7]}_{hashlib.sha256(name.encode()).hexdigest()[:6]}"


def tool_names(toolset: Toolset) -> dict[str, str]:
    """Wire name to the toolset's own name."""
    return {wire_name(tool.name): tool.name for tool in toolset.tools}


def wire_call_id(*parts: str) -> str:
    """A call id of nine alphanumerics, which every provider takes, the same for the same parts."""
    number = int.from_bytes(hashlib.sha256("\0".join(parts).encode()).digest()[:8], "big")
    characters = []
    for _ in range(9):
        number, digit = divmod(number, len(_ALPHABET))
        characters.append(_ALPHABET[digit])
    return "".join(characters)


class WireParams(ToolParams):
    """Tool parameters that are sent as the toolset writes them.

    Inspect's own model knows some keywords and drops the others. It is kept beside for those who look at
    `properties` by name.
    """

    _schema: dict[str, Any] = PrivateAttr(default_factory=dict)

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> WireParams:
        schema = wire_schema(parameters)
        params = cls(
            # Inspect refuses `state.tools` whose parameters lack a description.
            properties={name: JSONSchema(description=name) for name in schema["properties"]},
            required=list(schema.get("required") or ()),
        )
        params._schema = schema
        return params

    @model_serializer(mode="wrap")
    def _as_written(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return deepcopy(self._schema)


def tool_info(tool: Tool) -> ToolInfo:
    """A tool's definition for a provider."""
    return ToolInfo(
        name=wire_name(tool.name),
        description=tool.function.description,
        parameters=WireParams.of(tool.function.parameters),
    )
