"""The answers of the audit can be scored: each is one of a turn that there is, and can be played back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import ROOT

from utb_inspect.baselines.replay import Recording
from utb_inspect.datasets import load
from utb_inspect.schema import parse

FILES = sorted((ROOT / "docs" / "audit").glob("*.jsonl"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_answers_are_of_turns_of_their_split(file: Path) -> None:
    split = "utb_open_dynamic" if file.name.startswith("utb_open_dynamic") else "utb_open"
    lines = file.read_text(encoding="utf-8").splitlines()
    ids = [str(parse(Recording, json.loads(line), file.name).id) for line in lines]
    assert len(set(ids)) == len(ids) > 0
    assert set(ids) <= set(load(split).by_id)
