"""Inputs that took minutes or gigabytes once: each ends in a message, or in the verdict it deserves."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fuzzing import fault, nested, tools

from utb_inspect.schema import Turn
from utb_inspect.trajectory.calls import DEEPEST, LONGEST, MOST_VALUES, Message, parse_arguments
from utb_inspect.trajectory.questions import question_sentences
from utb_inspect.trajectory.run import Run
from utb_inspect.trajectory.verdict import judge_messages
from utb_inspect.upstream.text import MOST_PAIRS, text_difference


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
        ({"a": ["x\ud83d"]}, "half a surrogate pair"),
        ({"a": {"\udc00": 1}}, "half a surrogate pair"),
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
