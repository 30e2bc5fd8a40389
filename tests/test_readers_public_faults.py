"""What is refused of public rows, each fault with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from public_rows import BILINGUAL, chat, faults, ids, one_call, write

from utb_inspect.datasets import load


def answered(**changes: Any) -> Any:
    row = chat()
    row["answer_list"][0][0].update(changes)
    return row


TURN = "a.jsonl line 1, topic ada_topic_1: turn ada_topic_1.1"
ROW = "a.jsonl line 1, topic ada_topic_1"
FAULTS: dict[str, tuple[Any, str]] = {
    "no object": ([1], "a.jsonl line 1: is no JSON object; a row is a topic with its tasks and tools"),
    "native topic": (
        {"id": "t", "turns": []},
        "a.jsonl line 1: is a native topic; give the folder that holds its dataset.json",
    ),
    "no tasks": (
        chat(tasks=None),
        f"{ROW}: field 'tasks': is missing; give a list with an entry for each turn",
    ),
    "no tools": (chat(tools=[]), f"{ROW}: field 'tools': is missing; give the list of tools"),
    "tool without a name": (chat(tools=[{"function": {}}]), f"{ROW}: field 'tools[0]': has no function with a name"),
    "lengths": (chat(task_types=["Chat", "Chat"]), f"{ROW}: field 'task_types': has 2 entries for 1 tasks"),
    "subtypes": (
        chat(turn_subtypes=["Cross-Topic", "Partial Information"]),
        f"{ROW}: field 'turn_subtypes': has 2 entries for 1 tasks; give one for each turn after the first",
    ),
    "task type": (chat(task_types=["Talk"]), f"{TURN}, field 'task_types[0]': 'Talk' is no known task type"),
    "request": (chat(tasks=[3]), f"{TURN}, field 'tasks[0]': is no text"),
    "steps": (chat(answer_list=["x"]), f"{TURN}, field 'answer_list[0]': is no list of steps"),
    "action": (answered(action=None), f"{TURN}, step '0', field 'action': is no object with name and arguments"),
    "no answer": (
        chat(answer_list=[[]]),
        f"{TURN}, field 'answer_list': has 0 prepare_to_answer steps; it ends with one and has no other",
    ),
    "arguments": (
        one_call('["Oban"]'),
        f"{TURN}, step '0', field 'action.arguments': they must be a JSON object (found '[\"Oban\"]')",
    ),
    "unknown tool": (
        answered(action={"name": "sail", "arguments": {}}),
        f"{TURN}, step '0', field 'action.name': 'sail' is none of the row's tools (searchBoats, reserveBoat)",
    ),
    "forward dependency": (
        one_call({}, dependency_list=[1]),
        f"{TURN}, step '0', field 'dependency_list': names 1, which is no step before it (steps count from 0)",
    ),
    "no dependency list": (
        answered(dependency_list=None),
        f"{TURN}, step '0', field 'dependency_list': is missing or no list of step numbers",
    ),
    "no reply": (
        answered(action={"name": "ask_user_for_required_parameters", "arguments": {}}),
        f"{TURN}, step '0', field 'user_input': is missing; it holds the user's reply",
    ),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_is_told_with_its_place(tmp_path: Path, kind: str) -> None:
    row, message = FAULTS[kind]
    assert message in faults(write(tmp_path / "a.jsonl", row))


def test_a_subtype_that_no_later_turn_has(tmp_path: Path) -> None:
    row = {**BILINGUAL, "english_turn_subtypes": ["Cross-Topic"]}
    assert faults(write(tmp_path / "a.jsonl", row)) == [
        "a.jsonl line 1, topic mara_topic_2: turn mara_topic_2.2, field 'turn_subtypes[0]': 'Cross-Topic' is no known "
        "subtype of a later turn"
    ]


def test_all_faults_of_all_files_come_at_once(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", chat(task_types=["Talk"], tasks=[3]), chat(), chat("ada_topic_2", tools=None))
    (tmp_path / "b.jsonl").write_text('{"id": \n{}\n')
    (tmp_path / "c.jsonl").write_text("\n")
    assert faults(tmp_path) == [
        f"{TURN}, field 'task_types[0]': 'Talk' is no known task type",
        f"{TURN}, field 'tasks[0]': is no text",
        "a.jsonl line 3, topic ada_topic_2: field 'tools': is missing; give the list of tools",
        "b.jsonl line 1: is no JSON (Expecting value at column 8); mend or remove the line",
        "b.jsonl line 2, topic b_topic_0: field 'tools': is missing; give the list of tools",
        "b.jsonl line 2, topic b_topic_0: field 'tasks': is missing; give a list with an entry for each turn",
        "b.jsonl line 2, topic b_topic_0: field 'answer_list': is missing; give a list with an entry for each turn",
        "b.jsonl line 2, topic b_topic_0: field 'task_types': is missing; give a list with an entry for each turn",
        "c.jsonl: holds no row",
    ]


@pytest.mark.parametrize("cut", [30, 3])
def test_a_last_line_that_is_cut_off(tmp_path: Path, cut: int) -> None:
    path = write(tmp_path / "a.jsonl", chat(), chat("ada_topic_2", tasks=["é港"]))
    path.write_bytes(path.read_bytes()[:-cut])
    (fault,) = faults(path)
    assert fault.startswith("a.jsonl line 2: the last line is cut off: it is no JSON (")
    assert fault.endswith("; get the whole file, or load it with truncated='keep' to leave this line out")
    dataset = load(str(path), truncated="keep")
    assert ids(dataset) == ["ada_topic_1"]
    assert dataset.warnings[0].startswith("a.jsonl line 2: left out, since it is cut off: it is no JSON (")


def test_a_line_cut_inside_a_character(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(json.dumps(chat()).encode() + '\n{"id": "港'.encode()[:-1])
    assert ids(load(str(path), truncated="keep")) == ["ada_topic_1"]


def test_a_broken_line_in_the_middle_is_never_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"id": \n{json.dumps(chat())}\n')
    assert faults(path, truncated="keep") == [
        "a.jsonl line 1: is no JSON (Expecting value at column 8); mend or remove the line"
    ]
