"""Counts, make-up, toolsets and diversity of a whole dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from checks_data import Edit, Files, dataset, good_files, tool, turn_of, write

from utb_inspect.checks import counts, make_up, toolsets
from utb_inspect.checks.finding import Finding
from utb_inspect.checks.make_up import MAKE_UP, Bounds, MakeUp, exactly
from utb_inspect.checks.notation import read_decision
from utb_inspect.checks.rows import Row, written_rows


def reasons(found: Iterator[Finding]) -> list[str]:
    return [finding.reason for finding in found]


# --- dataset.json --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("profiles", 2, "counts.profiles is 2, but there are 1"),
        ("toolsets", 6, "counts.toolsets is 6, but there are 1"),
        ("topics", 4, "counts.topics is 4, but there are 5"),
        ("turns", 18, "counts.turns is 18, but there are 17"),
        ("structures", {"sequential": 2}, "counts.structures is {'sequential': 2}, but there are "),
        ("loi", {"recoverable": 1}, "counts.loi is {'recoverable': 1}, but there are "),
        ("changes", {"update": 1}, "counts.changes is {'update': 1}, but there are {}"),
        ("boats", 3, "counts.boats is nothing that is counted"),
    ],
)
def test_a_count_that_is_not_so(name: str, value: Any, reason: str, tmp_path: Path) -> None:
    broken = dataset(tmp_path, lambda files: files["dataset.json"]["counts"].update({name: value}))
    (found,) = reasons(counts.counts_are_those_of_dataset_json(broken))
    assert found.startswith(reason)


@pytest.mark.parametrize("name", ["task_types", "subtypes"])
def test_a_kind_that_is_not_counted(name: str, tmp_path: Path) -> None:
    broken = dataset(tmp_path, lambda files: files["dataset.json"]["counts"][name].popitem())
    (found,) = reasons(counts.counts_are_those_of_dataset_json(broken))
    assert found.startswith(f"counts.{name} is ")


def test_counts_that_are_missing(tmp_path: Path) -> None:
    broken = dataset(tmp_path, lambda files: files["dataset.json"]["counts"].pop("turns"))
    assert reasons(counts.counts_are_those_of_dataset_json(broken)) == ["counts.turns is missing; it is 17"]
    empty = dataset(tmp_path, lambda files: files["dataset.json"].update(counts={}))
    (found,) = reasons(counts.counts_are_those_of_dataset_json(empty))
    assert found.startswith("counts is empty")


# --- bounds and totals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bounds", "count", "fault"),
    [
        (exactly(3), 3, None),
        (exactly(3), 4, "is 4, not 3"),
        (Bounds(2, 5), 2, None),
        (Bounds(2, 5), 5, None),
        (Bounds(2, 5), 6, "is 6; at most 5"),
        (Bounds(2), 1, "is 1; at least 2"),
        (Bounds(2), 900, None),
        (Bounds(0.2, 0.3), 1 / 3, "is 0.3333; at most 0.3"),
    ],
)
def test_bounds(bounds: Bounds, count: float, fault: str | None) -> None:
    assert bounds.fault(count) == fault


def row(turn: str, calls: str = "findBoats", **values: Any) -> Row:
    topic = turn.rpartition(".")[0]
    made: dict[str, Any] = {
        "file": "plan.csv",
        "profile": topic.rpartition("-")[0],
        "topic": topic,
        "turn": turn,
        "number": "1",
        "toolset": "canal_boats",
        "task_type": "single_tool",
        "subtype": "partial_information",
        "structure": None,
        "loi": None,
        "change": None,
        "decision": read_decision(calls),
    }
    return Row(**{**made, **values})


SMALL = MakeUp(
    prefix="p",
    profiles=exactly(1),
    topics=exactly(1),
    turns=exactly(3),
    topics_a_profile=exactly(1),
    task_types={"single_tool": exactly(1), "lack_of_information": exactly(2)},
    unrecoverable=Bounds(2, 2),
    vague=Bounds(0.5, 0.5),
    structures={"parallel": exactly(0)},
    subtypes={"cross_topic": exactly(1)},
    changes={"update": exactly(1)},
    profiles_a_toolset=Bounds(1),
)
LACK: dict[str, Any] = {"task_type": "lack_of_information", "loi": "unrecoverable"}
ROWS = [
    row("p01-t01.1", subtype="cross_topic", change="update"),
    row("p01-t01.2", "ask day; findBoats", **LACK),
    row("p01-t01.3", "ask hours; ask hours; findBoats", **LACK),
]


def test_totals_that_hold() -> None:
    assert list(make_up.totals_hold(ROWS, SMALL)) == []
    assert list(make_up.toolsets_serve_many(ROWS, SMALL, ["canal_boats"])) == []
    assert list(make_up.profiles_hold_their_topics(ROWS, SMALL)) == []


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            [*ROWS, row("p02-t01.1", task_type="chat")],
            ["profiles is 2, not 1", "topics is 2, not 1", "turns is 4, not 3"],
        ),
        (
            [ROWS[0], ROWS[1], replace(ROWS[2], loi="recoverable")],
            ["unrecoverable turns is 1, not 2", "the share of them with a second question is 0, not 0.5"],
        ),
        ([ROWS[0], ROWS[1], replace(ROWS[2], structure="parallel")], ["turns of structure parallel is 1, not 0"]),
        ([ROWS[0], ROWS[1], replace(ROWS[2], subtype="cross_topic")], ["turns of subtype cross_topic is 2, not 1"]),
        ([ROWS[0], ROWS[1], replace(ROWS[2], change="update")], ["turns of change update is 2, not 1"]),
        (
            [ROWS[0], ROWS[1], replace(ROWS[2], task_type="single_tool")],
            ["turns of task_type single_tool is 2, not 1", "turns of task_type lack_of_information is 1, not 2"],
        ),
    ],
)
def test_totals_that_do_not(rows: list[Row], expected: list[str]) -> None:
    found = reasons(make_up.totals_hold(rows, SMALL))
    assert len(found) == len(expected)
    for reason, words in zip(found, expected, strict=True):
        assert reason.endswith(words)


def test_a_toolset_that_serves_too_few() -> None:
    (found,) = make_up.toolsets_serve_many(ROWS, replace(SMALL, profiles_a_toolset=Bounds(2)), ["canal_boats"])
    assert found.reason == "the number of profiles that toolset canal_boats serves is 1; at least 2"
    (unused,) = make_up.toolsets_serve_many(ROWS, SMALL, ["canal_boats", "barges"])
    assert unused.reason == "the number of profiles that toolset barges serves is 0; at least 1"


def test_a_profile_with_too_many_topics() -> None:
    (found,) = make_up.profiles_hold_their_topics([*ROWS, row("p01-t02.1")], SMALL)
    assert found.reason == "the number of topics of profile p01 is 2, not 1"


@pytest.mark.parametrize(("turns", "fault"), [(1, "is 1; at least 2"), (2, None), (5, None), (6, "is 6; at most 5")])
def test_topics_of_one_turn_and_of_six(turns: int, fault: str | None) -> None:
    rows = [row(f"p01-t01.{i + 1}") for i in range(turns)]
    found = [(f.turn, f.reason) for f in make_up.topics_hold_two_to_five_turns(rows)]
    assert found == ([("p01-t01", f"the number of its turns {fault}")] if fault else [])


def test_a_third_without_a_type() -> None:
    types = ["chat", "single_tool", "multi_tool", "lack_of_information"]
    rows = [row(f"p01-t01.{i}", task_type=name) for i, name in enumerate(types * 3, 1)]
    assert list(make_up.every_third_has_every_type(rows)) == []
    rows[5] = replace(rows[5], task_type="multi_tool")
    rows[4] = replace(rows[4], task_type="multi_tool")
    (found,) = make_up.every_third_has_every_type(rows)
    assert found.reason == "the middle third of profile p01 has no single_tool and no chat turn"


def test_sequences_that_are_alike() -> None:
    calls = ["findBoats > hireBoat", "listHires", "hireBoat", "findBoats + findBoats", "listHires > hireBoat"]
    rows = [row(f"p{i:02d}-t01.1", text) for i, text in enumerate(calls)]
    assert list(make_up.sequences_differ(rows)) == []
    found = reasons(make_up.sequences_differ([*rows, *(replace(r, topic=f"{r.topic}x") for r in rows)]))
    assert found == [
        "50.00% of the tool sequences are distinct; at least 95.67%",
        "the mean distance of tool sequences is 66.67%; at least 72.77%",
    ]


def test_a_question_is_a_step_of_a_sequence() -> None:
    assert make_up.steps_of(row("p01-t01.1", "ask day; findBoats > hireBoat")) == ("<ask>", "findBoats", "hireBoat")


def test_the_guides_table() -> None:
    main, dynamic = MAKE_UP["utb_open"], MAKE_UP["utb_open_dynamic"]
    assert sum(bounds.least for bounds in main.task_types.values()) == main.turns.least == 1065
    assert sum(bounds.least for bounds in main.subtypes.values()) == 1065
    assert sum(bounds.least for bounds in dynamic.task_types.values()) == dynamic.turns.least == 350
    assert dynamic.unrecoverable == exactly(45)
    assert {bounds.least for bounds in dynamic.changes.values()} == {40}


# --- written datasets ----------------------------------------------------------------------------------------


def test_written_turns_as_rows(tmp_path: Path) -> None:
    rows = {r.turn: r for r in written_rows(dataset(tmp_path))}
    hire = rows["p01-t02.2"]
    assert (hire.structure, str(hire.decision), hire.date) == (
        "sequential",
        "findBoats, hireBoat after findBoats",
        "2025-03-20",
    )
    sister = rows["p01-t02.1"]
    assert (sister.loi, sister.decision.asks, sister.number) == ("unrecoverable", ("hours", "hours"), "4")
    assert rows["p01-t04.5"].loi == "recoverable"
    assert rows["p01-t04.1"].file == "topics/p01/p01-t04.json"


def whole(files: Files) -> None:
    files["dataset.json"].update(name="utb_open", version="1.0.0")


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (counts.the_split_is_made_up_as_planned, "the number of turns is 17, not 1065"),
        (counts.the_split_is_made_up_as_planned, "the number of topics of profile p01 is 5, not 30"),
        (
            counts.the_split_is_made_up_as_planned,
            "the middle third of profile p01 has no lack_of_information and no single_tool and no ",
        ),
        (counts.the_split_is_made_up_as_planned, "that toolset canal_boats serves is 1; at least 6"),
        (counts.users_differ, "0 profiles have the gender man; 5 should"),
        (counts.users_differ, "profiles have 1 values of nationality; at least 7"),
        (counts.users_differ, "profiles have 1 values of occupation; at least 10"),
        (toolsets.tools_are_as_many_and_as_rich, "there are 1 toolsets, not 36"),
        (toolsets.tools_are_as_many_and_as_rich, "there are 3 tool names, not 170"),
        (toolsets.tools_are_as_many_and_as_rich, "no tool has a parameter of the kind 'array'"),
    ],
)
def test_a_whole_split_is_held_to_the_table(rule: Callable[[Any], Any], words: str, tmp_path: Path) -> None:
    assert any(words in reason for reason in reasons(rule(dataset(tmp_path, whole))))
    assert list(rule(dataset(tmp_path / "other", unfinished))) == []


def five_times_the_first_topic(files: Files) -> None:
    whole(files)
    for i in range(2, 6):
        first = good_files()["topics/p01/p01-t01.json"]
        first.update(id=f"p01-t{i:02d}", environment=files[f"topics/p01/p01-t{i:02d}.json"]["environment"])
        files[f"topics/p01/p01-t{i:02d}.json"] = first


def test_trajectories_that_are_alike(tmp_path: Path) -> None:
    assert reasons(counts.trajectories_differ(dataset(tmp_path, five_times_the_first_topic))) == [
        "20.00% of the tool sequences are distinct; at least 95.67%",
        "the mean distance of tool sequences is 0.00%; at least 72.77%",
        "20.00% of the exact trajectories are distinct; at least 99.00%",
        "the mean distance of exact trajectories is 0.00%; at least 97.97%",
    ]
    assert list(counts.trajectories_differ(dataset(tmp_path / "sound", whole))) == []


def unfinished(files: Files) -> None:
    files["dataset.json"].update(name="utb_open", version="0.9.0")


def test_a_user_too_young(tmp_path: Path) -> None:
    def edit(files: Files) -> None:
        whole(files)
        files["profiles/p01.json"]["age"] = 21

    found = list(counts.users_differ(dataset(tmp_path, edit)))
    assert str(found[0]) == "profiles/p01.json: age is not between 22 and 60"


def test_tools_with_few_parameters(tmp_path: Path) -> None:
    def edit(files: Files) -> None:
        whole(files)
        files["toolsets/canal_boats.json"]["tools"] += [tool(f"moor{i}", {}, []) for i in range(3)]

    found = reasons(toolsets.tools_are_as_many_and_as_rich(dataset(tmp_path, edit)))
    assert "tools have 1.83 parameters on average; at least 2.5" in found


def test_profiles_that_are_alike(tmp_path: Path) -> None:
    def edit(files: Files) -> None:
        whole(files)
        files["profiles/p02.json"] = {**files["profiles/p01.json"], "id": "p02", "age": 45}

    found = reasons(counts.profiles_are_unlike(dataset(tmp_path, edit)))
    assert found == [
        "mean token Jaccard of profiles is 1.000, at most 0.197; most alike: p01 and p02",
        "mean TF-IDF cosine of profiles is 1.000, at most 0.242; most alike: p01 and p02",
    ]


def test_a_profile_without_topics(tmp_path: Path) -> None:
    def edit(files: Files) -> None:
        whole(files)
        files["profiles/p02.json"] = {**files["profiles/p01.json"], "id": "p02"}

    found = reasons(counts.the_split_is_made_up_as_planned(dataset(tmp_path, edit)))
    assert found[-1] == "profile p02 has no topic"


def second_toolset(files: Files) -> None:
    copied = good_files()["toolsets/canal_boats.json"]
    files["toolsets/barges.json"] = {**copied, "id": "barges", "tools": copied["tools"][:1]}


def test_one_tool_name_in_two_toolsets(tmp_path: Path) -> None:
    (found,) = toolsets.tool_names_differ(dataset(tmp_path, second_toolset))
    assert str(found) == "toolsets/canal_boats.json: tool 'findBoats' is one of barges too"


def test_parameters_that_providers_refuse(tmp_path: Path) -> None:
    def edit(files: Files) -> None:
        parameters = files["toolsets/canal_boats.json"]["tools"][0]["function"]["parameters"]
        parameters["properties"]["the length"] = {"type": "number"}

    assert list(toolsets.providers_take_the_tools(dataset(tmp_path))) == []
    (found,) = toolsets.providers_take_the_tools(dataset(tmp_path, edit))
    assert str(found).startswith("toolsets/canal_boats.json: tool 'findBoats', field 'parameters': some providers")
    assert "refuse the name 'the length'" in str(found)


@pytest.mark.parametrize("missing", ["effect", "technical"])
def test_tools_that_do_not_say_what_they_change(missing: str, tmp_path: Path) -> None:
    folder = write(tmp_path)
    assert list(toolsets.tools_say_what_they_change(folder)) == []
    edit: Edit = lambda files: files["toolsets/canal_boats.json"]["tools"][1].pop(missing)  # noqa: E731
    (found,) = toolsets.tools_say_what_they_change(write(tmp_path, edit))
    assert str(found) == f"toolsets/canal_boats.json: tool 'hireBoat' does not say {missing}"


def test_the_sound_dataset_is_as_it_is_counted(tmp_path: Path) -> None:
    sound = dataset(tmp_path)
    assert list(counts.counts_are_those_of_dataset_json(sound)) == []
    assert turn_of(good_files(), "t02.1")["task_type"] == "lack_of_information"
