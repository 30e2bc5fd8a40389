"""Explanations: a sentence, then tables that no value can break, naming what was wrong."""

from __future__ import annotations

import re
from typing import Any

import pytest
from support import TOOLSETS, answer_step, basis, call_step

from utb_inspect.explain import explain, run_line
from utb_inspect.schema import Toolset, Turn
from utb_inspect.trajectory.calls import Call, Message, Tools
from utb_inspect.trajectory.run import Run, replay
from utb_inspect.trajectory.verdict import LABELS, Verdict, judge

LYON = {"origin": "Utrecht", "destination": "Lyon", "day": "2025-03-15", "seat": "window"}
ASK: dict[str, Any] = {
    "id": "q",
    "ask": ["day"],
    "cues": {"day": ["day", "when"]},
    "message": "Which day?",
    "reply": "Saturday.",
    "after": [],
}


def turn(task_type: str = "multi_tool", ask: bool = False) -> Turn:
    first = call_step(
        "a",
        "findTrains",
        LYON,
        {
            "origin": basis("history", ("t1.1", "from Utrecht | as always")),
            "destination": "request",
            "day": "reply" if ask else "request",
            "seat": {
                **basis("preference", ("t1.2", "by the <b>window</b>")),
                "superseded": [{"value": "aisle", "turn": "t1.1", "quote": "aisle"}],
            },
        },
        {"trains": ["T1"]},
        after=["q"] if ask else [],
    )
    second = call_step(
        "b", "bookTrain", {"train_id": "T1"}, {"train_id": basis("observation", source="a")}, {"booking": 1}, ["a"]
    )
    reference = [*([ASK] if ask else []), first, second, answer_step("Booked.", "a", "b")]
    return Turn.model_validate(
        {"task_type": task_type, "subtype": "cross_topic", "request": "Go.", "reference": reference}
    )


def call(name: str, arguments: Any, **changed: Any) -> Call:
    if isinstance(arguments, dict):
        arguments = {**arguments, **changed}
    return Call("", name, arguments)


FIND = call("findTrains", LYON)
BOOK = call("bookTrain", {"train_id": "T1"})


def judged(messages: list[Any], turn_: Turn | None = None) -> tuple[Run, Verdict]:
    """A run of messages, each a text or a list of calls."""
    run = Run(turn_ or turn(), Tools(Toolset.model_validate(TOOLSETS["rail"])))
    replay(run, (Message(m) if isinstance(m, str) else Message(calls=tuple(m)) for m in messages))
    return run, judge(run)


def explained(messages: list[Any], turn_: Turn | None = None, cut: bool = False) -> str:
    return explain(*judged(messages, turn_), cut=cut)


def cells(line: str) -> list[str]:
    """The cells of a table's line as a Markdown reader sees them."""
    assert line.startswith("| ")
    assert line.endswith(" |")
    return [re.sub(r"\\([^\w\s])", r"\1", cell.strip()) for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def tables(text: str) -> list[list[list[str]]]:
    """The tables of an explanation, without their rules; every line of one has as many cells."""
    found = []
    for block in text.split("\n\n"):
        if block.startswith("|"):
            rows = [cells(line) for line in block.split("\n")]
            assert len({len(row) for row in rows}) == 1
            assert set(rows[1]) == {"---"}
            found.append([rows[0], *rows[2:]])
    return found


# --- what was wrong ------------------------------------------------------------------------------------------


CASES: dict[str, tuple[list[Any], bool, list[str]]] = {
    "wrong_tool": (
        [[FIND], [call("listBookings", {"past": True})], [BOOK], "Done."],
        False,
        ['listBookings {"past": true}', "a further read"],
    ),
    "missing_tool": ([[FIND], "Done."], False, ["bookTrain", "missing"]),
    "user_constraint": (
        [[call("findTrains", LYON, origin="Breda")], [BOOK], "Done."],
        False,
        ["origin", '"Utrecht"', '"Breda"', "history", "t1.1: “from Utrecht | as always”"],
    ),
    "implicit_preference": (
        [[call("findTrains", LYON, seat="any")], [BOOK], "Done."],
        False,
        ["seat", '"window"', '"any"', "preference", "t1.2: “by the <b>window</b>”"],
    ),
    "sequence_dependency": ([[FIND, BOOK], "Done."], False, ["before 'a'"]),
    "clarification": ([[FIND], [BOOK], "Done."], True, ["ask day", "not asked"]),
    "malformed_call": (
        [[call("findTrains", {"origin": "Utrecht"})], [FIND], [BOOK], "Done."],
        False,
        ["not valid", "'destination' is a required property"],
    ),
    "no_answer": ([[FIND], [BOOK], " "], False, ["ended without an answer"]),
    "stale_preference": (
        [[call("findTrains", LYON, seat="aisle")], [BOOK], "Done."],
        False,
        ['"aisle" (superseded)', "preference"],
    ),
}


@pytest.mark.parametrize("label", LABELS)
def test_each_label_is_named_and_explained(label: str) -> None:
    messages, ask, wanted = CASES[label]
    turn_ = turn("lack_of_information", ask=True) if ask else turn()
    run, verdict = judged(messages, turn_)
    text = explain(run, verdict)
    assert label in verdict.labels
    assert f"`{label}`" in text
    shown = [text.split("\n\n")[0], *(cell for table in tables(text) for row in table for cell in row)]
    for words in wanted:
        assert any(words in part for part in shown), words


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        (["Which train?", [FIND], [BOOK], "Done."], "off target"),
        ([[FIND], "Which day?", [BOOK], "Done."], "too late"),
        (["Which day?", [FIND], [BOOK], "Done."], "right"),
    ],
)
def test_a_question_is_told_as_it_went(messages: list[Any], words: str) -> None:
    (steps, *_) = tables(explained(messages, turn("lack_of_information", ask=True)))
    (row,) = [row for row in steps if row[1] == "ask day"]
    assert row[4] == words


def test_a_run_that_ended_on_a_question_says_so() -> None:
    """There is no ask step whose row could tell it."""
    text = explained(["Which train do you mean?"])
    assert "`clarification`" in text
    assert "ended on a question" in text


def test_one_round_is_one_round() -> None:
    assert re.search(r"after 1 round\b", explained(["Done."]))


def test_an_exact_run_has_its_steps_and_no_differences() -> None:
    text = explained([[FIND], [BOOK], "Done."])
    assert text.startswith("The decision is **exact**; the run ended with an answer after 3 rounds.")
    assert tables(text) == [
        [
            ["step", "reference", "made", "round", "verdict"],
            ["a", "findTrains", "findTrains", "1", "right"],
            ["b", "bookTrain", "bookTrain", "2", "right"],
        ]
    ]


def test_the_sentence_tells_relaxed_severity_and_end() -> None:
    preference = explained([[call("findTrains", LYON, seat="aisle")], [BOOK], "Done."])
    assert "**relaxed, not exact**, severity **slight**" in preference
    assert "**wrong**, severity **major**; the run ended without an answer" in explained([[FIND], " "])


def test_an_added_argument_is_told_as_unsupported() -> None:
    text = explained([[FIND], [call("bookTrain", {"train_id": "T1", "seat": "aisle"})], "Done."])
    (_, arguments) = tables(text)
    assert arguments[1] == ["b", "seat", "(left out)", '"aisle"', "unsupported", ""]


def test_a_cut_output_is_told() -> None:
    assert "max_tokens" in explained([[FIND], [BOOK], "Done"], cut=True)
    assert "max_tokens" not in explained([[FIND], [BOOK], "Done"])


def test_the_path_that_was_judged_against_is_told() -> None:
    data = turn().model_dump(by_alias=True, exclude_defaults=True)
    data["alternatives"] = [
        [
            call_step("k", "listBookings", {"past": True}, {"past": "request"}, {"bookings": []}),
            answer_step("None.", "k"),
        ]
    ]
    both = Turn.model_validate(data)
    assert "Judged against alternative 1" in explained([[call("listBookings", {"past": True})], "None."], both)
    assert "Judged against the reference" in explained([[FIND], [BOOK], "Done."], both)
    assert "Judged against" not in explained([[FIND], [BOOK], "Done."])


# --- values that would break a table -------------------------------------------------------------------------

AWKWARD = [
    "a | b || c",
    "line one\nline two\r\n| new | row |",
    "`code` ``` fence",
    "<script>alert(1)</script><!-- hidden -->",
    "**bold** _it_ ~~gone~~ # head [link](http://x.y) ![img](z)",
    "\\| back\\slash \\",
    "$math$ {x}",
    "\u2028 separator \x0b tab\t",
]


@pytest.mark.parametrize("value", AWKWARD)
def test_no_value_breaks_a_table(value: str) -> None:
    text = explained([[call("findTrains", LYON, destination=value)], [call(value, {value: value})], [BOOK], value])
    steps, arguments = tables(text)
    assert len(steps) == 4  # head, two steps, one call that is not valid
    assert len(arguments) == 2
    assert arguments[1][1] == "destination"
    assert not re.search(r"(?<!\\)[<>`|]", "".join(re.split(r"(?<!\\)\|", "".join(text.split("\n\n")[1:]))))
    assert "\r" not in text
    assert len(text.splitlines()) == len(text.split("\n"))


def test_quotes_of_evidence_are_escaped_too() -> None:
    text = explained([[call("findTrains", LYON, origin="Breda", seat="any")], [BOOK], "Done."])
    assert "<b>" not in text.replace("\\<b\\>", "")
    assert tables(text)[1][1][5] == "t1.1: “from Utrecht | as always”"


def test_long_values_are_cut() -> None:
    text = explained([[call("findTrains", LYON, destination="x" * 5000)], [BOOK], "Done."])
    assert len(text) < 2000
    assert "…" in text


# --- one line ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("messages", "line"),
    [
        ([[FIND], [BOOK], "Done."], "findTrains > bookTrain > answer"),
        ([[FIND, BOOK], "Done."], "findTrains + bookTrain > answer"),
        (["Hello."], "answer"),
        ([[FIND], " "], "findTrains > nothing"),
        ([[FIND]], "findTrains"),
        ([], ""),
    ],
)
def test_run_line(messages: list[Any], line: str) -> None:
    run = judged(messages)[0]
    assert run_line(run.messages, run.ended is not None) == line


def test_run_line_tells_questions_from_the_answer() -> None:
    run, _ = judged(["Which day?", [FIND], [BOOK], "Done."], turn("lack_of_information", ask=True))
    assert run_line(run.messages, run.ended is not None) == "question > findTrains > bookTrain > answer"
