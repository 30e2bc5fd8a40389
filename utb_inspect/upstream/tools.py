"""Tool schemas as the public evaluator shows and reads them."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ToolSchema:
    """What the evaluator keeps of a tool's parameters; `additionalProperties` is not among it."""

    required: frozenset[str]
    properties: dict[str, Any]


def shown_tools(tools: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The tools of a public row as a model is shown them and its arguments are checked: `float` is `number`.

    The evaluator replaces it in the text of the schemas, wherever a key `type` has that value. The other unusual
    types, `dict`, `tuple` and `any`, stay.

    Source: public evaluator, `base_handler.py`.
    """
    text = json.dumps(tools, ensure_ascii=False).replace('"type": "float"', '"type": "number"')
    shown: list[dict[str, Any]] = json.loads(text)
    return shown


def read_tools(tools: Sequence[dict[str, Any]]) -> dict[str, ToolSchema]:
    """The schemas by tool name. A tool without a name or with a broken schema is left out; of two the last counts.

    Source: public evaluator, `checker_utils.py`.
    """
    schemas: dict[str, ToolSchema] = {}
    for tool in tools:
        with suppress(AttributeError, TypeError):
            function = tool.get("function", {})
            parameters = function.get("parameters", {})
            required = frozenset(parameters.get("required", []))
            properties = dict(parameters.get("properties", {}).items())
            if function.get("name"):
                schemas[function["name"]] = ToolSchema(required, properties)
    return schemas
