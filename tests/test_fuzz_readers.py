"""Whatever a file holds that is read, reading it ends in what can be used or in one message that names the file."""

from __future__ import annotations

import json
import shutil
import tempfile
from copy import deepcopy
from pathlib import Path
from typing import Any

import damaged_files
import pytest
from damaged_files import torn
from fuzzing import EXAMPLES, Target, damaged, json_values
from hypothesis import strategies as st
from oracle import oracle, play
from public_rows import PUBLIC, ROWS

from utb_inspect.datasets import Dataset, PlacedTurn, load
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


TARGETS = {
    **damaged_files.TARGETS,
    "native files": Target(edits(), check_native),
    "public rows": Target(
        st.lists(damaged(st.sampled_from(MORE_ROWS)) | st.sampled_from(MORE_ROWS) | json_values(), max_size=3),
        check_rows,
    ),
    "bytes of rows": Target(torn("".join(f"{json.dumps(row)}\n" for row in ROWS).encode()), check_bytes),
}


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_read_is_usable_or_told(name: str) -> None:
    TARGETS[name].fuzz(EXAMPLES // 3 if name == "damaged logs" else EXAMPLES)  # an input of these takes longest


def outcomes(rows: list[Any]) -> dict[str, Any]:
    """What each turn shows, and the verdicts on its reference and on a run without that reference's first step."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        dataset = load(str(path))
    return {turn.id: outcome(dataset, turn) for turn in dataset.turns}


def outcome(dataset: Dataset, turn: PlacedTurn) -> Any:
    verdicts = [play(dataset, turn.id), play(dataset, turn.id, oracle(turn)[1:])]
    return (
        [message.model_dump() for message in Prompts(dataset, View()).messages(turn)],
        [(v.exact, v.relaxed, v.severity, v.labels, v.rounds) for v in verdicts],
    )


def test_what_is_shown_and_judged_does_not_depend_on_other_profiles() -> None:
    profiles = [[of_profile(row, name, i) for i, row in enumerate(ROWS)] for name in NAMES]
    whole = outcomes([row for rows in profiles for row in rows])
    for id_, (shown, _) in whole.items():
        assert [name for name in NAMES if f"({name})" in json.dumps(shown)] == [id_.split("_")[0]]
    assert {exact for _, ((_, *_), (exact, *_)) in whole.values()} == {False}

    def check(some: list[list[Any]]) -> None:
        found = outcomes([row for rows in some for row in rows])
        assert found == {turn: whole[turn] for turn in found}

    Target(st.permutations(profiles).flatmap(prefixes), check).fuzz(20)


NAMES = ("ada", "ben", "cyd")


def of_profile(row: Any, name: str, topic: int) -> Any:
    """The row as a topic of a profile, whose name stands in its requests and answers."""
    own = {**deepcopy(row), "id": f"{name}_topic_{topic}"}
    for key in own.keys() & {"tasks", "english_tasks"}:
        own[key] = [f"{request} ({name})" for request in own[key]]
    for answers in (own[key] for key in own.keys() & {"answer_list", "english_answer_list"}):
        for *_, answer in answers:
            answer["observation"] += f" ({name})"
    return own


def prefixes(items: list[Any]) -> st.SearchStrategy[list[Any]]:
    return st.integers(1, len(items)).map(lambda count: items[:count])


def test_a_profile_without_the_others_files_shows_the_same(tmp_path: Path) -> None:
    shutil.copytree(NATIVE, tmp_path / "data")
    whole = load(str(tmp_path / "data"))
    before = {turn.id: outcome(whole, turn) for turn in whole.turns}
    load.__globals__["_load"].cache_clear()
    shutil.rmtree(tmp_path / "data" / "topics" / "p02")
    (tmp_path / "data" / "profiles" / "p02.json").unlink()
    alone = load(str(tmp_path / "data"))
    after = {turn.id: outcome(alone, turn) for turn in alone.turns}
    assert 0 < len(after) < len(before)
    assert after == {turn: before[turn] for turn in after}
