"""Tasks over the wire: the real clients, through Inspect's providers, against servers that check each request.

`benchmarks/wire.py` does the same with all samples of the main split.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalSample
from inspect_ai.model import get_model
from support import made, run, samples, shipped_or_skip, values, write_dataset, write_public
from wire import KINDS, Kind, Reply, ReplyCall, Request, Server, serve
from wire.hidden import Watch, watched
from wire.policy import Planned, Turns, clumsy_plans, items_of, offline_model, reference_plans

from utb_inspect.baselines.oracle import Plan
from utb_inspect.datasets import Dataset, load
from utb_inspect.tasks import user_tool_bench


def play(server: Server, streaming: bool, **task: Any) -> dict[str, EvalSample]:
    """Run a task on a server's model; nothing may be refused, nothing may go wrong."""
    sample_id = task.pop("sample_id", None)
    log = run(user_tool_bench(**task), server.model(streaming), sample_id=sample_id)
    assert log.status == "success"
    assert [request.problems for request in server.refused] == []
    assert {request.stream for request in server.requests} == {streaming}
    return samples(log)


def scores(played: Mapping[str, EvalSample]) -> dict[str, dict[str, Any]]:
    """Sample to scorer to value; of a sample that was not scored, nothing."""
    return {name: values(sample) for name, sample in played.items()}


# --- a profile a client --------------------------------------------------------------------------------------

SHOWN = {"a profile": ("utb_open_dynamic", "d01", slice(None)), "long histories": ("utb_open", "p01", slice(-2, None))}
"""Split, profile, and which of its turns."""


@dataclass
class Part:
    """Turns of a shipped split, and what became of them offline."""

    data: str
    ids: list[str]
    turns: Turns
    plans: Mapping[str, Plan]
    offline: Mapping[str, EvalSample]
    dataset: Dataset


@pytest.fixture(scope="module", params=SHOWN)
def part(request: pytest.FixtureRequest) -> Part:
    data, profile, which = SHOWN[request.param]
    dataset = shipped_or_skip(data)
    ids = [turn.id for turn in dataset.by_profile[profile][which]]
    offline = samples(run(user_tool_bench(data=data), get_model("utb/oracle"), sample_id=ids))
    return Part(data, ids, Turns(dataset), reference_plans(dataset), offline, dataset)


@pytest.mark.parametrize("kind", KINDS)
def test_a_profile_comes_out_as_offline(kind: Kind, part: Part) -> None:
    """Every other turn is streamed."""
    leaks = []
    played: dict[str, EvalSample] = {}
    for streaming in (False, True):
        ids = part.ids[streaming::2]
        watch = Watch(part.dataset, part.turns, part.plans)  # requests of one server have the same headers
        with serve(kind, watched(watch, Planned(part.turns, part.plans))) as server:
            played |= play(server, streaming, data=part.data, sample_id=ids)
        assert len(server.requests) == sum(len(part.plans[name]) for name in ids)
        leaks += watch.found
    assert scores(played) == scores(part.offline)
    assert {value["utb_exact"] for value in scores(played).values()} == {True}
    assert {name: items_of(made(sample)) for name, sample in played.items()} == {
        name: items_of(made(sample)) for name, sample in part.offline.items()
    }
    assert leaks == []


# --- prompt caches -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_request_begins_as_the_one_before(kind: Kind, harbour: str) -> None:
    """Prompt caches go by the beginning of a request: tools, system message, then the conversation."""
    dataset = load(harbour)
    turns = Turns(dataset)
    with serve(kind, Planned(turns, reference_plans(dataset))) as server:
        play(server, False, data=harbour)
    sent: dict[tuple[str, str], dict[int, list[Request]]] = {}
    for request in server.requests:
        turn, _ = turns.of(request)
        sent.setdefault((turn.profile, turn.toolset.id), {}).setdefault(turn.position, []).append(request)
    for by_turn in sent.values():
        rounds = [sorted(by_turn[position], key=lambda request: len(request.items)) for position in sorted(by_turn)]
        fixed = {json.dumps(_beside_the_talk(request)) for own in rounds for request in own}
        assert len(fixed) == 1  # in the same order, too
        for own in rounds:
            assert all(_begins(later, earlier) for earlier, later in pairwise(own))
        assert all(_begins(later[0], earlier[0]) for earlier, later in pairwise(rounds))
    assert max(len(own) for by_turn in sent.values() for own in by_turn.values()) > 2
    assert max(map(len, sent.values())) > 2


_CONVERSATION = ("messages", "input")


def _beside_the_talk(request: Request) -> Any:
    return _unmarked({name: value for name, value in request.body.items() if name not in _CONVERSATION})


def _begins(later: Request, earlier: Request) -> bool:
    """Whether a longer conversation begins with all of another."""
    first, second = (
        next(_unmarked(request.body[name]) for name in _CONVERSATION if name in request.body)
        for request in (earlier, later)
    )
    return len(second) > len(first) and second[: len(first)] == first


def _unmarked(value: Any) -> Any:
    """Without the marks of how far to cache, which move."""
    match value:
        case dict():
            return {key: _unmarked(inner) for key, inner in value.items() if key != "cache_control"}
        case list():
            return [_unmarked(inner) for inner in value]
        case _:
            return value


# --- mistakes and awkward data -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_dataset(tmp_path_factory.mktemp("wire") / "harbour"))


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_mistakes_come_out_as_offline(kind: Kind, streaming: bool, harbour: str) -> None:
    """Repeated, off-path and invalid calls, wrong values, questions that should and should not be asked."""
    dataset = load(harbour)
    turns, plans = Turns(dataset), clumsy_plans(dataset)
    watch = Watch(dataset, turns, plans)
    with serve(kind, watched(watch, Planned(turns, plans, reasoning="Let me think."))) as server:
        played = play(server, streaming, data=harbour)
    offline = samples(run(user_tool_bench(data=harbour), offline_model(plans)))
    assert set(played) == set(dataset.by_id)
    assert scores(played) == scores(offline)
    labels = [value["utb_labels"] for value in scores(played).values()]
    assert all(label["malformed_call"] for label in labels)
    assert any(label["clarification"] for label in labels)
    assert any(label["wrong_tool"] for label in labels)
    assert watch.found == []


@pytest.mark.parametrize("kind", KINDS)
def test_public_rows_with_awkward_tools(kind: Kind, tmp_path: Path) -> None:
    """Dotted and long names, no descriptions, schemas with keywords of all kinds."""
    file = str(write_public(tmp_path / "ann.jsonl"))
    dataset = load(file)
    turns = Turns(dataset)
    with serve(kind, Planned(turns, reference_plans(dataset))) as server:
        played = play(server, False, data=file)
    assert [value["utb_exact"] for value in scores(played).values()] == [True, True]


@pytest.mark.parametrize("layout", ["system", "inline"])
@pytest.mark.parametrize("kind", KINDS)
def test_both_layouts_are_taken(kind: Kind, layout: str, harbour: str) -> None:
    """With a history and without."""
    with serve(kind, lambda request: Reply("Noted.")) as server:
        played = play(server, False, data=harbour, environment=layout, sample_id=["p01-t01.1", "p02-t02.3"])
    assert len(played) == 2


# --- what providers refuse to be sent back -------------------------------------------------------------------

NAMES = ("functions.findTrains", "multi_tool_use.parallel", "find trains", "查询", "x" * 65, "")
"""Names of tools that models have called, or may, and no provider takes."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beside", ["", "\n\n", " "])
def test_a_model_that_calls_what_has_no_name_decides_wrongly_and_no_more(kind: Kind, beside: str, harbour: str) -> None:
    calls = [ReplyCall(name, {"day": "2025-03-15"}) for name in NAMES]

    def policy(request: Request) -> Reply:
        return Reply("Nothing found.") if request.items[-1].role == "result" else Reply(beside, calls)

    with serve(kind, policy) as server:
        (sample,) = play(server, False, data=harbour, sample_id="p01-t01.1").values()
    assert sample.error is None
    assert values(sample)["utb_labels"]["malformed_call"] == 1
    first, second = server.requests
    sent_back = second.items[len(first.items) :]
    assert [item.role for item in sent_back] == ["call"] * len(NAMES) + ["result"] * len(NAMES)


def ids_of(requests: Iterable[Request]) -> list[str]:
    """All ids that calls have in the last of some requests."""
    *_, last = requests
    match last.kind:
        case "responses":
            return [item["call_id"] for item in last.body["input"] if item.get("type") == "function_call"]
        case "anthropic":
            blocks = [b for m in last.body["messages"] if isinstance(m["content"], list) for b in m["content"]]
            return [block["id"] for block in blocks if block["type"] == "tool_use"]
        case _:
            return [call["id"] for message in last.body["messages"] for call in message.get("tool_calls", ())]


@pytest.mark.parametrize("kind", KINDS)
def test_ids_of_history_are_never_used_again(kind: Kind, harbour: str) -> None:
    """A server that counts its calls from 0 in each answer, or whose ids are history's, meets no id twice."""
    taken: list[str] = []

    def policy(request: Request) -> Reply:
        rounds = request.number
        taken[:] = taken or ids_of([request])
        call = ReplyCall("findTrains", {"origin": "U", "destination": "L", "day": "2025-03-15"}, taken[0])
        return Reply("Nothing.") if rounds == 2 else Reply("", [call, call])

    with serve(kind, policy) as server:
        play(server, False, data=harbour, sample_id="p01-t01.2")
    ids = ids_of(server.requests)
    assert ids[0] == taken[0]
    assert len(set(ids)) == len(ids) == 5


# --- reasoning that is sent back -----------------------------------------------------------------------------

ROUNDS: Mapping[str, Sequence[ReplyCall]] = {
    "a call": [ReplyCall("findTrains", {"day": "2025-03-15"})],
    "calls": [ReplyCall("findTrains", {"day": "2025-03-15"}), ReplyCall("findTrains", {"day": "2025-03-16"})],
    "a call with a name that no provider takes": [ReplyCall("functions.findTrains", {})],
    "a call with broken arguments": [ReplyCall("findTrains", '{"day": "20')],
    "a call id that is taken": [ReplyCall("findTrains", {"day": "2025-03-15"}, id="taken")],
    "calls of one id": [ReplyCall("findTrains", '{"day"', id="one"), ReplyCall("findTrains", "{", id="one")],
}


BESIDE = ("", "\n\n", "One moment.")
"""What stands beside the calls of each round."""


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("made", ROUNDS)
@pytest.mark.parametrize("kind", ["responses", "anthropic"])
def test_reasoning_is_sent_back_as_it_was(kind: Kind, made: str, streaming: bool, harbour: str) -> None:
    """Of three rounds, the second encrypted alone, also when calls are mended; else the server refuses it."""

    def policy(request: Request) -> Reply:
        if request.number == len(BESIDE):
            return Reply("Nothing.")
        thought = f"Thought {request.number}."
        return Reply(BESIDE[request.number], ROUNDS[made], reasoning=thought, redacted=request.number == 1)

    with serve(kind, policy) as server:
        play(server, streaming, data=harbour, sample_id="p01-t01.1")
    *_, last = server.requests
    talk = last.body["input"] if kind == "responses" else chain(*(m["content"] for m in last.body["messages"]))
    kinds = [part["type"] for part in talk if "type" in part and part["type"].endswith(("reasoning", "thinking"))]
    assert kinds == (["reasoning"] * 3 if kind == "responses" else ["thinking", "redacted_thinking", "thinking"])
