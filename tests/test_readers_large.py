"""A megabyte where a word is expected, and numbers of thousands of digits: read, or told in a short message."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from public_rows import chat, ids, write
from support import TOOLSETS, write_dataset
from test_fuzz_readers import is_usable

from utb_inspect.cli import main
from utb_inspect.datasets import load
from utb_inspect.datasets.files import natural_key
from utb_inspect.estimate.prices import read_prices
from utb_inspect.schema import DataError

MEGABYTE = 1_000_000
PIECES = ("x ", "x", "Friday 14 March at 7 pm, ", "a.b@c.d ", "Could you? ", "e\u0301", "(", "[a](b) ", "`", "9", "中")
DIGITS = "9" * 5_000


def texts(value: Any, path: tuple[int | str, ...] = ()) -> Iterator[tuple[int | str, ...]]:
    """Where the texts of some JSON stand."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from texts(inner, (*path, key))


def put(value: Any, path: tuple[int | str, ...], text: str) -> None:
    *holders, last = path
    for key in holders:
        value = value[key]
    value[last] = text


def fields(folder: Path) -> dict[Any, tuple[Path, tuple[int | str, ...]]]:
    """A place of each kind of field: a kind is a folder of files and the names that lead there."""
    places = [(file, path) for file in sorted(folder.rglob("*.json")) for path in texts(json.loads(file.read_text()))]
    return {
        (file.relative_to(folder).parts[0], *(key for key in path if isinstance(key, str))): (file, path)
        for file, path in places
    }


def test_a_megabyte_in_any_field_is_read_or_told_briefly(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "harbour")
    places = fields(folder)
    assert {("dataset.json", "name"), ("profiles", "id"), ("topics", "turns", "request")} < places.keys()
    for number, (file, path) in enumerate(places.values()):
        whole = file.read_text()
        value = json.loads(whole)
        piece = PIECES[number % len(PIECES)]
        put(value, path, piece * (MEGABYTE // len(piece)))
        file.write_text(json.dumps(value))
        try:
            is_usable(load(str(folder)))
        except DataError as error:
            first, *lines = str(error).splitlines()
            assert first.startswith("harbour cannot be used")
            assert all(line.startswith(("dataset.json", "profiles/", "toolsets/", "topics/")) for line in lines)
            assert all(len(line) <= 800 for line in lines)
        file.write_text(whole)


@pytest.mark.parametrize("name", ["x" * MEGABYTE, "../" * 300_000, "toolsets/" + "y/" * 400_000])
def test_a_toolset_folder_with_a_name_too_long(tmp_path: Path, name: str) -> None:
    folder = write_dataset(tmp_path / "harbour")
    info = json.loads((folder / "dataset.json").read_text())
    (folder / "dataset.json").write_text(json.dumps({**info, "toolsets": name}))
    with pytest.raises(DataError) as caught:
        load(str(folder))
    fault = str(caught.value).splitlines()[1]
    assert fault.startswith("dataset.json: field 'toolsets': there is no folder ")
    assert len(fault) <= 800


def test_the_end_of_a_long_message_is_kept(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "harbour")
    file = folder / "topics/p01/p01-t01.json"
    topic = json.loads(file.read_text())
    file.write_text(json.dumps({**topic, "id": "x" * MEGABYTE}))
    told = CliRunner().invoke(main, ["dataset", "stats", str(folder)]).stderr
    line = next(line for line in told.splitlines() if "field 'id'" in line)
    assert line.startswith("topics/p01/p01-t01.json: field 'id': is 'xxx")
    assert line.endswith("xxx', but the file is named 'p01-t01'")
    assert len(told) < 5_000


def test_a_warning_is_short_too(tmp_path: Path) -> None:
    row = "x" * MEGABYTE
    warnings = load(str(write(tmp_path / "a.jsonl", chat(row), chat(row)))).warnings
    (warning,) = [warning for warning in warnings if "another row has this id" in warning]
    assert len(warning) <= 800


def test_names_are_ordered_as_people_count() -> None:
    names = ["", "2", "t", "t01", "t2", "t010", "t99", f"t1{'0' * 5_000}", f"t{DIGITS}1", "t-1", "tx"]
    assert all(natural_key(first) < natural_key(second) for first, second in pairwise(names))
    assert natural_key("p07-t1") == natural_key("p7-t01")


def test_ids_of_rows_may_have_any_number_of_digits(tmp_path: Path) -> None:
    named = [f"ada_topic_{number}" for number in (DIGITS + "1", "10", DIGITS, "9")]
    path = write(tmp_path / "a.jsonl", *map(chat, named), chat(f"{DIGITS}_topic_0"))
    assert ids(load(str(path))) == [f"{DIGITS}_topic_0", named[3], named[1], named[2], named[0]]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (f"a/x: {{input: 0x{'f' * 9_000}}}", "a/x: field 'input': input should be a valid number (found a very large "),
        (f"? 0x{'f' * 9_000}\n: {{input: 1}}", "a very large number is no model name; put names in quotes"),
        ("1: {input: 1}", "1 is no model name"),
        (f"a/x: {{input: {'9' * 10_000}}}", "give JSON or YAML with an entry a model name ("),
        (f'{{"a/x": {{"input": {"9" * 10_000}}}}}', "give JSON or YAML with an entry a model name ("),
        (f'{{"{"x" * MEGABYTE}": {{"input": -1}}}}', "xxxxx"),
        (f"a/x: *{'x' * MEGABYTE}", "give JSON or YAML with an entry a model name ("),
    ],
    ids=["number", "key", "number as key", "digits", "digits in JSON", "long name", "long alias"],
)
def test_large_numbers_and_names_in_a_price_file(tmp_path: Path, text: str, fault: str) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text(text)
    with pytest.raises(DataError) as caught:
        read_prices(file)
    assert str(caught.value).startswith(f"{file}: {fault}")
    assert all(len(line) <= 800 for line in str(caught.value).splitlines())


@pytest.mark.parametrize("name", ["x" * MEGABYTE, "\n\x1b[2J " * 200_000], ids=["long", "of many lines"])
def test_warnings_are_lines_that_can_be_read(tmp_path: Path, name: str) -> None:
    toolset = json.loads(json.dumps(TOOLSETS["rail"]))
    toolset["tools"][0]["function"]["parameters"]["properties"][name] = {}
    (warning,) = load(str(write_dataset(tmp_path / "harbour", toolsets={**TOOLSETS, "rail": toolset}))).warnings
    assert "some providers refuse the name" in warning
    assert len(warning) <= 800
    assert warning.isprintable()
