"""Schemas that come back to themselves: ordinary ones are taken, and no schema makes a validation hang."""

from __future__ import annotations

from typing import Any

import pytest
from fuzzing import fault, nested, tools

from utb_inspect.schema import DataError
from utb_inspect.trajectory.calls import LONGEST_FAULT
from utb_inspect.trajectory.validator import MOST_LEVELS, MOST_STEPS, TOO_DEEP, TOO_MUCH_WORK


def there(name: Any) -> Any:
    return {"$ref": f"#/$defs/{name}"}


# --- ordinary ones --------------------------------------------------------------------------------------------

OPERATORS = ("Add", "Mul", "Sub", "Div")
EXPRESSION = {
    "properties": {"e": there("E")},
    "$defs": {
        "E": {"anyOf": [*map(there, OPERATORS), {"type": "number"}]},
        **{
            name: {
                "type": "object",
                "properties": {"op": {"const": name}, "left": there("E"), "right": there("E")},
                "required": ["op", "left", "right"],
            }
            for name in OPERATORS
        },
    },
}
FILTER = {
    "properties": {"where": there("F")},
    "$defs": {
        "F": {
            "oneOf": [
                *(
                    {
                        "type": "object",
                        "properties": {key: {"type": "array", "items": there("F")}},
                        "required": [key],
                    }
                    for key in ("and", "or")
                ),
                {"type": "object", "properties": {"not": there("F")}, "required": ["not"]},
                {
                    "type": "object",
                    "properties": {"field": {"type": "string"}, "is": {"enum": ["eq", "lt"]}, "value": {}},
                    "required": ["field", "is", "value"],
                },
            ]
        }
    },
}
KINDS = "ABCDE"
BLOCKS = {
    "properties": {"blocks": {"type": "array", "items": {"anyOf": [*map(there, KINDS)]}}},
    "$defs": {
        kind: {
            "type": "object",
            "properties": {
                "kind": {"const": kind},
                "text": {"type": "string"},
                "children": {"type": "array", "items": {"anyOf": [*map(there, KINDS)]}},
            },
            "required": ["kind"],
        }
        for kind in KINDS
    },
}


def expression(depth: int, innermost: Any) -> Any:
    value = innermost
    for level in range(depth):
        value = {"op": OPERATORS[level % 4], "left": value, "right": level}
    return {"e": value}


def condition(depth: int, innermost: Any) -> Any:
    value = innermost
    for level in range(depth):
        value = [{"and": [value, {"not": innermost}]}, {"or": [value]}, {"not": value}][level % 3]
    return {"where": value}


def block(depth: int, innermost: Any) -> Any:
    value = innermost
    for level in range(depth):
        value = {"kind": KINDS[level % 5], "children": [value, {"kind": "A", "text": "x"}]}
    return {"blocks": [value]}


@pytest.mark.parametrize("depth", [1, 5, 6, 12, 20, 30, 45])
def test_ordinary_recursive_schemas_are_checked_however_deep(depth: int) -> None:
    leaf = {"field": "a", "is": "eq", "value": 1}
    for schema, made, right, wrong in (
        (EXPRESSION, expression, 1, "1"),
        (EXPRESSION, expression, {"op": "Add", "left": 1, "right": 2}, {"op": "Pow", "left": 1, "right": 2}),
        (EXPRESSION, expression, 1, {"op": "Add", "left": 1, "right": 2, "more": 3}),
        (FILTER, condition, leaf, {"field": "a", "is": "gt", "value": 1}),
        (FILTER, condition, leaf, leaf | {"not": leaf}),
        (BLOCKS, block, {"kind": "E"}, {"kind": "F"}),
        (BLOCKS, block, {"kind": "E"}, {"kind": "E", "title": "x"}),
    ):
        assert fault(schema, made(depth, right)) is None
        assert fault(schema, made(depth, wrong)) not in (None, TOO_DEEP, TOO_MUCH_WORK)


def test_what_is_wrong_with_a_block_is_found_among_five_hundred() -> None:
    blocks = [{"kind": KINDS[i % 5], "text": "x"} for i in range(500)]
    assert fault(BLOCKS, {"blocks": blocks}) is None
    blocks[400]["text"] = 3  # type: ignore[assignment]
    assert str(fault(BLOCKS, {"blocks": blocks})).startswith("blocks.400")


def test_a_chain_of_definitions() -> None:
    chain = {f"d{i}": {"properties": {"a": there(f"d{i + 1}")}} for i in range(500)}
    schema = {"$ref": "#/$defs/d0", "$defs": {**chain, "d500": {"type": "string"}}}
    assert fault(schema, nested(60, {})) is None
    assert fault(schema, {"a": {"a": {"b": 1}}}) == ("a.a: Unevaluated properties are not allowed ('b' was unexpected)")


def test_definitions_that_many_refer_to_are_taken() -> None:
    defs: dict[str, Any] = {
        "place": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    }
    for i, inner in enumerate(["place", "d0", "d1"]):
        ref = there(inner)
        defs[f"d{i}"] = {
            "type": "object",
            "properties": {"from": ref, "to": ref, "by": {"type": "array", "items": ref}},
        }
    schema = {"properties": {"route": there("d2")}, "$defs": defs}
    place = {"name": "Oban"}
    assert fault(schema, {"route": {"by": [{"from": {"to": place}}]}}) is None
    place.clear()
    assert fault(schema, {"route": {"by": [{"from": {"to": place}}]}}) == (
        "route.by.0.from.to: 'name' is a required property"
    )


# --- those that double with each level ------------------------------------------------------------------------


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf", "allOf"])
@pytest.mark.parametrize("more", [{}, {"unevaluatedProperties": False}, {"required": ["a"]}], ids=str)
@pytest.mark.parametrize("innermost", [{}, {"b0": 1}, {"c": 1}], ids=str)
@pytest.mark.parametrize("levels", [0, 1, 2, 60])
def test_a_schema_that_branches_into_itself(keyword: str, more: Any, innermost: Any, levels: int) -> None:
    """All five branches take what one takes, so `oneOf` takes nothing; `c` is defined by none."""
    own = [{"properties": {"a": {"$ref": "#"}, f"b{i}": {}}} for i in range(5)]
    is_valid = keyword != "oneOf" and "required" not in more and "c" not in innermost
    found = fault({"type": "object", keyword: own, **more}, nested(levels, innermost))
    assert found not in (TOO_DEEP, TOO_MUCH_WORK)
    assert (found is None) == is_valid


@pytest.mark.parametrize("first", [True, False])
def test_properties_that_are_left_over_are_found_wherever_a_schema_says_so(first: bool) -> None:
    left_over = {"unevaluatedProperties": False}
    rest = {"anyOf": [{"properties": {"a": {"$ref": "#"}}}, {"properties": {"b": {"$ref": "#"}}}]}
    schema = {"type": "object", **(left_over | rest if first else rest | left_over)}
    value: Any = {}
    for level in range(60):
        value = {"ab"[level % 2]: value}
    assert fault(schema, value) is None
    assert fault(schema, nested(3, {"c": 1})) not in (None, TOO_DEEP, TOO_MUCH_WORK)


FANS = {
    "branches": lambda i: {"anyOf": [there(f"d{i + 1}") for _ in range(3)]},
    "all": lambda i: {"allOf": [there(f"d{i + 1}") for _ in range(3)]},
    "branches with properties": lambda i: {
        "anyOf": [there(f"d{i + 1}") for _ in range(3)],
        "properties": {f"p{i}": {"type": "string"}},
    },
    "conditions": lambda i: {"if": there(f"d{i + 1}"), "then": there(f"d{i + 1}"), "else": there(f"d{i + 1}")},
    "not not": lambda i: {"not": {"not": there(f"d{i + 1}")}, "allOf": [there(f"d{i + 1}")]},
}


@pytest.mark.parametrize("kind", FANS)
@pytest.mark.parametrize("more", [{}, {"unevaluatedProperties": False}, {"unevaluatedItems": False}], ids=str)
def test_definitions_that_fan_out(kind: str, more: Any) -> None:
    """Each leads to the next by two or three ways, two to the power of thirty in all or more, and all lead to `z`."""
    defs = {f"d{i}": FANS[kind](i) | more for i in range(30)}
    defs["d30"] = {"properties": {"z": {"type": "string"}}}
    schema = {"$ref": "#/$defs/d0", "$defs": defs}
    assert fault(schema, {"z": "x"}) is None
    assert fault(schema, {"z": 1}) not in (None, TOO_DEEP, TOO_MUCH_WORK)
    assert fault(schema, {"y": "x"}) not in (None, TOO_DEEP, TOO_MUCH_WORK)


def test_each_definition_leads_to_each_other() -> None:
    def schema(size: int) -> Any:
        defs = {
            f"d{i}": {"anyOf": [{"properties": {"a": there(f"d{j}")}} for j in range(size) if j != i]}
            for i in range(size)
        }
        return {"$ref": "#/$defs/d0", "$defs": defs}

    assert fault(schema(6), nested(10, {})) is None
    assert fault(schema(60), nested(20, {"a": {"z": 1}})) == TOO_MUCH_WORK


def test_keywords_of_older_drafts_mean_nothing() -> None:
    branch = {"allOf": [{"properties": {"a": {"$ref": "#"}, f"b{i}": {}}} for i in range(4)]}
    schema = {"type": "object", "properties": {"a": {}, "b": {}}, "additionalProperties": True}
    assert fault({**schema, "dependencies": {"a": branch}}, nested(60, {})) is None
    assert fault({**schema, "dependencies": {"a": ["b"]}}, {"a": 1}) is None
    assert fault({**schema, "dependentRequired": {"a": ["b"]}}, {"a": 1}) == "'b' is a dependency of 'a'"
    assert fault({**schema, "dependentSchemas": {"a": {"required": ["b"]}}}, {"a": 1}) == "'b' is a required property"


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}}},
        {"properties": {"x": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"if": {"$ref": "#/$defs/a"}}}},
        {"dependentSchemas": {"a": {"$ref": ""}}},
        {"$dynamicAnchor": "n", "oneOf": [{"$dynamicRef": "#n"}]},
    ],
    ids=str,
)
def test_references_in_a_circle_are_no_schema(schema: Any) -> None:
    with pytest.raises(DataError, match=r"tool 't': the parameters are no JSON Schema: its references run in a circle"):
        tools(schema)


# --- much of everything ---------------------------------------------------------------------------------------


def test_keywords_around_one_another_are_counted() -> None:
    """`properties` and `$ref` for each level, and `type` in the last."""
    schema = {"type": "object", "properties": {"a": {"$ref": "#"}}}
    assert fault(schema, nested(MOST_LEVELS // 2 - 1, {})) is None
    assert fault({"properties": {"a": {"anyOf": [{"$ref": "#"}]}}}, nested(MOST_LEVELS // 3 + 1, {})) == TOO_DEEP


MANY: dict[str, tuple[Any, Any]] = {
    "branches": ({"anyOf": [{"required": [f"p{i}"]} for i in range(1_000)]}, [{"q": 1}] * 2_000),
    "patterns": ({"patternProperties": {f"^x{i}$": {} for i in range(1_000)}}, [{f"y{i}": 1 for i in range(5_000)}]),
    "objects to choose from": ({"enum": [{"k": i} for i in range(5_000)]}, [{"k": -i} for i in range(1, 2_000)]),
    "properties": ({"properties": {f"p{i}": {} for i in range(5_000)}}, [{} for _ in range(9_000)]),
    "long texts": ({"anyOf": [{"type": "integer", "title": str(i)} for i in range(1_000)]}, ["x" * 490_000]),
    "long schemas": ({"oneOf": [{"description": "x" * 10_000} for _ in range(100)]}, list(range(1_000))),
}


@pytest.mark.parametrize("kind", MANY)
def test_much_of_everything_is_too_much(kind: str) -> None:
    inner, items = MANY[kind]
    distinct = [dict(item) if isinstance(item, dict) else item for item in items]
    found = fault({"properties": {"a": {"items": inner}}}, {"a": distinct})
    assert found is not None
    assert found == TOO_MUCH_WORK or found.startswith("a.")
    assert len(found) <= LONGEST_FAULT


PLACES: dict[str, tuple[Any, int]] = {
    "from many sides": ({"allOf": [{"prefixItems": [True] * 1_000}] * 50}, 1_000),
    "by what it is": ({"contains": {"type": "integer"}}, 19_000),
}


@pytest.mark.parametrize("kind", PLACES)
def test_items_that_are_left_over_among_thousands(kind: str) -> None:
    branches, taken = PLACES[kind]
    schema = {"properties": {"a": {"type": "array", "unevaluatedItems": False, **branches}}}
    assert fault(schema, {"a": list(range(taken))}) is None
    assert fault(schema, {"a": [*range(taken - 1), "x", "y"]}) not in (None, TOO_DEEP, TOO_MUCH_WORK)


def test_items_that_many_references_have_a_say_in() -> None:
    schema = {
        "properties": {"a": {"allOf": [{"$ref": "#/$defs/x"}] * 1_000, "unevaluatedItems": False}},
        "$defs": {"x": {"prefixItems": [True] * 1_000}},
    }
    assert fault(schema, {"a": list(range(19_000))}) is not None
    assert fault(schema, {"a": list(range(1_000))}) is None


@pytest.mark.parametrize(
    ("schema", "taken", "left"),
    [
        ({"prefixItems": [{}]}, [1], [1, 2]),
        ({"prefixItems": [{}], "items": {}}, [1, 2], None),
        ({"contains": {"const": 1}}, [1, 1], [1, 2]),
        ({"anyOf": [{"prefixItems": [{"const": 1}]}, {"prefixItems": [{}, {"const": 2}]}]}, [3, 2], [1, 3]),
        ({"if": {"prefixItems": [{"const": 1}]}, "then": {"prefixItems": [{}, {}]}}, [1, 2], [2, 2]),
        ({"if": {"prefixItems": [{"const": 1}]}, "else": {"prefixItems": [{}, {}]}}, [2, 2], [1, 2]),
        ({"$ref": "#/$defs/two"}, [1, 2], [1, 2, 3]),
        ({"allOf": [{"unevaluatedItems": {"type": "integer"}}]}, [1, 2], ["x"]),
        ({"dependentSchemas": {"1": {"prefixItems": [{}]}}}, [], ["1"]),
    ],
    ids=str,
)
def test_places_that_a_schema_has_a_say_in(schema: Any, taken: list[Any], left: list[Any] | None) -> None:
    """Worked out by hand from section 11.2 of JSON Schema 2020-12."""
    whole = {
        "properties": {"a": {**schema, "unevaluatedItems": False}},
        "$defs": {"two": {"prefixItems": [{}, {}]}},
    }
    assert fault(whole, {"a": taken}) is None
    assert left is None or fault(whole, {"a": left}) is not None


def test_many_nulls_by_many_patterns() -> None:
    schema = {"patternProperties": {f"^x{i}$": {} for i in range(1_000)}, "additionalProperties": False}
    assert fault(schema, {f"y{i}": None for i in range(15_000)}) == TOO_MUCH_WORK


def test_nulls_in_thousands_of_items_with_a_thousand_branches() -> None:
    branches = [{"type": "object", "properties": {f"p{i}": {"type": "string"}}} for i in range(1_000)]
    schema = {"properties": {"a": {"type": "array", "items": {"anyOf": branches}}}}
    found = tools(schema)["t"].schema.drop_nulls({"a": [{"p900": "x", "p3": None} for _ in range(4_000)]})
    assert found == {"a": [{"p900": "x"}] * 4_000}


def test_as_many_values_as_a_call_may_hold_are_checked() -> None:
    assert fault({"properties": {"a": {"items": {"type": "integer"}}}}, {"a": list(range(19_000))}) is None
    item = {"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}, "required": ["id"]}
    items: list[Any] = [{"id": i, "name": "x"} for i in range(5_000)]
    assert fault({"properties": {"a": {"items": item}}}, {"a": items}) is None
    countries = {"enum": [f"country {i}" for i in range(250)]}
    assert fault({"properties": {"a": {"items": countries}}}, {"a": ["country 249"] * 10_000}) is None
    assert MOST_STEPS > 5_000 * 5  # type, properties, type of each, required


def test_unique_items_of_thousands_of_objects() -> None:
    schema = {"properties": {"a": {"type": "array", "uniqueItems": True}}}
    items = [{"id": i, "tags": [i]} for i in range(4_000)]
    assert fault(schema, {"a": items}) is None
    assert fault(schema, {"a": [*items, {"tags": [7.0], "id": 7}]}) is not None
    assert fault(schema, {"a": [1, True, "1", [1], {"1": 1}, None]}) is None
    assert fault(schema, {"a": [[1, {"x": 2}], [1.0, {"x": 2.0}]]}) is not None


@pytest.mark.parametrize(
    ("value", "step", "is_valid"),
    [
        (19.99, 0.01, True),
        (19.995, 0.01, False),
        (7, 7, True),
        (8, 7, False),
        (1e308, 1e-300, True),
        (5e-324, 1, False),
    ],
)
def test_multiples_are_those_of_the_numbers_as_written(value: float, step: float, is_valid: bool) -> None:
    assert (fault({"properties": {"a": {"multipleOf": step}}}, {"a": value}) is None) == is_valid


@pytest.mark.parametrize("value", ["x" * 400_000, [{"k": "v" * 300}] * 1_000, {"k" * 100_000: 1}], ids=type)
def test_a_fault_is_short_whatever_is_wrong(value: Any) -> None:
    for schema in ({"type": "integer"}, {"anyOf": [{"type": "integer"}, {"const": 1}]}, {"not": {}}, {"maxLength": 1}):
        shown = fault({"properties": {"a": {**schema, "maxItems": 1, "maxProperties": 0}}}, {"a": value})
        assert shown is not None
        assert shown.startswith("a")
        assert len(shown) <= LONGEST_FAULT
