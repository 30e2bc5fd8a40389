"""Tool schemas: read as JSON Schema 2020-12, navigated, and asked for defaults (spec section 3)."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from utb_inspect.trajectory.schema_work import resolve
from utb_inspect.trajectory.validator import Validator, matches

_TYPE_NAMES = {"float": "number", "dict": "object", "tuple": "array"}
_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLE = (
    "items",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "propertyNames",
)
_IN_PLACE_SINGLE = ("if", "then", "else", "not")
_IN_PLACE_LISTS = ("allOf", "anyOf", "oneOf")
# Schemas that stand for the place they are in. A definition does wherever it is referred to; who refers closes it.
_IN_PLACE = frozenset((*_IN_PLACE_LISTS, *_IN_PLACE_SINGLE, "$defs", "definitions", "dependentSchemas"))

_DEEPEST = 16
"""References and branches that are followed to find out what a schema defines."""

MISSING: Any = object()
"""No value: an argument left out, or no default."""


def wire_schema(parameters: Mapping[str, Any] | None) -> dict[str, Any]:
    """A tool's `parameters` as a provider takes them: whole, with the type names of JSON Schema.

    `true` and `false` as schemas are spelled out, since some readers know objects only, and so is that an array may
    hold anything: OpenAI takes none without `items`.
    """
    schema = _spell(deepcopy(dict(parameters or {})))
    assert isinstance(schema, dict)
    schema.setdefault("type", "object")
    schema.setdefault("properties", {})
    return schema


def _spell(schema: Any, keyword: str = "") -> Any:
    if isinstance(schema, bool):
        # `additionalProperties: false` and its like are plain enough.
        return schema if "additional" in keyword or "unevaluated" in keyword else {} if schema else {"not": {}}
    if not isinstance(schema, dict):
        return schema
    _normalise_type(schema)
    _normalise_items(schema)
    declared = schema.get("type")
    is_array = declared == "array" or (isinstance(declared, list) and "array" in declared)
    if is_array and "unevaluatedItems" not in schema:
        schema.setdefault("items", {})
    _replace_inner(schema, _spell)
    return schema


def _replace_inner(schema: dict[str, Any], replacement: Callable[[Any, str], Any]) -> None:
    """Put `replacement(inner, keyword)` in place of each schema directly inside a schema."""
    for key in _MAPS:
        if isinstance(schema.get(key), dict):
            schema[key] = {name: replacement(inner, key) for name, inner in schema[key].items()}
    for key in _LISTS:
        if isinstance(schema.get(key), list):
            schema[key] = [replacement(inner, key) for inner in schema[key]]
    for key in (*_SINGLE, *_IN_PLACE_SINGLE):
        if key in schema:
            schema[key] = replacement(schema[key], key)


def normalise_schema(parameters: Mapping[str, Any] | None) -> dict[str, Any]:
    """A tool's `parameters` as strict JSON Schema.

    `float` is read as `number`, `dict` as `object`, `tuple` as `array`, `any` as no constraint. Arguments that the
    schema does not define are closed off unless it says `additionalProperties`; a nested object schema without
    `properties` stays unconstrained.
    """
    schema = _use_strict_names(deepcopy(dict(parameters or {})))
    assert isinstance(schema, dict)
    _Closing(schema).close(schema, in_place=False)
    schema.setdefault("type", "object")
    if "properties" not in schema and not _opens(schema) and not _has_in_place(schema):
        schema["additionalProperties"] = False
    schema.setdefault("properties", {})  # so that a fault names what is not defined
    return schema


def _use_strict_names(schema: Any, keyword: str = "") -> Any:
    if isinstance(schema, dict):
        for name in ("$schema", "$id"):  # a schema of its own base would have references of its own
            schema.pop(name, None)
        _normalise_type(schema)
        _normalise_items(schema)
        _replace_inner(schema, _use_strict_names)
    return schema


def _normalise_type(schema: dict[str, Any]) -> None:
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


def _normalise_items(schema: dict[str, Any]) -> None:
    if isinstance(schema.get("items"), list):  # the array form of older drafts
        schema["prefixItems"] = schema.pop("items")


def _has_in_place(schema: dict[str, Any]) -> bool:
    return any(key in schema for key in (*_IN_PLACE_LISTS, "$ref", "if", "then", "else", "dependentSchemas"))


def _branches(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for key in _IN_PLACE_LISTS:
        yield from (sub for sub in schema.get(key) or () if isinstance(sub, dict))
    yield from (schema[key] for key in ("then", "else") if isinstance(schema.get(key), dict))
    yield from (s for s in (schema.get("dependentSchemas") or {}).values() if isinstance(s, dict))


class _Closing:
    """Closes off the arguments that a schema does not define."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._known: dict[tuple[int, int], bool] = {}
        """What `_closes` found: without it, schemas that refer to each other take exponential time."""

    def close(self, schema: Any, *, in_place: bool) -> Any:
        if not isinstance(schema, dict):
            return schema
        _replace_inner(schema, lambda inner, keyword: self.close(inner, in_place=keyword in _IN_PLACE))
        if not in_place and not _opens(schema):
            if _has_in_place(schema):
                # Only `unevaluatedProperties` sees the properties that branches and references define.
                if self._closes(schema):
                    schema["unevaluatedProperties"] = False
            elif "properties" in schema:
                schema["additionalProperties"] = False
        return schema

    def _closes(self, schema: dict[str, Any], depth: int = 0) -> bool:
        """Whether a schema defines properties, itself or in its branches, and no branch is an object without any."""
        key = (id(schema), depth)
        if key not in self._known:
            self._known[key] = depth <= _DEEPEST and self._defines_properties(schema, depth)
        return self._known[key]

    def _defines_properties(self, schema: dict[str, Any], depth: int) -> bool:
        if isinstance(target := resolve(self._root, schema.get("$ref")), dict):
            return "properties" in schema or self._closes(target, depth + 1)
        choices = [sub for key in ("anyOf", "oneOf") for sub in schema.get(key) or () if isinstance(sub, dict)]
        if any(self._is_open_object(sub, depth) for sub in choices):
            return False
        return "properties" in schema or any(self._closes(sub, depth + 1) for sub in _branches(schema))

    def _is_open_object(self, schema: dict[str, Any], depth: int) -> bool:
        """Whether a choice is an object schema that names no properties."""
        declared = schema.get("type")
        takes = declared is None or declared == "object" or (isinstance(declared, list) and "object" in declared)
        return takes and not self._closes(schema, depth + 1) and not _restricts(schema)


def _restricts(schema: dict[str, Any]) -> bool:
    """Whether a schema without a type takes no objects of its own accord."""
    return (
        any(key in schema for key in ("enum", "const", "required", "$ref", *_IN_PLACE_LISTS)) and "type" not in schema
    )


def _opens(schema: dict[str, Any]) -> bool:
    """Whether a schema, or a branch of it, says itself which further properties it takes."""
    if "additionalProperties" in schema or "unevaluatedProperties" in schema:
        return True
    return any(_opens(branch) for branch in _branches(schema))


class SchemaView:
    """A place in a tool's schema: its keywords, its children, its default.

    Keywords of `$ref`, `allOf`, `anyOf` and `oneOf` count as the schema's own.
    """

    def __init__(self, schema: Any, root: Mapping[str, Any]) -> None:
        self._root = root
        self._parts = list(self._flatten(schema, set()))

    def _flatten(self, schema: Any, seen: set[int]) -> Iterator[Mapping[str, Any]]:
        # Each schema once, however many branches lead to it: a recursive one would double with each level.
        if not isinstance(schema, Mapping) or id(schema) in seen:
            return
        seen.add(id(schema))
        yield schema
        for key in _IN_PLACE_LISTS:
            for branch in schema.get(key) or ():
                yield from self._flatten(branch, seen)
        yield from self._flatten(resolve(self._root, schema.get("$ref")), seen)

    def get(self, keyword: str) -> Any:
        """The keyword's first value, or None."""
        return next((part[keyword] for part in self._parts if keyword in part), None)

    def has(self, *keywords: str) -> bool:
        return any(keyword in part for part in self._parts for keyword in keywords)

    def child(self, name: str) -> SchemaView:
        """The schema of a property."""
        for part in self._parts:
            properties = part.get("properties")
            if isinstance(properties, Mapping) and name in properties:
                return SchemaView(properties[name], self._root)
        for part in self._parts:
            for pattern, schema in (part.get("patternProperties") or {}).items():
                if matches(pattern, name):
                    return SchemaView(schema, self._root)
            if isinstance(part.get("additionalProperties"), Mapping):
                return SchemaView(part["additionalProperties"], self._root)
        return SchemaView({}, self._root)

    def item(self, index: int = 0) -> SchemaView:
        """The schema of an array's item."""
        prefix = self.get("prefixItems")
        items = prefix[index] if isinstance(prefix, list) and index < len(prefix) else self.get("items")
        return SchemaView(items if isinstance(items, Mapping) else {}, self._root)

    def defines(self, name: str) -> bool:
        """Whether a property is one that the schema takes."""
        for part in self._parts:
            if name in (part.get("properties") or {}):
                return True
            if any(matches(pattern, name) for pattern in part.get("patternProperties") or {}):
                return True
        # Unconstrained, or opened by the schema's own word.
        extra = [p[k] for p in self._parts for k in ("additionalProperties", "unevaluatedProperties") if k in p]
        return all(more is not False for more in extra)

    def requires(self, name: str) -> bool:
        return any(name in (part.get("required") or ()) for part in self._parts)

    @property
    def description(self) -> str:
        text = self.get("description")
        return text if isinstance(text, str) else ""

    @property
    def default(self) -> Any:
        """The value that leaving the argument out stands for, or MISSING.

        From `default`, or from the set phrases of public files (`The default value is 10.`, `defaults to 10`).
        """
        for part in self._parts:
            if part.get("default") is not None:  # a null default is no value
                return part["default"]
        return described_default(self.description, self.get("type"))


_DEFAULT = re.compile(
    r"""(?:\bdefault(?:s|ing)?(?:\ values?)?\s*(?:(?:is|being|to|of|as)\b|[:=]|(?=['"“`\[\d]))
          |默认值?(?:为|是|:|：)?)\s*
        (?:'(?P<single>[^']*)'|"(?P<double>[^"]*)"|“(?P<curly>[^”]*)”|`(?P<tick>[^`]*)`
          |(?P<list>\[[^\]]*\])|(?P<bare>(?:[^,;，；。()\n]|,(?=\d{3}\b))*))""",
    re.IGNORECASE | re.VERBOSE,
)


def described_default(description: str, declared: Any) -> Any:
    """The default that a description states in a set phrase, as the declared type; else MISSING."""
    if isinstance(declared, list):  # a nullable type
        types = [name for name in declared if name != "null"]
        declared = types[0] if len(types) == 1 else None
    for found in _DEFAULT.finditer(description):
        quoted = next((found[k] for k in ("single", "double", "curly", "tick", "list") if found[k] is not None), None)
        text = quoted if quoted is not None else re.split(r"\.(?:\s|$)", found["bare"])[0].strip()
        if quoted is None and (not text or (len(text.split()) > 1 and declared not in ("integer", "number", "array"))):
            continue  # "the current date": no value, but a way to find one
        value = _as_type(text, declared)
        if value is not MISSING:
            return value
    return MISSING


def _as_type(text: str, declared: Any) -> Any:
    match declared:
        case "integer" | "number":
            found = re.match(r"[-+]?\d+(?:,\d{3})*(?:\.\d+)?(?![\w.])", text)
            if not found:
                return MISSING
            value = float(found[0].replace(",", ""))
            return int(value) if value.is_integer() else value
        case "boolean":
            return {"true": True, "false": False}.get(text.casefold(), MISSING)
        case "array":
            if re.match(r"(?:an )?empty\b", text, re.IGNORECASE):
                return []
            try:
                value = ast.literal_eval(text)
            except (ValueError, SyntaxError, RecursionError, MemoryError):  # MemoryError: nested beyond the parser
                return MISSING
            return value if isinstance(value, list) else MISSING
        case "string" | None:
            return "" if text.casefold() == "empty" else text
        case _:
            return MISSING


class ArgumentSchema:
    """A tool's parameters, compiled: validates arguments and answers questions about their places.

    Raises:
        ValueError: when the parameters are no JSON Schema, saying where.
    """

    def __init__(self, parameters: Mapping[str, Any] | None) -> None:
        try:
            schema = normalise_schema(parameters)
            self._validator = Validator(schema)
        except (TypeError, AttributeError, ValueError, RecursionError) as error:
            raise ValueError(f"the parameters are no JSON Schema: {error}") from None
        self.view = SchemaView(schema, schema)

    @property
    def longest(self) -> int:
        """Characters that arguments may have to be validated."""
        return self._validator.longest

    def drop_nulls(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments without the nulls given for optional ones, which are the same as leaving them out."""
        kept: dict[str, Any] = _drop_nulls(arguments, self.view)
        return kept

    def fault(self, arguments: Mapping[str, Any]) -> str | None:
        """Why arguments (nulls dropped) are not valid, in one line; None when they are."""
        return self._validator.fault(arguments)


def _drop_nulls(value: Any, view: SchemaView) -> Any:
    if isinstance(value, Mapping):
        return {
            name: _drop_nulls(item, view.child(name))
            for name, item in value.items()
            if item is not None or view.requires(name) or not view.defines(name)
        }
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return [_drop_nulls(item, view.item(i)) for i, item in enumerate(value)]
    return value
