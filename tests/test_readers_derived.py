"""What public rows do not say: grounds, technical arguments, effects, cues."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from oracle import play
from public_rows import BILINGUAL, ENGLISH, PUBLIC, grounds, write

from utb_inspect.datasets import Dataset, load
from utb_inspect.datasets.cues import cues_of_ask
from utb_inspect.datasets.grounds import Shown
from utb_inspect.datasets.language import language_of
from utb_inspect.datasets.public_tools import PublicToolsets, effect_of, is_technical
from utb_inspect.schema import AskStep
from utb_inspect.trajectory.questions import on_target
from utb_inspect.trajectory.text import stands


def test_grounds() -> None:
    dataset = load(str(PUBLIC))
    assert grounds(dataset, "mara_topic_1.1") == {
        "port": ("request", None),
        "date": ("environment", None),
        "max_price": ("request", None),
    }
    assert grounds(dataset, "mara_topic_1.2") == {"boat_id": ("history", None), "extras.meal": ("request", None)}
    assert grounds(dataset, "mara_topic_2.1", 2)["port"] == ("reply", None)
    assert grounds(dataset, "mara_topic_2.2", 2) == {"boat_id": ("observation", "1"), "heated": ("preference", None)}


values = [
    "Oban", "oban", "ob", "S-12", "12", 12, 12.0, 1200, 7, True, False, None, "", [], {}, ["Oban", 12], ["Oban", 13],
    {"a": "Oban"}, "harbour", "Oban harbour", "二号", "1,200", "harbour 12",
]  # fmt: skip


@pytest.mark.parametrize("value", values, ids=repr)
def test_shown_holds_what_stands(value: Any) -> None:
    source = ["The Oban harbour, 1,200 m", {"pier": 12, "names": ["S-12", "请到二号码头"], "open": True}, 7.0]
    assert Shown(*source).holds(value) == stands(value, source)


@pytest.mark.parametrize(
    ("name", "technical"),
    [("limit", True), ("pageSize", True), ("page_size", True), ("requestID", True), ("output_format", True),
     ("language", False), ("count", False), ("formatted_address", False)],
)  # fmt: skip
def test_technical_names(name: str, technical: bool) -> None:
    assert is_technical(name) is technical


def test_technical_arguments_inside_objects() -> None:
    (toolset,) = load(str(PUBLIC / "boats_more.jsonl")).toolsets.values()
    assert {tool.name: tool.technical for tool in toolset.tools} == {
        "searchBoats": ["limit"],
        "reserveBoat": ["extras.format"],
    }


@pytest.mark.parametrize(
    ("name", "effect"),
    [("getHeadlines", "read"), ("search_boats", "read"), ("convertCurrency", "read"), ("get24hForecast", "read"),
     ("reserveBoat", "write"), ("deleteItem", "write"), ("twoFactorLogin", "write")],
)  # fmt: skip
def test_effects(name: str, effect: str) -> None:
    assert effect_of(name) == effect


def asks(dataset: Dataset, turn: str) -> list[AskStep]:
    return [step for step in dataset.by_id[turn].turn.reference if isinstance(step, AskStep)]


def test_cues() -> None:
    first, second = asks(load(str(PUBLIC)), "mara_topic_2.1")
    assert first.ask == ["port", "date"]
    assert first.cues["port"] == ["port", "departure", "day"]
    assert on_target(first, "What day, and from which port?")
    assert not on_target(first, "How many of you are there?")
    # A second question, after a vague reply, comes after the first, which the row takes for granted.
    assert second.after == ["0"]


def test_cues_in_chinese(tmp_path: Path) -> None:
    dataset = load(str(write(tmp_path / "a.jsonl", BILINGUAL)), language="zh")
    first = asks(dataset, "mara_topic_2.1")[0]
    assert {"港口", "出发"} <= set(first.cues["port"])
    assert on_target(first, "请问哪个港口？出行日期呢？")
    assert not on_target(first, "您一共有几个人？")
    assert all(play(dataset, turn.id).exact for turn in dataset.turns)


def test_an_ask_that_names_no_parameter() -> None:
    tools = PublicToolsets().read(ENGLISH["english_tools"], "")
    assert cues_of_ask({}, "Which harbour do you mean?", tools) == {"information": ["harbour"]}


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        (["Was ist GreenLeaf?"], "en"),
        (["查一下GreenLeaf"], "zh"),
        (["see 港口"], "zh"),
        (["12", "?"], "en"),
        (["?"], None),
    ],
)
def test_language_of(texts: list[str], language: str | None) -> None:
    assert language_of(texts) == language
