"""Whatever a dataset's files hold, reading them ends in a dataset or in one message that names the file."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from fuzzing import Target, damaged, json_values
from hypothesis import strategies as st
from oracle import play
from public_rows import PUBLIC, ROWS

from utb_inspect.datasets import Dataset, load
from utb_inspect.datasets.history import Prompts, View
from utb_inspect.datasets.samples import to_sample
from utb_inspect.datasets.wire import tool_info
from utb_inspect.schema import DataError

NATIVE = Path(__file__).parent / "data" / "native"
FILES = {str(path.relative_to(NATIVE)): path.read_bytes() for path in sorted(NATIVE.rglob("*.json"))}
MORE_ROWS = [*ROWS, *(json.loads(line) for line in (PUBLIC / "boats_more.jsonl").read_text().splitlines())]


def reads_or_tells(source: Path, *names: str) -> None:
    """Load, and put what was loaded to use; a message must name one of the files."""
    try:
        dataset = load(str(source))
    except DataError as error:
        first, *lines = str(error).splitlines()
        assert first.endswith(":")
        assert lines
        assert all(line.startswith(names) for line in lines), lines
        return
    finally:
        load.__globals__["_load"].cache_clear()
    is_usable(dataset)


def is_usable(dataset: Dataset) -> None:
    """Every turn can be shown, sent and judged, and its own reference is exact unless a warning says otherwise."""
    prompts = Prompts(dataset, View())
    warned = "\n".join(dataset.warnings)
    for turn in dataset.turns:
        to_sample(turn)
        assert prompts.messages(turn)
        for tool in turn.toolset.tools:
            json.dumps(tool_info(tool).model_dump())
        verdict = play(dataset, turn.id)
        if not turn.turn.paths[0].asks and f"turn {turn.id}," not in warned and turn.turn.paths[0].answer.strip():
            assert verdict.exact, (turn.id, verdict.labels)


def check_native(edit: tuple[str, Any]) -> None:
    name, content = edit
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "data"
        shutil.copytree(NATIVE, root)
        text = content if isinstance(content, bytes) else json.dumps(content).encode()
        (root / name).write_bytes(text)
        reads_or_tells(root, "dataset.json", "profiles", "toolsets", "topics")


def check_rows(rows: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        reads_or_tells(path, "rows.jsonl")


def check_bytes(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        path.write_bytes(content)
        reads_or_tells(path, "rows.jsonl")


@st.composite
def edits(draw: Any) -> tuple[str, Any]:
    name = draw(st.sampled_from(sorted(FILES)))
    return name, draw(damaged(st.just(json.loads(FILES[name]))) | json_values() | torn(FILES[name]))


@st.composite
def torn(draw: Any, whole: bytes) -> bytes:
    """Bytes with a piece of them cut out, doubled, or overwritten."""
    start = draw(st.integers(0, len(whole)))
    end = draw(st.integers(start, min(len(whole), start + 200)))
    piece = draw(st.sampled_from([b"", whole[start:end] * 2]) | st.binary(max_size=8))
    return whole[:start] + piece + whole[end:]


TARGETS = {
    "native files": Target(edits(), check_native),
    "public rows": Target(
        st.lists(damaged(st.sampled_from(MORE_ROWS)) | st.sampled_from(MORE_ROWS) | json_values(), max_size=3),
        check_rows,
    ),
    "bytes of rows": Target(torn("".join(f"{json.dumps(row)}\n" for row in ROWS).encode()), check_bytes),
}


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_read_is_usable_or_told(name: str) -> None:
    TARGETS[name].fuzz()


def verdicts(rows: list[Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        dataset = load(str(path))
    found = {turn.id: play(dataset, turn.id) for turn in dataset.turns}
    return {key: (v.exact, v.relaxed, v.severity, v.labels, v.rounds) for key, v in found.items()}


def test_verdicts_do_not_depend_on_the_order_of_profiles() -> None:
    profiles = [[{**row, "id": f"{name}_topic_{i}"} for i, row in enumerate(ROWS)] for name in ("ada", "ben", "cyd")]
    whole = verdicts([row for rows in profiles for row in rows])

    def check(order: list[list[Any]]) -> None:
        assert verdicts([row for rows in order for row in rows]) == whole

    Target(st.permutations(profiles), check).fuzz(20)
