"""How much work it is to validate a value by a JSON Schema, told before it is done.

A schema that comes back to itself by several branches takes exponential time, `unevaluatedProperties` with branches in
it does so too. What is counted is a bound on how often a schema meets a value: each pair once in counting, however
often a validator comes by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

MOST_SCHEMAS = 100_000
"""Schemas that one may unfold to, with what each reference leads to in its place."""
_CHOICES = ("anyOf", "oneOf")
_HERE = ("if", "then", "else", "not")
_UNEVALUATED = ("unevaluatedProperties", "unevaluatedItems")
_INSIDE = ("additionalProperties", "items", "contains", "propertyNames", *_UNEVALUATED)
_INSIDE_MAPS = ("properties", "patternProperties", "$defs", "definitions")


def resolve(root: Mapping[str, Any], reference: Any) -> Any:
    """What a `$ref` within a schema refers to (`#/$defs/stop`); None when it leads nowhere."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    target: Any = root
    for part in filter(None, reference[1:].split("/")):
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(target, list):
            target = target[int(name)] if name.isdecimal() and int(name) < len(target) else None
        else:
            target = target.get(name) if isinstance(target, Mapping) else None
    return target


class SchemaWork:
    """Counts the work of validating by one schema.

    Raises:
        ValueError: a reference leads nowhere, out of the schema, or in a circle without going into a value; or
            the schema unfolds to more than `MOST_SCHEMAS`.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._root = schema
        self._is_tree = True
        """Whether work is bounded by the sizes of schema and value, so that nothing need be counted."""
        done: dict[int, bool] = {}
        pending: list[Any] = [schema]
        while pending:
            self._check(pending.pop(), done, pending)
        self._unfolded = 0
        if not self._is_tree:
            self._unfold(schema, set(), 1)

    def of(self, value: Any) -> int:
        """A bound on how often a schema meets a value, or a part of it."""
        return 0 if self._is_tree else self._count(self._root, value, {})

    def _check(self, schema: Any, done: dict[int, bool], pending: list[Any]) -> None:
        """Check a schema and those that apply to the same value; what applies to its parts is left `pending`.

        `done` holds False for the schemas that are being looked at.
        """
        if not isinstance(schema, Mapping):
            return
        if (known := done.get(id(schema))) is not None:
            if not known:
                raise ValueError("its references run in a circle")
            return
        done[id(schema)] = False
        if any(key in schema for key in _UNEVALUATED):
            self._is_tree = False
        for keyword in ("$ref", "$dynamicRef"):
            if keyword in schema:
                self._is_tree = False
                if keyword != "$ref" or resolve(self._root, schema["$ref"]) is None:
                    raise ValueError(f"it refers to {schema[keyword]!r}, which is not to be found in it")
        for inner in self._here(schema):
            self._check(inner, done, pending)
        done[id(schema)] = True
        pending.extend(_inside(schema))

    def _unfold(self, schema: Any, path: set[int], weight: int) -> None:
        """Count the schemas in one, references unfolded; one that comes back to itself is not unfolded again.

        Those under `unevaluatedProperties` and its like count twice, since they are compiled for it once more.
        """
        self._unfolded += weight
        if self._unfolded > MOST_SCHEMAS:
            raise ValueError(f"with its references unfolded it holds more than {MOST_SCHEMAS} schemas")
        if isinstance(schema, Mapping) and id(schema) not in path:
            path.add(id(schema))
            again = 2 if any(key in schema for key in _UNEVALUATED) else 1
            for inner in self._here(schema):
                self._unfold(inner, path, weight * again)
            for inner in _inside(schema):
                self._unfold(inner, path, weight)
            path.remove(id(schema))

    def _here(self, schema: Mapping[str, Any]) -> Iterator[Any]:
        """The schemas that apply to the same value."""
        if "$ref" in schema:
            yield resolve(self._root, schema["$ref"])
        for keyword in ("allOf", *_CHOICES):
            yield from schema.get(keyword) or ()
        yield from (schema[keyword] for keyword in _HERE if keyword in schema)
        yield from (schema.get("dependentSchemas") or {}).values()

    def _count(self, schema: Any, value: Any, known: dict[tuple[int, int], int]) -> int:
        if not isinstance(schema, Mapping):
            return 1
        key = (id(schema), id(value))
        if key not in known:
            here = sum(self._count(inner, value, known) for inner in self._here(schema))
            # A choice is tried, then tried again for what to say of it or for what it leaves unevaluated.
            for keywords in (_CHOICES, _UNEVALUATED):
                if any(keyword in schema for keyword in keywords):
                    here *= 2
            inside = sum(self._count(inner, part, known) for inner, part in _parts(schema, value))
            known[key] = 1 + here + inside
        return known[key]


def _inside(schema: Mapping[str, Any]) -> Iterator[Any]:
    """The schemas that apply to parts of a value, and those that are kept to be referred to."""
    for keyword in _INSIDE_MAPS:
        yield from (schema.get(keyword) or {}).values()
    yield from schema.get("prefixItems") or ()
    yield from (schema[keyword] for keyword in _INSIDE if keyword in schema)


def _parts(schema: Mapping[str, Any], value: Any) -> Iterator[tuple[Any, Any]]:
    """The parts of a value, each with a schema that applies to it."""
    if isinstance(value, Mapping):
        properties = schema.get("properties") or {}
        every = [*(schema.get("patternProperties") or {}).values()]
        every += [schema[key] for key in ("additionalProperties", "unevaluatedProperties") if key in schema]
        for name, part in value.items():
            yield from ((inner, part) for inner in every)
            if name in properties:
                yield properties[name], part
            if "propertyNames" in schema:
                yield schema["propertyNames"], name
    elif isinstance(value, list):
        first = schema.get("prefixItems") or []
        every = [schema[key] for key in ("items", "contains", "unevaluatedItems") if key in schema]
        for i, part in enumerate(value):
            yield from ((inner, part) for inner in (*first[i : i + 1], *every))
