"""The shipped splits hold what they say, and every quote stands in what a model is shown."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from conftest import ROOT

from utb_inspect.datasets import load
from utb_inspect.datasets.dataset import Dataset, PlacedTurn
from utb_inspect.datasets.history import played

SPLITS = ("utb_open", "utb_open_dynamic")


@pytest.fixture(params=SPLITS)
def dataset(request) -> Dataset:
    return load(request.param)


def test_counts_are_those_of_dataset_json(dataset: Dataset):
    counts = dataset.info.counts
    turns = dataset.turns
    assert len(dataset.profiles) == len(dataset.by_profile) == counts["profiles"]
    assert len(dataset.topics) == counts["topics"]
    assert len(turns) == counts["turns"]
    assert Counter(t.task_type for t in turns) == counts["task_types"]
    assert Counter(t.subtype for t in turns) == counts["subtypes"]


@pytest.mark.parametrize("split", SPLITS)
def test_every_file_carries_the_canary_of_its_split(split: str):
    folder = ROOT / "utb_inspect" / "data" / split
    canary = json.loads((folder / "dataset.json").read_text())["canary"]
    files = list(folder.rglob("*.json"))
    assert canary
    assert [file.name for file in files if json.loads(file.read_text()).get("canary") != canary] == []


def visible(turn: PlacedTurn) -> str:
    """What a model is shown of an earlier turn."""
    parts = [turn.turn.request]
    for message in played(turn):
        parts.append(message.text)
        parts += [json.dumps(call.arguments, ensure_ascii=False) for call in getattr(message, "tool_calls", None) or ()]
    return "\n".join(parts)


def test_quotes_stand_word_for_word_in_the_visible_earlier_turn(dataset: Dataset):
    shown = {turn.id: visible(turn) for turn in dataset.turns}
    quotes = [
        (turn.id, evidence)
        for turn in dataset.turns
        for path in turn.turn.paths
        for call in path.calls
        for ground in call.grounds.values()
        for evidence in [*ground.evidence, *ground.superseded]
    ]
    assert len(quotes) > 20
    assert [(turn, e.turn, e.quote) for turn, e in quotes if e.quote not in shown[e.turn]] == []


def test_history_rests_on_evidence_and_preference_on_two_turns(dataset: Dataset):
    for turn in dataset.turns:
        for path in turn.turn.paths:
            for call in path.calls:
                for name, ground in call.grounds.items():
                    needed = {"history": 1, "preference": 2}.get(ground.basis, 0)
                    assert len({e.turn for e in ground.evidence}) >= needed, (turn.id, call.id, name)
