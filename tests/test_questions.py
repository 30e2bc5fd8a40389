"""What counts as a question sentence, and when a question is on target (spec section 3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utb_inspect.schema import AskStep
from utb_inspect.trajectory.questions import is_question, on_target, question_sentences

QUESTIONS = [
    "Which city?",
    "Which city？",
    "Found it. Which day?",
    "Which date?🙂",
    "Which date?Thanks.",
    "What?!",
    "**Which city?**",
    "(Which city?)",
    "Which city (e.g. Lyon) should I look in?",
    "Is it a.m. or p.m.?",
    "Which date do you\nwant to travel?",
    "Please tell me the city.",
    "Please provide your arrival date",
    "Tell me the city.",
    "Let me know the city.",
    "I need to know the city.",
    "I need the city.",
    "I need your city.",
    "Could you say which city.",
    "Can you send me the date.",
    "Would you name a day.",
    "请问您想去哪个城市",
    "请提供日期。",
    "请告诉我城市。",
    "- Please confirm the day.",
    "1. **Please share the city.**",
    "Could you tell me:\n- the date\n- anything else I should know",
    "See https://example.org/?q=1 first. Which one?",
]
NO_QUESTIONS = [
    "Booked it for you.",
    "I need to check every city first.",
    "Anything else?",
    "Is there something else I can do?",
    "Found two. Let me know if you need more.",
    "Let me know\nif you want it.",
    "`city?`",
    "``which day?``",
    "```\nwhich city?\n```",
    "See https://example.org/find?city=Lyon now.",
    "Write to me@example.org now.",
    "I could you see.",
    "We asked: which one it was.",
    "",
    "   ",
]


@pytest.mark.parametrize("text", QUESTIONS)
def test_questions(text):
    assert is_question(text)


@pytest.mark.parametrize("text", NO_QUESTIONS)
def test_no_questions(text):
    assert not is_question(text)


def ask(*items: str, settled: dict[str, list[str]] | None = None, **cues: list[str]) -> AskStep:
    return AskStep(id="q", ask=list(items), cues=cues, settled=settled or {}, message="?", reply="!", after=[])


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("Which date suits?", True),
        ("Which dates suit?", True),  # at the start of a word
        ("Is it updated?", False),  # not inside one
        ("I have the date. Which one?", False),  # only in question sentences
        ("`date` is empty. Which one?", False),
        ("Could you tell me\n- the date?", True),
        ("请问您的date", True),  # a CJK character is a word of its own
        ("Which DATE?", True),
    ],
)
def test_a_cue_counts_at_the_start_of_a_word_in_question_sentences(text, met):
    assert on_target(ask("day", day=["date"]), text) is met


def test_cjk_cues_stand_anywhere():
    assert on_target(ask("city", city=["城市"]), "请问哪个城市好")


def test_each_item_needs_a_cue_and_nothing_settled_may_be_asked():
    both = ask("city", "day", city=["city", "where"], day=["date", "when"], settled={"noise": ["quiet"]})
    assert on_target(both, "Where, and when?")
    assert not on_target(both, "Where?")
    assert not on_target(both, "Where and when? And a quiet one?")
    assert on_target(both, "I know you like it quiet. Where and when?")


@given(st.text(max_size=300))
def test_any_text_is_read(text):
    assert is_question(text) == bool(question_sentences(text))


@pytest.mark.parametrize("piece", ["a", ".", "?", "`", "a.b.", "x@", "- a\n", "https://", "Could you tell me\n", "…"])
def test_long_texts_are_read(piece):
    question_sentences(piece * 20_000)
