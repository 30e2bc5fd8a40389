"""Logs read to runs and samples: right values, nothing lost, errors never decisions, and clear words for the rest."""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path
from typing import Any

import fsspec
import pandas as pd
import pytest
from click.testing import CliRunner
from compare_data import real_logs
from inspect_ai import Task, eval_set
from inspect_ai.analysis import SampleColumn, samples_df
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log, write_eval_log
from support import Seen, output, plays, run, scripted, write_dataset, write_public

from utb_inspect.cli import main
from utb_inspect.compare.frame import COLUMNS, NEVER_RAN, Runs
from utb_inspect.compare.reading import read_runs
from utb_inspect.compare.rows import history_turns
from utb_inspect.datasets import load
from utb_inspect.schema import DataError
from utb_inspect.signature import parts
from utb_inspect.tasks import chat, dynamic_preference, multi_tool, user_tool_bench
from utb_inspect.trajectory.verdict import LABELS

LIMIT = "p01-t01.1"
FILTER = "p01-t01.3"
FAILS = "p02-t01.1"


@pytest.fixture(scope="session")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return real_logs(tmp_path_factory)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_dataset(tmp_path_factory.mktemp("harbour") / "harbour"))


def full_logs(folder: str | Path) -> list[EvalLog]:
    return [read_eval_log(info) for info in list_eval_logs(str(folder), descending=False)]


def rows_of(runs: Runs, run: int = 0) -> dict[str, dict[str, Any]]:
    """Sample id to row, of a run with one epoch; missing values as None."""
    frame = runs.samples[runs.samples["run"] == run]
    return {row["sample"]: {k: None if pd.isna(v) else v for k, v in row.items()} for row in frame.to_dict("records")}


# --- what a row says -----------------------------------------------------------------------------------------


def test_rows_say_what_the_samples_of_the_logs_say(logs: dict[str, str]) -> None:
    found = read_runs([logs["main"], logs["dynamic"]])
    assert {column: str(kind) for column, kind in found.samples.dtypes.items()} == dict(COLUMNS)
    full = sorted([*full_logs(logs["main"]), *full_logs(logs["dynamic"])], key=lambda log: log.eval.created)
    assert len(found.infos) == len(full) == 6
    assert found.refused == []
    for index, log in enumerate(full):
        assert log.samples is not None
        rows = rows_of(found, index)
        assert sorted(rows) == sorted(str(sample.id) for sample in log.samples)
        for sample in log.samples:
            row, scores = rows[str(sample.id)], sample.scores or {}
            assert row["scored"] is True
            assert row["error"] is None
            for name in ("exact", "relaxed", "severity"):
                assert row[name] == scores[f"utb_{name}"].value
            assert row["correct"] == row["exact"]
            assert {label: row[label] for label in LABELS} == scores["utb_labels"].value
            progress = scores["utb_progress"].as_dict()
            assert {key: row[key] for key in progress} == progress
            assert {k: row[k] for k in sample.metadata} == sample.metadata
            (usage,) = sample.model_usage.values()
            assert (row["input_tokens"], row["output_tokens"]) == (usage.input_tokens, usage.output_tokens)
            assert row["total_tokens"] == usage.total_tokens
            assert (row["seconds"], row["working_seconds"]) == (sample.total_time, sample.working_time)
            assert (row["uuid"], row["epoch"], row["answer"]) == (sample.uuid, 1, scores["utb_exact"].answer)


def test_rows_agree_with_the_data_frames_of_inspect(logs: dict[str, str]) -> None:
    theirs = samples_df(
        logs["main"],
        [
            SampleColumn("exact", path="scores.utb_exact.value"),
            SampleColumn("stale", path="scores.utb_labels.value.stale_preference"),
            SampleColumn("tokens", path=lambda sample: sum(u.total_tokens for u in sample.model_usage.values())),
        ],
        quiet=True,
    ).set_index("sample_id")
    ours = read_runs([logs["main"]]).samples.set_index("uuid").loc[theirs.index]
    assert list(ours["exact"]) == list(theirs["exact"])
    assert list(ours["stale_preference"]) == list(theirs["stale"])
    assert list(ours["total_tokens"]) == list(theirs["tokens"])


def test_a_run_is_told_by_its_header(logs: dict[str, str]) -> None:
    info = next(info for info in read_runs([logs["main"]]).infos if info.model == "utb/oracle")
    assert (info.label, info.task, info.status, info.version) == ("utb/oracle", "user_tool_bench", "success", "1.0")
    assert (info.epochs, info.samples, info.limits, info.upstream) == (1, 10, {}, False)
    assert Path(info.location).is_file()
    assert info.data == load(logs["data"]).name
    assert info.options == {
        "verdict": "spec-1",
        "history": "full",
        "environment": "inline",
        "off_path": "continue",
        "task_version": "1.0",
    }


def test_a_signature_splits_where_a_part_begins() -> None:
    assert parts("data:a|b:c@1#d|history:last:20|profiles:p1,p2") == {
        "data": "a",
        "b": "c@1#d",
        "history": "last:20",
        "profiles": "p1,p2",
    }
    assert parts("data:my|Data@1#d|history:full") == {"data": "my|Data@1#d", "history": "full"}


@pytest.mark.parametrize(
    ("history", "expected"),
    [("full", 11), ("none", 0), ("topic", 2), ("last:5", 5), ("last:20", 11), ("last:0", 0)],
)
def test_history_turns_are_those_a_model_was_shown(history: str, expected: int) -> None:
    """The twelfth turn of a profile, the third of its topic."""
    assert history_turns(history, {"position": 12, "turn_index": 3}) == expected


def test_history_turns_are_missing_where_the_place_is_not_known() -> None:
    nowhere: dict[str, Any] = {"position": None, "turn_index": None}
    assert [history_turns(h, nowhere) for h in ("full", "topic", "last:3", "none")] == [None, None, None, 0]


@pytest.mark.parametrize("history", ["full", "none", "topic", "last:2"])
def test_history_turns_follow_the_option_of_the_run(data: str, tmp_path: Path, history: str) -> None:
    shown: dict[str, int] = {}

    def count(seen: Seen) -> Any:
        # Each earlier turn has one request that history shows, and replies, which "Four of us." and "Friday" are here.
        texts = [message.text for message in seen.messages if message.role == "user"]
        shown[seen.sample] = sum(text not in ("Four of us.", "Friday the 21st.") for text in texts) - 1
        return output("Certainly.")

    run(user_tool_bench(data=data, history=history), count, log_dir=str(tmp_path))
    assert {s: row["history_turns"] for s, row in rows_of(read_runs([str(tmp_path)])).items()} == shown
    assert max(shown.values()) == {"full": 4, "none": 0, "topic": 2, "last:2": 2}[history]


def test_tokens_are_summed_over_rounds_and_epochs_are_rows(data: str, tmp_path: Path) -> None:
    run(user_tool_bench(data=data), plays(load(data)), log_dir=str(tmp_path), epochs=2)
    found = read_runs([str(tmp_path)])
    assert (found.infos[0].epochs, found.infos[0].samples, len(found.samples)) == (2, 20, 20)
    assert sorted(found.samples["epoch"].value_counts().to_dict().items()) == [(1, 10), (2, 10)]
    # A call and an answer: two rounds of 10 tokens in and 5 out.
    single = found.samples[found.samples["sample"] == "p01-t01.1"]
    assert list(single["input_tokens"]) == [20, 20]
    assert list(single["output_tokens"]) == [10, 10]
    assert list(single["cached_tokens"]) == [0, 0]
    assert single["cost"].isna().all()


def test_flags_are_of_decisions(data: str, tmp_path: Path) -> None:
    """A run that the step cap ended may have an output cut, too: both are told."""
    cut, both, neither = "p01-t01.1", "p01-t01.2", "p01-t01.3"

    def script(seen: Seen) -> Any:
        if seen.sample in (cut, neither):
            return output("So long", stop="max_tokens" if seen.sample == cut else "stop")
        stop = "max_tokens" if seen.sample == both else "tool_calls"
        return seen.call(("findTrains", {"origin": "Utrecht", "destination": "Oslo", "day": "2025-03-15"}), stop=stop)

    run(user_tool_bench(data=data, max_rounds=2), script, log_dir=str(tmp_path))
    rows = rows_of(read_runs([str(tmp_path)]))
    assert {row["scored"] for row in rows.values()} == {True}
    found = {sample: (row.pop("step_cap"), row.pop("output_cut")) for sample, row in rows.items()}
    assert found == dict.fromkeys(rows, (True, False)) | {
        cut: (False, True),
        both: (True, True),
        neither: (False, False),
    }


def test_upstream_runs_have_the_public_verdict_alone(tmp_path: Path) -> None:
    rows = str(write_public(tmp_path / "rows.jsonl"))
    run(user_tool_bench(data=rows, verdict="upstream"), lambda seen: output("Done."), log_dir=str(tmp_path / "logs"))
    found = read_runs([str(tmp_path / "logs")])
    assert found.infos[0].upstream
    assert found.samples["scored"].all()
    assert list(found.samples["upstream"]) == list(found.samples["correct"]) == [False, False]
    for column in ("exact", "relaxed", "severity", "progress", *LABELS):
        assert found.samples[column].isna().all()


# --- errors are never decisions, and no sample is lost -------------------------------------------------------


def fails(seen: Seen) -> Any:
    """Errors of each kind on three samples; a plain answer, wrong but on chat turns, on the others."""
    if seen.sample == FAILS:
        raise RuntimeError("the connection broke\nat line 3")
    if seen.sample == LIMIT:
        return seen.call(("findTrains", {"origin": "Utrecht", "destination": "Lyon", "day": "2025-03-15"}))
    return output("", stop="content_filter") if seen.sample == FILTER else output("Certainly.")


def test_errors_of_a_run_are_rows_without_a_verdict(data: str, tmp_path: Path) -> None:
    run(user_tool_bench(data=data), fails, log_dir=str(tmp_path), token_limit=25)
    rows = rows_of(read_runs([str(tmp_path)]))
    assert len(rows) == 10
    errors = {sample: row["error"] for sample, row in rows.items() if not row["scored"]}
    assert errors == {
        LIMIT: "limit: token",
        FILTER: """ProviderError("the provider's content filter stopped the output")""",
        FAILS: r"RuntimeError('the connection broke\nat line 3')",
    }
    for sample in errors:
        assert {rows[sample][key] for key in ("correct", "exact", "relaxed", "severity", "progress", *LABELS)} == {None}
        assert rows[sample]["profile"] == sample[:3]
    assert rows[LIMIT]["total_tokens"] == 30  # what an error cost is counted


def test_errors_that_are_scored_are_no_decisions(data: str, tmp_path: Path) -> None:
    run(user_tool_bench(data=data), fails, log_dir=str(tmp_path), score_on_error=True)
    rows = rows_of(read_runs([str(tmp_path)]))
    assert not rows[FAILS]["scored"]
    assert rows[FAILS]["exact"] is None


def test_runs_that_are_not_scored_have_no_decisions_until_they_are(data: str, tmp_path: Path) -> None:
    log = run(user_tool_bench(data=data), fails, log_dir=str(tmp_path), score=False)
    found = read_runs([str(tmp_path)])
    rows = rows_of(found)
    assert {row["scored"] for row in rows.values()} == {False}
    errors = {sample for sample, row in rows.items() if row["error"] != "no scorer of this suite has scored it"}
    assert errors == {FAILS, FILTER}
    assert found.refused == [f"{found.infos[0].location}: not scored yet; run `utb rescore`"]
    assert CliRunner().invoke(main, ["rescore", log.location.removeprefix("file://")]).exit_code == 0
    again = read_runs([str(tmp_path)])
    assert {sample for sample, row in rows_of(again).items() if not row["scored"]} == errors
    assert again.refused == []


def stops_early(task: Task, folder: Path, sample: str) -> EvalLog:
    """A run that stops with an error at a sample, one sample at a time, and cancels the next if that has begun."""

    def script(seen: Seen) -> Any:
        if seen.sample == sample:
            raise RuntimeError("out of credit")
        return output("Certainly.")

    log = run(task, script, log_dir=str(folder), fail_on_error=True, max_samples=1)
    assert log.status == "error"
    return log


def test_samples_that_never_ran_are_rows(data: str, tmp_path: Path) -> None:
    log = stops_early(user_tool_bench(data=data), tmp_path / "early", "p01-t01.2")
    ran = {sample.id: sample.error for sample in log.samples or []}
    run(user_tool_bench(data=data), plays(load(data)), log_dir=str(tmp_path / "whole"))
    found = read_runs([str(tmp_path)])
    (early,) = [i for i, info in enumerate(found.infos) if info.status == "error"]
    rows, whole = rows_of(found, early), rows_of(found, 1 - early)
    assert set(rows) == set(whole)
    assert rows["p01-t01.2"]["error"] == "RuntimeError('out of credit')"
    cancelled = {sample for sample, error in ran.items() if error and sample != "p01-t01.2"}
    assert {rows[sample]["error"] for sample in cancelled} <= {"cancelled"}
    lost = {sample for sample, row in rows.items() if row["error"] == NEVER_RAN}
    assert lost == set(whole) - set(ran)
    assert len(lost) >= 5
    for sample in lost:
        assert not rows[sample]["scored"]
        for key in ("profile", "topic", "task_type", "third", "toolset", "position", "history_turns"):
            assert rows[sample][key] == whole[sample][key]
    assert any(f"ended with status error; {len(lost)} of 10 samples never ran" in note for note in found.refused)


def test_where_nothing_tells_a_turn_it_says_so(data: str, tmp_path: Path) -> None:
    log = stops_early(user_tool_bench(data=data), tmp_path, "p01-t02.1")
    lost = 10 - len(log.samples or [])
    found = read_runs([str(tmp_path)])
    assert len(found.samples) == 10
    assert found.samples["profile"].isna().sum() == lost
    told = f"{lost} of 10 samples never ran, and of {lost} of them nothing says what profile and task type they are"
    assert any(told in note for note in found.refused)


def test_shipped_data_tells_the_turns_that_never_ran(tmp_path: Path) -> None:
    dataset = load("utb_open_dynamic")
    turns = [turn for turn in dataset.turns if turn.profile == "d01"]
    log = stops_early(dynamic_preference(profiles="d01"), tmp_path, turns[1].id)
    rows = rows_of(read_runs([str(tmp_path)]))
    assert set(rows) == {turn.id for turn in turns}
    lost = {sample for sample, row in rows.items() if row["error"] == NEVER_RAN}
    assert lost == set(rows) - {sample.id for sample in log.samples or []}
    assert len(lost) > 30
    for turn in turns:
        row = rows[turn.id]
        assert (row["profile"], row["task_type"], row["third"]) == ("d01", turn.task_type, turn.third)
        assert (row["position"], row["toolset"]) == (turn.position + 1, turn.toolset.id)


# --- where logs lie ------------------------------------------------------------------------------------------


def test_logs_are_read_from_any_file_system(logs: dict[str, str]) -> None:
    memory = fsspec.filesystem("memory")
    for file in Path(logs["main"]).glob("*.eval"):
        memory.pipe(f"/harbour/logs/{file.name}", file.read_bytes())
    here, there = read_runs([logs["main"]]), read_runs(["memory://harbour/logs"])
    pd.testing.assert_frame_equal(here.samples, there.samples)
    assert all(info.location.startswith("memory://") for info in there.infos)
    one = read_runs([there.infos[0].location])
    assert [info.label.split()[0] for info in one.infos] == [there.infos[0].model]


def test_json_logs_are_read_too(logs: dict[str, str], tmp_path: Path) -> None:
    (log, *_) = full_logs(logs["main"])
    file = str(tmp_path / "oracle.json")
    write_eval_log(log, file)
    pd.testing.assert_frame_equal(read_runs([file]).samples, read_runs([log.location]).samples)


def test_a_log_is_read_once(logs: dict[str, str]) -> None:
    files = [str(file) for file in Path(logs["main"]).glob("*.eval")]
    found = read_runs([logs["main"], *files, os.path.relpath(files[0]), f"file://{files[0]}"])
    assert (len(found.infos), found.refused) == (4, [])


def test_by_default_logs_are_where_inspect_writes_them(
    logs: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("INSPECT_LOG_DIR", logs["main"])
    assert len(read_runs().infos) == 4
    monkeypatch.delenv("INSPECT_LOG_DIR")
    monkeypatch.chdir(tmp_path)
    shutil.copytree(logs["main"], tmp_path / "logs")
    assert len(read_runs().infos) == 4


def bad_logs(folder: Path, good: Path) -> dict[str, str]:
    """Logs that cannot be compared, and what is to be said of each."""
    whole = good.read_bytes()
    (folder / "nothing.eval").write_bytes(b"")
    (folder / "cut.eval").write_bytes(whole[: len(whole) // 2])
    (folder / "garbled.eval").write_bytes(bytes(len(whole) - 4000) + whole[-4000:])
    (folder / "text.eval").write_text("no log")
    with zipfile.ZipFile(folder / "other.eval", "w") as other:
        other.writestr("readme.txt", "no log")
    with zipfile.ZipFile(folder / "half.eval", "w") as half:
        half.writestr("header.json", "{}")
    with zipfile.ZipFile(folder / "unsummed.eval", "w") as unsummed:
        header = read_eval_log(str(good), header_only=True)
        unsummed.writestr("header.json", header.model_dump_json(exclude_none=True))
        unsummed.writestr("summaries.json", "[[")
    (folder / "table.json").write_text("{}")
    write_eval_log(read_eval_log(str(good)).model_copy(update={"status": "started"}), str(folder / "running.eval"))
    empty = read_eval_log(str(good)).model_copy(update={"samples": [], "status": "error"})
    write_eval_log(empty, str(folder / "empty.eval"))
    other_task = Task(dataset=[Sample(input="Hello", id=1)], name="greetings")
    foreign = run(other_task, lambda seen: output("Hello."))
    write_eval_log(foreign, str(folder / "foreign.eval"))
    (folder / "notes.txt").write_text("no log")
    (folder / "no-logs").mkdir()
    return {
        **dict.fromkeys(
            ["nothing.eval", "cut.eval", "text.eval", "other.eval", "half.eval"], "no log that can be read"
        ),
        "table.json": "no log that can be read",
        "unsummed.eval": "its samples cannot be read",
        "running.eval": "has not ended, or was killed",
        "empty.eval": "holds no sample (status error",
        "foreign.eval": "is a log of greetings, which is no task of this suite",
        "notes.txt": "is no log; name a file that ends in .eval or .json, or a folder",
        "no-logs": "holds no log",
        "missing.eval": "there is no such file",
        "missing": "holds no log",
        "garbled.eval": "no log that can be read",
    }


def test_what_cannot_be_read_is_told_and_the_rest_is_read(logs: dict[str, str], tmp_path: Path) -> None:
    good = next(Path(logs["main"]).glob("*.eval"))
    said = bad_logs(tmp_path, good)
    bad = [str(tmp_path / name) for name in said]
    unknown = "nowhere://bucket/logs"
    found = read_runs([*bad, unknown, str(good)])
    assert [info.location for info in found.infos] == [str(good)]
    assert len(found.samples) == 10
    for name, words in said.items():
        (note,) = [note for note in found.refused if note.startswith(f"{tmp_path / name}:")]
        assert words in note
    assert any(note.startswith(unknown) and "Protocol not known" in note for note in found.refused)
    with pytest.raises(DataError, match="there is no log to compare") as refused:
        read_runs(bad)
    assert all(f"{tmp_path / name}:" in str(refused.value) for name in said)


# --- one run, several logs -----------------------------------------------------------------------------------


def test_of_a_retried_eval_set_the_newest_log_is_read(data: str, tmp_path: Path) -> None:
    tries: list[str] = []

    def fails_once(seen: Seen) -> Any:
        tries.append(seen.sample)
        if seen.sample == FAILS and tries.count(FAILS) == 1:
            raise RuntimeError("the connection broke")
        return output("Certainly.")

    done, _ = eval_set(
        user_tool_bench(data=data),
        log_dir=str(tmp_path),
        model=[scripted(fails_once)],
        retry_attempts=2,
        retry_wait=0.01,
        retry_immediate=False,
        retry_cleanup=False,
        continue_on_fail=True,
        display="none",
        log_realtime=False,
    )
    assert done
    assert tries.count(FAILS) == 2
    assert len(tries) == 11  # the others were taken over from the first log
    old, new = sorted(full_logs(tmp_path), key=lambda log: log.eval.created)
    assert (old.status, new.status) == ("error", "success")
    found = read_runs([str(tmp_path)])
    assert [info.status for info in found.infos] == ["success"]
    assert len(found.samples) == 10
    assert found.samples["scored"].all()
    (note,) = found.refused
    assert old.location.split("/")[-1] in note
    assert "was continued in" in note


def test_of_a_log_scored_again_the_newer_file_is_read(logs: dict[str, str], tmp_path: Path) -> None:
    (log, *_) = full_logs(logs["main"])
    old, new = tmp_path / "a.eval", tmp_path / "b.eval"
    for file, time in ((new, 2_000_000_000), (old, 1_000_000_000)):
        write_eval_log(log, str(file))
        os.utime(file, (time, time))
    found = read_runs([str(old), str(new)])
    assert [info.location for info in found.infos] == [str(new)]
    assert [note.split(":")[0] for note in found.refused] == [str(old)]
    assert "is an older file of the same run as" in found.refused[0]


def test_the_version_that_scored_a_log_is_in_its_signature(logs: dict[str, str], tmp_path: Path) -> None:
    """`inspect score` leaves the signature as the run wrote it; the scorers say which rules gave the verdicts."""
    (log, *_) = full_logs(logs["main"])
    for scorer in log.eval.scorers or []:
        scorer.metadata = {**(scorer.metadata or {}), "verdict": "spec-9"}
    write_eval_log(log, str(tmp_path / "again.eval"))
    (info,) = read_runs([str(tmp_path / "again.eval")]).infos
    assert info.parts["verdict"] == "spec-9"
    assert "|verdict:spec-9|" in info.signature


def test_runs_of_parts_make_up_one_system(data: str, tmp_path: Path) -> None:
    answers = plays(load(data))
    for task in (chat(data=data), multi_tool(data=data, profiles="p01"), multi_tool(data=data, profiles="p02")):
        run(task, answers, log_dir=str(tmp_path))
    found = read_runs([str(tmp_path)])
    assert {info.label for info in found.infos} == {"mockllm/model"}
    assert not found.samples.duplicated(["model", "sample", "epoch"]).any()
    assert found.refused == []


def test_repeats_are_kept_apart(data: str, tmp_path: Path) -> None:
    for _ in range(2):
        run(chat(data=data), plays(load(data)), log_dir=str(tmp_path))
    found = read_runs([str(tmp_path)])
    assert [(info.label, info.repeats) for info in found.infos] == [
        ("mockllm/model", None),
        ("mockllm/model #2", "mockllm/model"),
    ]
    assert set(found.samples["model"]) == {"mockllm/model", "mockllm/model #2"}
    (note,) = found.refused
    assert note.startswith(found.infos[1].location)
    assert "repeats samples of mockllm/model, and is shown apart, as mockllm/model #2" in note


def test_limits_and_settings_are_read(data: str, tmp_path: Path) -> None:
    plain = {"log_dir": str(tmp_path)}
    run(chat(data=data), plays(load(data)), **plain, temperature=0.5, max_connections=3)
    run(chat(data=data), plays(load(data)), **plain, temperature=1.0, token_limit=900, max_samples=2, max_connections=4)
    found = read_runs([str(tmp_path)])
    assert [info.limits for info in found.infos] == [{}, {"token_limit": 900}]
    assert [info.label for info in found.infos] == [
        "mockllm/model (temperature=0.5, token_limit=default)",
        "mockllm/model (temperature=1.0, token_limit=900)",
    ]


def test_systems_of_one_model_are_named_by_what_differs(logs: dict[str, str]) -> None:
    labels = {info.label for info in read_runs([logs["main"]]).infos}
    assert labels == {"utb/oracle", "utb/recall", "utb/noisy (error_rate=0.3)", "utb/noisy (error_rate=0.6)"}
