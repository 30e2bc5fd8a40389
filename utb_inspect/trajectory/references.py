"""References within a schema: found as JSON Schema 2020-12 says, and rewritten as plain pointers into it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
from typing import Any
from urllib.parse import quote, unquote

from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012, SchemaRegistry

from utb_inspect.trajectory.keywords import in_place, inner_schemas

_NAMES = ("$id", "$anchor", "$dynamicAnchor", "$schema")


def resolve(root: Mapping[str, Any], reference: Any) -> Any:
    """What a pointer refers to (`#/$defs/stop`); None when it leads nowhere."""
    if not isinstance(reference, str) or (reference != "#" and not reference.startswith("#/")):
        return None
    target: Any = root
    for part in reference.split("/")[1:]:
        name = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(target, list):
            target = target[int(name)] if name.isdecimal() and int(name) < len(target) else None
        else:
            target = target.get(name) if isinstance(target, Mapping) else None
    return target


def schemas_of(root: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """A schema with pointers for references and all that it holds or refers to, each with the keys that lead to it."""
    pending: list[tuple[tuple[str, ...], Any]] = [((), root)]
    seen = set()
    while pending:
        keys, schema = pending.pop()
        if not isinstance(schema, Mapping) or id(schema) in seen:
            continue
        seen.add(id(schema))
        yield keys, schema
        if isinstance(reference := schema.get("$ref"), str):
            pending.append((tuple(unquote(reference).split("/")[1:]), resolve(root, reference)))
        pending.extend(((*keys, *more), inner) for more, inner in inner_schemas(schema))


def check_circles(root: Mapping[str, Any]) -> None:
    """See that no schema applies to the same value again and again.

    Raises:
        ValueError: one does.
    """
    graph: dict[int, list[int]] = {}
    for _, schema in schemas_of(root):
        applied = [*in_place(schema), resolve(root, schema.get("$ref"))]
        graph[id(schema)] = [id(inner) for inner in applied if isinstance(inner, Mapping)]
    try:
        TopologicalSorter(graph).prepare()
    except CycleError:
        raise ValueError("its references run in a circle") from None


class References:
    """Finds what a schema refers to, then writes pointers to wherever that is by then.

    A `$dynamicRef` is read as it is from the root of the schema.

    Raises:
        ValueError: a reference leads nowhere, or out of the schema.
    """

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self.schemas: list[dict[str, Any]] = []
        """The schema and all that it holds or refers to."""
        self._found: list[tuple[dict[str, Any], str, str, Any]] = []
        for schema in _held(root):
            schema.pop("$schema", None)  # all is read as 2020-12
            if not isinstance(schema.get("$id", ""), str):
                del schema["$id"]
        pending: list[tuple[Any, Any]] = [(root, _resolver(root))]
        seen = set()
        while pending:
            schema, resolver = pending.pop()
            if not isinstance(schema, dict) or id(schema) in seen:
                continue
            seen.add(id(schema))
            self.schemas.append(schema)
            if schema is not root and "$id" in schema:
                resolver = resolver.in_subresource(DRAFT202012.create_resource(schema))
            for keyword in ("$ref", "$dynamicRef"):
                if isinstance(reference := schema.get(keyword), str):
                    target, there = self._look_up(resolver, reference)
                    self._found.append((schema, keyword, reference, target))
                    pending.append((target, there))
            pending.extend((inner, resolver) for _, inner in inner_schemas(schema))

    def _look_up(self, resolver: Any, reference: str) -> tuple[Any, Any]:
        """What a reference leads to, and what looks up the references in that."""
        try:
            found = resolver.lookup(reference)
            target, there = found.contents, found.resolver
        except (Unresolvable, LookupError, AttributeError, TypeError, ValueError):
            # The latter when a schema is none, or is one of an older draft, as with a list in `items`.
            target, there = resolve(self._root, reference), resolver
        if not isinstance(target, dict | bool):
            raise ValueError(f"it refers to {reference!r}, which is not to be found in it")
        return target, there

    def write(self) -> None:
        """Put a pointer in place of each reference that is none, and take out what else references went by."""
        pointers = _pointers(self._root)
        for schema, keyword, reference, target in self._found:
            if keyword == "$ref" and isinstance(target, dict) and resolve(self._root, reference) is target:
                continue
            del schema[keyword]
            pointer = {"$ref": pointers[id(target)]} if isinstance(target, dict) else target
            if isinstance(pointer, dict) and "$ref" not in schema:
                schema.update(pointer)
            elif pointer is not True:
                schema["allOf"] = [*schema.get("allOf", ()), pointer]
        for schema in self.schemas:
            for name in _NAMES:
                schema.pop(name, None)


def _resolver(root: dict[str, Any]) -> Any:
    resource = DRAFT202012.create_resource(root)
    uri = resource.id() or ""
    registry: SchemaRegistry = Registry().with_resource(uri, resource)  # of this alone: nothing is ever loaded
    with suppress(LookupError, AttributeError, TypeError, ValueError):  # at what is no schema, or of an older draft
        registry = registry.crawl()  # else each anchor is looked for in all of it
    return registry.resolver(uri)


def _held(root: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A schema and all inside it."""
    pending: list[Any] = [root]
    while pending:
        schema = pending.pop()
        if isinstance(schema, dict):
            yield schema
            pending.extend(inner for _, inner in inner_schemas(schema))


def _pointers(root: dict[str, Any]) -> dict[int, str]:
    """A pointer to each object inside a schema, by its `id`."""
    pointers: dict[int, str] = {}
    pending: list[tuple[str, Any]] = [("#", root)]
    while pending:
        pointer, value = pending.pop()
        if isinstance(value, dict):
            if id(value) in pointers:
                continue
            pointers[id(value)] = pointer
        inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, item in inner:
            name = quote(str(key).replace("~", "~0").replace("/", "~1"), safe="~$")
            pending.append((f"{pointer}/{name}", item))
    return pointers
