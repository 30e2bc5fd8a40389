"""References within a tool's schema: every form of JSON Schema 2020-12, validated, navigated, and sent as pointers."""

from __future__ import annotations

from typing import Any

import pytest
from fuzzing import fault, tools
from jsonschema_rs import Draft202012Validator

from utb_inspect.schema import DataError
from utb_inspect.trajectory.json_schema import ArgumentSchema
from utb_inspect.trajectory.normalise import wire_schema
from utb_inspect.trajectory.references import resolve

TEXT: dict[str, Any] = {"type": "string", "description": "A text, in order."}
OWN = "https://example.org/tools/s.json"


def to(reference: str, **more: Any) -> Any:
    """A schema whose argument `a` is what a reference leads to."""
    return {"type": "object", "properties": {"a": {"$ref": reference}}, **more}


TO_TEXT: dict[str, Any] = {
    "pointer": to("#/$defs/x", **{"$defs": {"x": TEXT}}),
    "escaped": to("#/$defs/a~1b~0c", **{"$defs": {"a/b~c": TEXT}}),
    "percent-encoded": to("#/$defs/my%20type", **{"$defs": {"my type": TEXT}}),
    "percent-encoded generic": to("#/$defs/Page%5BItem%5D", **{"$defs": {"Page[Item]": TEXT}}),
    "percent sign": to("#/$defs/a%25b", **{"$defs": {"a%b": TEXT}}),
    "empty name": {"type": "object", "properties": {"": TEXT, "a": {"$ref": "#/properties/"}}},
    "anchor": to("#text", **{"$defs": {"x": {"$anchor": "text", **TEXT}}}),
    "dynamic anchor": to("#text", **{"$defs": {"x": {"$dynamicAnchor": "text", **TEXT}}}),
    "dynamic": {
        "type": "object",
        "properties": {"a": {"$dynamicRef": "#text"}},
        "$defs": {"x": {"$dynamicAnchor": "text", **TEXT}},
    },
    "dynamic pointer": {"type": "object", "properties": {"a": {"$dynamicRef": "#/$defs/x"}}, "$defs": {"x": TEXT}},
    "by its own address": to(f"{OWN}#/$defs/x", **{"$id": OWN, "$defs": {"x": TEXT}}),
    "by a part of it": to("s.json#/$defs/x", **{"$id": OWN, "$defs": {"x": TEXT}}),
    "address of a part": to("x.json", **{"$id": OWN, "$defs": {"x": {"$id": "x.json", **TEXT}}}),
    "within a part": to(
        "x.json", **{"$id": OWN, "$defs": {"x": {"$id": "x.json", "$ref": "#/$defs/y", "$defs": {"y": TEXT}}}}
    ),
    "anchor of a part": to(
        "x.json#y", **{"$id": OWN, "$defs": {"x": {"$id": "x.json", "$defs": {"z": {"$anchor": "y", **TEXT}}}}}
    ),
    "past unknown keywords": to("#/components/schemas/X", components={"schemas": {"X": TEXT}}),
    "from there on": to("#/components/X", components={"X": {"$ref": "#/components/Y"}, "Y": TEXT}),
    "to an item": {
        "type": "object",
        "properties": {"a": {"$ref": "#/properties/b/prefixItems/0"}, "b": {"type": "array", "prefixItems": [TEXT]}},
    },
    "through a branch": to("#/$defs/x/anyOf/1", **{"$defs": {"x": {"anyOf": [{}, TEXT]}}}),
    "beside others": {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/x", "$dynamicRef": "#/$defs/y", "maxLength": 9}},
        "$defs": {"x": TEXT, "y": {"minLength": 1}},
    },
}  # fmt: skip
OLDER: dict[str, Any] = {
    "generic": to("#/$defs/Page[Item]", **{"$defs": {"Page[Item]": TEXT}}),  # not quite an address
    "definitions": to("#/definitions/x", definitions={"x": TEXT}),
    "an item of older drafts": {
        "type": "object",
        "properties": {"a": {"$ref": "#/properties/b/items/0"}, "b": {"type": "array", "items": [TEXT]}},
    },
    "within an item of older drafts": {
        "type": "object",
        "properties": {
            "a": {"$ref": "#/properties/b/items/0/properties/c"},
            "b": {"type": "array", "items": [{"type": "object", "properties": {"c": TEXT}}]},
        },
    },
    "types of other names": to("#/components/X", components={"X": {"type": ["string"], "anyOf": [{"type": "any"}]}} ),
}  # fmt: skip


@pytest.mark.parametrize("kind", [*TO_TEXT, *OLDER])
def test_a_reference_leads_to_a_text(kind: str) -> None:
    schema = TO_TEXT.get(kind) or OLDER[kind]
    assert fault(schema, {"a": "x"}) is None
    assert fault(schema, {"a": 1}) == "a: 1 is not of type 'string'"
    if kind in TO_TEXT:  # as another reader of JSON Schema has it
        other = Draft202012Validator(schema)
        assert (other.is_valid({"a": "x"}), other.is_valid({"a": 1})) == (True, False)


@pytest.mark.parametrize("kind", TO_TEXT)
def test_a_reference_is_followed_to_what_stands_there(kind: str) -> None:
    assert ArgumentSchema(TO_TEXT[kind]).view.child("a").description == TEXT["description"]


@pytest.mark.parametrize("kind", [*TO_TEXT, *OLDER])
def test_references_are_pointers_on_the_wire(kind: str) -> None:
    sent = wire_schema(TO_TEXT.get(kind) or OLDER[kind])
    reference = sent["properties"]["a"]["$ref"]
    assert reference.startswith("#/")
    assert resolve(sent, reference) is not None
    if kind != "generic":
        validator = Draft202012Validator(sent)
        assert (validator.is_valid({"a": "x"}), validator.is_valid({"a": 1})) == (True, False)
    if kind in ("pointer", "generic", "definitions"):
        assert sent == TO_TEXT.get(kind, OLDER.get(kind))


@pytest.mark.parametrize("reference", ["#", "", OWN, "s.json"])
def test_a_schema_refers_to_itself(reference: str) -> None:
    schema = {"$id": OWN, "type": "object", "properties": {"n": {"type": "integer"}, "a": {"$ref": reference}}}
    assert fault(schema, {"a": {"a": {"n": 1}}}) is None
    assert fault(schema, {"a": {"a": {"n": "x"}}}) == "a.a.n: 'x' is not of type 'integer'"
    assert fault(schema, {"a": {"a": {"m": 1}}}) == ("a.a: Additional properties are not allowed ('m' was unexpected)")


def test_a_tree_of_dynamic_references() -> None:
    schema = {
        "$dynamicAnchor": "node",
        "type": "object",
        "properties": {"v": {"type": "string"}, "kids": {"type": "array", "items": {"$dynamicRef": "#node"}}},
    }
    assert fault(schema, {"v": "x", "kids": [{"v": "y", "kids": []}]}) is None
    assert fault(schema, {"v": "x", "kids": [{"v": 1}]}) == "kids.0.v: 1 is not of type 'string'"


def test_references_to_what_is_always_or_never_right() -> None:
    schema = {
        "properties": {"a": {"$ref": "#/$defs/any"}, "b": {"$ref": "#/$defs/none", "allOf": [{"type": "integer"}]}},
        "$defs": {"any": True, "none": False},
    }
    assert fault(schema, {"a": [1]}) is None
    assert fault(schema, {"b": 1}) == "b: False schema does not allow 1"


def test_what_only_looks_like_a_reference() -> None:
    """A property of that name, and values."""
    schema = {
        "properties": {
            "$ref": {"type": "string"},
            "$id": {"type": "string"},
            "b": {"enum": [{"$ref": "#/nowhere"}], "default": {"$ref": "x.json"}, "examples": [{"$ref": "x"}]},
            "c": {"const": {"$ref": "#/nowhere"}},
        }
    }
    assert fault(schema, {"$ref": "x", "$id": "y", "b": {"$ref": "#/nowhere"}, "c": {"$ref": "#/nowhere"}}) is None
    assert fault(schema, {"$ref": 1}) == "$ref: 1 is not of type 'string'"


def test_what_is_referred_to_is_read_like_the_rest() -> None:
    schema = to("#/components/X", components={"X": {"type": "dict", "properties": {"n": {"type": "float"}}}})
    assert fault(schema, {"a": {"n": 1.5}}) is None
    assert fault(schema, {"a": {"m": 1}}) == "a: Unevaluated properties are not allowed ('m' was unexpected)"
    with pytest.raises(DataError, match="at components/X/type"):
        tools(to("#/components/X", components={"X": {"type": 3}}))


@pytest.mark.parametrize(
    "reference",
    [
        "#/$defs/x", "#x", "x.json", "http://127.0.0.1:9/x", "file:///etc/hostname", "#/properties/a/items/3",
        "#/properties/a/type", "https://json-schema.org/draft/2020-12/schema", "[", "http://[", "#/%",
    ],
)  # fmt: skip
@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef"])
def test_references_to_what_is_not_there_are_no_schema(keyword: str, reference: str) -> None:
    with pytest.raises(DataError, match="not to be found in it"):
        tools({"properties": {"a": {"type": "array", "items": {keyword: reference}}}})


@pytest.mark.parametrize(
    "keyword", ["$ref", "$id", "$anchor", "$schema", "$dynamicRef", "$defs", "properties", "allOf"]
)
@pytest.mark.parametrize("value", [None, 3, [], [3], {"a": 3}, "\ud83d", "["], ids=ascii)
def test_what_is_wrong_about_references_ends_in_a_message(keyword: str, value: Any) -> None:
    told = []
    for schema in ({keyword: value}, {"properties": {"a": {keyword: value}, "b": {"$ref": "#/properties/a"}}}):
        try:
            fault(schema, {"c": 1})
        except DataError as error:
            told.append(str(error))
    assert all("the parameters are no JSON Schema: " in error for error in told)


@pytest.mark.parametrize("kind", ["to one place", "by anchors"])
def test_thousands_of_references(kind: str) -> None:
    """Each schema is looked at once, however many refer to it, and each anchor found without reading all again."""
    many = range(20_000)
    if kind == "to one place":
        schema = {"type": "object", "properties": {f"p{i}": {"$ref": "#"} for i in many}}
        right, wrong = {"p1": {"p19999": {}}}, "p19999: 1 is not of type 'object'"
    else:
        defs = {f"d{i}": {"$anchor": f"a{i}", "type": "string"} for i in many}
        schema = {"type": "object", "properties": {f"p{i}": {"$ref": f"#a{i}"} for i in many}, "$defs": defs}
        right, wrong = {"p1": "x", "p19999": "y"}, "p19999: 1 is not of type 'string'"
    assert fault(schema, right) is None
    assert fault(schema, {"p19999": 1}) == wrong
