"""What a model may not see is found on the wire wherever it is planted; `test_wire_clients` looks at real runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from copy import deepcopy
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from inspect_ai.model import ChatMessage, GenerateConfig
from support import PROFILES, TOOLSETS, TOPICS, run, write_dataset
from wire import KINDS, Kind, Reply, serve
from wire.hidden import Leak, Watch, profile_phrases, watched
from wire.policy import Planned, Turns, clumsy_plans, reference_plans
from wire.server import PROTOCOLS
from wire.texts import json_texts, leaves, phrases, words

from utb_inspect.baselines.oracle import Plan, Round
from utb_inspect.baselines.player import Action
from utb_inspect.datasets import Dataset, load
from utb_inspect.datasets.dataset import PlacedTurn
from utb_inspect.datasets.history import Prompts, View
from utb_inspect.tasks import user_tool_bench

TURN = "p01-t01.3"
"""Finds trains to Lille, books L1, answers; two turns of its topic come before it."""
SECRET = "distrusts varnish that is sold"
"""Words of p01's profile."""
Plans = Callable[[Dataset], dict[str, Plan]]


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_dataset(tmp_path_factory.mktemp("hidden") / "harbour"))


def found(
    kind: Kind, data: str, *, shown: str | None = None, plans: Plans = reference_plans, turn: str = TURN, **task: Any
) -> list[Leak]:
    """The leaks of a run of one turn.

    Args:
        kind: The server.
        data: The dataset that the watch knows.
        shown: Another that the model is shown.
        plans: What is played.
        turn: Which turn.
        task: Arguments of the task, and `config` of the model.
    """
    config = task.pop("config", None)
    turns = Turns(load(shown or data), View(system_prompt=task.get("system_prompt")))
    watch = Watch(load(data), turns, plans(load(data)))
    with serve(kind, watched(watch, Planned(turns, watch.plans))) as server:
        log = run(user_tool_bench(data=shown or data, **task), server.model(config=config), sample_id=turn)
    assert log.status == "success"
    assert server.requests
    assert server.refused == []
    assert watch.looked > 20
    return watch.found


def planted(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Let the first message of the user, which is history, end with a text."""
    real = Prompts.messages

    def messages(self: Prompts, turn: PlacedTurn) -> list[ChatMessage]:
        system, first, *rest = real(self, turn)
        return [system, first.model_copy(update={"content": f"{first.text} {text}"}), *rest]

    monkeypatch.setattr(Prompts, "messages", messages)


def tell(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Let each result of the run end with a text."""
    module = import_module("utb_inspect.solvers.play")
    real = module.content_text
    monkeypatch.setattr(module, "content_text", lambda content: f"{real(content)} {text}")


@pytest.mark.parametrize("plans", [reference_plans, clumsy_plans])
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_holds_nothing_hidden(kind: Kind, plans: Plans, harbour: str) -> None:
    assert found(kind, harbour, plans=plans) == []


# --- profiles ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_profile_text_in_a_request_is_found(kind: Kind, harbour: str, tmp_path: Path) -> None:
    topics = [{**topic, "turns": [dict(turn) for turn in topic["turns"]]} for topic in TOPICS]
    topics[0]["turns"][1]["request"] += f" She {SECRET.upper()}!"
    leaky = str(write_dataset(tmp_path / "leaky", topics))
    assert {leak.what for leak in found(kind, harbour, shown=leaky)} >= {f"profile: {SECRET}"}


@pytest.mark.parametrize("kind", KINDS)
def test_profile_text_in_a_tool_is_found(kind: Kind, harbour: str, tmp_path: Path) -> None:
    rail = {**TOOLSETS["rail"], "tools": [dict(tool) for tool in TOOLSETS["rail"]["tools"]]}
    function = rail["tools"][0]["function"]
    rail["tools"][0]["function"] = {**function, "description": f"She {SECRET}."}
    leaky = str(write_dataset(tmp_path / "leaky", toolsets={**TOOLSETS, "rail": rail}))
    assert {leak.what for leak in found(kind, harbour, shown=leaky)} >= {f"profile: {SECRET}"}


@pytest.mark.parametrize("kind", KINDS)
def test_names_of_profile_fields_and_ids_are_found(kind: Kind, harbour: str) -> None:
    prompt = "You serve p01-t01. Mind the speaking_style_to_chatbot."
    leaks = {leak.what for leak in found(kind, harbour, system_prompt=prompt)}
    assert leaks & {"profile: p01 t01", "profile: speaking_style_to_chatbot"}


@pytest.mark.parametrize("kind", KINDS)
def test_profile_text_in_a_header_is_found(kind: Kind, harbour: str) -> None:
    config = GenerateConfig(extra_headers={"X-Note": SECRET})
    assert {leak.what for leak in found(kind, harbour, config=config)} == {f"profile: {SECRET}"}


WORDS = {"nationality": "Ruritanian", "secret_name": "Zenobia", "languages": ["Volapük native"], "from": "Utrecht"}
"""Short texts in place of p01's; of the place the conversation speaks, too."""


@pytest.mark.parametrize(
    ("text", "leaked"),
    [
        ("As a RURITANIAN you know.", {"ruritanian"}),
        ("In Volapu\u0308k, native?", {"volapük native"}),
        ("Your nationality, Zenobia?", {"nationality", "zenobia"}),
        ("From Utrecht, then.", set()),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_word_or_two_of_a_profile_are_found(
    kind: Kind, text: str, leaked: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = str(write_dataset(tmp_path / "harbour", profiles={**PROFILES, "p01": {**PROFILES["p01"], **WORDS}}))
    planted(monkeypatch, text)
    assert {leak.what for leak in found(kind, data)} == {f"profile: {word}" for word in leaked}


def test_a_word_of_another_profile_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = str(write_dataset(tmp_path, profiles={**PROFILES, "p02": {**PROFILES["p02"], **WORDS}}))
    planted(monkeypatch, "As a RURITANIAN you know.")
    assert {leak.what for leak in found("openai", data)} == {"profile: ruritanian"}


@pytest.mark.parametrize(
    ("place", "turn", "rounds"),
    [
        ("nowhere", TURN, 3),
        ("a later turn's request", TURN, 3),
        ("a later turn's request", "p01-t02.2", 0),  # its own, when it comes
        ("the answer", TURN, 3),  # never sent in its own turn
        ("the answer", "p01-t02.2", 0),
        ("an observation", TURN, 1),  # the first of two calls returns it
        ("an observation", "p01-t01.2", 1),  # of the turn after; a chat has one round
        ("an earlier turn's request", TURN, 0),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_word_of_a_profile_is_found_until_it_is_said(
    kind: Kind, place: str, turn: str, rounds: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topics = deepcopy(TOPICS)
    trains, table = (topic["turns"] for topic in topics[:2])
    steps = trains[2]["reference"]
    match place:
        case "a later turn's request":
            table[1]["request"] += " Ruritanian, please."
        case "an earlier turn's request":
            trains[0]["request"] += " Ruritanian, please."
        case "the answer":
            steps[-1]["answer"] += " A Ruritanian one."
        case "an observation":
            steps[0]["observation"]["trains"][0]["at"] = "07:10, Ruritanian time"
    data = str(write_dataset(tmp_path, topics, profiles={**PROFILES, "p01": {**PROFILES["p01"], **WORDS}}))
    planted(monkeypatch, "As a RURITANIAN you know.")
    leaks = [leak for leak in found(kind, data, turn=turn) if leak.what == "profile: ruritanian"]
    assert len(leaks) == rounds


def test_a_value_of_a_step_to_come_is_found_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when the profile holds it."""
    data = str(write_dataset(tmp_path, profiles={**PROFILES, "p01": {**PROFILES["p01"], "number": "B77"}}))
    planted(monkeypatch, "Was it B77?")
    assert [leak.what for leak in found("openai", data)] == [f"step, after {rounds} rounds: b77" for rounds in (0, 1)]


CHINESE = {
    "short_persona": "一位不相信塑料瓶里的清漆的单簧管制造者，住在运河边。",
    "nationality": "荷兰人",
    "habits": "周日给木头上油",
}


@pytest.mark.parametrize(
    ("text", "leaked"),
    [
        ("听说您不相信塑料瓶里的清漆，是吗？", {"不相信塑料瓶里的清漆", "相信塑料瓶里的清漆的"}),
        ("您是荷兰人吗？", {"荷兰人"}),
        ("您周日给木头上油。", {"周日给木头上油"}),
        ("您相信塑料瓶吗？", set()),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_chinese_profile_text_is_found(
    kind: Kind, text: str, leaked: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chinese writes no blanks."""
    data = str(write_dataset(tmp_path / "harbour", profiles={**PROFILES, "p01": {**PROFILES["p01"], **CHINESE}}))
    planted(monkeypatch, text)
    leaks = {leak.what.removeprefix("profile: ").replace(" ", "") for leak in found(kind, data)}
    assert bool(leaks) == bool(leaked)
    assert leaks <= leaked


# --- places other than a conversation ------------------------------------------------------------------------


def send(monkeypatch: pytest.MonkeyPatch, change: Callable[[Any], Any]) -> None:
    """Let the client send what becomes of each of its requests."""
    for name in ("httpx", "httpx2"):  # the clients need not have the same
        if (client := getattr(sys.modules.get(name), "AsyncClient", None)) is not None:
            monkeypatch.setattr(client, "send", sends(client.send, change))


def sends(real: Any, change: Callable[[Any], Any]) -> Any:
    async def send(self: Any, request: Any, **how: Any) -> Any:
        await request.aread()
        return await real(self, change(request), **how)

    return send


def changed(request: Any, url: Any, content: bytes) -> Any:
    headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"content-length"]
    return type(request)(request.method, url, headers=headers, content=content, extensions=request.extensions)


@pytest.mark.parametrize("kind", KINDS)
def test_profile_text_in_a_query_is_found(kind: Kind, harbour: str, monkeypatch: pytest.MonkeyPatch) -> None:
    send(monkeypatch, lambda r: changed(r, r.url.copy_add_param("note", SECRET), r.content))
    assert {leak.what for leak in found(kind, harbour)} == {f"profile: {SECRET}"}


@pytest.mark.parametrize("kind", KINDS)
def test_profile_text_under_a_key_that_stands_twice_is_found(
    kind: Kind, harbour: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader takes the last of the two."""
    first = f'{{"model": "{SECRET}", '.encode()
    send(monkeypatch, lambda r: changed(r, r.url, first + r.content[1:]))
    assert {leak.what for leak in found(kind, harbour)} == {f"profile: {SECRET}"}


@pytest.mark.parametrize("place", ["header", "query", "field"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_differs_from_request_to_request_is_found(
    kind: Kind, place: str, harbour: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A word that says nothing may say something when another request has another."""
    numbers = count()

    def change(request: Any) -> Any:
        word = f"w{next(numbers)}"
        match place:
            case "header":
                request.headers["x-note"] = word
                return request
            case "query":
                return changed(request, request.url.copy_add_param("note", word), request.content)
            case _:
                return changed(
                    request, request.url, request.content.replace(b'"model":"', b'"model":"' + word.encode())
                )

    send(monkeypatch, change)
    assert {leak.what for leak in found(kind, harbour)} == {
        {"header": "header: x-note", "query": "query: note", "field": "field: model"}[place]
    }


@pytest.mark.parametrize(("method", "path"), [("POST", "/v1/other"), ("GET", "/v1/models?q=varnish"), ("PUT", "")])
@pytest.mark.parametrize("kind", KINDS)
def test_a_request_for_anything_else_fails(kind: Kind, method: str, path: str) -> None:
    """It is nowhere looked through."""
    with serve(kind, lambda request: Reply("Noted.")) as server:
        url = server.url + (path or PROTOCOLS[kind].PATH)
        assert httpx.request(method, url, content=b"" if method == "GET" else b"varnish").status_code == 404
        (crash,) = server.crashes
        assert "varnish" in str(crash)
        server.crashes.clear()  # it would be raised


@pytest.mark.parametrize("body", [{}, {"system": SECRET}, {"messages": [{"role": "user", "content": SECRET}]}])
def test_tokens_are_counted_of_thoughts_alone(body: dict[str, Any]) -> None:
    with serve("anthropic", lambda request: Reply("Noted.", reasoning="Hm.")) as server:
        run(user_tool_bench(), server.model(), limit=1)
        sound = {"model": "claude-sonnet-5", "messages": [{"role": "user", "content": "Hm."}]}
        url = f"{server.url}/v1/messages/count_tokens"
        assert httpx.post(url, json=sound).status_code == 200
        assert server.crashes == []
        assert httpx.post(url, json={**sound, **body}).status_code == (404 if body else 200)
        assert len(server.crashes) == bool(body)
        server.crashes.clear()


# --- steps to come -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("text", "rounds"),
    [
        ("L1 is booked.", {0, 1, 2}),  # the answer, never sent in its own turn
        ("Was it B77?", {0, 1}),  # what the booking returns; known once it is made
        ("Perhaps L2, at 09:10?", {0}),  # what the search returns
        ("So 2025-03-16 then.", {0}),  # an argument, until the call is made
        ("Now bookTrain with window, from Utrecht.", set()),  # all of it known before
    ],
)
def test_a_step_is_hidden_until_it_is_reached(
    kind: Kind, text: str, rounds: set[int], harbour: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted(monkeypatch, text)
    leaks = found(kind, harbour)
    assert {int(leak.what.split()[2]) for leak in leaks} == rounds
    assert all(text in leak.where for leak in leaks)


@pytest.mark.parametrize(
    ("said", "text", "rounds"),
    [
        ("answer", "They say is booked for Sunday morning.", {0, 1, 2}),
        ("observation", "It has a quiet coach, and coffee, I hear.", {0, 1}),
        ("answer", "It will be booked for Sunday.", set()),  # no five words of it in a row
    ],
)
def test_part_of_a_step_is_found(
    said: str, text: str, rounds: set[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topics = deepcopy(TOPICS)
    _, booking, answer = topics[0]["turns"][2]["reference"]
    if said == "answer":
        answer["answer"] = "L1 is booked for Sunday morning; have a good journey."
    else:
        booking["observation"]["note"] = "L1 has a quiet coach and coffee from eight."
    planted(monkeypatch, text)
    leaks = found("openai", str(write_dataset(tmp_path, topics)))
    assert {int(leak.what.split()[2]) for leak in leaks} == rounds


@pytest.mark.parametrize("label", ["multi_tool", "partial_information"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_kind_of_turn_it_is_is_hidden(
    kind: Kind, label: str, harbour: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It tells whether to ask, and how many tools to use."""
    planted(monkeypatch, f"({label})")
    assert {leak.what for leak in found(kind, harbour)} == {f"label: {label}"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_in_a_chinese_sentence_is_found(kind: Kind, harbour: str, monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, "预订号是B77吗？")
    assert {leak.what for leak in found(kind, harbour)} == {f"step, after {rounds} rounds: b77" for rounds in (0, 1)}


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_alternative_alone_holds_is_found(kind: Kind, harbour: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The turn's first path plans a menu; its other books table K2."""
    planted(monkeypatch, "Table K2 at the Karper.")
    assert {leak.what.split(": ")[1] for leak in found(kind, harbour, turn="p02-t02.1")} >= {"table k2 at the karper"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_that_tells_too_much_is_found(kind: Kind, harbour: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tell(monkeypatch, "(B77)")
    assert {leak.what for leak in found(kind, harbour)} == {"step, after 1 rounds: b77"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_right_value_stays_hidden_after_a_wrong_one(
    kind: Kind, harbour: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trains on Monday take the place of those on Sunday, the 16th; a result may not say so."""
    monday = {"origin": "Utrecht", "destination": "Lille", "day": "2025-03-17"}

    def plans(dataset: Dataset) -> dict[str, Plan]:
        _, *rest = reference_plans(dataset)[TURN]
        return {TURN: (Round(Action(calls=[("findTrains", monday)])), *rest)}

    assert found(kind, harbour, plans=plans) == []
    tell(monkeypatch, "see 2025-03-16")
    assert {leak.what for leak in found(kind, harbour, plans=plans)} == {
        f"step, after {rounds} rounds: 2025 03 16" for rounds in (1, 2)
    }


def test_history_holds_what_may_be_shown(harbour: str) -> None:
    """De Eend, four guests and the terrace of the turn after stand in history; the 28th is asked for."""
    assert found("anthropic", harbour, turn="p01-t02.2") == []


# --- texts ---------------------------------------------------------------------------------------------------


def test_json_within_texts_is_read() -> None:
    body = {"a": ['{"b": "[\\"deep \\\\u00e9\\"]", "n": 7, "n": "twice"}'], "c": None, "d": True, "e": "{broken"}
    assert {"a", "b", "deep é", "n", "7", "twice", "c", "d", "e", "{broken"} <= set(leaves(body))
    assert "a" not in set(leaves(body, keys=False))


def test_both_values_of_a_key_that_stands_twice_are_read() -> None:
    assert list(json_texts(b'{"a": {"b": "one", "b": "two"}, "a": 3}')) == ["a", "b", "one", "b", "two", "a", "3"]


def test_words_are_compared_without_case_and_punctuation() -> None:
    assert words("Two,  THREE-four.") == " two three four "
    assert words("Ａmélie") == words("ame\u0301lie") == " amélie "
    assert words("预订号是B77，ひらがな") == " 预 订 号 是 b77 ひ ら が な "


def test_phrases_are_five_words_or_ten_characters_long() -> None:
    assert list(phrases("one two")) == []
    assert list(phrases("one two three")) == [("one", "two", "three")]
    assert list(phrases("a b c d e f")) == [tuple("abcde"), tuple("bcdef")]
    assert list(phrases("荷兰人们")) == []
    assert list(phrases("荷兰人们好")) == [tuple("荷兰人们好")]
    assert list(phrases("一二三四五六七八九十百")) == [tuple("一二三四五六七八九十"), tuple("二三四五六七八九十百")]


def test_phrases_of_a_profile(harbour: str) -> None:
    known = profile_phrases(load(harbour))
    assert tuple(SECRET.split()) in known
    assert all(len(phrase) > 2 or "_" in phrase[0] or phrase[0].startswith("p0") for phrase in known)
