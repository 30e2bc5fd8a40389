"""The project's cases: every verdict as it is to be."""

from __future__ import annotations

from pathlib import Path

import pytest

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
