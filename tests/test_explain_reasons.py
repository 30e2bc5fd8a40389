"""Why an argument agrees or differs, for each rule of spec section 3."""

from __future__ import annotations

from typing import Any

import pytest

from utb_inspect.explain.reasons import basis_words, reason
from utb_inspect.schema import CallStep, Ground, Tool
from utb_inspect.trajectory.agreement import ArgumentCheck, check_arguments
from utb_inspect.trajectory.calls import CompiledTool
from utb_inspect.trajectory.json_schema import MISSING

TEXT = {"type": "string"}
NUMBER = {"type": "number"}
LIST = {"type": "array", "items": TEXT}
SEAT = {"type": "string", "enum": ["any", "window", "aisle"], "default": "any"}
LETTER = "Leave the parcel at the back door before noon"


def checks(
    schema: Any, reference: Any, made: Any, ground: dict[str, Any] | None = None, observation: Any = None
) -> list[ArgumentCheck]:
    """The leaves of an argument `x` of a made call beside the reference call's; a value may be MISSING."""
    function = {"name": "do", "description": "Does.", "parameters": {"type": "object", "properties": {"x": schema}}}
    tool = CompiledTool(Tool.model_validate({"type": "function", "function": function, "effect": "read"}))
    step = CallStep(
        id="b",
        call="do",
        arguments={} if reference is MISSING else {"x": reference},
        grounds={} if ground is None else {"x": Ground.model_validate({"basis": "request", **ground})},
        observation=None,
    )
    arguments = {} if made is MISSING else {"x": made}
    assert tool.schema.fault(arguments) is None  # a call that is not valid is compared with nothing
    return check_arguments(tool, step, arguments, {"a": observation})


def told(*case: Any, **more: Any) -> tuple[bool, str]:
    (check,) = checks(*case, **more)
    return check.agrees, reason(check)


def match(kind: str, **more: Any) -> dict[str, Any]:
    return {"match": {"kind": kind, **more}}


AGREES: list[tuple[str, Any, Any, Any, Any]] = [
    # Without a rule of its own
    ("the same", TEXT, "Lyon", "Lyon", {}),
    ("the same", NUMBER, 4, 4, None),
    ("the same value", NUMBER, 10, 10.0, {}),
    ("the same but for case or spaces", TEXT, "De Eend", " de  eend", {}),
    ("the same but for case or spaces", TEXT, "Straße", "STRASSE", {}),
    ("the same date or time", TEXT, "2025-03-14", "14 March 2025", {}),
    ("the same date or time", TEXT, "19:00", "7 pm", {}),
    # Content words as they are, near and the articles aside; the word after "at" is no marker.
    ("the same in other words", TEXT, LETTER, "Leave the parcel at back door before noon please", {}),
    ("the same items", LIST, ["wifi", "lift"], ["lift", "wifi"], {}),
    ("the same items", LIST, ["wifi", "lift"], ["WiFi", "lift"], {}),
    # Accepted, defaults
    ("accepted as well", TEXT, "Utrecht Centraal", "Utrecht CS", {"accept": ["Utrecht CS"]}),
    ("accepted as well", SEAT, MISSING, "aisle", {"accept": ["aisle"]}),
    ("accepted as well", LIST, ["a"], ["b", "c"], {"accept": [["c", "b"]]}),
    ("the same but for case or spaces", TEXT, "Lyon", "lyon", {"accept": ["Nice"]}),
    ("may be left out", SEAT, "window", MISSING, {"accept": [None]}),
    ("may be left out", TEXT, "Lyon", MISSING, {"accept": [None], **match("any")}),
    ("its default", SEAT, "any", MISSING, {}),
    ("its default", SEAT, MISSING, "any", None),
    ("its default", SEAT, "any", MISSING, {"accept": ["window"]}),
    # Rules of the ground
    ("any value will do", TEXT, "Lyon", "Nice", match("any")),
    ("holds every term asked for", TEXT, "36Kr", "news of 36kr today", match("contains_all", terms=[["36Kr"]])),
    ("within 0.01", NUMBER, 0.3, 0.29, match("number", tolerance=0.01)),
    ("within 2", TEXT, "10", "12", match("number", tolerance=2)),
    ("within 15 minutes", TEXT, "19:00", "7:15 pm", match("time", tolerance_minutes=15)),
    ("the same in similar words", TEXT, "bring two chairs up", "bring two chairs", match("text", min_rouge=0.7)),
    ("the same but for case or spaces", TEXT, "Lyon", "LYON", match("equal")),
    ("the same date or time", TEXT, "2025-03-14", "March 14, 2025", match("equal")),
    ("the same items", LIST, ["a", "b"], ["A", "b"], match("ordered")),
    ("the same items", LIST, ["a", "b"], ["b", "a"], match("unordered")),
]

DIFFERS: list[tuple[str, Any, Any, Any, Any]] = [
    # Superseded comes before all else that could be said.
    (
        "does not hold here",
        SEAT,
        "window",
        "aisle",
        {"superseded": [{"value": "aisle", "turn": "t1.1", "quote": "aisle"}]},
    ),
    # Left out, added
    ("left out", TEXT, "Lyon", MISSING, {}),
    ('its default is "any"', SEAT, "window", MISSING, {}),
    ("its default is 10", {**NUMBER, "description": "The default value is 10."}, 5, MISSING, {}),
    ("left out", TEXT, "Lyon", MISSING, match("any")),
    ("left out", TEXT, "Lyon", MISSING, match("contains_all", terms=[["Lyon"]])),
    ("added by the model", SEAT, MISSING, "aisle", None),
    ("added, with a value that is not accepted", SEAT, MISSING, "aisle", {"accept": ["window"]}),
    # Types
    ("a text, not a number", {}, 10, "10", {}),
    ("a boolean, not a number", {}, 1, True, {}),
    ("null, not a text", {"type": ["string", "null"]}, "Lyon", None, {}),
    ("a list, not a text", {}, "wifi", ["wifi"], {}),
    ("an object, not a list", {}, ["wifi"], {"wifi": True}, {}),
    # Numbers
    ("another number", NUMBER, 10, 11, {}),
    ("more than 0.01 off", NUMBER, 0.3, 0.28, match("number", tolerance=0.01)),
    ("more than 2 off", {}, 10, "13", match("number", tolerance=2)),
    ("a text, not a number", {}, 10, "ten", match("number", tolerance=2)),
    ("a boolean, not a number", {}, 1, True, match("number", tolerance=2)),
    # Dates and times
    ("another date or time", TEXT, "2025-03-14", "15 March 2025", {}),
    ("more than 15 minutes off", TEXT, "19:00", "7:16 pm", match("time", tolerance_minutes=15)),
    ("another kind of date or time", TEXT, "2025-03-14T19:00", "19:00", {}),
    ("another kind of date or time", TEXT, "2025-03-14T19:00", "19:00", match("time", tolerance_minutes=15)),
    ("another value", TEXT, "2025-03-14", "tomorrow", {}),
    ("another value", TEXT, "2025-03-14", "14/03/2025", {}),
    # Words
    ("another value", TEXT, "Lyon", "Nice", {}),
    ("another choice", SEAT, "window", "aisle", {}),
    ("another value", {"type": "boolean"}, True, False, {}),
    ('lacks "parcel", adds "letter"', TEXT, LETTER, "Leave a letter at the back door before noon", {}),
    ('adds "quietly"', TEXT, LETTER, f"{LETTER} quietly", {}),
    # Three words: no free text, however like the other.
    ("another value", TEXT, "back door bell", "the back door bell", {}),
    (
        "other words after from, to, before, after, not, without, never or except",
        TEXT,
        "a slow train from Utrecht to Lyon with a bed",
        "a slow train to Utrecht from Lyon with a bed",
        {},
    ),
    ("the words in another order", TEXT, "red blue green black", "black green blue red", {}),
    ('adds "please"', TEXT, LETTER, f"{LETTER} please", match("equal")),
    ("other punctuation", TEXT, LETTER, f"{LETTER}!", match("equal")),
    ('adds "the"', {**TEXT, "format": "x"}, "back door or window", "the back door or window", {}),
    ('lacks "two", adds "3"', TEXT, "bring two chairs up", "bring 3 chairs up", match("text", min_rouge=0.7)),
    (
        'adds "five", "six", "seven", "eight" and 1 more',
        TEXT,
        "one two three four",
        "one two three four five six seven eight nine",
        {},
    ),
    # Terms
    ('lacks "36Kr"', TEXT, "36Kr and GreenLeaf", "GreenLeaf", match("contains_all", terms=[["36Kr"], ["GreenLeaf"]])),
    ('lacks "hex"', LIST, ["hex key"], ["key", "8 mm"], match("contains_all", terms=[["8 mm"], ["hex", "allen"]])),
    ("a number, not a text", {}, "36Kr", 36, match("contains_all", terms=[["36Kr"]])),
    # Lists
    ('lacks "lift"', LIST, ["wifi", "lift"], ["wifi"], {}),
    ('lacks "lift", adds "pool"', LIST, ["wifi", "lift"], ["WIFI", "pool"], {}),
    ('adds "wifi"', LIST, ["wifi"], ["wifi", "wifi"], {}),
    ("lacks 3, adds 4", {"type": "array"}, [10, 3], [10.0, 4], {}),
    ("in another order", LIST, ["a", "b"], ["b", "a"], match("ordered")),
    ("in another order", {**LIST, "description": "Stops, in order."}, ["a", "b"], ["b", "a"], {}),
    (
        'lacks {"name": "fish"}',
        {"type": "array"},
        [{"name": "pie"}, {"name": "fish"}],
        [{"name": "pie"}],
        {},
    ),
]


@pytest.mark.parametrize(("words", "schema", "reference", "made", "ground"), AGREES)
def test_why_it_agrees(words: str, schema: Any, reference: Any, made: Any, ground: Any) -> None:
    assert told(schema, reference, made, ground) == (True, words)


@pytest.mark.parametrize(("words", "schema", "reference", "made", "ground"), DIFFERS)
def test_why_it_differs(words: str, schema: Any, reference: Any, made: Any, ground: Any) -> None:
    assert told(schema, reference, made, ground) == (False, words)


def test_long_words_and_defaults_are_cut() -> None:
    assert told({**TEXT, "default": "d" * 500}, "x", MISSING, {})[1] == (
        f'its default is "{"d" * 39}… (502 characters)'
    )
    assert told(LIST, ["x" * 500], [], {})[1] == f'lacks "{"x" * 39}…'


# --- where it comes from -------------------------------------------------------------------------------------

CHOSEN = {"basis": "preference", "from": "a", "evidence": [{"turn": "t1.1", "quote": "the early one"}]}
TRAINS = {"trains": ["T1", "T2"]}


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ("T2", ("preference", "another value")),
        # No train that was found: told as an observation's.
        ("T9", ("observation of step a", "step a did not return it")),
        ("T1", ("preference", "the same")),
    ],
)
def test_a_value_chosen_among_candidates(made: str, words: tuple[str, str]) -> None:
    (check,) = checks(TEXT, "T1", made, CHOSEN, observation=TRAINS)
    assert (basis_words(check), reason(check)) == words


@pytest.mark.parametrize(
    ("reference", "ground", "words"),
    [
        ("T1", {"basis": "observation", "from": "a"}, "observation of step a"),
        ("T1", {"basis": "history"}, "history"),
        ("T1", None, "request"),  # a value of the reference without a ground counts as stated
        (MISSING, None, "unsupported"),
    ],
)
def test_the_basis_in_words(reference: Any, ground: Any, words: str) -> None:
    (check,) = checks(TEXT, reference, "T2", ground, observation=TRAINS)
    assert basis_words(check) == words


def test_an_added_default_comes_from_nowhere() -> None:
    (check,) = checks(SEAT, MISSING, "any")
    assert (check.agrees, basis_words(check), reason(check)) == (True, "", "its default")


def test_leaves_of_nested_arguments_have_reasons_of_their_own() -> None:
    room = {"type": "object", "properties": {"name": TEXT, "beds": NUMBER, "view": SEAT}}
    schema = {"type": "object", "properties": {"rooms": {"type": "array", "items": room}, "night": TEXT}}
    right = {"rooms": [{"name": "blue", "beds": 2}, {"name": "red", "beds": 1}], "night": "2025-03-14"}
    made = {"rooms": [{"name": "Blue", "beds": 3}, {"name": "red", "view": "aisle"}], "night": "14 March 2025"}
    found = {check.path: (check.agrees, reason(check)) for check in checks(schema, right, made, {})}
    assert found == {
        "x.rooms[0].name": (True, "the same but for case or spaces"),
        "x.rooms[0].beds": (False, "another number"),
        "x.rooms[1].name": (True, "the same"),
        "x.rooms[1].beds": (False, "left out"),
        "x.rooms[1].view": (False, "added by the model"),
        "x.night": (True, "the same date or time"),
    }
