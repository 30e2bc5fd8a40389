"""Explanations: a sentence, labels with reasons, tables of steps and arguments, notes."""

from __future__ import annotations

from typing import Any

import pytest
from explained import ASKING, BOOK, FIND, LYON, call, explained, judged, turn
from support import answer_step, call_step

from utb_inspect.explain import explain, flags, run_line
from utb_inspect.schema import Turn
from utb_inspect.trajectory.verdict import LABELS

STEPS = ["#", "made", "reference", "verdict"]
ARGUMENTS = ["argument", "made", "reference", "verdict"]
RIGHT = [["1", "findTrains", "a: findTrains", "right"], ["2", "bookTrain", "b: bookTrain", "right"]]


def rows(table: list[list[str]], column: int, cell: str) -> list[list[str]]:
    """The rows of a table that have a cell."""
    return [row for row in table if row[column] == cell]


# --- labels --------------------------------------------------------------------------------------------------

CASES: dict[str, tuple[list[Any], Turn, list[str]]] = {
    "wrong_tool": (
        [[FIND], [call("listBookings", {"past": True})], [BOOK], "Done."],
        turn(),
        ["wrong_tool: listBookings (round 2): further read, no tool of the reference", 'listBookings {"past": true}'],
    ),
    "missing_tool": (
        [[FIND], "Done."],
        turn(),
        ["missing_tool: bookTrain (step b) was not called", "(not called)", 'b: bookTrain {"train_id": "T1"}'],
    ),
    "user_constraint": (
        [[call("findTrains", LYON, origin="Breda")], [BOOK], "Done."],
        turn(),
        [
            "user_constraint: findTrains (round 1) differs in origin (history)",
            "differs (history): another value",
            'origin = "Utrecht" (history): t1.1 “from Utrecht | as always”',
        ],
    ),
    "implicit_preference": (
        [[call("findTrains", LYON, seat="any")], [BOOK], "Done."],
        turn(seat={"basis": "preference", "evidence": [{"turn": "t1.2", "quote": "by the <b>window</b>"}]}),
        [
            "implicit_preference: findTrains (round 1) differs in seat (preference)",
            "differs (preference): another choice",
            'seat = "window" (preference): t1.2 “by the <b>window</b>”',
        ],
    ),
    "sequence_dependency": (
        [[FIND, BOOK], "Done."],
        turn(),
        [
            "sequence_dependency: bookTrain (round 1) was made before step a had returned",
            "too early: step a comes first",
        ],
    ),
    "clarification": (
        [[FIND], [BOOK], "Done."],
        ASKING,
        [
            "clarification: not asked (day)",
            "(not asked)",
            "q: ask day",
            "day could not be known and was to be asked for: “Which day?” That was not asked.",
        ],
    ),
    "malformed_call": (
        [[call("findTrains", {"origin": "Utrecht"})], [FIND], [BOOK], "Done."],
        turn(),
        ["malformed_call: findTrains (round 1): 'destination' is a required property", "not valid"],
    ),
    "no_answer": ([[FIND], [BOOK], " "], turn(), ["no_answer: the last message is empty", "says nothing"]),
    "stale_preference": (
        [[call("findTrains", LYON, seat="aisle")], [BOOK], "Done."],
        turn(),
        [
            "stale_preference: findTrains (round 1) has seat as it does not hold here",
            "differs (preference): does not hold here",
            'seat = "window" (preference): t1.2 “by the <b>window</b>”; not "aisle", as in t1.1 “on the aisle”',
        ],
    ),
}


@pytest.mark.parametrize("label", LABELS)
def test_each_label_is_named_and_explained(label: str) -> None:
    messages, turn_, wanted = CASES[label]
    found = explained(messages, turn_)
    assert label in judged(messages, turn_)[1].labels
    assert [bullet.partition(":")[0] for bullet in found.bullets].count(label) == 1
    for words in wanted:
        assert words in found.text.split("\n"), words


def test_calls_with_the_same_fault_are_told_together() -> None:
    listed = [call("listBookings", {"past": past}) for past in (True, False)]
    found = explained([[*listed], [listed[0]], [FIND], [BOOK], "Done."])
    assert found.bullets[0] == (
        "wrong_tool: 2 calls of listBookings (round 1): further read, no tool of the reference; "
        "listBookings (round 2): repeat, no tool of the reference"
    )


def test_a_guess_is_set_beside_the_call_it_should_have_been() -> None:
    found = explained([[call("findTrains", LYON, destination="Nice")], [FIND], [BOOK], "Done."])
    assert "user_constraint: findTrains (round 1): guess, differs in destination (request)" in found.bullets
    assert "Arguments of findTrains (round 1), a guess, beside step a:" in found.paragraphs
    assert rows(found.tables[1], 0, "destination") == [
        ["destination", '"Nice"', '"Lyon"', "differs (request): another value"]
    ]


def test_a_repeated_guess_is_shown_once() -> None:
    nice = call("findTrains", LYON, destination="Nice")
    found = explained([[nice], [nice], [FIND], [nice], [BOOK], "Done."])
    assert "user_constraint: 3 calls of findTrains (rounds 1, 2 and 4): guess, differs in destination (request)" in (
        found.bullets
    )
    assert [row[3] for row in found.tables[0][1:]] == ["guess", "repeat", "right", "repeat", "right", "given"]
    assert len(found.tables) == 2


# --- questions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("messages", "verdict", "note"),
    [
        (
            ["Which train?", [FIND], [BOOK], "Done."],
            "off target",
            "Round 1 asked “Which train?”, which has no word that asks for day (day, when).",
        ),
        (
            ["Which day, and from which station?", [FIND], [BOOK], "Done."],
            "off target",
            "Round 1 asked “Which day, and from which station?”, which asks for origin, which is settled.",
        ),
        (
            [[FIND], "Which day?", [BOOK], "Done."],
            "too late",
            "Round 2 asked “Which day?”, which came after a call that should have waited for the reply.",
        ),
        (["Which day?", [FIND], [BOOK], "Done."], "right", None),
    ],
)
def test_a_question_is_told_as_it_went(messages: list[Any], verdict: str, note: str | None) -> None:
    found = explained(messages, ASKING)
    (row,) = rows(found.tables[0], 2, "q: ask day")
    assert row[3] == verdict
    assert row[1].startswith("asks: “Which ")
    notes = [bullet for bullet in found.bullets if "could not be known" in bullet]
    due = "day could not be known and was to be asked for: “Which day?”"
    assert notes == ([f"{due} {note}"] if note else [])


def test_what_was_asked_though_settled_is_shown_to_be_settled() -> None:
    found = explained(["Which day, and from which station?", [FIND], [BOOK], "Done."], ASKING)
    assert found.bullets[-1] == 'origin = "Utrecht" (history): t1.1 “from Utrecht | as always”'


def test_a_run_that_ended_on_a_question_says_so() -> None:
    """There is no ask step whose row could tell it; what was asked for is shown to have been known."""
    found = explained(["From which station?"])
    assert found.paragraphs[0].endswith("; the run ended on a question after 1 round.")
    assert found.tables[0][1] == ["1", "asks: “From which station?”", "", "not due"]
    assert (
        "clarification: the run ended on a question, “From which station?”, while a call was still to be made"
        in found.bullets
    )
    assert 'origin = "Utrecht" (history): t1.1 “from Utrecht | as always”' in found.bullets


# --- the sentence, flags, paths ------------------------------------------------------------------------------


def test_one_round_is_one_round() -> None:
    assert explained(["Done."]).paragraphs[0].endswith(" after 1 round.")


def test_an_exact_run_has_its_steps_and_nothing_else() -> None:
    found = explained([[FIND], [BOOK], "Done."])
    assert found.paragraphs == ["The decision is exact; the run ended with an answer after 3 rounds."]
    assert found.tables == [[STEPS, *RIGHT, ["3", "answers: “Done.”", "answer", "given"]]]
    assert found.bullets == []


def aisle(**more: Any) -> Any:
    return call("findTrains", LYON, seat="aisle", **more)


@pytest.mark.parametrize(
    ("messages", "ask", "sentence"),
    [
        (
            [[aisle()], [BOOK], "Done."],
            False,
            "relaxed, not exact, severity slight since only a preference differs (seat); "
            "the run ended with an answer after 3 rounds.",
        ),
        (
            ["Which day?", [aisle()], [BOOK], "Done."],
            True,
            "wrong, severity slight since only a preference differs (seat), which a lack-of-information turn does not "
            "forgive; the run ended with an answer after 4 rounds.",
        ),
        (
            [[call("listBookings", {})], [FIND], [BOOK], "Done."],
            False,
            "relaxed, not exact, severity slight since one call without effect was made; "
            "the run ended with an answer after 4 rounds.",
        ),
        (
            [[call("listBookings", {})], [call("fly", {})], [FIND], [BOOK], "Done."],
            False,
            "relaxed, not exact, severity major since 2 calls too many were made; "
            "the run ended with an answer after 5 rounds.",
        ),
        (
            [[FIND], [BOOK], [BOOK], "Done."],
            False,
            "wrong, severity major since a further call changed something (bookTrain); "
            "the run ended with an answer after 4 rounds.",
        ),
        (
            [[FIND], " "],
            False,
            "wrong, severity major since a call is missing (bookTrain) and there is no answer; "
            "the run ended on an empty message after 2 rounds.",
        ),
        (
            ["Done."],
            True,
            "wrong, severity major since calls are missing (findTrains and bookTrain) and a question was not asked "
            "(day); the run ended with an answer after 1 round.",
        ),
        (
            [[FIND, BOOK], "Done."],
            False,
            "wrong, severity major since a call came too early (bookTrain); "
            "the run ended with an answer after 2 rounds.",
        ),
        (
            [[aisle(origin="Breda", day="2025-03-16")], [BOOK], "Done."],
            False,
            "wrong, severity major since unambiguous arguments differ (origin and day); "
            "the run ended with an answer after 3 rounds.",
        ),
        (
            [[FIND], [call("bookTrain", {"train_id": "T1", "seat": "aisle"})], "Done."],
            False,
            "wrong, severity major since an unsupported argument was added (seat); "
            "the run ended with an answer after 3 rounds.",
        ),
        (
            [[call("findTrains", LYON, destination="Nice")], [FIND], [BOOK], "Done."],
            False,
            "wrong, severity major since wrong values were tried (findTrains); "
            "the run ended with an answer after 4 rounds.",
        ),
        (
            [[call("findTrains", LYON, destination="Nice")] * 2, [FIND], [BOOK], "Done."],
            False,
            "wrong, severity major since wrong values were tried (findTrains twice); "
            "the run ended with an answer after 4 rounds.",
        ),
    ],
)
def test_the_sentence_tells_relaxed_severity_and_end(messages: list[Any], ask: bool, sentence: str) -> None:
    assert explained(messages, ASKING if ask else turn()).paragraphs[0] == f"The decision is {sentence}"


def test_an_added_argument_is_told_as_unsupported() -> None:
    found = explained([[FIND], [call("bookTrain", {"train_id": "T1", "seat": "aisle"})], "Done."])
    assert found.tables[1] == [
        ARGUMENTS,
        ["train_id", '"T1"', '"T1"', "agrees (observation of step a)"],
        ["seat", '"aisle"', "(left out)", "differs (unsupported): added by the model"],
    ]
    assert found.bullets[0] == "user_constraint: bookTrain (round 2) adds seat, which nothing supports"


def test_one_argument_is_not_counted() -> None:
    found = explained([[FIND], [call("bookTrain", {"train_id": "T2"})], "Done."])
    assert found.tables[0][2][3] == "the argument differs"


def test_an_added_default_agrees_with_nothing() -> None:
    found = explained([[FIND], [call("bookTrain", {"train_id": "T2", "seat": "any"})], "Done."])
    assert found.tables[1][2] == ["seat", '"any"', "(left out)", "agrees: its default"]


def test_a_cut_output_is_flagged() -> None:
    cut = explained([[FIND], [BOOK], "Done"], cut=True)
    assert cut.paragraphs[1] == "Flagged: output cut. An output reached max_tokens; the decision counts as it stands."
    assert len(explained([[FIND], [BOOK], "Done"]).paragraphs) == 1


def test_the_step_cap_is_flagged() -> None:
    # Three steps with the answer: twice that and four.
    messages = [[call("listBookings", {"past": bool(i % 2)})] for i in range(20)]
    found = explained(messages)
    assert found.paragraphs[0].endswith("; the step cap ended the run after 10 rounds.")
    assert found.paragraphs[1] == ("Flagged: step cap. A run has 10 rounds at most; the decision counts as it stands.")
    assert flags(judged(messages)[0], cut=True) == ["step cap", "output cut"]


def test_the_path_that_was_judged_against_is_told() -> None:
    other = call_step("k", "listBookings", {"past": True}, {"past": "request"}, {"bookings": []})
    both = turn(alternatives=[[other, answer_step("None.", "k")]])
    told = "Judged against {}, the one of 2 right paths that comes out best."
    by_other = explained([[call("listBookings", {"past": True})], "None."], both)
    assert by_other.paragraphs[1] == told.format("alternative 1")
    assert by_other.tables[0][1] == ["1", "listBookings", "k: listBookings", "right"]
    assert explained([[FIND], [BOOK], "Done."], both).paragraphs[1] == told.format("the reference")
    assert "Judged against" not in explained([[FIND], [BOOK], "Done."]).text


def test_steps_stand_in_the_order_made_and_what_is_missing_last() -> None:
    found = explained([[call("listBookings", {})], [BOOK], "Done."], ASKING)
    assert found.tables[0] == [
        STEPS,
        ["1", "listBookings {}", "", "further read"],
        ["2", "bookTrain", "b: bookTrain", "too early: step a comes first"],
        ["3", "answers: “Done.”", "answer", "given"],
        ["", "(not asked)", "q: ask day", "missing"],
        [
            "",
            "(not called)",
            'a: findTrains {"origin": "Utrecht", "destination": "Lyon", "day": "2025-03-15"… (83 characters)',
            "missing",
        ],
    ]


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
    run, _ = judged(["Which day?", [FIND], [BOOK], "Done."], ASKING)
    assert run_line(run.messages, run.ended is not None) == "question > findTrains > bookTrain > answer"


def test_a_run_that_was_not_ended_is_explained_too() -> None:
    run, verdict = judged([])
    assert "the run was not ended after 0 rounds" in explain(run, verdict)


def test_run_line_is_short_and_fit_to_be_written() -> None:
    run, _ = judged([[call("half of a pair \ud83d\n" * 1000, {})] * 300, "Done."])
    line = run_line(run.messages, ended=True)
    line.encode()
    assert len(line) < 1000
    assert "\n" not in line
