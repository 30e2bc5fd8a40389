"""Words, whole-word search and what stands in a text (spec sections 2 and 3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utb_inspect.trajectory.text import has_word, has_word_start, normalise, stands, word_count, words


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


def test_long_runs_of_combining_marks_are_read():
    normalise("a" + "\u0301\u0316" * 200_000)
