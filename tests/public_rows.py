"""Rows of the public format for tests: the small files of `data/public`, and rows made to order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from utb_inspect.datasets import Dataset, load
from utb_inspect.schema import CallStep, DataError

PUBLIC = Path(__file__).parent / "data" / "public"
ROWS = [json.loads(line) for line in (PUBLIC / "boats.jsonl").read_text().splitlines()]
BILINGUAL, ENGLISH = ROWS


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    return path


def chat(topic_id: str | None = "ada_topic_1", env_info: Any = "2024-05-06 08:30:00 Monday", **fields: Any) -> Any:
    """A row of one chat turn."""
    answer = {"action": {"name": "prepare_to_answer", "arguments": {}}, "observation": "Yes.", "dependency_list": []}
    row = {"id": topic_id, "env_info": env_info, "tools": ENGLISH["english_tools"], "tasks": ["Is it so?"]}
    return {**row, "task_types": ["Chat"], "turn_subtypes": [], "answer_list": [[answer]], **fields}


def one_call(arguments: Any, request: str = "Boats please.", **step: Any) -> Any:
    """A row of one turn with one call."""
    call = {"action": {"name": "searchBoats", "arguments": arguments}, "observation": {}, "dependency_list": []}
    answer = {"action": {"name": "prepare_to_answer"}, "observation": "Here.", "dependency_list": [0]}
    return chat(tasks=[request], task_types=["Single-Tool"], answer_list=[[{**call, **step}, answer]])


def ids(dataset: Dataset) -> list[str]:
    return [topic.id for topic in dataset.topics]


def grounds(dataset: Dataset, turn: str, step: int = 0) -> dict[str, tuple[str, str | None]]:
    call = dataset.by_id[turn].turn.reference[step]
    assert isinstance(call, CallStep)
    return {argument: (ground.basis, ground.from_) for argument, ground in call.grounds.items()}


def faults(source: Path, **options: Any) -> list[str]:
    with pytest.raises(DataError) as caught:
        load(str(source), **options)
    return str(caught.value).splitlines()[1:]
