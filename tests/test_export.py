"""A dataset written as public rows and read back is the same, apart from what those rows cannot hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from oracle import play
from public_rows import PUBLIC
from support import shipped_or_skip, write_dataset

from utb_inspect.cli import main
from utb_inspect.datasets import Dataset, load
from utb_inspect.datasets.dataset import PlacedTurn
from utb_inspect.datasets.export import lost, public_rows
from utb_inspect.datasets.history import Prompts, View
from utb_inspect.schema import AskStep, CallStep


@pytest.fixture(scope="session", params=["harbour", "utb_open", "utb_open_dynamic"])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Dataset, Dataset]:
    folder = tmp_path_factory.mktemp("export")
    if request.param == "harbour":
        native = load(str(write_dataset(folder / "harbour")))
    else:
        native = shipped_or_skip(request.param)
    file = folder / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in public_rows(native)))
    return native, load(str(file))


def turns(pair: tuple[Dataset, Dataset]) -> list[tuple[PlacedTurn, PlacedTurn]]:
    native, public = pair
    return list(zip(native.turns, public.turns, strict=True))


def steps(turn: PlacedTurn) -> list[Any]:
    """A reference without what rows cannot hold; steps by their place, and what comes before them."""
    path = turn.turn.paths[0]
    place = {step.id: i for i, step in enumerate(path.steps)}
    found: list[Any] = []
    for step in path.steps:
        before = sorted(place[other] for other in path.before(step.id))
        if isinstance(step, AskStep):  # rows have questions one after another
            before = [other for other in before if not isinstance(path.steps[other], AskStep)]
        match step:
            case CallStep():
                found.append((step.call, step.arguments, step.observation, before))
            case AskStep():
                found.append((step.ask, step.message, step.reply, before))
            case _:
                found.append((step.answer, before))
    return found


def test_requests_kinds_and_references_are_the_same(pair: tuple[Dataset, Dataset]) -> None:
    for native, public in turns(pair):
        assert public.turn.request == native.turn.request
        assert (public.profile, public.task_type, public.subtype) == (native.profile, native.task_type, native.subtype)
        assert (public.third, public.turn.structure) == (native.third, native.turn.structure)
        assert steps(public) == steps(native), native.id


def test_tools_are_the_same(pair: tuple[Dataset, Dataset]) -> None:
    for native, public in turns(pair):
        assert [t.function for t in public.toolset.tools] == [t.function for t in native.toolset.tools]


def test_histories_are_the_same(pair: tuple[Dataset, Dataset]) -> None:
    """Date and place apart, which public rows show for the current turn alone, and the rounds that calls share."""
    view = View(environment="system")
    prompts = [Prompts(dataset, view) for dataset in pair]
    for native, public in turns(pair):
        shown = [_said(of.messages(turn)) for of, turn in zip(prompts, (native, public), strict=True)]
        assert shown[0] == shown[1]


def _said(messages: list[Any]) -> list[Any]:
    """What is said, in its order; calls and observations between two texts as a set."""
    said: list[Any] = []
    calls: list[str] = []
    for message in messages:
        for call in getattr(message, "tool_calls", None) or ():
            calls.append(json.dumps([call.function, call.arguments], sort_keys=True))
        if message.role == "tool":
            calls.append(json.dumps(_value(message.text), sort_keys=True))
        elif message.text:
            said += [sorted(calls), (message.role, message.text)]
            calls = []
    return said


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def test_every_reference_read_back_scores_exact(pair: tuple[Dataset, Dataset]) -> None:
    _, public = pair
    assert [turn.id for turn in public.turns if not play(public, turn.id).exact] == []


def test_what_is_lost_is_counted(tmp_path: Path) -> None:
    dataset = load(str(write_dataset(tmp_path / "harbour")))
    told = lost(dataset)
    asks = [step for turn in dataset.turns for step in turn.turn.reference if isinstance(step, AskStep)]
    assert told["lists of cues"] == len(asks)
    assert told["profiles"] == 2
    assert told["alternatives"] == sum(len(turn.turn.alternatives) for turn in dataset.turns)


def test_public_rows_are_not_written_anew(tmp_path: Path) -> None:
    """They would lose what is not read of them: canary, second language, ids."""
    out = tmp_path / "rows.jsonl"
    result = CliRunner().invoke(main, ["dataset", "export", str(PUBLIC), "-o", str(out)])
    assert result.exit_code == 2
    assert "consists of public rows already" in result.stderr
    assert not out.exists()


def test_the_command_writes_a_row_a_topic(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "harbour")
    out = tmp_path / "rows.jsonl"
    result = CliRunner().invoke(main, ["dataset", "export", str(folder), "-o", str(out)])
    assert result.exit_code == 0, result.output
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["id"] for row in rows] == ["p01_topic_1", "p01_topic_2", "p02_topic_1", "p02_topic_2"]
    assert "grounds of arguments" in result.output
    missing = CliRunner().invoke(main, ["dataset", "export", str(tmp_path / "nothing"), "-o", str(out)])
    assert missing.exit_code == 2
    assert "nothing" in missing.output
