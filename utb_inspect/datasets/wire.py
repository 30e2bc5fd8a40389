"""Tools as they go over the wire: names and ids that every provider takes, schemas whole."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from inspect_ai.tool import ToolInfo, ToolParams
from inspect_ai.util import JSONSchema
from pydantic import (
    PrivateAttr,
    SerializeAsAny,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
)

from utb_inspect.schema import Tool, Toolset
from utb_inspect.trajectory.normalise import wire_schema
from utb_inspect.trajectory.references import schemas_of

_TAKEN = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_NOT_ALLOWED = re.compile(r"[^a-zA-Z0-9_-]")
_SUFFIX = re.compile(r"_[0-9a-f]{6}$")
_PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_NOT_AT_THE_TOP = ("oneOf", "anyOf", "allOf", "enum", "not")
_LONGEST = 64
_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"


def is_wire_name(name: str) -> bool:
    """Whether every provider takes a tool's name: `^[a-zA-Z0-9_-]{1,64}$`."""
    return _TAKEN.fullmatch(name) is not None


def wire_name(name: str) -> str:
    """A tool's name as providers take it.

    A name that fits is kept. Another gets a suffix made from it, and so does one that looks as if it had got one, so
    that two names never become the same.
    """
    if is_wire_name(name) and not _SUFFIX.search(name):
        return name
    fitting = _NOT_ALLOWED.sub("_", name)
    digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()
    return f"{fitting[: _LONGEST - 7]}_{digest[:6]}"


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


def wire_faults(toolset: Toolset) -> Iterator[str]:
    """What OpenAI or Anthropic refuses in the parameters of a toolset's tools, a line each."""
    for tool in toolset.tools:
        schema = wire_schema(tool.function.parameters)
        where = f"tool '{tool.name}', field 'parameters'"
        if schema["type"] != "object":
            yield f"{where}: type is {schema['type']!r}, not 'object'; some providers refuse that"
        for keyword in _NOT_AT_THE_TOP:
            if keyword in schema:
                yield f"{where}: '{keyword}' stands at the top; some providers refuse that"
        names = (name for _, part in schemas_of(schema) for name in part.get("properties") or ())
        for name in names:
            if not _PROPERTY.fullmatch(name):
                yield f"{where}: some providers refuse the name {name!r}; they take 64 letters, digits, '_', '.', '-'"


class WireParams(ToolParams):
    """Tool parameters that are sent as the toolset writes them.

    Inspect's own model knows some keywords and drops the others. What it can hold of a schema is kept beside, for
    logs and for those who look at `properties` by name.
    """

    _schema: dict[str, Any] = PrivateAttr(default_factory=dict)

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> WireParams:
        schema = wire_schema(parameters)
        params = cls(
            properties={name: _readable(name, sub) for name, sub in schema["properties"].items()},
            required=list(schema.get("required") or ()),
        )
        params._schema = schema
        return params

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> WireParams:
        # Inspect copies each tool several times a sample; what callers change is the dictionary, if anything.
        return self.model_copy(update={"properties": dict(self.properties)})

    @model_serializer(mode="wrap")
    def _as_written(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return deepcopy(self._schema)


class WireTool(ToolInfo):
    """A tool definition that stays whole when it is dumped whole, as some providers do."""

    parameters: SerializeAsAny[ToolParams]


def _readable(name: str, schema: Any) -> JSONSchema:
    """What Inspect can hold of a property; it refuses `state.tools` whose parameters lack a description."""
    try:
        held = JSONSchema.model_validate(schema)
    except ValidationError:
        held = JSONSchema()
    return held if held.description else held.model_copy(update={"description": name})


def tool_info(tool: Tool) -> ToolInfo:
    """A tool's definition for a provider."""
    return WireTool(
        name=wire_name(tool.name),
        description=tool.function.description,
        parameters=WireParams.of(tool.function.parameters),
    )
