"""Answers from files: replay, mailbox, and exported prompts."""

from __future__ import annotations

import json
import math
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from ferries import DATASET, FERRIES, exact, reference_responses, run, write_lines
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    get_model,
)
from inspect_ai.tool import ToolInfo

from utb_inspect.baselines.mailbox import file_name
from utb_inspect.baselines.player import SampleKey
from utb_inspect.baselines.prompts import first_prompts
from utb_inspect.baselines.responses import Response, ResponseCall
from utb_inspect.datasets.wire import wire_name
from utb_inspect.schema import TASK_TYPES

# --- answers made elsewhere ---------------------------------------------------------------------------------


def test_replay_plays_back(tmp_path):
    file = tmp_path / "answers.jsonl"
    lines = [{"id": turn.id, "responses": reference_responses(turn.id)} for turn in DATASET.turns]
    # Arguments may be JSON text, a line may be for one epoch, and a line separator in a text is no end of line.
    call = lines[0]["responses"][0]["tool_calls"][0]
    call["arguments"] = json.dumps(call["arguments"])
    lines[2]["responses"][-1]["content"] = "A\u2028pleasure."
    lines.append({"id": "p01-t1.1", "epoch": 2, "responses": [{"content": "No."}]})
    write_lines(file, lines)
    log = run("replay", tmp_path, {"file": str(file)}, epochs=2)
    assert log.status == "success"
    wrong = [(s.id, s.epoch) for s in log.samples if not s.scores["utb_exact"].value]
    assert wrong == [("p01-t1.1", 2)]


def test_answers_take_own_and_wire_names():
    wire = wire_name("list bookings")
    for name, expected in (("list bookings", wire), (wire, wire), ("no such tool", "no such tool")):
        action = Response(tool_calls=[ResponseCall(name=name, arguments={})]).action(
            [ToolInfo(name=wire, description="")]
        )
        assert action.calls == [(expected, {})]


def test_replay_lacking_an_answer_is_an_error(tmp_path):
    file = tmp_path / "answers.jsonl"
    write_lines(file, [{"id": "p01-t1.1", "responses": reference_responses("p01-t1.1")[:1]}])
    log = run("replay", tmp_path, {"file": str(file)}, fail_on_error=False)
    messages = {str(s.id): s.error.message for s in log.samples}
    assert "epoch 1 has come to round 2, and there are 1 responses" in messages["p01-t1.1"]
    assert "no line for sample p01-t2.1, epoch 1" in messages["p01-t2.1"]
    assert all(not s.scores or math.isnan(s.scores["utb_exact"].as_float()) for s in log.samples)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1: no JSON"),
        ('\n{"id": "a"}', "line 2: field 'responses': is missing"),
        ('{"id": "a", "responses": [{}]}', "give 'content', 'tool_calls' or both"),
        ('{"id": "a", "responses": [{"tool_calls": [{"name": "x"}]}]}', "tool_calls[0].arguments': is missing"),
        ('{"id": "a", "responses": []}\n{"id": "a", "responses": []}', "line 2: a second line for sample a"),
    ],
)
def test_replay_names_faults_of_the_file(tmp_path, text, message):
    file = tmp_path / "answers.jsonl"
    file.write_text(text)
    with pytest.raises(PrerequisiteError) as error:
        get_model("utb/replay", memoize=False, file=str(file))
    assert message in str(error.value.message)


def test_replay_reads_a_changed_file_again(tmp_path):
    file = tmp_path / "answers.jsonl"
    write_lines(file, [{"id": t.id, "responses": [{"content": "No."}]} for t in DATASET.turns])
    assert sum(exact(run("replay", tmp_path, {"file": str(file)})).values()) == 1
    write_lines(file, [{"id": t.id, "responses": reference_responses(t.id)} for t in DATASET.turns])
    assert all(exact(run("replay", tmp_path, {"file": str(file)})).values())


# --- the mailbox --------------------------------------------------------------------------------------------


class Correspondent(threading.Thread):
    """Someone who answers by file, with the reference, once so many requests wait."""

    def __init__(self, box: Path, requests: int) -> None:
        super().__init__(daemon=True)
        self.box = box
        self.requests = requests
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.is_set():
            time.sleep(0.2)
            open_ = [
                (file, answer)
                for file in self.box.glob("*.request.json")
                if not (answer := file.with_name(file.name.replace("request", "response"))).exists()
            ]
            if len(open_) < self.requests:
                continue
            self.requests = 1
            for file, answer in open_:
                request = json.loads(file.read_text(encoding="utf-8"))
                response = reference_responses(request["id"])[request["round"] - 1]
                answer.write_text(json.dumps(response)[:20])  # half of it first
                time.sleep(0.05)
                answer.write_text(json.dumps(response))


@pytest.fixture
def box(tmp_path: Path) -> Path:
    folder = tmp_path / "box"
    folder.mkdir()
    return folder


def by_mail(box: Path, tmp_path: Path, requests: int = 1, **more: Any) -> EvalLog:
    correspondent = Correspondent(box, requests)
    correspondent.start()
    try:
        return run("mailbox", tmp_path, {"dir": str(box), "timeout": 30}, **more)
    finally:
        correspondent.stopped.set()
        correspondent.join()


def test_mailbox_is_answered_by_file(box, tmp_path):
    log = by_mail(box, tmp_path, requests=8, epochs=2)  # all eight at once, or it would time out
    assert all(exact(log).values())
    names = {file.name for file in box.iterdir() if "request" in file.name}
    assert {"p01-t1.2.1.request.json", "p01-t1.2.3.request.json", "p01-t1.2@2.3.request.json"} <= names
    assert len(names) == 2 * (2 + 3 + 1 + 3)


def test_mailbox_holds_what_a_model_sees(box, tmp_path):
    by_mail(box, tmp_path)
    exported = {line["id"]: line for line in first_prompts(DATASET, TASK_TYPES)}
    for turn in DATASET.turns:
        assert json.loads((box / f"{turn.id}.1.request.json").read_text()) == exported[turn.id]
    last = json.loads((box / "p01-t2.1.3.request.json").read_text())
    assert set(last) == {"id", "round", "messages", "tools"}
    assert [m["role"] for m in last["messages"][-5:]] == ["user", "assistant", "tool", "assistant", "tool"]
    called, returned = last["messages"][-2:]
    assert called["tool_calls"][0]["name"] == "bookSailing"
    assert called["tool_calls"][0]["arguments"] == {"sailing_id": "S-1", "meal": "soup"}
    assert returned == {
        "role": "tool",
        "content": '{"booking_id": "B-7"}',
        "tool_call_id": called["tool_calls"][0]["id"],
    }
    own = json.loads((FERRIES / "toolsets" / "ferry.json").read_text())["tools"][0]["function"]
    assert last["tools"][0] == {key: own[key] for key in ("name", "description", "parameters")}


def test_mailbox_goes_on_with_answers_it_has(box, tmp_path):
    by_mail(box, tmp_path)
    before = {file.name: file.stat().st_mtime_ns for file in box.iterdir()}
    log = run("mailbox", tmp_path, {"dir": str(box), "timeout": 5})
    assert all(exact(log).values())
    assert {file.name: file.stat().st_mtime_ns for file in box.iterdir()} == before


def test_mailbox_puts_stale_answers_aside(box, tmp_path):
    by_mail(box, tmp_path)
    log = run("mailbox", tmp_path, {"dir": str(box), "timeout": 0.5}, task_args={"system_prompt": "New."})
    assert log.status == "error"
    assert "no answer within 0.5 seconds" in log.error.message
    stale = {file.name for file in box.glob("*.stale")}
    assert stale
    assert {name.split(".response")[0][-2:] for name in stale} == {".1"}
    assert not (box / "p01-t1.1.1.response.json").exists()


def test_mailbox_takes_no_answer_without_its_request(box, tmp_path):
    (box / "p01-t1.1.1.response.json").write_text('{"content": "Early."}')
    run("mailbox", tmp_path, {"dir": str(box), "timeout": 0.5}, sample_id="p01-t1.1")
    assert (box / "p01-t1.1.1.response.json.stale").read_text() == '{"content": "Early."}'


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ('{"content": "Half', "no JSON"),
        ("[]", "p01-t1.1.1.response.json: input should be"),
        ('{"text": "Hi"}', "field 'text': is not a field of the format"),
        ('{"tool_calls": [{"name": "x", "arguments": [1]}]}', "tool_calls[0].arguments"),
    ],
)
def test_mailbox_names_faults_of_an_answer(box, tmp_path, monkeypatch, answer, message):
    monkeypatch.setattr("utb_inspect.baselines.mailbox.SETTLE_SECONDS", 0.5)

    def reply() -> None:
        while not (box / "p01-t1.1.1.request.json").exists():
            time.sleep(0.05)
        (box / "p01-t1.1.1.response.json").write_text(answer)

    thread = threading.Thread(target=reply, daemon=True)
    thread.start()
    log = run("mailbox", tmp_path, {"dir": str(box), "timeout": 10}, sample_id="p01-t1.1")
    thread.join()
    assert log.status == "error"
    assert message in log.error.message


@pytest.mark.parametrize(
    ("sample_id", "epoch", "name"),
    [
        ("p03-t07.1", 1, "p03-t07.1"),
        ("p03-t07.1", 2, "p03-t07.1@2"),
        ("a/b c@2", 1, "a%2Fb%20c%402"),
        ("..", 1, "%2E."),
        ("主题_1", 1, "%E4%B8%BB%E9%A2%98_1"),
    ],
)
def test_sample_ids_become_file_names(sample_id, epoch, name):
    assert file_name(SampleKey(sample_id, epoch)) == name


def test_long_sample_ids_stay_apart():
    names = {file_name(SampleKey("题" * 40 + end, 1)) for end in "ab"}
    assert len(names) == 2
    assert all(len(name) < 200 for name in names)
