"""No model under evaluation sees the profile, a canary, or a step of the turn that it has not come to."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import ChatMessageAssistant, ModelOutput
from inspect_ai.util._json import json_schema_dump
from oracle import oracle
from support import (
    PROFILES,
    TOPICS,
    Seen,
    plays,
    run,
    samples,
    shipped_or_skip,
    values,
    write_dataset,
    write_json,
)

from utb_inspect.datasets import Dataset, PlacedTurn, load
from utb_inspect.datasets.history import Prompts, View
from utb_inspect.schema import AskStep, CallStep
from utb_inspect.tasks import user_tool_bench
from utb_inspect.trajectory.run import content_text

SPLITS = ("utb_open", "utb_open_dynamic")


class Capture:
    """Every request to a model, as text: sample, round, and what it was sent."""

    def __init__(self) -> None:
        self.rounds: list[tuple[str, int, list[str], list[str]]] = []
        self.log = Path()
        self.exact: dict[str, Any] = {}
        self._kept: dict[str, str] = {}

    def add(self, seen: Seen) -> None:
        """Note a request; the same text, sent again and again as history, is kept once."""
        messages, tools = wire(seen)
        keep = self._kept.setdefault
        self.rounds.append((seen.sample, seen.round, [keep(m, m) for m in messages], [keep(t, t) for t in tools]))

    @property
    def texts(self) -> set[str]:
        """All that was ever sent."""
        return {text for _, _, messages, tools in self.rounds for text in (*messages, *tools)}


def wire(seen: Seen) -> tuple[list[str], list[str]]:
    messages = []
    for message in seen.messages:
        messages.append(message.text)
        if isinstance(message, ChatMessageAssistant):
            messages.extend(
                f"{c.function} {json.dumps(c.arguments, ensure_ascii=False)}" for c in message.tool_calls or ()
            )
    tools = [
        f"{tool.name}\n{tool.description}\n{json.dumps(json_schema_dump(tool.parameters), ensure_ascii=False)}"
        for tool in seen.tools
    ]
    return messages, tools


def capture(data: str, dataset: Dataset, folder: Path, **options: Any) -> Capture:
    """Play every reference and note what the model is sent, and where the log lies."""
    found = Capture()
    play = plays(dataset)

    def script(seen: Seen) -> ModelOutput:
        found.add(seen)
        return play(seen)

    log = run(user_tool_bench(data=data, **options), script, log_dir=str(folder))
    assert log.status == "success"
    found.exact = {name: values(sample)["utb_exact"] for name, sample in samples(log).items() if sample.error is None}
    found.log = Path(log.location)
    return found


def log_texts(log: Path) -> Iterator[str]:
    """Every file within a log."""
    with zipfile.ZipFile(log) as archive:
        for name in archive.namelist():
            yield archive.read(name).decode()


# --- leaks ---------------------------------------------------------------------------------------------------


def leaves(value: Any) -> Iterator[str]:
    match value:
        case dict():
            for inner in value.values():
                yield from leaves(inner)
        case list():
            for inner in value:
                yield from leaves(inner)
        case str():
            yield value


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def phrases(profile: dict[str, Any]) -> set[str]:
    """What of a profile must not stand anywhere: its texts of three to five words, and each five words of longer ones.

    A word or two ("Austrian") may well be said in a conversation.
    """
    found = set()
    for text in map(words, leaves(profile)):
        if 3 <= len(text) <= 5:
            found.add(" ".join(text))
        found.update(" ".join(text[i : i + 5]) for i in range(len(text) - 4))
    return found


def leaks(profiles: Iterable[dict[str, Any]], texts: Iterable[str]) -> set[str]:
    shown = "\n".join(f" {' '.join(words(text))} " for text in texts)
    return {phrase for profile in profiles for phrase in phrases(profile) if f" {phrase} " in shown}


@pytest.fixture(scope="session")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_dataset(tmp_path_factory.mktemp("hidden") / "harbour"))


@pytest.fixture(scope="session", params=["harbour", *SPLITS])
def data(request: pytest.FixtureRequest, harbour: str) -> str:
    if request.param == "harbour":
        return harbour
    shipped_or_skip(request.param)
    return str(request.param)


@pytest.fixture(scope="session")
def seen(data: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Dataset, Capture]:
    dataset = load(data)
    return dataset, capture(data, dataset, tmp_path_factory.mktemp("seen"))


def test_every_reference_was_played_to_its_end_and_is_exact(seen: tuple[Dataset, Capture]) -> None:
    """What follows is about whole runs, of every turn."""
    dataset, captured = seen
    assert {sample for sample, *_ in captured.rounds} == set(dataset.by_id)
    assert captured.exact == dict.fromkeys(dataset.by_id, True)


def test_nothing_of_a_profile_is_sent(seen: tuple[Dataset, Capture]) -> None:
    dataset, captured = seen
    profiles = [profile.fields for profile in dataset.profiles.values()]
    assert set(dataset.profiles) == set(dataset.by_profile)
    assert all(len(phrases(profile)) > 5 for profile in profiles)
    assert len(captured.rounds) > len(dataset.turns)
    assert leaks(profiles, captured.texts) == set()
    # The rule finds a leak among the very texts that were sent.
    for profile in profiles:
        text = max(leaves(profile), key=len)
        planted = f"I say: {' '.join(text.split()[1:7]).upper()}!"
        assert leaks(profiles, [*captured.texts, planted])


def test_names_of_profile_fields_are_not_sent(seen: tuple[Dataset, Capture]) -> None:
    dataset, captured = seen
    names = {name for profile in dataset.profiles.values() for name in profile.fields if "_" in name}
    assert names
    assert not [name for name in names for text in captured.texts if name in text]


def canaries(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "canary" and isinstance(inner, str):
                yield inner
            else:
                yield from canaries(inner)


def test_no_canary_is_sent(seen: tuple[Dataset, Capture], data: str) -> None:
    folder = Path(data) if Path(data).is_dir() else Path(str(files("utb_inspect"))) / "data" / data
    found = {c for file in folder.glob("**/*.json") for c in canaries(json.loads(file.read_text()))}
    assert found
    _, captured = seen
    for canary in found:
        assert not [text for text in captured.texts if canary in text]
    # A bird may be talked of; the marker and its field may not be sent.
    assert not [text for text in captured.texts if "canary-guid" in text.casefold() or '"canary"' in text]


def test_no_step_of_the_turn_is_sent_before_it_is_reached(seen: tuple[Dataset, Capture]) -> None:
    dataset, captured = seen
    checked = Counter[str]()
    prompts = Prompts(dataset, View())
    rounds: dict[str, list[tuple[int, list[str], list[str]]]] = {}
    for sample, *rest in captured.rounds:
        rounds.setdefault(sample, []).append((rest[0], rest[1], rest[2]))
    for sample, sent in rounds.items():
        turn = dataset.by_id[sample]
        shown = prompts.messages(turn)
        earlier = {m.text for m in shown[:-1]}
        start = len([x for m in shown for x in wire_of(m)])
        for round_, messages, tools in sent:
            reached = reached_steps(turn, round_)
            for text in future_texts(turn, reached) - earlier:
                checked[sample] += 1
                assert text not in messages
                assert not any(text in tool for tool in tools)
            # What was added to the prompt is what was reached, and nothing else.
            assert len([m for m in messages[start:] if m in reached_texts(turn, reached)]) >= len(reached)
    assert set(checked) == set(dataset.by_id)


def wire_of(message: Any) -> list[str]:
    calls = message.tool_calls or () if isinstance(message, ChatMessageAssistant) else ()
    return [message.text, *map(str, calls)]


def reached_steps(turn: PlacedTurn, rounds: int) -> set[str]:
    """Ids of the reference's steps that the reference player has behind it after some rounds."""
    asks = iter(turn.turn.paths[0].asks)
    reached: set[str] = set()
    for message in oracle(turn)[:rounds]:
        if message.calls:
            reached.update(call.id.removeprefix("c") for call in message.calls)
        else:
            reached.add(next(asks).id)
    return reached


def reached_texts(turn: PlacedTurn, reached: set[str]) -> set[str]:
    texts = set()
    for step in turn.turn.paths[0].steps:
        if step.id in reached and isinstance(step, CallStep):
            texts.add(content_text(step.observation))
        elif step.id in reached and isinstance(step, AskStep):
            texts.add(step.reply)
    return texts


def future_texts(turn: PlacedTurn, reached: set[str]) -> set[str]:
    """Answers, observations and replies that are still to come, on other paths too."""
    now = reached_texts(turn, reached)
    texts = set()
    for path in turn.turn.paths:
        for step in path.steps:
            if isinstance(step, CallStep):
                texts.add(content_text(step.observation))
            elif isinstance(step, AskStep):
                texts.update((step.reply, step.message))
            else:
                texts.add(step.answer)
    return texts - now - {step.message for step in turn.turn.paths[0].asks if step.id in reached}


# --- the rules find what they are for ------------------------------------------------------------------------


def test_a_leak_is_found_wherever_it_stands(tmp_path: Path) -> None:
    profiles = list(PROFILES.values())
    topics = json.loads(json.dumps(TOPICS))
    topics[1]["turns"][1]["request"] += " I am one who distrusts varnish that is sold, you know."
    folder = str(write_dataset(tmp_path / "leaky", topics))
    captured = capture(folder, load(folder), tmp_path)
    assert "who distrusts varnish that is" in leaks(profiles, captured.texts)


def test_short_and_nested_texts_count_too() -> None:
    assert phrases({"a": "Austrian", "b": 7}) == set()
    assert phrases({"a": {"b": ["Rides trains, unchanged"]}}) == {"rides trains unchanged"}
    assert leaks([{"a": "one two three four five six"}], ["x Two three, FOUR five six."]) == {"two three four five six"}
    assert leaks([{"a": "one two three"}], ["one two threesome"]) == set()


# --- a profile changes nothing -------------------------------------------------------------------------------


def other(value: Any, number: Iterator[int]) -> Any:
    """The same profile with all its texts and numbers replaced by ones that stand nowhere else."""
    match value:
        case dict():
            return {key: other(inner, number) for key, inner in value.items()}
        case list():
            return [other(inner, number) for inner in value]
        case str():
            return f"zq-xjk-{next(number)}"  # with hyphens, which the random ids of a log do not have
        case bool() | None:
            return value
        case _:
            return 98_765_432_100_000 + next(number)


def test_a_profile_changes_nothing_that_is_sent_and_stands_in_no_log(
    seen: tuple[Dataset, Capture], data: str, tmp_path: Path
) -> None:
    """All of a replaced profile's turns are played again: the same is sent, byte for byte."""
    dataset, captured = seen
    replaced = next(iter(dataset.by_profile))
    source = Path(data) if Path(data).is_dir() else Path(str(files("utb_inspect"))) / "data" / data
    shutil.copytree(source.parent, tmp_path / "data")  # toolsets may be another split's
    folder = tmp_path / "data" / source.name
    number = iter(range(100_000))
    for file in folder.glob("profiles/*.json"):
        profile = json.loads(file.read_text())
        write_json(file, {**other(profile, number), "id": file.stem})
    assert next(number) > 10
    changed = load(str(folder))
    again = capture(str(folder), changed, tmp_path / "logs", profiles=replaced)
    turns = {turn.id for turn in dataset.by_profile[replaced]}
    assert sorted(again.rounds) == sorted(sent for sent in captured.rounds if sent[0] in turns)
    assert changed.hash == dataset.hash
    for text in log_texts(again.log):
        assert "zq-xjk-" not in text
        assert not re.search(r"(?<![\d.])987654321\d{5}(?!\d)", text)
