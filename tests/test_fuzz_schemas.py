"""Whatever a tool's schema and a model's arguments are, a call is valid or told why not, in bounded time."""

from __future__ import annotations

import contextlib
import json
import re
from typing import Any

import jsonschema_rs
import pytest
from fuzzing import Target, json_values, nested, texts, tools
from hypothesis import strategies as st

from utb_inspect.datasets.wire import tool_info
from utb_inspect.schema import CallStep, DataError, Ground
from utb_inspect.trajectory.agreement import check_arguments
from utb_inspect.trajectory.calls import LONGEST_FAULT, Call
from utb_inspect.trajectory.json_schema import ArgumentSchema
from utb_inspect.trajectory.normalise import normalise_schema
from utb_inspect.trajectory.validator import TOO_DEEP, TOO_MUCH_WORK
from utb_inspect.upstream.arguments import arguments_difference
from utb_inspect.upstream.tools import read_tools

NAMES = st.sampled_from("abc")
TYPES = st.sampled_from("string integer number boolean array object null float dict tuple any".split())
PATTERNS = st.sampled_from(
    ("^[A-Z]{3}$", "(a+)+$", "^(a|a)*$", "(?=.*z)x", r"(x+)\1z", r"(?!\s*$).+", "(", r"\d", r"\p{L}", "[[:alpha:]]", "")
)
REFERENCES = st.sampled_from(
    ("#", "#/$defs/a", "#/$defs/b", "#/properties/a", "#/anyOf/0", "#/x", "#a", "x.json", "http://127.0.0.1:9/x", "")
)
IN_A_CIRCLE = "its references run in a circle"
"""What jsonschema-rs takes, and then may recurse without end."""


def schemas(plain: bool = False) -> st.SearchStrategy[Any]:
    """JSON Schemas, recursive ones among them; unless `plain` also what is none, and regular expressions."""
    values = json_values(NAMES, 4)
    numbers = st.integers(-3, 9)

    def grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        lists, maps = st.lists(inner, min_size=1, max_size=3), st.dictionaries(NAMES, inner, max_size=3)
        keywords: dict[str, st.SearchStrategy[Any]] = {
            "type": TYPES | st.lists(TYPES, min_size=1, max_size=2, unique=True),
            "properties": maps,
            "$defs": maps,
            "dependentSchemas": maps,
            "required": st.lists(NAMES, max_size=2, unique=True),
            "items": inner | lists,
            "prefixItems": lists,
            "enum": st.lists(st.integers(0, 3) | NAMES, min_size=1, max_size=3),
            "const": st.integers(0, 3) | NAMES,
            "minimum": numbers,
            "maxLength": st.integers(0, 5),
            "uniqueItems": st.booleans(),
            "$ref": REFERENCES,
            "$anchor": NAMES,
            "multipleOf": st.sampled_from((1, 0.5, 3)),
            **dict.fromkeys(("anyOf", "oneOf", "allOf"), lists),
            **dict.fromkeys(("if", "then", "else", "not", "contains", "propertyNames", "additionalProperties"), inner),
            **{key: inner | st.just(False) for key in ("unevaluatedProperties", "unevaluatedItems")},
        }
        if not plain:
            keywords |= {
                "pattern": PATTERNS,
                "patternProperties": st.dictionaries(PATTERNS, inner, max_size=2),
                "multipleOf": st.sampled_from((1, 0.01, 3, 1e-300, 0, -1)),
                "default": values,
                "description": texts(),
                "$id": texts(),
                "$schema": texts(),
                "$anchor": texts(),
                "$dynamicAnchor": NAMES,
                "$dynamicRef": REFERENCES,
            }
        some = st.lists(st.sampled_from(sorted(keywords)), max_size=5, unique=True).flatmap(
            lambda keys: st.fixed_dictionaries({key: keywords[key] for key in keys})
        )
        if plain:
            return some
        odd = st.dictionaries(st.sampled_from(sorted(keywords)), values, min_size=1, max_size=1)
        return some | some | some | odd

    return st.recursive(st.just({}) | st.booleans() | st.fixed_dictionaries({"type": TYPES}), grown, max_leaves=12)


OBJECTS = st.dictionaries(NAMES, json_values(NAMES, 8), max_size=3)


def check_call(given: tuple[Any, Any, Any]) -> None:
    parameters, arguments, reference = given
    try:
        compiled = tools(parameters)
    except DataError as error:
        if not str(error).startswith("toolset 's', tool 't': the parameters are no JSON Schema: "):
            raise
        return
    json.dumps(tool_info(compiled.toolset.tools[0]).model_dump())
    read = compiled.read(Call("c", "t", arguments))
    text = compiled.read(Call("c", "t", json.dumps(arguments)))
    if read.fault is None:
        assert text.arguments == read.arguments
        assert isinstance(read.key, str)
        step = CallStep(
            id="a", call="t", arguments=reference, grounds={"a": Ground(basis="preference")}, observation=arguments
        )
        for check in check_arguments(compiled["t"], step, read.arguments, {"a": arguments}):
            assert isinstance(check.agrees, bool)
        same = step.model_copy(update={"arguments": arguments})
        assert all(check.agrees for check in check_arguments(compiled["t"], same, read.arguments, {}))
    else:
        assert 0 < len(read.fault) <= LONGEST_FAULT
        assert text.fault is not None
        read.fault.encode()


def check_upstream(given: tuple[Any, Any, Any]) -> None:
    parameters, arguments, reference = given
    declared = read_tools([{"function": {"name": "t", "parameters": parameters}}])
    arguments_difference(declared, "t", json.dumps(arguments), json.dumps(reference))


def check_against_another_validator(given: tuple[Any, Any]) -> None:
    """The package `jsonschema-rs`, in Rust, says the same; what is refused it refuses too, or it is in a circle."""
    parameters, arguments = given
    schema, refusal = None, ""
    try:
        schema = ArgumentSchema(parameters)
    except ValueError as error:
        refusal = str(error)
    if schema is None:
        # It looks up no reference that leads nowhere until something leads to that.
        lost = re.search("it refers to '(.*)', which is not to be found in it", refusal)
        used = {"$ref": lost[1]} if lost else {}
        assert refusal.endswith(IN_A_CIRCLE) or not is_compiled(strict(parameters) | used), refusal
        return
    assert is_compiled(strict(parameters))
    found = schema.fault(arguments)
    assert found not in (TOO_DEEP, TOO_MUCH_WORK)  # so small as they are
    other = jsonschema_rs.Draft202012Validator(normalise_schema(parameters))
    assert (found is None) == other.is_valid(arguments), found


def is_compiled(schema: Any) -> bool:
    try:
        jsonschema_rs.Draft202012Validator(schema, retriever=refuse)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError):
        return False
    return True


def refuse(address: str) -> Any:
    raise LookupError(address)


def strict(schema: Any) -> Any:
    """With the names of 2020-12, all else as it is."""
    match schema:
        case list():
            return [strict(inner) for inner in schema]
        case dict():
            named = {key: strict(inner) for key, inner in schema.items()}
            if isinstance(named.get("items"), list):
                named["prefixItems"] = named.pop("items")
            types = named.pop("type", [])
            types = [types] if isinstance(types, str) else types
            if types and "any" not in types:
                other = {"float": "number", "dict": "object", "tuple": "array"}
                named["type"] = list(dict.fromkeys(other.get(name, name) for name in types))
            return named
    return schema


def check_large(given: tuple[Any, Any, int]) -> None:
    """Large arguments are valid, or told why not, or at least what is too much about them."""
    parameters, arguments, times = given
    with contextlib.suppress(DataError):
        call = tools(parameters)
        for value in (nested(min(times, 90), arguments), {"a": [arguments] * times, "b": nested(9, arguments, "b")}):
            shown = call.read(Call("c", "t", json.dumps(value))).fault
            assert shown is None or 0 < len(shown) <= LONGEST_FAULT


TARGETS = {
    "calls": Target(st.tuples(schemas().filter(lambda s: isinstance(s, dict)), OBJECTS, OBJECTS), check_call),
    "upstream arguments": Target(st.tuples(schemas(), json_values(NAMES), json_values(NAMES)), check_upstream),
    "validity": Target(
        st.tuples(schemas(plain=True).filter(lambda s: isinstance(s, dict)), OBJECTS), check_against_another_validator
    ),
    "large arguments": Target(
        st.tuples(schemas().filter(lambda s: isinstance(s, dict)), OBJECTS, st.integers(10, 1_000)), check_large
    ),
}


@pytest.mark.parametrize("name", TARGETS)
def test_a_call_is_valid_or_told_why_not(name: str) -> None:
    TARGETS[name].fuzz()
