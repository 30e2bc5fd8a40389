"""Offline models: the oracle, the noisy oracle, and the provider under Inspect."""

from __future__ import annotations

import json

import pytest
from ferries import DATASET, exact, other_task, record, run, shown, write_lines
from inspect_ai import eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model import (
    get_model,
)

from utb_inspect.baselines.noisy import Noisy, labels
from utb_inspect.baselines.oracle import reference_plan
from utb_inspect.baselines.player import SampleKey
from utb_inspect.baselines.prompts import first_prompts
from utb_inspect.datasets.history import View
from utb_inspect.schema import TASK_TYPES, DataError
from utb_inspect.trajectory.verdict import LABELS

# --- the oracle and the noisy oracle ------------------------------------------------------------------------


def test_oracle_is_exact(tmp_path):
    assert all(exact(run("oracle", tmp_path)).values())


def test_oracle_is_right_for_the_public_evaluator_too(tmp_path):
    log = run("oracle", tmp_path, task_args={"verdict": "upstream"})
    assert log.status == "success"
    assert [s.scores["utb_upstream"].value for s in log.samples] == [True] * 4


def test_oracle_refuses_other_tasks(tmp_path):
    log = eval(other_task(), model="utb/oracle", log_dir=str(tmp_path), display="none")[0]
    assert log.status == "error"
    assert "samples of this suite's tasks only" in log.error.message


@pytest.mark.parametrize("seed", [0, 1])
def test_noisy_makes_the_mistakes_it_plans(tmp_path, seed):
    log = run("noisy", tmp_path, {"error_rate": 1, "seed": seed}, epochs=12)
    assert log.status == "success"
    noisy = Noisy(1, seed)
    realised = set()
    for sample in log.samples:
        _, tools = shown(str(sample.id))
        plan = noisy.plan(record(str(sample.id)), tools, SampleKey(str(sample.id), sample.epoch))
        scored = {label for label, holds in sample.scores["utb_labels"].value.items() if holds}
        assert plan[1] in scored
        realised |= scored
    assert realised == set(LABELS)


def test_noisy_errs_as_often_as_told():
    tools = shown("p01-t1.1")[1]
    for rate, low, high in ((0, 0, 0), (0.3, 90, 150), (1, 400, 400)):
        noisy = Noisy(rate, 5)
        plans = [noisy.plan(record("p01-t1.1"), tools, SampleKey("p01-t1.1", e)) for e in range(400)]
        assert low <= sum(label is not None for _, label in plans) <= high


def test_noisy_plays_the_reference_at_rate_0(tmp_path):
    assert all(exact(run("noisy", tmp_path, {"error_rate": 0})).values())


def test_reference_plan_has_no_label():
    for turn in DATASET.turns:
        assert labels(reference_plan(record(turn.id)), record(turn.id), []) == frozenset()


@pytest.mark.parametrize(
    ("model", "arguments", "message"),
    [
        ("noisy", {"error_rate": 1.5}, "error_rate=1.5: give a number from 0 to 1"),
        ("noisy", {"error_rate": "half"}, "error_rate=half"),
        ("noisy", {"seed": 0.5}, "seed=0.5: give a whole number"),
        ("noisy", {"rate": 1}, "unexpected keyword argument 'rate'; it takes -M error_rate=..., -M seed=..."),
        ("replay", {}, "missing a required argument: 'file'; it takes -M file=..."),
        ("replay", {"file": "/no/such/file.jsonl"}, "/no/such/file.jsonl: cannot be read"),
        ("mailbox", {"dir": "/dev/null/box"}, "/dev/null/box: the folder cannot be made"),
        ("mailbox", {"dir": "box", "timeout": 0}, "timeout=0: give a number of seconds above 0"),
        ("recall", {"k1": 1}, "it takes no argument"),
        ("nobody", {}, "there is no model utb/nobody; there are oracle, recall"),
    ],
)
def test_arguments_are_checked(model, arguments, message):
    with pytest.raises(PrerequisiteError) as error:
        get_model(f"utb/{model}", memoize=False, **arguments)
    assert message in str(error.value.message)


# --- under Inspect ------------------------------------------------------------------------------------------


def test_recall_works_under_other_tasks(tmp_path):
    log = eval(other_task(), model="utb/recall", log_dir=str(tmp_path), display="none")[0]
    assert log.status == "success"
    messages = log.samples[0].messages
    assert messages[1].tool_calls[0].arguments == {"x": 3, "y": 4}
    assert messages[2].text == "7"
    assert messages[3].text == "Done."


def test_replay_works_under_other_tasks(tmp_path):
    file = tmp_path / "answers.jsonl"
    write_lines(
        file,
        [{"id": 7, "responses": [{"tool_calls": [{"name": "add", "arguments": {"x": 1, "y": 1}}]}, {"content": "2"}]}],
    )
    log = eval(
        other_task(), model="utb/replay", model_args={"file": str(file)}, log_dir=str(tmp_path / "l"), display="none"
    )[0]
    assert [m.text for m in log.samples[0].messages[-2:]] == ["2", "2"]


def test_the_cache_gives_no_answers_of_other_arguments(tmp_path):
    first = exact(run("noisy", tmp_path, {"error_rate": 1}, cache=True))
    second = exact(run("noisy", tmp_path, {"error_rate": 0}, cache=True))
    assert not any(first.values())
    assert all(second.values())


def test_usage_is_set(tmp_path):
    log = run("oracle", tmp_path, sample_id="p01-t1.1")
    assert log.samples[0].model_usage["utb/oracle"].total_tokens > 0


def test_first_prompts_take_profiles_and_views():
    lines = list(first_prompts(DATASET, ("multi_tool",), ["p01"], View(history="none")))
    assert [line["id"] for line in lines] == ["p01-t2.1"]
    assert [m["role"] for m in lines[0]["messages"]] == ["system", "user"]
    assert json.loads(json.dumps(lines)) == lines
    with pytest.raises(DataError, match="no such profile"):
        list(first_prompts(DATASET, TASK_TYPES, ["p09"]))
