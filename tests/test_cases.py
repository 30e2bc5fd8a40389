"""The project's cases: every verdict as it is to be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from utb_inspect.cli import main
from utb_inspect.schema import DataError
from utb_inspect.verify import VERIFIERS, read_cases

CASES = Path(__file__).parent / "cases"
FILES = [
    ("decisions", "decisions.jsonl"),
    ("decisions", "decisions_more.jsonl"),
    ("arguments", "arguments.jsonl"),
    ("arguments", "arguments_more.jsonl"),
]


@pytest.mark.parametrize(
    ("kind", "case"),
    [pytest.param(kind, case, id=f"{kind}-{case['id']}") for kind, name in FILES for case in read_cases(CASES / name)],
)
def test_case_agrees(kind, case):
    assert VERIFIERS[kind](case) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": "a"', "line 1: no JSON"),
        ('{"id": "a", "expected": "agree"}\n[]', "line 2: a case is an object"),
        ('{"expected": "agree"}', "line 1: a case is an object"),
    ],
)
def test_unreadable_cases_are_named(tmp_path, text, message):
    file = tmp_path / "cases.jsonl"
    file.write_text(text)
    with pytest.raises(DataError, match=message):
        list(read_cases(file))


CALL = {"action": {"name": "t", "arguments": {}}, "dependency_list": [], "observation": ""}
NO_CASES = {
    "decisions": [{"toolset": 3}, {"toolset": {}, "turn": {}}, {}],
    "arguments": [
        {"schema": [[]], "reference": 1, "predicted": 1},
        {"schema": {"type": "no type"}, "reference": 1, "predicted": 1},
        {"schema": {"$ref": "#/$defs/x"}, "reference": 1, "predicted": 1},
        {"schema": {}, "reference": 1, "predicted": 1, "ground": "request"},
        {"schema": {}, "reference": 1},
    ],
    "upstream": [
        {"tools": [], "answer_list": [{"action": CALL["action"]}], "responses": []},
        {"tools": [], "answer_list": [{**CALL, "dependency_list": [4, "-"]}], "responses": []},
        {"tools": [], "answer_list": [{**CALL, "action": {"name": {}, "arguments": {}}}], "responses": []},
        {"tools": 1, "answer_list": [CALL], "responses": [1]},
    ],
}


@pytest.mark.parametrize("kind", NO_CASES)
def test_what_is_no_case_of_the_kind_is_told_and_the_others_are_judged(tmp_path, kind):
    name = {"upstream": "upstream_verdicts"}.get(kind, kind)
    good = (CASES / f"{name}.jsonl").read_text().splitlines()[0]
    bad = [
        {"id": "x" * 100_000, "expected": "agree"},
        {"id": "a\u001b[31m\ud800", "expected": {"exact": True}},
        *({"id": f"bad-{i}", "expected": {"exact": True}, **case} for i, case in enumerate(NO_CASES[kind])),
    ]
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join([*map(json.dumps, bad), good]))
    done = CliRunner().invoke(main, ["verify", kind, str(file)])
    assert done.exit_code == 1
    *lines, last = done.stdout.splitlines()
    assert last == f"1 of {len(bad) + 1} agree"
    assert all(f": {file}: " in line for line in lines)
    told = list(dict.fromkeys(line.partition(": ")[0] for line in lines))
    assert told == ["x" * 100_000, "a\\u001b[31m\\ud800", *(f"bad-{i}" for i in range(len(bad) - 2))]
