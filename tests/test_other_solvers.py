"""What other solvers do to history, to scores and to errors stays their own affair."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import score as score_log
from inspect_ai.model import ChatMessageUser
from inspect_ai.scorer import Scorer, score
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver
from inspect_ai.tool import ToolCall
from support import Seen, output, run, samples, values, write_dataset

from utb_inspect.datasets import load
from utb_inspect.datasets.record import VerdictKind
from utb_inspect.scorers import utb_exact, utb_upstream
from utb_inspect.tasks import chat, user_tool_bench


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_dataset(tmp_path_factory.mktemp("harbour") / "harbour"))


@solver
def talks_twice() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state = await generate(state)
        state.messages.append(ChatMessageUser(content="Please go on."))
        return await generate(state)

    return solve


def fails_later(seen: Seen) -> Any:
    if len([m for m in seen.messages if m.role == "assistant" and m.source == "generate"]):
        raise RuntimeError("503")
    return output("Hello there.")


def filtered_first(seen: Seen) -> Any:
    first = not [m for m in seen.messages if m.role == "assistant" and m.source == "generate"]
    return output("", stop="content_filter") if first else output("Hello there.")


def loses_a_call(seen: Seen) -> Any:
    first = not [m for m in seen.messages if m.role == "assistant" and m.source == "generate"]
    return output("", stop="tool_calls") if first else output("Hello there.")


@pytest.mark.parametrize(("verdict", "scorer"), [("spec", utb_exact), ("upstream", utb_upstream)])
@pytest.mark.parametrize("script", [fails_later, filtered_first, loses_a_call])
def test_an_error_is_no_decision_however_the_solver_came_to_it(
    data: str, script: Any, verdict: VerdictKind, scorer: Callable[[], Scorer]
) -> None:
    log = run(chat(data=data, verdict=verdict), script, solver=talks_twice())
    again = score_log(log, scorer(), model="none/none", action="overwrite", display="none")
    for scored in [again] if script is fails_later else [log, again]:  # an errored sample is not scored in its run
        found = [values(sample)[scorer.__name__] for sample in samples(scored).values()]
        assert found
        assert all(math.isnan(value) for value in found)


@solver
def edits_history() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        for message in state.messages:
            message.content = f"{message.text} [edited]"
            for call in getattr(message, "tool_calls", None) or ():
                call.arguments["edited"] = True
        return await generate(state)

    return solve


def test_what_a_solver_does_to_history_is_not_shown_to_others(data: str) -> None:
    def says_hello(seen: Seen) -> Any:
        return output("Hello.")

    run(user_tool_bench(data=data), says_hello, solver=edits_history())
    sent: list[str] = []

    def listens(seen: Seen) -> Any:
        sent.extend(m.model_dump_json() for m in seen.messages)
        return output("Hello.")

    run(user_tool_bench(data=data), listens)
    assert sent
    assert not [text for text in sent if "edited" in text]
    assert "edited" not in str([t.turn for t in load(data).turns])


@solver
def asks_for_a_score_first() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        early = await score(state)
        assert math.isnan(early[0].as_float())
        return await generate(state)

    return solve


def test_a_score_asked_for_early_is_not_the_last_word(data: str) -> None:
    log = run(chat(data=data), lambda seen: output("Hello."), solver=asks_for_a_score_first())
    assert {values(sample)["utb_exact"] for sample in samples(log).values()} == {True}


def test_two_calls_under_one_id_both_get_their_observation(data: str) -> None:
    turn = next(t for t in load(data).turns if t.turn.structure == "parallel")
    first, second = turn.turn.paths[0].calls[:2]

    def script(seen: Seen) -> Any:
        if seen.messages[-1].role == "tool":
            return output("Done.")
        return output(calls=[ToolCall("same", s.call, dict(s.arguments)) for s in (first, second)])

    log = run(user_tool_bench(data=data), script, sample_id=turn.id, solver=generate())
    (sample,) = samples(log).values()
    texts = [m.text for m in sample.messages[sample.store["utb"]["start"] :] if m.role == "tool"]
    assert len(texts) == 2
    assert all(texts)
    assert texts[0] != texts[1]


def test_an_edited_dataset_is_read_again(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "harbour")
    seen: list[str] = []

    def listens(s: Seen) -> Any:
        seen.append(s.messages[-1].text)
        return output("Hello.")

    run(chat(data=str(folder)), listens)
    before, seen[:] = list(seen), []
    file = next(f for f in sorted((folder / "topics").rglob("*.json")) if '"chat"' in f.read_text())
    old = next(t for t in load(str(folder)).turns if t.task_type == "chat" and t.topic.id == file.stem).turn.request
    file.write_text(file.read_text().replace(old[:10], f"Well, {old[:10]}"))
    run(chat(data=str(folder)), listens)
    assert sorted(seen) != sorted(before)
    assert any("Well, " in text for text in seen)
