"""Tool schemas as strict JSON Schema 2020-12 (spec section 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from utb_inspect.trajectory.keywords import BRANCHES, IN_PLACE, inner_schemas, replace_inner
from utb_inspect.trajectory.references import References, resolve

_TYPE_NAMES = {"float": "number", "dict": "object", "tuple": "array"}


def wire_schema(parameters: Mapping[str, Any] | None) -> dict[str, Any]:
    """A tool's `parameters` as a provider takes them: whole, with the type names of JSON Schema.

    `true` and `false` as schemas are spelled out, since some readers know objects only, and so is that an array may
    hold anything: OpenAI takes none without `items`.

    Raises:
        ValueError: a reference leads nowhere, or out of the schema.
    """
    schema, inside = _named(parameters)
    for each in inside:
        declared = each.get("type")
        is_array = declared == "array" or (isinstance(declared, list) and "array" in declared)
        if is_array and "unevaluatedItems" not in each:
            each.setdefault("items", {})
        replace_inner(each, _spelled_out)
    schema.setdefault("type", "object")
    schema.setdefault("properties", {})
    return schema


def _spelled_out(schema: Any, keyword: str) -> Any:
    # `additionalProperties: false` and its like are plain enough.
    if not isinstance(schema, bool) or "additional" in keyword or "unevaluated" in keyword:
        return schema
    return {} if schema else {"not": {}}


def normalise_schema(parameters: Mapping[str, Any] | None) -> dict[str, Any]:
    """A tool's `parameters` as strict JSON Schema.

    `float` is read as `number`, `dict` as `object`, `tuple` as `array`, `any` as no constraint. Arguments that the
    schema does not define are closed off unless it says `additionalProperties`; a nested object schema without
    `properties` stays unconstrained.

    Raises:
        ValueError: a reference leads nowhere, or out of the schema.
    """
    schema, inside = _named(parameters)
    closing = _Closing(schema)
    for each in inside:
        for (keyword, *_), inner in inner_schemas(each):
            if keyword not in IN_PLACE:
                closing.close(inner)
    closing.close(schema)
    for each in inside:  # last, when all that they ask about is known
        for keyword in ("unevaluatedProperties", "unevaluatedItems"):
            if keyword in each:
                each[keyword] = each.pop(keyword)
    schema.setdefault("type", "object")
    if "properties" not in schema and not _opens(schema) and not _has_in_place(schema):
        schema["additionalProperties"] = False
    schema.setdefault("properties", {})  # so that a fault names what is not defined
    return schema


def _named(parameters: Mapping[str, Any] | None) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A schema with the names and references of 2020-12, and the schemas in it."""
    schema = deepcopy(dict(parameters or {}))
    references = References(schema)
    for each in references.schemas:
        _use_strict_names(each)
    references.write()
    return schema, references.schemas


def _use_strict_names(schema: dict[str, Any]) -> None:
    """Name types as JSON Schema does, and the list form of `items`, of older drafts, as 2020-12 does."""
    declared = schema.get("type")
    if isinstance(declared, str):
        if declared == "any":
            del schema["type"]
        else:
            schema["type"] = _TYPE_NAMES.get(declared, declared)
    elif isinstance(declared, list):
        if "any" in declared:
            del schema["type"]
        else:
            schema["type"] = list(dict.fromkeys(_TYPE_NAMES.get(t, t) for t in declared))
    if isinstance(schema.get("items"), list):
        schema["prefixItems"] = schema.pop("items")


def _has_in_place(schema: dict[str, Any]) -> bool:
    return any(key in schema for key in (*BRANCHES, "$ref", "if", "then", "else", "dependentSchemas"))


def _branches(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for key in BRANCHES:
        yield from (sub for sub in schema.get(key) or () if isinstance(sub, dict))
    yield from (schema[key] for key in ("then", "else") if isinstance(schema.get(key), dict))
    yield from (s for s in (schema.get("dependentSchemas") or {}).values() if isinstance(s, dict))


class _Closing:
    """Closes off the arguments that a schema does not define."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._known: dict[int, bool] = {}
        """What `_closes` found: without it, schemas that refer to each other take exponential time."""

    def close(self, schema: Any) -> None:
        if not isinstance(schema, dict) or _opens(schema):
            return
        if _has_in_place(schema):
            # Only `unevaluatedProperties` sees the properties that branches and references define.
            if self._closes(schema):
                schema["unevaluatedProperties"] = False
        elif "properties" in schema:
            schema["additionalProperties"] = False

    def _closes(self, schema: dict[str, Any]) -> bool:
        """Whether a schema defines properties, itself or in its branches, and no branch is an object without any."""
        if id(schema) not in self._known:
            self._known[id(schema)] = False  # for references in a circle, which are refused later
            self._known[id(schema)] = self._defines_properties(schema)
        return self._known[id(schema)]

    def _defines_properties(self, schema: dict[str, Any]) -> bool:
        if isinstance(target := resolve(self._root, schema.get("$ref")), dict):
            return "properties" in schema or self._closes(target)
        choices = [sub for key in ("anyOf", "oneOf") for sub in schema.get(key) or () if isinstance(sub, dict)]
        if any(self._is_open_object(sub) for sub in choices):
            return False
        return "properties" in schema or any(self._closes(sub) for sub in _branches(schema))

    def _is_open_object(self, schema: dict[str, Any]) -> bool:
        """Whether a choice is an object schema that names no properties."""
        declared = schema.get("type")
        takes = declared is None or declared == "object" or (isinstance(declared, list) and "object" in declared)
        return takes and not self._closes(schema) and not _restricts(schema)


def _restricts(schema: dict[str, Any]) -> bool:
    """Whether a schema without a type takes no objects of its own accord."""
    return any(key in schema for key in ("enum", "const", "required", "$ref", *BRANCHES)) and "type" not in schema


def _opens(schema: dict[str, Any]) -> bool:
    """Whether a schema, or a branch of it, says itself which further properties it takes."""
    if "additionalProperties" in schema or "unevaluatedProperties" in schema:
        return True
    return any(_opens(branch) for branch in _branches(schema))
