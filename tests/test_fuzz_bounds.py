"""Inputs that took minutes or gigabytes once: each ends in a message, or in the verdict it deserves."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from utb_inspect.schema import DataError, Function, Tool, Toolset, Turn
from utb_inspect.trajectory.calls import DEEPEST, MOST_VALUES, Call, Message, Tools, parse_arguments
from utb_inspect.trajectory.json_schema import ArgumentSchema
from utb_inspect.trajectory.questions import question_sentences
from utb_inspect.trajectory.run import Run
from utb_inspect.trajectory.schema_work import MOST_SCHEMAS, SchemaWork
from utb_inspect.trajectory.validator import LONGEST, LONGEST_TRIED
from utb_inspect.trajectory.verdict import judge_messages
from utb_inspect.upstream.text import MOST_PAIRS, text_difference

TOO_DEEP = "the arguments are nested too deeply to be checked"


def tools(parameters: Any) -> Tools:
    tool = Tool(function=Function(name="t", parameters=parameters), effect="read")
    return Tools(Toolset(id="s", domain="d", description="", tools=[tool]))


def fault(parameters: Any, arguments: Any) -> str | None:
    return tools(parameters).read(Call("c", "t", arguments)).fault


def nested(levels: int, innermost: Any, key: str = "a") -> Any:
    value = innermost
    for _ in range(levels):
        value = {key: value}
    return value


# --- schemas that come back to themselves ---------------------------------------------------------------------


def branching(keyword: str, branches: int, **more: Any) -> Any:
    own = [{"properties": {"a": {"$ref": "#"}, f"b{i}": {}}} for i in range(branches)]
    return {"type": "object", keyword: own, **more}


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf", "allOf"])
@pytest.mark.parametrize("more", [{}, {"unevaluatedProperties": False}, {"required": ["a"]}], ids=str)
@pytest.mark.parametrize("innermost", [{}, {"b0": 1}, {"c": 1}], ids=str)
def test_a_schema_that_branches_into_itself(keyword: str, more: Any, innermost: Any) -> None:
    assert fault(branching(keyword, 5, **more), nested(60, innermost)) == TOO_DEEP


def test_a_schema_that_branches_into_itself_still_checks_what_is_usual() -> None:
    expression = {
        "type": "object",
        "properties": {"where": {"$ref": "#/$defs/condition"}},
        "$defs": {
            "condition": {
                "anyOf": [
                    {"type": "object", "properties": {"all": {"type": "array", "items": {"$ref": "#/$defs/condition"}}},
                     "required": ["all"]},
                    {"type": "object", "properties": {"not": {"$ref": "#/$defs/condition"}}, "required": ["not"]},
                    {"type": "object", "properties": {"field": {"type": "string"}}, "required": ["field"]},
                ]
            }
        },
    }  # fmt: skip
    inner = {"all": [{"field": "x"}, {"not": {"field": "y"}}]}
    for _ in range(3):
        inner = {"all": [inner, {"not": inner}]}
    assert fault(expression, {"where": inner}) is None
    inner["all"].append({"field": 3})
    assert fault(expression, {"where": inner}) not in (None, TOO_DEEP)


def there(i: int) -> Any:
    return {"$ref": f"#/$defs/d{i}"}


FANS: dict[str, Callable[[int], Any]] = {
    "branches": lambda i: {"anyOf": [there(i + 1)] * 3},
    "branches with properties": lambda i: {"anyOf": [there(i + 1)] * 3, "properties": {f"p{i}": {}}},
    "properties": lambda i: {"properties": {"a": there(i + 1), "b": there(i + 1)}},
    "items": lambda i: {"properties": {"a": {"items": there(i + 1)}, "b": {"items": there(i + 1)}}},
    "properties of branches": lambda i: {"anyOf": [{"properties": {"a": there(i + 1)}}] * 2},
    "each to all": lambda i: {"anyOf": [{"properties": {"a": there(j)}} for j in range(30) if j != i]},
}


@pytest.mark.parametrize("kind", FANS)
@pytest.mark.parametrize("more", [{}, {"unevaluatedProperties": False}, {"additionalProperties": False}], ids=str)
def test_references_that_fan_out_are_refused(kind: str, more: Any) -> None:
    """Each definition leads to the next by two or three ways: two to the power of thirty in all, or more."""
    defs = {f"d{i}": FANS[kind](i) | more for i in range(30)}
    defs["d30"] = {"properties": {"z": {"type": "string"}}}
    with pytest.raises(DataError, match=f"with its references unfolded it holds more than {MOST_SCHEMAS} schemas"):
        tools({"$ref": "#/$defs/d0", "$defs": defs})


def test_definitions_that_many_refer_to_are_taken() -> None:
    defs: dict[str, Any] = {
        "place": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    }
    for i, inner in enumerate(["place", "d0", "d1"]):
        ref = {"$ref": f"#/$defs/{inner}"}
        defs[f"d{i}"] = {
            "type": "object",
            "properties": {"from": ref, "to": ref, "by": {"type": "array", "items": ref}},
        }
    schema = {"properties": {"route": {"$ref": "#/$defs/d2"}}, "$defs": defs}
    place = {"name": "Oban"}
    assert fault(schema, {"route": {"by": [{"from": {"to": place}}]}}) is None
    place.clear()
    assert fault(schema, {"route": {"by": [{"from": {"to": place}}]}}) == (
        'route.by.0.from.to: "name" is a required property'
    )


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}}},
        {"properties": {"x": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"if": {"$ref": "#/$defs/a"}}}},
    ],
    ids=str,
)
def test_references_in_a_circle_are_no_schema(schema: Any) -> None:
    with pytest.raises(DataError, match=r"tool 't': the parameters are no JSON Schema: its references run in a circle"):
        tools(schema)


@pytest.mark.parametrize("reference", ["#/$defs/x", "#x", "x.json", "http://127.0.0.1:9/x", "file:///etc/hostname"])
@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef"])
def test_references_to_what_is_not_there_are_no_schema(keyword: str, reference: str) -> None:
    with pytest.raises(DataError, match="not to be found in it"):
        tools({"properties": {"a": {"items": {keyword: reference}}}})


def test_work_is_counted_along_every_branch() -> None:
    """By hand: an object without `a` meets the schema and its two branches, which count twice: 1 + 2 * 2."""
    work = SchemaWork(branching("anyOf", 2))
    assert [work.of(nested(levels, {})) for levels in range(3)] == [5, 1 + 2 * (2 + 2 * 6), 1 + 2 * (2 + 2 * 30)]
    assert SchemaWork({"anyOf": [{"properties": {"a": {}}}] * 9}).of({"a": 1}) == 0  # a tree needs no counting


# --- regular expressions --------------------------------------------------------------------------------------

SLOW = [r"^(a+)+$", r"^(a|a)*$", r"^(a|aa)+$", r"^(a*)*b", r"(.*a){20}$", r"^([a-z]+ ?)+$"]
BACKTRACKING = [r"^(?=a)(a+)+$", r"^(?!b)(a|a)*$", r"(a+)\1b", r"(?=.*z)a", r"(?<!b)(a+)+c"]


@pytest.mark.parametrize("pattern", SLOW)
@pytest.mark.parametrize("length", [40, 400_000])
def test_patterns_are_searched_in_linear_time(pattern: str, length: int) -> None:
    text = "a" * length + "!"
    schema = {"properties": {"a": {"pattern": pattern}}, "patternProperties": {pattern: {"type": "integer"}}}
    shown = fault(schema, {"a": text})
    assert shown is not None
    assert shown.startswith('a: "aaaa')
    assert fault(schema, {text[: LONGEST // 2]: "x"}) is not None


@pytest.mark.parametrize("pattern", BACKTRACKING)
def test_look_around_and_back_references_are_tried_within_bounds(pattern: str) -> None:
    schema = {"properties": {"a": {"pattern": pattern}}, "patternProperties": {f"{pattern}x": {"type": "integer"}}}
    for length in (40, LONGEST_TRIED - 2):
        assert str(fault(schema, {"a": "a" * length + "!"})).startswith("a: ")
        assert fault(schema, {"a" * length + "!": 1}) is not None
    assert fault(schema, {"a": "a" * LONGEST_TRIED}) == (
        f"the arguments could not be read: they have more than {LONGEST_TRIED} characters"
    )


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"^\d{4}-\d\d$", "2025-03", True),
        (r"^\d{4}-\d\d$", "2025-03\n", False),  # `$` is the end, in ECMA-262
        (r"^\d+$", "٣", False),  # so are digits those of ASCII
        (r"^(?!\s*$).+", "x", True),
        (r"^(?!\s*$).+", "  ", False),
        (r"^.{1,2000}$", "é" * 2000, True),
        (r"^\u00e9$", "é", True),
        (r"^(a|b)\1$", "aa", True),
        (r"^\p{Lu}", "É", True),
    ],
)
def test_patterns_mean_what_json_schema_says(pattern: str, text: str, found: bool) -> None:
    assert (fault({"properties": {"a": {"pattern": pattern}}}, {"a": text}) is None) == found
    assert (ArgumentSchema({"patternProperties": {pattern: {}}}).view.defines(text)) == found


@pytest.mark.parametrize("pattern", ["(", "[", "\\", "a{2,1}", "(?<=", "*"])
def test_what_is_no_regular_expression_is_refused(pattern: str) -> None:
    for schema in ({"properties": {"a": {"pattern": pattern}}}, {"patternProperties": {pattern: {}}}):
        with pytest.raises(DataError, match="the parameters are no JSON Schema: at p"):
            tools(schema)


# --- much of everything ---------------------------------------------------------------------------------------


def test_unique_items_of_thousands_of_objects() -> None:
    schema = {"properties": {"a": {"type": "array", "uniqueItems": True}}}
    items = [{"id": i, "tags": [i]} for i in range(4_000)]
    assert fault(schema, {"a": items}) is None
    assert fault(schema, {"a": [*items, {"tags": [7.0], "id": 7}]}) is not None
    assert fault(schema, {"a": [1, True, "1", [1], {"1": 1}, None]}) is None
    assert fault(schema, {"a": [[1, {"x": 2}], [1.0, {"x": 2.0}]]}) is not None


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"a": "x" * (LONGEST + 1)}, f"more than {LONGEST} characters"),
        ({"a": ["x" * 1000] * 1000}, f"more than {LONGEST} characters"),
        ({"x" * (LONGEST + 1): 1}, f"more than {LONGEST} characters"),
        ({"a": list(range(MOST_VALUES + 1))}, f"more than {MOST_VALUES} values"),
        ({str(i): {} for i in range(MOST_VALUES + 1)}, f"more than {MOST_VALUES} values"),
        (nested(DEEPEST + 1, {}), "nested too deeply"),
        ({"a": 10**4000}, "too many digits"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_arguments_beyond_all_measure_are_invalid(arguments: Any, why: str) -> None:
    for form in (arguments, json.dumps(arguments)):
        shown = fault({"additionalProperties": True}, form)
        assert shown is not None
        assert shown.startswith("the arguments could not be read: ")
        assert why in shown


def test_arguments_within_measure_are_read() -> None:
    for arguments in ({"a": "x" * (LONGEST - 1)}, {"a": list(range(MOST_VALUES - 2))}, nested(DEEPEST - 1, 1)):
        assert parse_arguments(json.dumps(arguments)) == arguments
        assert fault({"additionalProperties": True}, arguments) is None


def test_a_list_of_lists_that_unfolds() -> None:
    value: Any = "x"
    for _ in range(60):
        value = [value, value]
    assert "more than" in str(fault({"additionalProperties": True}, {"a": value}))


STOPS = ["…", "...", "...x", "….", "!…", "?؟", "!", "。", "? ", "x ", "`", "``", "``` ", "www.", "a@b.", "- x\n"]
STOPS += ["\u0301", "ﷺ", "could you:\n"]


@pytest.mark.parametrize("piece", STOPS, ids=ascii)
def test_long_texts_are_read_for_questions(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    turn = Turn.model_validate(
        {
            "task_type": "chat",
            "subtype": "cross_topic",
            "request": "Hello.",
            "reference": [{"id": "z", "answer": "Hello."}],
        }
    )
    assert judge_messages(Run(turn, tools({})), [Message(text)]).exact == (not text.isspace())
    assert question_sentences(f"{text}x\n\nWhich day?")[-1:] == ["which day?"]


@pytest.mark.parametrize("length", [MOST_PAIRS, 5 * MOST_PAIRS])
def test_long_texts_in_the_public_evaluators_terms(length: int) -> None:
    words = int(length**0.5) + 1
    assert text_difference("x " * words, "y " * words) == "the texts are too long for ROUGE-L"
    assert text_difference("x " * words, "X " * words) is None  # the same but for case
