"""Tool schemas: read as JSON Schema 2020-12, navigated, and asked for defaults (spec section 3)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from utb_inspect.trajectory.keywords import BRANCHES
from utb_inspect.trajectory.normalise import normalise_schema
from utb_inspect.trajectory.patterns import matches
from utb_inspect.trajectory.references import resolve
from utb_inspect.trajectory.validator import MOST_STEPS, Validator
from utb_inspect.trajectory.work import CHECKING, TooMuchWorkError

_ANYTHING: Mapping[str, Any] = {}

MISSING: Any = object()
"""No value: an argument left out, or no default."""


class SchemaView:
    """A place in a tool's schema: its keywords, its children, its default.

    Keywords of `$ref`, `allOf`, `anyOf` and `oneOf` count as the schema's own. A name that is too much work to be
    compared with patterns counts as one that none of them names; validation says that it is too much.
    """

    def __init__(self, schema: Any, root: Mapping[str, Any], views: dict[int, SchemaView] | None = None) -> None:
        self._root = root
        self._views = {} if views is None else views
        """The views of the root's schemas that were asked for: one each, however many values it is asked for."""
        self._views[id(schema)] = self
        self._parts = list(self._flatten(schema))

    def _flatten(self, schema: Any) -> Iterator[Mapping[str, Any]]:
        # Each schema once, however many branches lead to it: a recursive one would double with each level.
        seen = set()
        pending = [schema]
        while pending:
            part = pending.pop()
            if not isinstance(part, Mapping) or id(part) in seen:
                continue
            seen.add(id(part))
            yield part
            inner = [branch for key in BRANCHES for branch in part.get(key) or ()]
            pending.extend(reversed([*inner, resolve(self._root, part.get("$ref"))]))

    def _view(self, schema: Any) -> SchemaView:
        return self._views.get(id(schema)) or SchemaView(schema, self._root, self._views)

    def get(self, keyword: str) -> Any:
        """The keyword's first value, or None."""
        return next((part[keyword] for part in self._parts if keyword in part), None)

    def has(self, *keywords: str) -> bool:
        return any(keyword in part for part in self._parts for keyword in keywords)

    def child(self, name: str) -> SchemaView:
        """The schema of a property."""
        if name in self._properties:
            return self._view(self._properties[name])
        with suppress(TooMuchWorkError):
            for pattern, schema in self._further:
                if pattern is None or matches(pattern, name):
                    return self._view(schema)
        return self._view(_ANYTHING)

    def item(self, index: int = 0) -> SchemaView:
        """The schema of an array's item."""
        prefix = self._prefix
        items = prefix[index] if isinstance(prefix, list) and index < len(prefix) else self._items
        return self._view(items if isinstance(items, Mapping) else _ANYTHING)

    def defines(self, name: str) -> bool:
        """Whether a property is one that the schema takes."""
        if self._is_open or name in self._properties:
            return True
        with suppress(TooMuchWorkError):
            return any(matches(pattern, name) for pattern, _ in self._further if pattern is not None)
        return False

    def requires(self, name: str) -> bool:
        return name in self._required

    @cached_property
    def _properties(self) -> dict[str, Any]:
        merged: dict[str, Any] = {}
        for part in reversed(self._parts):
            if isinstance(part.get("properties"), Mapping):
                merged |= part["properties"]
        return merged

    @cached_property
    def _further(self) -> list[tuple[str | None, Any]]:
        """Schemas of further properties, with their patterns; None for any name."""
        further: list[tuple[str | None, Any]] = []
        for part in self._parts:
            further.extend((part.get("patternProperties") or {}).items())
            if isinstance(part.get("additionalProperties"), Mapping):
                further.append((None, part["additionalProperties"]))
        return further

    @cached_property
    def _is_open(self) -> bool:
        """Whether it takes any property: unconstrained, or opened by its own word."""
        extra = [p[k] for p in self._parts for k in ("additionalProperties", "unevaluatedProperties") if k in p]
        return all(more is not False for more in extra)

    @cached_property
    def _required(self) -> frozenset[str]:
        return frozenset(name for part in self._parts for name in part.get("required") or ())

    @cached_property
    def _prefix(self) -> Any:
        return self.get("prefixItems")

    @cached_property
    def _items(self) -> Any:
        return self.get("items")

    @cached_property
    def description(self) -> str:
        text = self.get("description")
        return text if isinstance(text, str) else ""

    @cached_property
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

    def read(self, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
        """Arguments without the nulls that stand for nothing, and why they are not valid; None when they are."""
        with CHECKING.budget(MOST_STEPS):
            kept = self.drop_nulls(arguments)
            return kept, self.fault(kept)

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
