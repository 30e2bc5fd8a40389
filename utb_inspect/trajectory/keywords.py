"""Which keywords of JSON Schema 2020-12 hold schemas, and where those apply."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

BRANCHES = ("allOf", "anyOf", "oneOf")
"""Lists of schemas that apply to the same value."""
CONDITIONS = ("if", "then", "else", "not")
"""Schemas that apply to the same value."""
DEFINITIONS = ("$defs", "definitions")
"""Maps of schemas that are kept to be referred to."""
PART_MAPS = ("properties", "patternProperties")
"""Maps of schemas that apply to a value's parts."""
PART_LISTS = ("prefixItems",)
PARTS = (
    "items",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "propertyNames",
)
"""Schemas that apply to a value's parts."""

MAPS = (*PART_MAPS, *DEFINITIONS, "dependentSchemas")
LISTS = (*BRANCHES, *PART_LISTS)
SINGLE = (*PARTS, *CONDITIONS)

IN_PLACE = frozenset((*BRANCHES, *CONDITIONS, *DEFINITIONS, "dependentSchemas"))
"""Keywords whose schemas stand for the place they are in. A definition does wherever it is referred to; who refers
closes it."""


def replace_inner(schema: dict[str, Any], replacement: Callable[[Any, str], Any]) -> None:
    """Put `replacement(inner, keyword)` in place of each schema directly inside a schema."""
    for key in MAPS:
        if isinstance(schema.get(key), dict):
            schema[key] = {name: replacement(inner, key) for name, inner in schema[key].items()}
    for key in LISTS:
        if isinstance(schema.get(key), list):
            schema[key] = [replacement(inner, key) for inner in schema[key]]
    for key in SINGLE:
        if key in schema:
            schema[key] = replacement(schema[key], key)


def inner_schemas(schema: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The schemas directly inside a schema, each with the keys that lead to it.

    The list form of `items`, of older drafts, counts as well.
    """
    for key in (*MAPS, *LISTS, *SINGLE):
        held = schema.get(key)
        if isinstance(held, Mapping) and key in MAPS:
            yield from (((key, name), inner) for name, inner in held.items())
        elif isinstance(held, list) and (key in LISTS or key == "items"):
            yield from (((key, str(i)), inner) for i, inner in enumerate(held))
        elif key in SINGLE and key in schema:
            yield (key,), held


def in_place(schema: Mapping[str, Any]) -> Iterator[Any]:
    """The schemas inside a schema that apply to the same value, what it refers to aside."""
    for (key, *_), inner in inner_schemas(schema):
        if key in IN_PLACE and key not in DEFINITIONS:
            yield inner
