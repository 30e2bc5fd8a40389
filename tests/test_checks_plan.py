"""The plan: its notation, its rules, and what is written against what was planned."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from checks_data import dataset, good_files

from utb_inspect.checks import plan
from utb_inspect.checks.finding import Finding
from utb_inspect.checks.notation import decision_of, read_decision
from utb_inspect.checks.rows import COLUMNS, Row, read_plan, written_rows
from utb_inspect.checks.run import PLAN_RULES
from utb_inspect.schema import DataError, Toolset

# --- the notation --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "structure"),
    [
        ("", None),
        ("a", None),
        ("ask day; a", None),
        ("a > b", "sequential"),
        ("a > b > c", "sequential"),
        ("a + b", "parallel"),
        ("a + b + c", "parallel"),
        ("a + (b > c)", "mixed"),
        ("(a + b) > c", "mixed"),
        ("a + b > c", "mixed"),
        ("a > (b + c)", "mixed"),
        ("a > b + c", "mixed"),
        ("(a > b) > c", "sequential"),
    ],
)
def test_structure_follows_from_the_calls(text: str, structure: str | None) -> None:
    assert read_decision(text).structure == structure


def test_what_comes_before() -> None:
    decision = read_decision("ask day; ask lines[].size; a + b > c > a")
    assert decision.asks == ("day", "lines[].size")
    assert decision.calls == ("a", "b", "c", "a")
    assert decision.before == (frozenset(), frozenset(), frozenset({0, 1}), frozenset({0, 1, 2}))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a + b", "b + a", True),
        ("(a + b) > c", "a + b > c", True),
        ("a + (b > c)", "(b > c) + a", True),
        ("a > b", "b > a", False),
        ("a + b", "a > b", False),
        ("a + a", "a", False),
        ("ask x; ask y; a", "ask y; ask x; a", True),
        ("ask x; a", "a", False),
        ("a + (b > c)", "(a + b) > c", False),
    ],
)
def test_decisions_are_the_same_however_written(one: str, other: str, same: bool) -> None:
    assert (read_decision(one).shape == read_decision(other).shape) is same


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a >", "a name is missing before 'the end'"),
        ("a + > b", "a name is missing before '>'"),
        ("(a + b", "a bracket is not closed"),
        ("a b", "'a b' is not closed at 'b'"),
        ("a, b", "holds more than names"),
        ("date; a", "'date' is no 'ask item'"),
    ],
)
def test_notation_that_cannot_be_read(text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault.replace("(", r"\(").replace("+", r"\+")):
        read_decision(text)


def test_written_decisions(tmp_path: Path) -> None:
    turns = dataset(tmp_path).by_id
    written = decision_of(turns["p01-t02.2"].turn.paths[0])
    assert written.shape == read_decision("findBoats > hireBoat").shape
    asked = decision_of(turns["p01-t02.1"].turn.paths[0])
    assert asked.shape == read_decision("ask hours; ask hours; findBoats").shape


# --- a plan --------------------------------------------------------------------------------------------------

FIRST: dict[str, str] = {
    **dict.fromkeys(COLUMNS, ""),
    "topic": "p01-t01",
    "turn": "p01-t01.1",
    "n": "1",
    "toolset": "canal_boats",
    "task_type": "single_tool",
    "subtype": "cross_topic",
    "calls": "findBoats",
    "shows": "basin;deck1",
    "opening": "What floats from the",
    "date": "2025-03-03",
}
SECOND = {
    **FIRST,
    "turn": "p01-t01.2",
    "n": "2",
    "task_type": "multi_tool",
    "subtype": "partial_information",
    "structure": "sequential",
    "calls": "findBoats > hireBoat",
    "shows": "deck2",
    "needs": "basin",
    "opening": "Take the middle one",
}
THIRD = {
    **SECOND,
    "turn": "p01-t01.3",
    "n": "3",
    "task_type": "lack_of_information",
    "structure": "",
    "calls": "ask hours; findBoats",
    "loi": "unrecoverable",
    "shows": "",
    "needs": "deck;basin",
    "opening": "My sister is over",
}
SOUND = [FIRST, SECOND, THIRD]


def plan_file(folder: Path, cells: Iterable[dict[str, str]]) -> Path:
    file = folder / "plan.csv"
    lines = [",".join(COLUMNS), *(",".join(row[name] for name in COLUMNS) for row in cells)]
    file.write_text("\n".join(lines) + "\n")
    return file


def rows(folder: Path, *changes: dict[str, str]) -> list[Row]:
    """The rows of the sound plan, changed row by row."""
    cells = [{**row, **change} for row, change in zip(SOUND, [*changes, {}, {}, {}][:3], strict=True)]
    return read_plan(plan_file(folder, cells)).rows


TOOLSETS = {"canal_boats": Toolset.model_validate(good_files()["toolsets/canal_boats.json"])}


def tools_exist(planned: list[Row]) -> Iterable[Finding]:
    return plan.tools_exist(planned, TOOLSETS)


@pytest.mark.parametrize("rule", [*PLAN_RULES, tools_exist])
def test_a_sound_plan(rule: Callable[[list[Row]], Any], tmp_path: Path) -> None:
    assert list(rule(rows(tmp_path))) == []


NONE: dict[str, str] = {}


@pytest.mark.parametrize(
    ("rule", "changes", "turn", "reason"),
    [
        (plan.turns_are_planned_once, [NONE, {"turn": "p01-t01.1"}], "p01-t01.1", "stands 2 times in the plan"),
        (plan.rows_are_in_order, [NONE, {"turn": "p01-t01.4"}], "p01-t01.4", "so its id is p01-t01.2"),
        (plan.rows_are_in_order, [NONE, {"toolset": "barges"}], "p01-t01.2", "has another toolset or date"),
        (plan.rows_are_in_order, [NONE, {"n": "4"}], "p01-t01.2", "n is 4; it is turn 2 of its profile"),
        (plan.rows_are_in_order, [{"date": "3 March"}] * 3, "p01-t01.1", "date is '3 March'; give YYYY-MM-DD"),
        (
            plan.rows_are_in_order,
            [NONE, {"topic": "p01-t02", "turn": "p01-t02.1", "date": "2025-03-02"}, {"turn": "p01-t01.2"}],
            "p01-t02.1",
            "before the row above it (2025-03-03)",
        ),
        (plan.kinds_are_known, [{"task_type": "single"}], "p01-t01.1", "task_type is 'single'"),
        (plan.kinds_are_known, [{"subtype": "cross"}], "p01-t01.1", "subtype is 'cross'"),
        (plan.kinds_are_known, [{"subtype": "partial_information"}], "p01-t01.1", "first turn is cross_topic"),
        (plan.kinds_are_known, [NONE, {"subtype": "cross_topic"}], "p01-t01.2", "and no other is"),
        (plan.kinds_are_known, [{"change": "whim"}], "p01-t01.1", "change is 'whim'"),
        (plan.kinds_are_known, [{"loi": "recoverable"}], "p01-t01.1", "loi is given for turns of"),
        (plan.kinds_are_known, [NONE, NONE, {"loi": ""}], "p01-t01.3", "loi is given for turns of"),
        (plan.kinds_are_known, [NONE, NONE, {"loi": "vague"}], "p01-t01.3", "loi is 'vague'"),
        (plan.calls_follow_the_type, [{"task_type": "chat"}], "p01-t01.1", "is chat, but has calls"),
        (plan.calls_follow_the_type, [{"calls": "a > b"}], "p01-t01.1", "is single_tool, but has 2 calls"),
        (plan.calls_follow_the_type, [NONE, {"calls": "a", "structure": ""}], "p01-t01.2", "but has 1 call"),
        (plan.calls_follow_the_type, [NONE, NONE, {"calls": "ask day;"}], "p01-t01.3", "but has no call"),
        (plan.calls_follow_the_type, [{"calls": "ask day; a"}], "p01-t01.1", "has an ask, but is not unrecoverable"),
        (plan.calls_follow_the_type, [NONE, NONE, {"calls": "a"}], "p01-t01.3", "is unrecoverable, but has no ask"),
        (
            plan.calls_follow_the_type,
            [NONE, {"calls": "a + b"}],
            "p01-t01.2",
            "structure is 'sequential', but its calls are parallel",
        ),
        (tools_exist, [{"toolset": "barges"}], "p01-t01.1", "there is no toolset 'barges'"),
        (tools_exist, [{"calls": "findBarges"}], "p01-t01.1", "toolset 'canal_boats' has no tool 'findBarges'"),
        (
            tools_exist,
            [NONE, NONE, {"calls": "ask crew; findBoats"}],
            "p01-t01.3",
            "asks for 'crew', which is no parameter of findBoats",
        ),
        (plan.needs_are_shown_before, [NONE, {"needs": "deck9;roof"}], "p01-t01.2", "needs 'roof'"),
        (plan.needs_are_shown_before, [{"needs": "basin"}], "p01-t01.1", "needs 'basin', which no earlier turn"),
        (plan.openings_differ, [NONE, {"opening": "what floats from the!"}], "p01-t01.2", "opens as p01-t01.1 does"),
        (plan.openings_differ, [NONE, NONE, {"opening": ""}], None, "1 of the 3 turns of profile p01 have no opening"),
        (
            plan.openings_differ,
            [{"opening": "Hey you"}, {"opening": "I need a"}],
            None,
            "profile p01: 2 of 3 requests open with common words ('hey' 1, 'i need' 1)",
        ),
    ],
)
def test_a_broken_plan(
    rule: Callable[[list[Row]], Any], changes: list[dict[str, str]], turn: str | None, reason: str, tmp_path: Path
) -> None:
    found = list(rule(rows(tmp_path, *changes)))
    assert found
    assert (found[0].file, found[0].turn) == ("plan.csv", turn)
    assert reason in found[0].reason


def talk(turn: str, **cells: str) -> dict[str, str]:
    return {**SECOND, "turn": turn, "topic": turn.partition(".")[0], "needs": "", "shows": "", **cells}


@pytest.mark.parametrize(
    ("between", "needs", "reason"),
    [
        (14, "deck", None),
        (14, "", None),
        (13, "", "has only 14 turns before it"),
        (13, "deck", "has only 14 turns before it"),
        (14, "roof", "none of its needs (roof) was shown 15 turns back"),
    ],
)
def test_long_range_rows(between: int, needs: str, reason: str | None, tmp_path: Path) -> None:
    cells = [
        talk("p01-t01.1", shows="deck1"),
        *(talk(f"p01-t02.{i}", shows="roof") for i in range(between)),
        talk("p01-t03.1", needs=needs, subtype="long_range_dependency"),
        talk("p01-t03.2", task_type="chat", subtype="long_range_dependency"),
    ]
    read = read_plan(plan_file(tmp_path, cells)).rows
    found = [(f.turn, f.reason) for f in plan.long_range_needs_were_shown_far_back(read)]
    assert [turn for turn, _ in found] == (["p01-t03.1"] if reason else [])
    assert all(reason in text for _, text in found if reason)


def test_calls_that_cannot_be_read_are_told_with_their_turn(tmp_path: Path) -> None:
    read = read_plan(plan_file(tmp_path, [{**FIRST, "calls": "findBoats >"}]))
    assert [str(fault) for fault in read.faults] == ["plan.csv: p01-t01.1: calls: a name is missing before 'the end'"]
    assert len(read.rows) == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "cannot be read"),
        (b"topic,turn\n", "has no column n, toolset,"),
        (b"\xff\xfe\xff", "cannot be read"),
    ],
)
def test_plans_that_cannot_be_used(content: bytes | None, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "plan.csv"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(DataError, match=reason):
        read_plan(file)


# --- what is written -----------------------------------------------------------------------------------------


def as_planned(row: Row) -> dict[str, str]:
    """A written turn as a plan would have it."""
    notation = {"p01-t02.2": "findBoats > hireBoat", "p01-t05.2": "findBoats + findBoats"}
    asks = "".join(f"ask {item}; " for item in row.decision.asks)
    cells = {name: str(getattr(row, name) or "") for name in COLUMNS if hasattr(row, name)}
    calls = notation.get(row.turn, asks + "".join(row.decision.calls))
    return {**dict.fromkeys(COLUMNS, ""), **cells, "n": row.number, "calls": calls, "shows": "", "needs": ""}


def test_what_is_written_is_what_was_planned(tmp_path: Path) -> None:
    written = written_rows(dataset(tmp_path))
    cells = [as_planned(row) for row in written]
    planned = read_plan(plan_file(tmp_path, cells)).rows
    assert list(plan.what_is_written_is_what_was_planned(planned, written, whole=True)) == []


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("toolset", "barges", "toolset is canal_boats, but barges is planned"),
        ("task_type", "chat", "task_type is multi_tool, but chat is planned"),
        ("subtype", "long_range_dependency", "subtype is partial_information, but long_range_dependency is planned"),
        ("structure", "parallel", "structure is sequential, but parallel is planned"),
        ("change", "update", "change is None, but update is planned"),
        ("date", "2025-03-21", "date is 2025-03-20, but 2025-03-21 is planned"),
        (
            "calls",
            "findBoats + hireBoat",
            "its decision is findBoats, hireBoat after findBoats, but findBoats, hireBoat",
        ),
    ],
)
def test_what_is_written_otherwise(name: str, value: str, reason: str, tmp_path: Path) -> None:
    written = [row for row in written_rows(dataset(tmp_path)) if row.turn == "p01-t02.2"]
    planned = read_plan(plan_file(tmp_path, [{**as_planned(written[0]), name: value}])).rows
    found = [f.reason for f in plan.what_is_written_is_what_was_planned(planned, written, whole=True)]
    assert len(found) == 1
    assert found[0].startswith(reason)


def test_turns_that_are_not_planned_or_not_written(tmp_path: Path) -> None:
    written = written_rows(dataset(tmp_path))[:2]
    planned = read_plan(plan_file(tmp_path, [as_planned(written[0]), {**THIRD, "turn": "p01-t01.9"}])).rows
    assert [str(f) for f in plan.what_is_written_is_what_was_planned(planned, written, whole=False)] == [
        "topics/p01/p01-t01.json: p01-t01.2: is not planned in plan.csv"
    ]
    assert [str(f) for f in plan.what_is_written_is_what_was_planned(planned, written, whole=True)][1:] == [
        "plan.csv: p01-t01.9: is planned, but not written"
    ]
