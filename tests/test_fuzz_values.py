"""Agreement, assignment, moments and questions, on whatever a model may write."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any

import pytest
from fuzzing import Target, json_values, texts
from hypothesis import strategies as st
from test_fuzz_schemas import schemas
from value_forms import form_pairs, moment_pairs

from utb_inspect.schema import (
    AnyMatch,
    ContainsAllMatch,
    EqualMatch,
    Match,
    NumberMatch,
    OrderedMatch,
    TextMatch,
    TimeMatch,
    UnorderedMatch,
)
from utb_inspect.trajectory.agreement import agree
from utb_inspect.trajectory.assignment import Fit, assign
from utb_inspect.trajectory.calls import parse_arguments
from utb_inspect.trajectory.json_schema import SchemaView, described_default
from utb_inspect.trajectory.moments import read_moment
from utb_inspect.trajectory.questions import is_question, question_sentences
from utb_inspect.trajectory.text import in_form, normalise, stands

MATCHES: tuple[Match | None, ...] = (
    None,
    EqualMatch(kind="equal"),
    NumberMatch(kind="number", tolerance=0.01),
    TimeMatch(kind="time", tolerance_minutes=15),
    OrderedMatch(kind="ordered"),
    UnorderedMatch(kind="unordered"),
    TextMatch(kind="text"),
)


def is_json(value: Any) -> bool:
    try:
        parse_arguments({"": value})
    except ValueError:
        return False
    return True


VALUES = json_values().filter(is_json)


def rewritten(value: Any, rewrite: Callable[[str], str]) -> Any:
    """A value with its texts rewritten, names left as they are."""
    match value:
        case str():
            return rewrite(value)
        case list():
            return [rewritten(item, rewrite) for item in value]
        case dict():
            return {name: rewritten(item, rewrite) for name, item in value.items()}
    return value


def turned(value: Any) -> Any:
    """A value with the keys of its objects the other way round."""
    match value:
        case list():
            return [turned(item) for item in value]
        case dict():
            return {name: turned(item) for name, item in reversed(value.items())}
    return value


def wide(text: str) -> str:
    """Latin letters and digits at full width, as East Asian keyboards type them."""
    return "".join(chr(ord(c) + 0xFEE0) if c.isascii() and c.isalnum() else c for c in text)


def spaced(text: str) -> str:
    return f" {text}\t"


REWRITES: tuple[Callable[[str], str], ...] = (
    lambda text: unicodedata.normalize("NFD", text),
    lambda text: unicodedata.normalize("NFC", text),
    wide,
    spaced,
)


def check_agreement(given: tuple[Any, Any, Any, Match | None]) -> None:
    first, second, schema, match = given
    view = SchemaView(schema, schema) if isinstance(schema, dict) else SchemaView({}, {})
    for match_ in (match, AnyMatch(kind="any"), ContainsAllMatch(kind="contains_all", terms=[["a", "é"], ["day"]])):
        assert isinstance(agree(first, second, view, match_), bool)
    assert agree(first, first, view, match)
    # Items in any order are compared under the schema of the reference's place: another one the other way round.
    view_ = SchemaView({}, {}) if isinstance(first, list | dict) else view
    assert agree(first, second, view_, match) == agree(second, first, view_, match)
    assert agree(first, turned(first), view, match)
    assert agree(first, second, view, match) == agree(turned(first), turned(second), view, match)


def check_unicode(given: tuple[Any, Any, Callable[[str], str]]) -> None:
    first, second, rewrite = given
    for match in MATCHES:
        assert agree(first, second, match=match) == agree(first, rewritten(second, rewrite), match=match)


def check_texts(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)
    assert in_form("NFC", text) == unicodedata.normalize("NFC", text)
    assert is_question(text) == bool(question_sentences(text))
    moment = read_moment(text)
    assert moment is None or moment.distance(moment) == 0
    stands(text, [text, {text: 1}])
    for declared in ("string", "integer", "number", "boolean", "array", None, ["array", "null"]):
        described_default(f"Defaults to {text}", declared)
        described_default(text, declared)


def check_assignment(fits: list[list[Fit]]) -> None:
    """As good as the best of all assignments, by the criteria of spec section 5 one after the other."""
    found = assign(fits)
    assert sorted(found) == list(dict.fromkeys(sorted(found)))
    assert len(set(found.values())) == len(found)
    assert worth(fits, found) == max(worth(fits, pairs) for pairs in assignments(fits))


def assignments(fits: list[list[Fit]]) -> Iterator[dict[int, int]]:
    made, reference = len(fits), len(fits[0]) if fits else 0
    if made <= reference:
        yield from (dict(enumerate(steps)) for steps in permutations(range(reference), made))
    else:
        yield from ({i: j for j, i in enumerate(calls)} for calls in permutations(range(made), reference))


def worth(fits: list[list[Fit]], pairs: dict[int, int]) -> tuple[int, ...]:
    chosen = [fits[i][j] for i, j in pairs.items()]
    return (
        sum(fit.full for fit in chosen),
        sum(fit.unambiguous for fit in chosen),
        len(chosen),
        sum(fit.in_order for fit in chosen),
        -sum(pairs),
        -sum(fit.disagreements for fit in chosen),
    )


@st.composite
def tables(draw: Any) -> list[list[Fit]]:
    fit = st.builds(Fit, st.booleans(), st.booleans(), st.booleans(), st.integers(0, 3))
    columns = draw(st.integers(1, 4))
    return draw(st.lists(st.lists(fit, min_size=columns, max_size=columns), max_size=5))


WORDS = st.sampled_from(
    "to from not no the a day Paris 10 1,000 2025-03-14 7 pm café Café e.g. ? . ! - ` \n 请问".split(" ")
)
SENTENCES = st.lists(WORDS | texts(), max_size=12).map(" ".join)
PAIRS = st.tuples(VALUES | SENTENCES, VALUES | SENTENCES) | form_pairs(VALUES | SENTENCES, REWRITES) | moment_pairs()
"""Two values, mostly such as may agree: hardly any two that are drawn one by one do."""

TARGETS = {
    "agreement": Target(
        st.tuples(PAIRS, schemas(plain=True), st.sampled_from(MATCHES)).map(lambda given: (*given[0], *given[1:])),
        check_agreement,
    ),
    "Unicode forms": Target(
        st.tuples(PAIRS, st.sampled_from(REWRITES)).map(lambda given: (*given[0], given[1])), check_unicode
    ),
    "same but for the Unicode form": Target(
        st.tuples(VALUES | SENTENCES, st.sampled_from(REWRITES)).map(lambda pair: (pair[0], pair[0], pair[1])),
        check_unicode,
    ),
    "texts": Target(SENTENCES | texts(), check_texts),
    "assignment": Target(tables(), check_assignment),
}


@pytest.mark.parametrize("name", TARGETS)
def test_it_holds_for_whatever_is_written(name: str) -> None:
    TARGETS[name].fuzz()
