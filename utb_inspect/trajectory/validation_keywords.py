"""Keywords of JSON Schema whose own form in the package `jsonschema` may take too long, or reads numbers as binary.

Each is called with a validator, what the keyword holds, a value and the schema; it gives the errors.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextvars import ContextVar
from fractions import Fraction
from typing import Any

from jsonschema import Draft202012Validator, ValidationError

from utb_inspect.trajectory.canonical import canonical
from utb_inspect.trajectory.patterns import compiled
from utb_inspect.trajectory.references import resolve
from utb_inspect.trajectory.work import CHECKING

_LETTERS_IN_A_STEP = 100


_Part = str | int
"""A property's name, or an item's place."""


class Check:
    """A validation that is under way. What it knows is by `id`: schemas and values live longer than it does."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self.levels = 0
        """Keywords that lie around the present one."""
        self.found: dict[tuple[str, int, int], list[ValidationError]] = {}
        """Errors, by keyword, schema and value."""
        self.matching: dict[tuple[str, int], list[str]] = {}
        """Properties that a pattern names, by pattern and value."""
        self.evaluated: dict[tuple[int, int], frozenset[_Part]] = {}
        """Properties or places of a value that a schema has a say in, by schema and value."""


CHECK: ContextVar[Check] = ContextVar("check")


def _ref(validator: Any, reference: str, value: Any, schema: Any) -> Iterable[ValidationError]:
    errors: Iterable[ValidationError] = validator.descend(value, resolve(CHECK.get().root, reference))
    return errors


def _pattern(validator: Any, pattern: str, value: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, str) and not compiled(pattern).found_in(value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        for pattern, inner in patterns.items():
            for name in _matching(pattern, value):
                yield from validator.descend(value[name], inner, path=name, schema_path=pattern)


def _additional_properties(validator: Any, inner: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        defined = _defined(schema, value)
        yield from _left_over("Additional properties", validator, inner, value, defined)


def _unevaluated_properties(validator: Any, inner: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        evaluated = _find_evaluated(validator, schema, value)
        yield from _left_over("Unevaluated properties", validator, inner, value, evaluated)


def _unevaluated_items(validator: Any, inner: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, list):
        evaluated = _find_evaluated(validator, schema, value)
        yield from _left_over("Unevaluated items", validator, inner, value, evaluated)


def _left_over(
    what: str, validator: Any, inner: Any, value: Any, known: Collection[_Part]
) -> Iterator[ValidationError]:
    """Errors of the parts of a value that are not known."""
    is_object = isinstance(value, dict)
    parts = [part for part in (value if is_object else range(len(value))) if part not in known]
    if inner is False and parts:
        shown = ", ".join(repr(part if is_object else value[part]) for part in parts)
        verb = "was" if len(parts) == 1 else "were"
        yield ValidationError(f"{what} are not allowed ({shown} {verb} unexpected)")
    elif inner is not False:
        for part in parts:
            yield from validator.descend(value[part], inner, path=part)


def _matching(pattern: str, value: Mapping[str, Any]) -> list[str]:
    known = CHECK.get().matching
    key = (pattern, id(value))
    if key not in known:
        found_in = compiled(pattern).found_in
        known[key] = [name for name in value if found_in(name)]
    return known[key]


def _defined(schema: Mapping[str, Any], value: Mapping[str, Any]) -> set[str]:
    """Properties of a value that `properties` and `patternProperties` name."""
    defined = set(value.keys() & schema.get("properties", {}).keys())
    for pattern in schema.get("patternProperties", ()):
        defined.update(_matching(pattern, value))
    return defined


def _evaluated(validator: Any, schema: Any, value: dict[str, Any] | list[Any]) -> frozenset[_Part]:
    """Parts of a value that a schema that takes it has a say in."""
    if not isinstance(schema, Mapping):
        return frozenset()
    if ("unevaluatedProperties" if isinstance(value, dict) else "unevaluatedItems") in schema:
        return _parts(value)
    known = CHECK.get().evaluated
    key = (id(schema), id(value))
    if key not in known:
        CHECKING.spend(1 + len(value) // 10)
        known[key] = _find_evaluated(validator, schema, value)
    return known[key]


def _find_evaluated(validator: Any, schema: Mapping[str, Any], value: dict[str, Any] | list[Any]) -> frozenset[_Part]:
    if ("additionalProperties" if isinstance(value, dict) else "items") in schema:
        return _parts(value)

    def takes(inner: Any, part: Any = value) -> bool:
        CHECKING.spend(1)
        found: bool = validator.evolve(schema=inner).is_valid(part)
        return found

    own: set[_Part]
    if isinstance(value, dict):
        own = {*_defined(schema, value)}
    else:
        own = {*range(min(len(value), len(schema.get("prefixItems", ()))))}
        if "contains" in schema:
            own |= {place for place, item in enumerate(value) if takes(schema["contains"], item)}
    applied = [*schema.get("allOf", ())]
    if "$ref" in schema:
        applied.append(resolve(CHECK.get().root, schema["$ref"]))
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            chosen = [inner for inner in schema[keyword] if takes(inner)]
            if not chosen:
                return _parts(value)  # that none is right is told, not what none of them has a say in
            applied += chosen
    if "if" in schema:
        applied += [schema["if"], schema.get("then")] if takes(schema["if"]) else [schema.get("else")]
    if isinstance(value, dict):
        applied += [inner for name, inner in schema.get("dependentSchemas", {}).items() if name in value]
    return frozenset(own).union(*(_evaluated(validator, inner, value) for inner in applied))


def _parts(value: dict[str, Any] | list[Any]) -> frozenset[_Part]:
    """All parts of a value."""
    return frozenset(value if isinstance(value, dict) else range(len(value)))


def _unique_items(validator: Any, unique: bool, value: Any, schema: Any) -> Iterator[ValidationError]:
    if unique and isinstance(value, list):
        texts = [canonical(item) for item in value]
        CHECKING.spend(sum(map(len, texts)) // _LETTERS_IN_A_STEP)
        if len(set(texts)) < len(texts):
            yield ValidationError(f"{value!r} has non-unique elements")


def _enum(validator: Any, values: Any, value: Any, schema: Any) -> Iterable[ValidationError]:
    if isinstance(value, str) and value in values:
        return ()
    CHECKING.spend(len(values) // 4)
    errors: Iterable[ValidationError] = Draft202012Validator.VALIDATORS["enum"](validator, values, value, schema)
    return errors


def _multiple_of(validator: Any, step: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    """On exact fractions: by binary ones 19.99 is no multiple of 0.01."""
    if validator.is_type(value, "number") and Fraction(str(value)) % Fraction(str(step)) != 0:
        yield ValidationError(f"{value!r} is not a multiple of {step}")


KEYWORDS = {
    "$ref": _ref,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "unevaluatedProperties": _unevaluated_properties,
    "unevaluatedItems": _unevaluated_items,
    "uniqueItems": _unique_items,
    "enum": _enum,
    "multipleOf": _multiple_of,
}
