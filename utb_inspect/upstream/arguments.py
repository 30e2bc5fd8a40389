"""When a call's arguments are right in the public evaluator."""

import json
from collections.abc import Mapping
from typing import Any

from .text import text_difference
from .tools import ToolSchema

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "float": (float,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
"""A Boolean passes for an integer or a number, as in Python; a whole float does not pass for an integer."""


def arguments_text(arguments: Any) -> str:
    """Arguments as JSON text: as the model wrote them, or as the evaluator would write an object."""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def arguments_difference(tools: Mapping[str, ToolSchema], name: str, predicted: str, expected: str) -> str | None:
    """Why a call's arguments are wrong, or None if they are right.

    They must be JSON, pass the evaluator's own check of the schema, and equal the reference's arguments: the same
    keys (a default or a null spelled out is a key too many), the same types (`10` is not `10.0`), lists in the
    same order, texts as `text_difference` has it.

    Where the public checker breaks down there is no public verdict; here the arguments are wrong. It does so on
    a call that the reference makes to a tool that is not offered, and on what is no schema, or has a list for
    its `type`.

    Args:
        tools: The tools offered.
        name: The tool called.
        predicted: The model's arguments, as JSON text.
        expected: The reference's arguments, as JSON text.

    Source: public evaluator, `checker_utils.py`.
    """
    if name not in tools:
        return "the tool is not among those offered"
    try:
        arguments = json.loads(predicted)
    except (ValueError, RecursionError):
        return "the arguments are not JSON"
    schema = {"type": "object", "required": tools[name].required, "properties": tools[name].properties}
    try:
        return _violation(arguments, schema, "the arguments") or _difference(
            arguments, json.loads(expected), tools[name].properties, "the arguments"
        )
    except Exception as error:  # the schema is data and may be anything
        return f"the schema cannot be applied ({error!r})"


def _violation(value: Any, schema: Any, path: str) -> str | None:
    """Where a value breaks a schema.

    A schema without a type asks for text. An unknown type, such as `any`, `dict` or `tuple`, asks for nothing.
    An object may have the keys defined, under any type, and further ones where `additionalProperties` is true,
    which is not read of a tool's parameters themselves. Of `anyOf` the first violation is told.
    """
    if "anyOf" in schema:
        violations = []
        for option in schema["anyOf"]:
            violation = _violation(value, option, path)
            if violation is None:
                return None
            violations.append(violation)
        return violations[0]
    kind = schema["type"] if "type" in schema else "string"  # noqa: SIM401 (it may be anything)
    allowed = _TYPES.get(kind, ())
    if allowed and not isinstance(value, allowed):
        return f"{path}: {_shown(value)} is not of type {kind}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{path}: {_shown(value)} is none of the allowed values"
    if isinstance(value, dict):
        return _object_violation(value, schema, path)
    if isinstance(value, list) and "items" in schema:
        items = (_violation(item, schema["items"], f"{path}[{i}]") for i, item in enumerate(value))
        return next(filter(None, items), None)
    return None


def _object_violation(value: dict[str, Any], schema: Any, path: str) -> str | None:
    missing = set(schema.get("required", [])) - set(value)
    if missing:
        return f"{path}: {_listed(missing)} missing, which the schema requires"
    properties = schema.get("properties", {})
    for key, item in value.items():
        if key in properties:
            violation = _violation(item, properties[key], f"{path}.{key}")
            if violation:
                return violation
        elif schema.get("additionalProperties") is not True:
            return f"{path}: {key} is not defined by the schema"
    return None


def _difference(predicted: Any, expected: Any, schema: Any, path: str) -> str | None:
    """Where a value differs from the reference's.

    The schema has no say in this, but a list breaks the comparison where its schema is no object. That happens
    under `anyOf`, where the schema's own keywords are taken for properties, to a list called `description`.
    """
    if type(predicted) is not type(expected):
        return f"{path}: {_shown(predicted)} is not of the type of {_shown(expected)}"
    if isinstance(expected, dict):
        return _object_difference(predicted, expected, schema, path)
    if isinstance(expected, list):
        if len(predicted) != len(expected):
            return f"{path}: {len(predicted)} items for {len(expected)}"
        item_schema = schema.get("items", {})
        items = (
            _difference(*pair, item_schema, f"{path}[{i}]")
            for i, pair in enumerate(zip(predicted, expected, strict=True))
        )
        return next(filter(None, items), None)
    if isinstance(expected, str):
        why = text_difference(predicted, expected)
        return why and f"{path}: {_shown(predicted)} for {_shown(expected)}, {why}"
    return None if predicted == expected else f"{path}: {_shown(predicted)} for {_shown(expected)}"


def _object_difference(predicted: dict[str, Any], expected: dict[str, Any], schema: Any, path: str) -> str | None:
    missing, further = set(expected) - set(predicted), set(predicted) - set(expected)
    if missing or further:
        parts = [f"{_listed(keys)} {word}" for keys, word in ((missing, "missing"), (further, "added")) if keys]
        return f"{path}: {', '.join(parts)}"
    properties = schema.get("properties", schema) if isinstance(schema, dict) else {}
    for key, value in expected.items():
        difference = _difference(predicted[key], value, properties.get(key, {}), f"{path}.{key}")
        if difference:
            return difference
    return None


def _listed(keys: set[str]) -> str:
    return ", ".join(sorted(map(str, keys)))


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
