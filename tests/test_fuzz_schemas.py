"""Whatever a tool's schema and a model's arguments are, a call is valid or told why not, in bounded time."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fuzzing import Target, json_values, texts
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from utb_inspect.datasets.wire import tool_info
from utb_inspect.schema import CallStep, DataError, Function, Ground, Tool, Toolset
from utb_inspect.trajectory.agreement import check_arguments
from utb_inspect.trajectory.calls import LONGEST_FAULT, Call, Tools, parse_arguments
from utb_inspect.trajectory.json_schema import ArgumentSchema, normalise_schema
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
            "$ref": st.sampled_from(("#", "#/$defs/a", "#/$defs/b", "#/properties/a")) if plain else REFERENCES,
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
        tool = Tool(function=Function(name="t", parameters=parameters), effect="read")
        tools = Tools(Toolset(id="s", domain="d", description="", tools=[tool]))
    except DataError as error:
        if not str(error).startswith("toolset 's', tool 't': the parameters are no JSON Schema: "):
            raise
        return
    json.dumps(tool_info(tool).model_dump())
    read = tools.read(Call("c", "t", arguments))
    text = tools.read(Call("c", "t", json.dumps(arguments)))
    if read.fault is None:
        assert text.arguments == read.arguments
        assert isinstance(read.key, str)
        step = CallStep(
            id="a", call="t", arguments=reference, grounds={"a": Ground(basis="preference")}, observation=arguments
        )
        for check in check_arguments(tools["t"], step, read.arguments, {"a": arguments}):
            assert isinstance(check.agrees, bool)
        same = step.model_copy(update={"arguments": arguments})
        assert all(check.agrees for check in check_arguments(tools["t"], same, read.arguments, {}))
    else:
        assert 0 < len(read.fault) <= LONGEST_FAULT
        assert text.fault is not None
        read.fault.encode()


def check_upstream(given: tuple[Any, Any, Any]) -> None:
    parameters, arguments, reference = given
    tools = read_tools([{"function": {"name": "t", "parameters": parameters}}])
    arguments_difference(tools, "t", json.dumps(arguments), json.dumps(reference))


def check_against_another_validator(given: tuple[Any, Any]) -> None:
    """The package `jsonschema` says the same of what it can check at all."""
    parameters, arguments = given
    try:
        schema = ArgumentSchema(parameters)
        parse_arguments(arguments)
    except ValueError:
        return
    try:
        other = Draft202012Validator(normalise_schema(parameters)).is_valid(arguments)
    except RecursionError:
        return
    assert (schema.fault(arguments) is None) == other, schema.fault(arguments)


TARGETS = {
    "calls": Target(st.tuples(schemas().filter(lambda s: isinstance(s, dict)), OBJECTS, OBJECTS), check_call),
    "upstream arguments": Target(st.tuples(schemas(), json_values(NAMES), json_values(NAMES)), check_upstream),
    "validity": Target(
        st.tuples(schemas(plain=True).filter(lambda s: isinstance(s, dict)), OBJECTS), check_against_another_validator
    ),
}


@pytest.mark.parametrize("name", TARGETS)
def test_a_call_is_valid_or_told_why_not(name: str) -> None:
    TARGETS[name].fuzz()
