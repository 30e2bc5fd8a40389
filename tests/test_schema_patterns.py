"""Regular expressions of schemas: what they mean, and that none makes a search hang."""

from __future__ import annotations

import re
from typing import Any

import pytest
from fuzzing import fault, tools
from hypothesis import given
from hypothesis import strategies as st

from utb_inspect.schema import DataError
from utb_inspect.trajectory.calls import LONGEST
from utb_inspect.trajectory.json_schema import ArgumentSchema
from utb_inspect.trajectory.patterns import matches
from utb_inspect.trajectory.validator import TOO_MUCH_WORK

LINEAR = [
    r"^(a+)+$", r"^(a|a)*$", r"^(a|aa)+$", r"^(a*)*b", r"(.*a){20}$", r"^([a-z]+ ?)+$",
    r"^(?=a)(a+)+$", r"^(?!b)(a|a)*$", r"^(?=.*(a+)+b)(?!.*\d).+$",
]  # fmt: skip
TRIED = [r"(a+)\1b", r"(?=.*z)a", r"(?<!b)(a+)+c", r"^(a+)+(?!a)b", r"((?=.*z)a?)*c", r"^(?=a)\1(a+)+b"]
LARGE = [
    r"(?=(.{0,1000}){0,9}z)a", r"(?=([ab]{0,1000}){0,9}z)a", r"(?<=(.{0,100}){0,9}z)a", r"[ab]*a[ab]{2000}c",
    r"((?=(.{0,300}){0,9}z)a?)*c",
]  # fmt: skip


def both(pattern: str, text: str) -> tuple[str | None, str | None]:
    """What is wrong with a text, and with a property of that name."""
    value = fault({"properties": {"a": {"pattern": pattern}}}, {"a": text})
    name = fault({"patternProperties": {pattern: {}}, "additionalProperties": False}, {text: 1})
    return value, name


@pytest.mark.parametrize("pattern", LINEAR)
@pytest.mark.parametrize("length", [40, 250_000])
def test_patterns_are_searched_in_linear_time(pattern: str, length: int) -> None:
    value, name = both(pattern, "a" * length + "!")
    assert str(value).startswith("a: 'aaaa")
    assert str(name).startswith("Additional properties are not allowed ('aaa")


@pytest.mark.parametrize("pattern", TRIED)
def test_look_around_and_back_references_are_tried_within_bounds(pattern: str) -> None:
    value, name = both(pattern, "a" * 40 + "!")
    assert value == TOO_MUCH_WORK or str(value).startswith("a: 'aaaa")
    assert name == TOO_MUCH_WORK or str(name).startswith("Additional")
    assert both(pattern, "a" * 400_000 + "!") == (TOO_MUCH_WORK, TOO_MUCH_WORK)


@pytest.mark.parametrize("pattern", LARGE)
@pytest.mark.parametrize("length", [1_000, 100_000])
def test_large_patterns_end_in_a_message(pattern: str, length: int) -> None:
    for text in ("a" * length, "ab" * (length // 2) + "!"):
        assert None not in both(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"^\d{4}-\d\d$", "2025-03", True),
        (r"^\d{4}-\d\d$", "2025-03\n", False),  # `$` is the end, in ECMA-262
        (r"^\d+$", "٣", False),  # so are digits those of ASCII
        (r"^(?!\s*$).+", "x", True),
        (r"^(?!\s*$).+", "  ", False),
        (r"^(?=.*[A-Z])(?=.*\d).{8,}$", "Passw0rds", True),
        (r"^(?=.*[A-Z])(?=.*\d).{8,}$", "passw0rds", False),
        (r"^(?=.*[A-Z])(?=.*\d).{8,}$", "Passw0r", False),
        (r"^(?!(a|b)\))[^)]+\)$", "ab)", True),
        (r"^(?!(a|b)\))[^)]+\)$", "a)", False),
        (r"^(?=a|b)(c|b)", "b", True),
        (r"^(?=a|b)(c|b)", "c", False),
        (r"^(?=a)b|c", "xc", True),  # either, not both
        (r"^(?=[)])\)", ")", True),
        (r"^(?=(a))\1b", "ab", True),  # refers back into the look ahead
        (r"(?<!x)y", "xy", False),
        (r"(?<!x)y", "zy", True),
        (r"^.{1,2000}$", "é" * 2000, True),
        (r"^\u00e9$", "é", True),
        (r"^(a|b)\1$", "aa", True),
        (r"^\p{Lu}", "É", True),
        (r"^[\s\S]{1,4096}$", "a\nb", True),
    ],
)
def test_patterns_mean_what_json_schema_says(pattern: str, text: str, found: bool) -> None:
    assert both(pattern, text) == (None, None) if found else None not in both(pattern, text)
    assert ArgumentSchema({"patternProperties": {pattern: {}}}).view.defines(text) == found


PIECES = st.sampled_from(["a", "b", "(a|b)", "[ab]", "a?", ".", r"\)", "[)]", "(?:ab)", "a{2}", "$"])


@given(
    st.lists(st.tuples(st.sampled_from("=!"), st.lists(PIECES, max_size=3).map("".join)), max_size=3),
    st.lists(PIECES, max_size=3).map("".join) | st.just("a|b"),
    st.text("ab)", max_size=5),
)
def test_what_a_pattern_looks_ahead_to_is_found_as_python_does(
    ahead: list[tuple[str, str]], rest: str, text: str
) -> None:
    """Where ECMA-262 and Python's expressions are the same."""
    pattern = "^" + "".join(f"(?{sign}{inner})" for sign, inner in ahead) + rest
    assert matches(pattern, text) == (re.search(pattern, text) is not None)


def test_not_blank_may_be_asked_of_any_text() -> None:
    schema = {"properties": {"a": {"pattern": r"^(?!\s*$).+"}}}
    assert fault(schema, {"a": "x" * (LONGEST - 1)}) is None


def test_patterns_of_many_items() -> None:
    schema: Any = {"properties": {"a": {"items": {"pattern": r"^[a-z]+-\d{1,5}$"}}}}
    assert fault(schema, {"a": ["some-1"] * 15_000}) is None
    assert str(fault(schema, {"a": [*["some-1"] * 15_000, "some"]})).startswith("a.15000: 'some' does not match")


@pytest.mark.parametrize("pattern", ["(", "[", "\\", "a{2,1}", "(?<=", "*", r"^(?=a", r"^(?!a)*b("])
def test_what_is_no_regular_expression_is_refused(pattern: str) -> None:
    for schema in ({"properties": {"a": {"pattern": pattern}}}, {"patternProperties": {pattern: {}}}):
        with pytest.raises(DataError, match=r"the parameters are no JSON Schema: at .* is no regular expression"):
            tools(schema)
