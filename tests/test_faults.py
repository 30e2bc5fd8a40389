"""Faults of networks, providers and models, with the real clients (spec section 4, Errors); see docs/reliability.md."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, get_args

import anyio
import pytest
from fault_cases import ANSWER, CALL, CONFIG, ERRORS, FAULTS, ROUNDS, Case, Played, cases_of, play
from inspect_ai.event import ModelEvent
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, GenerateConfig, ModelCall, ModelOutput
from inspect_ai.solver import generate
from openai.types.responses import ResponseStatus
from support import ROOT, newest_log, run, samples, values, write_dataset
from wire import KINDS, Kind, Reply, serve
from wire.faults import HARMLESS, MODEL, SPOILED, Fault, status
from wire.pieces import USED

from utb_inspect.faults import ProviderError, RawAnswer
from utb_inspect.tasks import chat

IMPATIENT = GenerateConfig(max_retries=2, attempt_timeout=2)


@pytest.fixture(scope="module", autouse=True)
def _quick() -> Any:
    """Inspect waits three seconds and more before it tries again."""

    async def short(seconds: float) -> None:
        await anyio.sleep(seconds / 100)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("inspect_ai.model._retry._sleep", short)
        for module in ("model._model", "log._log"):  # a picture of each error takes a third of a second
            patch.setattr(f"inspect_ai.{module}.format_traceback", lambda kind, error, trace: (repr(error), ""))
        yield


Plays = Callable[[Kind, bool], list[Played]]


@pytest.fixture(scope="module")
def plays(tmp_path_factory: pytest.TempPathFactory) -> Plays:
    """The cases of a client, played once."""

    @cache
    def of(kind: Kind, streaming: bool) -> list[Played]:
        cases = cases_of(kind, streaming)
        hang = [case for case in cases if FAULTS[case.fault].hangs]
        stay = [case for case in cases if case.stays]
        end = [case for case in cases if case not in hang + stay]
        folder = tmp_path_factory.mktemp("faults")
        played = play(folder / "hang", kind, streaming, hang, IMPATIENT)
        played += play(folder / "stay", kind, streaming, stay, retry_on_error=0)  # another run would end as the first
        return played + play(folder / "end", kind, streaming, end)

    return of


# --- the tables of docs/reliability.md -----------------------------------------------------------------------


def table(heading: str) -> dict[str, list[str]]:
    """Rows of the table under a heading: first cell to the others."""
    text = (ROOT / "docs/reliability.md").read_text()
    section = text.split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| ")]
    return {first.strip(): [cell.strip() for cell in cells] for first, *cells in rows[1:]}


def outcome(played: list[Played]) -> str:
    (only,) = {one.outcome for one in played}
    return only


def decision(played: list[Played]) -> str:
    """The labels, or that there are none, and flags."""
    (one,) = played
    if one.outcome == "error":
        return "error"
    scores = values(one.sample)
    labels = [f"`{label}`" for label, holds in scores["utb_labels"].items() if holds]
    flags = [scores["utb_turn"]["flags"]] if scores["utb_turn"]["flags"] else []
    return ", ".join([*(labels or ["exact"]), *flags])


def cell(plays: Plays, kind: Kind, fault: str, tell: Callable[[list[Played]], str]) -> str:
    """What the table should say."""
    told = []
    for streaming in (False, True):
        hit = [one for one in plays(kind, streaming) if one.case.fault == fault]
        hit = [one for one in hit if fault not in ERRORS or not one.case.stays]
        told += [tell(hit)] if hit else []
    return ", streamed: ".join(dict.fromkeys(told)) or "-"


PROVIDER_TABLE = table("Providers and networks")
MODEL_TABLE = table("Models")


def stated(kind: Kind, fault: str, streaming: bool) -> str:
    """What the table says of a provider's fault."""
    whole, *streamed = PROVIDER_TABLE[fault][KINDS.index(kind)].split(", streamed: ")
    return streamed[0] if streamed and streaming else whole


def test_the_tables_have_every_fault() -> None:
    assert list(PROVIDER_TABLE) == list(ERRORS)
    assert list(MODEL_TABLE) == [*HARMLESS, *MODEL]


@pytest.mark.parametrize("fault", ERRORS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_row_of_providers_and_networks(plays: Plays, kind: Kind, fault: str) -> None:
    assert cell(plays, kind, fault, outcome) == PROVIDER_TABLE[fault][KINDS.index(kind)]


@pytest.mark.parametrize("fault", [*HARMLESS, *MODEL])
@pytest.mark.parametrize("kind", KINDS)
def test_a_row_of_models(plays: Plays, kind: Kind, fault: str) -> None:
    assert cell(plays, kind, fault, decision) == MODEL_TABLE[fault][KINDS.index(kind)]


# --- what holds for all of them ------------------------------------------------------------------------------

CLIENTS = pytest.mark.parametrize(("kind", "streaming"), [(kind, form) for kind in KINDS for form in (False, True)])
SAME_ID = {"two calls with one id": 0, "a call id of the history": CALL}
"""Faults, and the rounds in which they stand."""


def met(plays: Plays, kind: Kind, streaming: bool, *, stays: bool) -> list[Played]:
    """Cases of what is a provider's or a network's fault."""
    found = [one for one in plays(kind, streaming) if one.case.fault in ERRORS and one.case.stays == stays]
    assert found
    return found


@CLIENTS
def test_a_fault_that_passes_leaves_the_verdict_as_it_was(plays: Plays, kind: Kind, streaming: bool) -> None:
    for one in met(plays, kind, streaming, stays=False):
        assert one.sample.error is None, one.case
        assert values(one.sample)["utb_exact"] is True, one.case
        assert values(one.sample)["utb_progress"]["rounds"] == ROUNDS, one.case
        assert len(one.sends) == 2, one.case


@CLIENTS
def test_tokens_of_the_run_that_counts_are_all_there(plays: Plays, kind: Kind, streaming: bool) -> None:
    for one in met(plays, kind, streaming, stays=False):
        (usage,) = one.sample.model_usage.values()
        assert (usage.input_tokens, usage.output_tokens) == tuple(ROUNDS * used for used in USED), one.case


def test_the_totals_of_a_log_hold_the_tokens_of_every_run(tmp_path: Path) -> None:
    (one,) = play(tmp_path, "openai", False, [Case("200, malformed JSON", ANSWER)])
    assert one.outcome == "error"
    (usage,) = newest_log(tmp_path / "logs").stats.model_usage.values()
    assert usage.input_tokens == (ANSWER + ROUNDS) * USED[0]  # the run that failed got as far as the answer


@CLIENTS
def test_a_fault_that_stays_is_an_error_and_never_a_decision(plays: Plays, kind: Kind, streaming: bool) -> None:
    for one in met(plays, kind, streaming, stays=True):
        assert one.sample.error is not None, one.case
        assert not one.sample.scores, one.case
        assert one.sample.store["utb_error"], one.case
        # In a line: what was raised at last, not the request, nor that there were retries alone.
        assert "Request:" not in one.sample.error.message, one.case
        assert "Future" not in one.sample.error.message, one.case
        attempts = {"error": 1, "retried": 3}[stated(kind, one.case.fault, streaming)]
        assert len(one.sends) == attempts, one.case


CACHED: dict[Kind, list[Case]] = {
    "openai": [Case("half a stream, ended as if whole", ANSWER), Case("filter, beside a call", CALL)],
    "responses": [Case("200, `cancelled`", ANSWER), Case("filter, beside a call", CALL)],
    "compatible": [Case("200, no finish reason", ANSWER), Case("200, empty choices", ANSWER)],
    "anthropic": [Case("context full while answering", ANSWER), Case("filter, in an answer", ANSWER)],
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_faulty_output_is_not_cached(tmp_path: Path, kind: Kind) -> None:
    """Another run of the sample would be given it again."""
    played = play(tmp_path, kind, True, CACHED[kind], CONFIG.merge(GenerateConfig(cache=True)))
    for one in played:
        assert one.outcome == "error", one.case
        assert len(one.sends) == 2, one.case
        assert values(one.sample)["utb_exact"] is True, one.case
    (usage,) = newest_log(tmp_path / "logs").stats.model_usage.values()
    # The right outputs once: nothing of the faulty ones, nor of those that come from the cache.
    assert (usage.input_tokens, usage.output_tokens) == tuple(len(played) * ROUNDS * used for used in USED)


# --- what Responses say of an output themselves --------------------------------------------------------------

ONLY_RAW = [name for name in ERRORS if FAULTS[name].kinds == ("responses",)] + ["filter, beside a call"]


@pytest.mark.parametrize("streaming", [False, True])
def test_a_status_is_read_though_the_log_keeps_no_raw_answer(tmp_path: Path, streaming: bool) -> None:
    cut = "output cut at `max_tokens` behind a call"
    cases = [Case(name, CALL if FAULTS[name].calls else ANSWER, stays=True) for name in [*ONLY_RAW, cut]]
    assert len(cases) > 8
    *played, last = play(tmp_path, "responses", streaming, cases, log_model_api=False)
    assert all(event.call is None for event in last.sample.events if event.event == "model")
    for one in played:
        assert one.sample.error is not None, one.case
        assert not one.sample.scores, one.case
    assert decision([last]) == "exact, output cut"


REASONS = (None, "max_output_tokens", "content_filter", "of another kind")
WHOLE = {("completed", None), ("completed", "of another kind")}
CUT = {("completed", "max_output_tokens"), ("incomplete", "max_output_tokens")}


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("status", [*get_args(ResponseStatus), None, "of another kind", 7])
def test_every_status_is_read(status: Any, reason: str | None) -> None:
    raw, details = RawAnswer(), {"reason": reason} if reason else None
    call = ModelCall.create({}, {"output": [], "status": status, "incomplete_details": details})
    event = ModelEvent(
        model="m",
        input=[],
        tools=[],
        tool_choice="auto",
        config=GenerateConfig(),
        output=ModelOutput.from_content("m", "Train"),
        call=call,
    )
    if (status, reason) in WHOLE | CUT:
        raw.on_complete(event)
        assert raw.cut == ((status, reason) in CUT)
    else:
        with pytest.raises(ProviderError):
            raw.on_complete(event)


@CLIENTS
def test_no_call_id_is_sent_twice(plays: Plays, kind: Kind, streaming: bool) -> None:
    """The server refuses a request in which one is; it refused none."""
    cases = [one for one in plays(kind, streaming) if one.case.fault in SAME_ID]
    assert len(cases) == len(SAME_ID)
    for one in cases:
        messages = one.sample.messages
        ids = [call.id for m in messages if isinstance(m, ChatMessageAssistant) for call in m.tool_calls or ()]
        assert ids == [m.tool_call_id for m in messages if isinstance(m, ChatMessageTool)], one.case
        assert len(set(ids)) == len(ids) == 4, one.case


@pytest.mark.parametrize("kind", KINDS)
def test_each_call_is_sent_again_as_it_was_made(tmp_path: Path, kind: Kind) -> None:
    """Inspect keeps calls of OpenAI Responses by id, and would send the second of an id in place of the first."""
    for one in play(tmp_path, kind, False, [Case(name, round_, stays=True) for name, round_ in SAME_ID.items()]):
        *_, last = one.requests
        calls = [item.text.split(" ", 1) for item in last.items if item.role == "call"]
        assert [name for name, _ in calls] == ["findTrains", "findTrains", "findTrains", "bookTrain"]
        assert [json.loads(made)["destination"] for _, made in calls[:3]] == ["Lyon", "Lille", "Mons"]


@pytest.mark.parametrize("told", [1, 120, 121])
@pytest.mark.parametrize("kind", KINDS)
def test_the_client_waits_as_long_as_it_is_told(
    tmp_path: Path, kind: Kind, told: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inspect's own retries do not look at `Retry-After`; the client's, which come first, do.

    OpenAI's leaves it to Inspect to try again, when it is told to wait for more than two minutes.
    """
    monkeypatch.setitem(FAULTS, "429", Fault(status(429, "slow down", **{"retry-after": str(told)})))
    client_waits = told <= 120 or kind == "anthropic"
    waits = []

    async def wait(client: Any, *, options: Any, retries_taken: int, response: Any, **more: Any) -> None:
        headers = None if response is None else response.headers
        waits.append(client._calculate_retry_timeout(options.max_retries, options, headers))

    for sdk in ("openai", "anthropic"):
        monkeypatch.setattr(f"{sdk}._base_client.AsyncAPIClient._sleep_for_retry", wait)
    (one,) = play(tmp_path, kind, False, [Case("429", CALL)], max_retries=1)
    assert waits == ([told] if client_waits else [])
    counts = [request.headers["x-stainless-retry-count"] for request in one.sends]
    assert counts == ["0", "1" if client_waits else "0"]
    assert one.outcome == "retried"


@pytest.mark.parametrize("kind", KINDS)
def test_time_outs_end(tmp_path: Path, kind: Kind) -> None:
    config = GenerateConfig(max_retries=1, attempt_timeout=2)
    cases = [Case("time-out", CALL, True), Case("half a stream, then silence", CALL, True)]
    for one in play(tmp_path, kind, True, cases, config, retry_on_error=0):
        assert one.sample.error is not None
        assert "attempt_timeout" in one.sample.error.message
        assert not one.sample.scores
        assert len(one.sends) == 2


def test_a_status_is_read_whoever_asks_the_model(tmp_path: Path) -> None:
    cases = [Case("200, `cancelled`", ANSWER), Case("200, `cancelled`, beside a call", CALL)]
    for one in play(tmp_path, "responses", False, cases, solver=generate(), log_model_api=False):
        assert one.outcome == "error", one.case
        assert values(one.sample)["utb_exact"] is True, one.case  # of the run after the one that failed
    (usage,) = newest_log(tmp_path / "logs").stats.model_usage.values()
    assert usage.input_tokens == (ANSWER + CALL + 2 * ROUNDS) * USED[0]  # those of the cancelled outputs are left out


@pytest.mark.parametrize("kind", SPOILED["ends with calls, holds none"].kinds)
def test_a_call_that_was_lost_is_no_chat(tmp_path: Path, kind: Kind) -> None:
    data = str(write_dataset(tmp_path / "harbour"))
    with serve(kind, lambda request: Reply('<tool_call>{"name": "find', stop="calls")) as server:
        log = run(chat(data=data), server.model(), limit=1, log_dir=str(tmp_path / "logs"))
    (sample,) = samples(log).values()
    assert sample.error is not None
    assert not sample.scores


def test_another_solver_is_not_blamed_for_what_was_retried(tmp_path: Path) -> None:
    """It leaves no mark of its own, so that the transcript is looked through for errors."""
    (one,) = play(tmp_path, "openai", True, [Case("503 (Anthropic: 529)", CALL)], solver=generate())
    assert one.outcome == "retried"
    assert values(one.sample)["utb_exact"] is True


def test_another_solver_s_half_a_stream_is_an_error(tmp_path: Path) -> None:
    (one,) = play(tmp_path, "openai", True, [Case("half a stream, ended as if whole", ANSWER)], solver=generate())
    exact = values(one.sample)["utb_exact"]
    assert exact != exact  # not scored
