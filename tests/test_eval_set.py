"""A matrix of tasks and models with `inspect eval-set`, broken off and continued (docs/running-a-matrix.md)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import eval_set
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log, read_eval_log_sample_summaries
from inspect_ai.model import ModelOutput
from oracle import oracle
from support import TURNS, Seen, as_output, inspect_commands, record, scripted, write_dataset

from utb_inspect.baselines.oracle import reference_plan
from utb_inspect.baselines.player import rounds_played
from utb_inspect.datasets import load
from utb_inspect.tasks import multi_tool, user_tool_bench

MULTI = ["p01-t01.3", "p02-t01.2", "p02-t02.2"]
"""The multi-tool turns of the dataset."""
WRONG = "p01-t02.2"
"""A turn that is answered wrongly, so that scores differ from sample to sample."""
LACKING = ["p01-t01.2", "p02-t01.2", "p02-t02.1"]
"""Turns without an answer at first."""

Key = tuple[str, str]
"""Task and model."""


@pytest.fixture(scope="session")
def responses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """Right answers to all turns but one, as responses of `utb/replay` and `utb/mailbox`."""
    found = {}
    for turn in load(str(write_dataset(tmp_path_factory.mktemp("answers") / "harbour"))).turns:
        rounds = [round_.action for round_ in reference_plan(record(turn))]
        found[turn.id] = [
            {"content": r.text, "tool_calls": [{"name": name, "arguments": args} for name, args in r.calls]}
            for r in rounds
        ]
    return {**found, WRONG: [{"content": "No idea."}]}


def write_answers(file: Path, responses: Mapping[str, Any], without: Sequence[str] = ()) -> None:
    lines = [{"id": turn, "responses": answers} for turn, answers in responses.items() if turn not in without]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def line(folder: Path, logs: str, *options: str, tasks: Sequence[str], models: Sequence[str]) -> list[str]:
    """An `inspect eval-set` line; models are names, each with its own arguments as YAML."""
    specs = [part for model in models for part in ("--model-spec", f"{{model: {model}}}")]
    data = ["-T", f"data={folder / 'harbour'}", "--log-dir", str(folder / logs)]
    return ["eval-set", *(f"utb_inspect/{task}" for task in tasks), *specs, *data, *options]


def logs_of(folder: Path) -> list[EvalLog]:
    return [read_eval_log(info) for info in list_eval_logs(str(folder))]


def uuids(log: EvalLog) -> dict[str, str]:
    """Sample to uuid; a sample that is run again gets another one."""
    found = {str(sample.id): str(sample.uuid) for sample in log.samples or []}
    assert len(found) == len(log.samples or []), "a sample is there twice"
    return found


def scores(log: EvalLog) -> dict[str, dict[str, str]]:
    """Sample to scorer to value as JSON (NaN equals NaN there), of scored samples."""
    return {
        str(sample.id): {name: json.dumps(score.value) for name, score in sample.scores.items()}
        for sample in log.samples or []
        if sample.scores and all(score.reason is None for score in sample.scores.values())
    }


def exact(log: EvalLog) -> set[str]:
    return {sample for sample, own in scores(log).items() if own["utb_exact"] == "true"}


# --- a provider that fails for a while -----------------------------------------------------------------------

TASKS = ("user_tool_bench", "multi_tool")
MODELS = ("utb/oracle", "utb/replay, model_args: {file: answers.jsonl}")
KEEP_ON = ("--continue-on-fail", "--retry-attempts", "1", "--display", "plain")


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory, responses: Any) -> dict[str, Any]:
    """Two tasks by two models, one of which first lacks some answers: codes, outputs and logs of several lines."""
    folder = tmp_path_factory.mktemp("matrix")
    write_dataset(folder / "harbour")
    answers = folder / "answers.jsonl"
    whole = line(folder, "run", *KEEP_ON, tasks=TASKS, models=MODELS)
    accepted = line(folder, "accepted", "--no-fail-on-error", tasks=["multi_tool"], models=MODELS[1:])
    write_answers(answers, responses, without=LACKING)
    first = inspect_commands({"broken": (folder, whole), "accepted": (folder, accepted)}, preload=folder)
    steps = {"broken": logs_of(folder / "run"), "accepted": logs_of(folder / "accepted")}
    write_answers(answers, responses)
    again = line(folder, "uninterrupted", *KEEP_ON, tasks=TASKS, models=MODELS)
    lines = {"continued": whole, "accepted again": accepted, "done": whole, "uninterrupted": again}
    second = inspect_commands({name: (folder, given) for name, given in lines.items()}, preload=folder)
    steps |= {
        "continued": logs_of(folder / "run"),
        "accepted again": logs_of(folder / "accepted"),
        "uninterrupted": logs_of(folder / "uninterrupted"),
    }
    ran = {**first, **second}
    return {"codes": {name: done["code"] for name, done in ran.items()}, "ran": ran, "logs": steps}


def by_key(logs: Sequence[EvalLog]) -> dict[Key, EvalLog]:
    found = {(log.eval.task, log.eval.model): log for log in logs}
    assert len(found) == len(logs), "a cell of the matrix has two logs"
    return found


def test_a_failing_provider_ends_the_line_with_an_error(matrix: dict[str, Any]) -> None:
    assert matrix["codes"]["broken"] == 1, matrix["ran"]["broken"]["output"]
    broken = by_key(matrix["logs"]["broken"])
    assert {key: log.status for key, log in broken.items()} == {
        (task, model): "success" if model == "utb/oracle" else "error"
        for task in TASKS
        for model in ("utb/oracle", "utb/replay")
    }
    log = broken["user_tool_bench", "utb/replay"]
    assert set(scores(log)) == set(TURNS) - set(LACKING)
    assert log.results is not None  # figures over what is scored
    assert (log.results.total_samples, log.results.completed_samples) == (10, 7)
    # Tried again once for --retry-attempts 1; the error of the first try is kept.
    tries = {str(s.id): 1 + len(s.error_retries or []) for s in log.samples or [] if s.error}
    assert tries == dict.fromkeys(LACKING, 2)


def test_the_same_line_runs_what_is_missing_and_nothing_else(matrix: dict[str, Any]) -> None:
    assert matrix["codes"]["continued"] == 0, matrix["ran"]["continued"]["output"]
    broken, continued = by_key(matrix["logs"]["broken"]), by_key(matrix["logs"]["continued"])
    assert set(continued) == set(broken)
    for key, log in continued.items():
        before, after = uuids(broken[key]), uuids(log)
        kept = {sample for sample, uuid in after.items() if before.get(sample) == uuid}
        assert log.status == "success"
        assert set(after) == set(TURNS if key[0] == "user_tool_bench" else MULTI)
        assert set(after) - kept == (set(LACKING) & set(after) if key[1] == "utb/replay" else set())


def test_a_line_that_is_done_runs_nothing(matrix: dict[str, Any]) -> None:
    assert matrix["codes"]["done"] == 0
    assert "user_tool_bench (10 samples)" in matrix["ran"]["continued"]["output"]
    assert "samples)" not in matrix["ran"]["done"]["output"]


def test_scores_are_those_of_an_uninterrupted_run(matrix: dict[str, Any]) -> None:
    assert matrix["codes"]["uninterrupted"] == 0
    continued, uninterrupted = by_key(matrix["logs"]["continued"]), by_key(matrix["logs"]["uninterrupted"])
    for key, log in continued.items():
        turns = set(TURNS if key[0] == "user_tool_bench" else MULTI)
        assert set(scores(log)) == turns
        assert exact(log) == turns - ({WRONG} if key[1] == "utb/replay" else set())
        assert scores(log) == scores(uninterrupted[key])
        assert figures(log) == figures(uninterrupted[key])


def figures(log: EvalLog) -> str:
    assert log.results is not None
    found = {score.name: {name: m.value for name, m in score.metrics.items()} for score in log.results.scores}
    return json.dumps(found)  # in which NaN equals NaN


def test_an_error_that_is_accepted_is_never_tried_again(matrix: dict[str, Any]) -> None:
    # Why the guide keeps --no-fail-on-error for the last line.
    assert (matrix["codes"]["accepted"], matrix["codes"]["accepted again"]) == (0, 0)
    (log,), (again,) = matrix["logs"]["accepted"], matrix["logs"]["accepted again"]
    assert log.status == "success"
    assert set(scores(log)) == set(MULTI) - set(LACKING)
    assert (uuids(again), scores(again)) == (uuids(log), scores(log))


def test_a_model_that_recovers_within_the_line(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "harbour")
    plans = {turn.id: oracle(turn) for turn in load(str(folder)).turns}
    failing = MULTI[1]
    calls: Counter[str] = Counter()

    def flaky(seen: Seen) -> ModelOutput:
        calls[seen.sample] += 1
        if seen.sample == failing and calls[failing] in (2, 3, 4):  # once in its second round, twice in its first
            raise ConnectionError("503 service unavailable")
        return as_output(plans[seen.sample][rounds_played(seen.messages)], seen)

    success, (log,) = eval_set(
        [multi_tool(data=str(folder))],
        model=scripted(flaky),
        log_dir=str(tmp_path / "logs"),
        retry_attempts=1,
        retry_on_error=1,
        continue_on_fail=True,
        display="none",
    )
    assert success
    log = read_eval_log(log.location)
    assert exact(log) == set(uuids(log)) == set(MULTI)
    # A right run, and what each failed try had come to: two calls, one, one.
    assert calls == {sample: len(plans[sample]) + 4 * (sample == failing) for sample in MULTI}


# --- killed --------------------------------------------------------------------------------------------------

PATIENCE = 120


def answer(box: Path, responses: Mapping[str, Any], turns: Sequence[str]) -> None:
    """Answer the requests that wait in a mailbox for some turns."""
    for request in box.glob("*.request.json"):
        asked = json.loads(request.read_text())
        response = request.with_name(request.name.replace(".request.", ".response."))
        if asked["id"] in turns and not response.exists():
            draft = response.with_suffix(".draft")
            draft.write_text(json.dumps(responses[asked["id"]][asked["round"] - 1]))
            draft.rename(response)


def completed(logs: Path) -> set[str]:
    """Samples that are complete, without an error, in the logs of a run that is going on."""
    try:
        found = [read_eval_log_sample_summaries(info) for info in list_eval_logs(str(logs))]
    except (OSError, ValueError, KeyError):  # a log that is being written
        return set()
    return {str(sample.id) for summaries in found for sample in summaries if sample.completed and not sample.error}


def test_a_run_that_is_stopped_and_killed_goes_on_where_it_was(tmp_path: Path, responses: Any) -> None:
    folder = write_dataset(tmp_path / "harbour")
    box, logs, out = tmp_path / "box", tmp_path / "logs", tmp_path / "out.txt"
    model = ["utb/mailbox, model_args: {dir: box}"]
    command = line(tmp_path, "logs", "--continue-on-fail", "--log-buffer", "1", tasks=["user_tool_bench"], models=model)
    environment = {**os.environ, "INSPECT_DISPLAY": "plain"}

    @contextmanager
    def started() -> Iterator[subprocess.Popen[bytes]]:
        with (
            out.open("ab") as to,
            subprocess.Popen(
                [sys.executable, "-m", "inspect_ai", *command], cwd=tmp_path, stdout=to, stderr=to, env=environment
            ) as process,
        ):
            try:
                yield process
            finally:
                process.kill()

    def until(done: Callable[[], bool], turns: Sequence[str]) -> None:
        """Answer requests for some turns until something holds."""
        end = time.monotonic() + PATIENCE
        while not done():
            assert time.monotonic() < end, out.read_text()
            answer(box, responses, turns)
            time.sleep(0.1)

    def stopped(how: signal.Signals, turns: Sequence[str], status: str) -> EvalLog:
        """The log of a run that is ended by a signal once some turns are complete."""
        with started() as process:
            until(lambda: process.poll() is not None or set(turns) <= completed(logs), turns)
            assert process.poll() is None, out.read_text()
            process.send_signal(how)
            process.wait(PATIENCE)
        (log,) = [log for log in logs_of(logs) if log.status == status]
        return log

    cancelled = stopped(signal.SIGINT, TURNS[:3], "cancelled")
    killed = stopped(signal.SIGKILL, TURNS[:6], "started")
    with started() as process:
        until(lambda: process.poll() is not None, TURNS)
        assert process.returncode == 0, out.read_text()

    found = logs_of(logs)
    (log,) = [log for log in found if log.status == "success"]
    # A killed log stays beside the one that went on from it. Both have one task id: the finished one counts.
    assert [(other.status, other.eval.task_id) for other in found if other is not log] == [
        ("started", log.eval.task_id)
    ]
    first, second, last = uuids(cancelled), uuids(killed), uuids(log)
    assert set(last) == set(TURNS)
    assert {turn: last[turn] for turn in TURNS[:3]} == {turn: first[turn] for turn in TURNS[:3]}
    assert {turn: last[turn] for turn in TURNS[:6]} == {turn: second[turn] for turn in TURNS[:6]}

    write_answers(tmp_path / "answers.jsonl", responses)
    (uninterrupted,) = inspect_eval(
        user_tool_bench(data=str(folder)),
        model="utb/replay",
        model_args={"file": str(tmp_path / "answers.jsonl")},
        log_dir=str(tmp_path / "whole"),
        display="none",
    )
    assert exact(log) == set(TURNS) - {WRONG}
    assert scores(log) == scores(uninterrupted)
    assert figures(log) == figures(uninterrupted)
