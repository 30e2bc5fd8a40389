"""Statistics of toolsets: the paper's figures for the public pool, and files of every form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from public_rows import PUBLIC
from support import TOOLSETS, TOPICS, write_dataset, write_json

from utb_inspect.analysis.tool_stats import tool_statistics
from utb_inspect.analysis.toolset_files import holds_toolsets, read_toolsets, toolsets_at
from utb_inspect.cli import main
from utb_inspect.schema import DataError


def utb(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["toolsets", "stats", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def function(name: str, *parameters: str, **more: Any) -> Any:
    properties = {parameter: {"type": "string"} for parameter in parameters}
    return {
        "type": "function",
        "function": {"name": name, "parameters": {"type": "object", "properties": properties}},
    } | more


FIND = function("find", "place", "day")
BOOK = function("book", "id")
REST = function("rest")
NESTED = {
    "function": {
        "name": "plan",
        "parameters": {"properties": {"stops": {"type": "array", "items": {"properties": {"name": {}, "at": {}}}}}},
    }
}


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    file = tmp_path / "pool.jsonl"
    file.write_text("\n".join(map(json.dumps, [[FIND, BOOK], [FIND, REST, NESTED], {"tools": [BOOK]}])) + "\n")
    return file


def test_the_public_pool_has_the_papers_figures(shared: Path) -> None:
    pool = str(shared / "upstream" / "tools_en.jsonl")
    cells = [line.rsplit(maxsplit=1) for line in utb(pool).stdout.splitlines() if line and ":" not in line]
    assert cells[2:] == [
        ["tool-name occurrences", "1,248"],
        ["toolsets", "256"],
        ["unique tool names", "618"],
        ["tool names a toolset", "4.875"],
        ["parameter slots a tool", "2.45"],
    ]
    table = json.loads(utb(pool, "--format", "json").stdout)["table_11"]
    assert (table["occurrences"], table["toolsets"], table["unique_names"]) == (1248, 256, 618)
    assert table["tools_per_toolset"] == 4.875
    assert table["slots_per_tool"] == pytest.approx(2.45, abs=0.005)


def test_occurrences_names_and_slots(lines: Path) -> None:
    found = tool_statistics(read_toolsets(lines))
    # find, book; find, rest, plan; book. Slots 2 + 1 + 2 + 0 + 1 + 1: a list of objects is one slot.
    assert (found.toolsets, found.occurrences, found.unique_names, found.parameter_slots) == (3, 6, 4, 7)
    assert found.tools_per_toolset == 2.0
    assert found.slots_per_tool == pytest.approx(7 / 6)


def test_nothing_has_no_means() -> None:
    found = tool_statistics([])
    assert (found.toolsets, found.tools_per_toolset, found.slots_per_tool) == (0, None, None)


def test_all_forms_of_output(lines: Path, tmp_path: Path) -> None:
    shown = utb(str(lines)).stdout.splitlines()
    assert shown[0] == "Table 11. Tool ecosystem"
    assert shown[-1].startswith("signature: toolsets:pool#")
    assert "| parameter slots a tool | 1.17 |" in utb(str(lines), "-f", "markdown").stdout
    file = tmp_path / "out.json"
    assert utb(str(lines), "-f", "json", "-o", str(file)).stdout == f"written to {file}\n"
    assert json.loads(file.read_text())["table_11"]["parameter_slots"] == 7


def test_a_file_and_a_folder_of_toolsets(tmp_path: Path) -> None:
    for name, toolset in TOOLSETS.items():
        write_json(tmp_path / "toolsets" / f"{name}.json", toolset)
    assert [len(tools) for tools in read_toolsets(tmp_path / "toolsets")] == [3, 2]
    assert [len(tools) for tools in toolsets_at(str(tmp_path / "toolsets/rail.json")).toolsets] == [3]


def test_of_a_dataset_the_toolsets_in_use_count(tmp_path: Path) -> None:
    folder = str(write_dataset(tmp_path / "harbour", TOPICS[:1]))
    found = toolsets_at(folder)
    assert [[tool.name for tool in tools] for tools in found.toolsets] == [["findTrains", "bookTrain", "listBookings"]]
    assert found.signature.startswith("data:harbour@1.0.0#")


def test_public_rows_are_a_dataset_and_no_toolsets() -> None:
    rows = PUBLIC / "boats.jsonl"
    assert not holds_toolsets(rows)
    assert not holds_toolsets(PUBLIC)
    assert toolsets_at(str(rows)).signature.startswith("data:boats@")


def test_a_list_of_public_rows_is_a_dataset(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (PUBLIC / "boats.jsonl").read_text().splitlines()]
    write_json(tmp_path / "rows.json", rows)
    assert not holds_toolsets(tmp_path / "rows.json")
    write_json(tmp_path / "tools.json", [FIND, BOOK])
    assert holds_toolsets(tmp_path / "tools.json")


def test_the_signature_follows_the_content(lines: Path, tmp_path: Path) -> None:
    before = toolsets_at(str(lines)).signature
    assert toolsets_at(str(lines)).signature == before
    lines.write_text(json.dumps([FIND, REST]) + "\n")
    assert toolsets_at(str(lines)).signature != before


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('{"tools": []}', "line 2: is no toolset"),
        ('"tools"', "line 2: is no toolset"),
        ("[1]", "line 2, tool 1: is no object"),
        ('[{"function": null}]', "line 2, tool 1: is no object"),
        ('[{"function": {"parameters": {}}}]', "line 2, tool 1: field 'name': is missing"),
        ('[{"function": {"name": "x", "parameters": []}}]', "line 2, tool 1: field 'parameters'"),
    ],
)
def test_faults_name_line_and_tool(tmp_path: Path, line: str, fault: str) -> None:
    file = tmp_path / "pool.jsonl"
    file.write_text(f"{json.dumps([FIND])}\n{line}\n")
    result = utb(str(file))
    assert result.exit_code == 2
    assert fault in result.stderr


def test_all_faults_of_a_folder_are_told(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"tools": [FIND]})
    write_json(tmp_path / "b.json", {"tools": 3})
    (tmp_path / "c.json").write_text("{")
    with pytest.raises(DataError, match=r"(?s)2 faults.*b\.json: is no toolset.*c\.json: is no JSON"):
        read_toolsets(tmp_path)


def test_an_empty_file_holds_no_toolset(tmp_path: Path) -> None:
    (tmp_path / "pool.jsonl").write_text("\n")
    with pytest.raises(DataError, match="holds no toolset"):
        read_toolsets(tmp_path / "pool.jsonl")
