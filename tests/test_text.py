"""Words, whole-word search and what stands in a text (spec sections 2 and 3)."""

from __future__ import annotations

import unicodedata
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utb_inspect.trajectory.text import (
    LONGEST_KEPT,
    Form,
    has_word,
    has_word_start,
    in_form,
    normalise,
    stands,
    word_count,
    words,
)


@pytest.mark.parametrize(
    ("value", "source", "found"),
    [
        ("Lyon", "to Lyon, please", True),
        ("Lyon", "to Lyonnais", False),
        ("H2", {"hotels": [{"id": "H2"}]}, True),
        ("H2", {"hotels": [{"id": "H20"}]}, False),
        ("TP-1", {"TP-1": {}}, True),
        (500, "500 in all", True),
        (500, "预算500元", True),
        (500, "it costs 5000", False),
        (500, "500.5", False),
        (2.5, "2.5 km", True),
        (1000, "1,000 of them", True),
        (3, {"n": 3.0}, True),
        (True, "true", False),
        (None, "null", False),
        ("", "anything", False),
        (["a", "b"], "b and a", True),
        (["a", "c"], "b and a", False),
        ([], "b and a", False),
    ],
)
def test_stands(value, source, found):
    assert stands(value, source) is found


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("one two three", 3), ("tea & milk please", 4), ("请给我预订", 5), ("请，给 me two", 4)],
)
def test_words_are_counted_at_white_space_and_cjk_characters(text, count):
    assert word_count(text) == count


def test_punctuation_around_words_is_stripped_but_a_sign_is_kept():
    assert words("(Set) it to -5, don't “wait”!") == ["set", "it", "to", "-5", "don't", "wait"]


def test_a_term_at_the_start_of_a_word():
    assert has_word_start("date", "which DATES?")
    assert not has_word_start("date", "updated")
    assert has_word("date", "the date.")
    assert not has_word("date", "dates")
    assert has_word("GreenLeaf", "看GreenLeaf店")


@given(st.text(max_size=60))
def test_normalising_twice_is_normalising_once(text):
    assert normalise(normalise(text)) == normalise(text)


@pytest.mark.parametrize(
    "pair",
    ["\u0301\u0323", "\u05bc\u05b0", "\u0f73", "\u0345\u0301", "\U0001d165\u0323"],
    ids=ascii,
)
def test_a_long_run_of_marks_takes_no_time(pair: str) -> None:
    """Some have a class of their own, some stand for several of others. In order, a stable one, as Unicode has it."""
    text = "e" + pair * 200_000
    marks = "".join(sorted(unicodedata.normalize("NFD", pair) * 200_000, key=unicodedata.combining))
    assert unicodedata.normalize("NFD", in_form("NFC", text)) == unicodedata.normalize("NFD", "e" + marks)
    assert normalise(normalise(text)) == normalise(text)


def test_marks_are_put_together_with_what_they_stand_on() -> None:
    assert in_form("NFC", "e" + "\u0301\u0323" * 200_000) == "\u1eb9" + "\u0323" * 199_999 + "\u0301" * 200_000


MARKS = [chr(i) for i in range(0x20000) if unicodedata.combining(unicodedata.normalize("NFKD", chr(i))[-1])]


@given(st.lists(st.sampled_from(MARKS) | st.characters(exclude_categories=["Cs"]), max_size=40).map("".join))
def test_long_texts_have_the_form_that_short_ones_have(text: str) -> None:
    for form in get_args(Form):
        long = "x" * LONGEST_KEPT + text
        assert in_form(form, long) == unicodedata.normalize(form, long)
