"""Finished logs scored again: only scores change, nothing is lost, and logs of different kinds are told apart."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from inspect_ai import Task
from inspect_ai import score as inspect_score
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, EvalSample, ProvenanceData, edit_score, read_eval_log, write_eval_log
from inspect_ai.scorer import ScoreEdit, Scorer, includes
from inspect_ai.solver import generate
from support import STARTED, Seen, as_output, inspect_commands, oracle, output, plays, run, write_dataset

from utb_inspect.cli import main
from utb_inspect.datasets import load
from utb_inspect.rescoring.log_file import Json, open_log
from utb_inspect.rescoring.scoring import rescore
from utb_inspect.scorers import utb_exact
from utb_inspect.tasks import user_tool_bench
from utb_inspect.trajectory.verdict import SPEC_VERSION
from utb_inspect.upstream import UPSTREAM_VERSION

FILTERED = "p01-t01.1"
"""The sample whose output the provider's filter stops."""
WRONG = "p01-t01.2"
"""A sample that is answered with a call where talk was asked for."""
CUT = "p02-t01.1"
"""A sample whose output is cut at `max_tokens`."""


def script(data: str) -> Callable[[Seen], Any]:
    """The reference, with an error, a wrong decision, a cut output, and the other path of an alternative."""
    plans = {turn.id: oracle(turn) for turn in load(data).turns}
    karper = {"restaurant": "Karper", "guests": 1, "day": "2025-04-05"}

    def play(seen: Seen) -> Any:
        match seen.sample:
            case "p01-t01.1":
                return output("", stop="content_filter")
            case "p01-t01.2" if seen.round == 0:
                return seen.call(("listBookings", {}))
            case "p02-t01.1":
                return output("The train leaves at", stop="max_tokens")
            case "p02-t02.1":
                return output("Table K2.") if seen.round else seen.call(("reserveTable", karper))
        return as_output(plans[seen.sample][min(seen.round, len(plans[seen.sample]) - 1)], seen)

    return play


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_dataset(tmp_path_factory.mktemp("harbour") / "harbour"))


KINDS: Mapping[str, Mapping[str, Any]] = {
    "spec": {},
    "epochs": {"epochs": 2},
    "upstream": {"verdict": "upstream"},
    "other solver": {"solver": generate()},
    "scored on error": {"score_on_error": True, "fail_on_error": None},
    "broken off": {"fail_on_error": True, "max_samples": 1},
    "json": {"log_format": "json"},
}


@pytest.fixture(scope="module")
def made(data: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A log of each kind."""
    found = {}
    for kind, options in KINDS.items():
        given = dict(options)
        task = user_tool_bench(data=data, **({"verdict": given.pop("verdict")} if "verdict" in given else {}))
        log = run(task, script(data), log_dir=str(tmp_path_factory.mktemp("logs")), **given)
        found[kind] = Path(log.location)
    return found


@pytest.fixture
def logs(made: dict[str, Path], tmp_path: Path) -> dict[str, Path]:
    """Copies to write on, each in a folder of its own."""
    found = {}
    for kind, path in made.items():
        folder = tmp_path / kind.replace(" ", "-")
        folder.mkdir()
        found[kind] = Path(shutil.copy(path, folder))
    return found


def utb(*argv: Any) -> Result:
    return CliRunner().invoke(main, ["rescore", *map(str, argv)])


OLD = {SPEC_VERSION: "spec-0", UPSTREAM_VERSION: "upstream-0"}


def aged(path: Path) -> None:
    """Make a log one of an older scoring version that judged every decision the other way round."""
    file = open_log(path)
    header = json.loads(json.dumps(file.header))
    spec, results = header["eval"], header.get("results") or {"scores": []}
    for version, old in OLD.items():
        spec["metadata"]["signature"] = spec["metadata"]["signature"].replace(
            f"|verdict:{version}|", f"|verdict:{old}|"
        )
    spec["tags"] = [OLD.get(tag, tag) for tag in spec["tags"]]
    for entry in [*spec["scorers"], *results["scores"]]:
        if "verdict" in entry.get("metadata", ()):
            entry["metadata"]["verdict"] = OLD[entry["metadata"]["verdict"]]
        if "accuracy" in entry.get("metrics", ()):
            entry["metrics"]["accuracy"]["value"] = 0.125
    file.save(path, header, file.reductions, dict.fromkeys(range(len(file)), turned))


def turned(sample: Json) -> Json:
    """A sample with the other main verdict, in the transcript too."""

    def turn(score: Json) -> Json:
        decided = isinstance(score["value"], bool)
        return {**score, "value": not score["value"], "explanation": "as it was seen then"} if decided else score

    main = ("utb_exact", "utb_upstream")
    scores = {name: turn(s) if name in main else s for name, s in (sample.get("scores") or {}).items()}
    events = [
        {**e, "score": turn(e["score"])} if e["event"] == "score" and e["scorer"] in main else e
        for e in sample["events"]
    ]
    return {**sample, "scores": scores, "events": events}


def dump(log: EvalLog) -> Any:
    """A log as JSON, NaN as a word so that it equals itself; of the scoring's events, who gave which score.

    Left out: where the log lies, what is read lazily, and what is in the log twice.
    """
    whole = log.model_dump(mode="json", exclude={"location", "etag", "samples", "metadata", "reductions"})
    whole["reductions"] = [r.model_dump(mode="json") for r in log.reductions or []]
    whole["samples"] = [_dump_sample(sample) for sample in log.samples or []]
    return json.loads(json.dumps(whole), parse_constant=str)


def _dump_sample(sample: EvalSample) -> Any:
    dumped = sample.model_dump(mode="json")
    events = dumped.pop("events")
    start = next(
        (i for i, e in enumerate(events) if e["event"] == "span_begin" and e["type"] == "scorers"), len(events)
    )
    scoring = [e for e in events[start:] if e["event"] != "store"]  # the first scoring notes defaults in the store
    names = [(e["event"], e.get("name") or e.get("scorer"), e.get("score")) for e in scoring]
    return {**dumped, "run": events[:start], "scoring": names}


# --- identical -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_log_of_this_version_stays_as_it_is(logs: dict[str, Path], kind: str) -> None:
    path = logs[kind]
    before = path.read_bytes()
    done = utb(path)
    assert done.exit_code == 0, done.output
    assert "Nothing changed" in done.output
    assert "as it was" in done.output
    assert path.read_bytes() == before


@pytest.mark.parametrize("kind", KINDS)
def test_every_score_and_metric_is_what_inspect_gives(logs: dict[str, Path], kind: str) -> None:
    """Inspect's own scoring of the whole log, by itself, as the independent witness."""
    log = read_eval_log(str(logs[kind]))
    rescored = rescore(open_log(logs[kind]))
    assert log.samples is not None
    assert log.eval.scorers is not None
    own = [s.name for s in log.eval.scorers]
    witness = inspect_score(log, _scorers(own), action="overwrite", model="none/none", display="none")
    by_key = {(s.id, s.epoch): s for s in witness.samples or []}
    for scores in rescored.samples.values():
        wanted = {
            n: s.model_dump(mode="json", exclude_none=True)
            for n, s in (by_key[scores.id, scores.epoch].scores or {}).items()
        }
        assert str(scores.after) == str(wanted)
    if log.results is not None and kind != "broken off":
        wanted_metrics = {s.name: {n: str(m.value) for n, m in s.metrics.items()} for s in witness.results.scores}  # type: ignore[union-attr]
        assert {
            s.name: {n: str(m.value) for n, m in s.metrics.items()} for s in rescored.log.results.scores
        } == wanted_metrics  # type: ignore[union-attr]


def _scorers(names: list[str]) -> list[Scorer]:
    import utb_inspect.scorers as suite

    return [getattr(suite, name)() for name in names]


@pytest.mark.parametrize("kind", KINDS)
def test_a_log_of_an_older_version_comes_out_as_a_new_one(
    logs: dict[str, Path], made: dict[str, Path], kind: str
) -> None:
    path = logs[kind]
    aged(path)
    old = read_eval_log(str(path))
    assert f"verdict:{'upstream-0' if kind == 'upstream' else 'spec-0'}" in (old.eval.metadata or {})["signature"]
    assert dump(old) != dump(read_eval_log(str(made[kind])))
    done = utb(path)
    assert done.exit_code == 0, done.output
    again = read_eval_log(str(path))
    assert (again.eval.metadata or {}).pop("rescored_from") == [(old.eval.metadata or {})["signature"]]
    assert dump(again) == dump(read_eval_log(str(made[kind])))
    assert utb(path).output.count("as it was") == 1


def test_a_log_says_by_which_version_each_score_was_made(made: dict[str, Path]) -> None:
    spec = dict.fromkeys(("utb_exact", "utb_relaxed", "utb_severity", "utb_labels", "utb_progress"), SPEC_VERSION)
    for kind, wanted in (("spec", spec), ("upstream", {"utb_upstream": UPSTREAM_VERSION})):
        log = read_eval_log(str(made[kind]))
        scored = inspect_score(log, [utb_exact()], action="append", model="none/none", display="none")
        for found, more in ((log, {}), (scored, {"utb_exact": SPEC_VERSION})):
            assert found.results is not None
            for entries in (found.eval.scorers or [], found.results.scores):
                versions = {entry.name: (entry.metadata or {}).get("verdict") for entry in entries}
                assert (wanted | more).items() <= versions.items()


# --- nothing is lost -----------------------------------------------------------------------------------------


def test_errors_stay_errors(logs: dict[str, Path]) -> None:
    before = _raw(logs["spec"])[FILTERED]
    assert "content filter" in before["error"]["message"]
    aged(logs["spec"])
    assert utb(logs["spec"]).exit_code == 0
    assert _raw(logs["spec"])[FILTERED] == before
    # Scored all the same, at the user's wish: the mark in the store keeps it from being a decision.
    aged(logs["scored on error"])
    assert utb(logs["scored on error"]).exit_code == 0
    errored = _raw(logs["scored on error"])[FILTERED]
    assert errored["error"]
    assert {str(score["value"]) for score in errored["scores"].values()} == {"nan"}


def _raw(path: Path) -> dict[str, Json]:
    file = open_log(path)
    return {sample["id"]: sample for sample in map(file.sample, range(len(file)))}


def test_a_log_of_nothing_but_errors_stays_as_it_is(data: str, tmp_path: Path) -> None:
    path = Path(
        run(user_tool_bench(data=data), lambda seen: output("", stop="content_filter"), log_dir=str(tmp_path)).location
    )
    before = path.read_bytes()
    done = utb(path)
    assert done.exit_code == 0, done.output
    assert "as it was 10 0 0" in " ".join(done.output.split())
    assert path.read_bytes() == before


def test_a_score_edited_by_hand_gets_its_computed_value_back(logs: dict[str, Path]) -> None:
    path = logs["spec"]
    log = read_eval_log(str(path))
    edit = ScoreEdit(value=True, provenance=ProvenanceData(author="Ada", reason="seems right"))
    edit_score(log, WRONG, "utb_exact", edit)
    write_eval_log(log, str(path))
    assert f"{WRONG} 1 utb_exact true → false" in " ".join(utb(path).output.split())
    (sample,) = [sample for sample in read_eval_log(str(path)).samples or [] if sample.id == WRONG]
    assert sample.scores is not None
    assert (sample.scores["utb_exact"].value, sample.scores["utb_exact"].history) == (False, [])
    assert [event.edit for event in sample.events if event.event == "score_edit"] == [edit]


def test_scores_of_other_scorers_stay(logs: dict[str, Path]) -> None:
    path = logs["epochs"]
    log = read_eval_log(str(path))
    write_eval_log(inspect_score(log, [includes()], action="append", model="none/none", display="none"), str(path))
    aged(path)
    before = read_eval_log(str(path))
    assert utb(path).exit_code == 0
    after = read_eval_log(str(path))
    for found in (before, after):
        assert found.results is not None
    assert _of(after, "includes") == _of(before, "includes")
    assert all(len(part) > 0 for part in _of(after, "includes"))
    assert _of(after, "utb_exact") != _of(before, "utb_exact")


def _of(log: EvalLog, name: str) -> tuple[list[Any], ...]:
    """All that a log holds of a scorer."""
    assert log.results is not None
    events = [e for s in log.samples or [] for e in s.events if e.event == "score" and e.scorer == name]
    parts = (
        [s for s in log.eval.scorers or [] if s.name == name],
        [s for s in log.results.scores if s.name == name],
        [r for r in log.reductions or [] if r.scorer == name],
        [s.scores[name] for s in log.samples or [] if s.scores and name in s.scores],
        events,
    )
    return tuple([item.model_dump_json() for item in part] for part in parts)


def test_all_scorers_of_the_task_are_applied_whichever_the_log_had(
    logs: dict[str, Path], made: dict[str, Path]
) -> None:
    path = logs["spec"]
    log = read_eval_log(str(path))
    one = inspect_score(log, [utb_exact()], action="overwrite", model="none/none", display="none")
    write_eval_log(inspect_score(one, [utb_exact()], action="append", model="none/none", display="none"), str(path))
    assert utb(path).exit_code == 0
    again = read_eval_log(str(path))
    declared = {
        s.name for s in read_eval_log(str(made["spec"])).eval.scorers or [] if (s.metadata or {}).get("verdict")
    }
    assert {s.name for s in again.eval.scorers or []} == declared
    assert {name for sample in again.samples or [] for name in sample.scores or {}} == declared
    assert again.results is not None
    assert sorted(s.name for s in again.results.scores) == sorted(declared)


@pytest.mark.parametrize("kind", ["spec", "json"])
def test_a_log_that_is_scored_often_does_not_grow(logs: dict[str, Path], kind: str) -> None:
    path = logs[kind]
    sizes = []
    for _ in range(4):
        file = open_log(path)
        file.save(path, file.header, file.reductions, dict.fromkeys(range(len(file)), turned))
        rescored = rescore(open_log(path))
        assert not rescored.same
        rescored.save(path)
        sizes.append(path.stat().st_size)
    assert (
        max(sizes) - min(sizes) < 0.01 * sizes[0]
    )  # a new event has a new id and time, which pack a little differently


@pytest.mark.parametrize("kind", ["spec", "json"])
def test_a_crash_while_writing_leaves_the_log_as_it_was(
    logs: dict[str, Path], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = logs[kind]
    aged(path)
    before = path.read_bytes()

    def fail(source: Any, target: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    done = utb(path)
    assert done.exit_code == 1
    assert "No space left" in done.output
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


# --- what is told --------------------------------------------------------------------------------------------


def test_what_changed_is_told(logs: dict[str, Path], tmp_path: Path) -> None:
    aged(logs["spec"])
    details = tmp_path / "details.jsonl"
    text = " ".join(utb(logs["spec"], "--details", details).output.split())
    # Ten turns: one is an error, of the nine others two were wrong and seven right, before the other way round.
    assert "spec-0 → spec-1 overwritten 10 9 9" in text
    assert "utb_exact accuracy 0.125 0.778 9 0 0" in text
    assert f"{WRONG} 1 utb_exact true → false" in text
    assert "p02-t02.1 1 utb_exact false → true" in text
    assert "Log 1: made by spec-0, re-scored by spec-1." in text
    lines = [json.loads(line) for line in details.read_text().splitlines()]
    assert [line["id"] for line in lines] == [turn for turn in STARTED if turn != FILTERED]
    assert lines[1] == {
        "log": os.path.relpath(logs["spec"]),
        "id": WRONG,
        "epoch": 1,
        "scorer": "utb_exact",
        "before": True,
        "after": False,
    }


def test_a_long_list_is_cut_and_what_is_left_out_counted(
    logs: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("utb_inspect.rescoring.report.LISTED", 2)
    aged(logs["spec"])
    text = utb(logs["spec"], "--dry-run").output
    assert WRONG in text
    assert "p02-t02.1" not in text
    assert "and 7 more; --details FILE writes all" in text


def test_a_value_is_told_by_what_differs_in_it(logs: dict[str, Path]) -> None:
    def edit(sample: Json) -> Json:
        scores = sample["scores"]
        if sample["id"] == WRONG:
            scores["utb_labels"]["value"] |= {"no_answer": 1, "wrong_tool": 0}
            scores["utb_progress"]["answer"] = "otherwise"
        if sample["id"] == CUT:
            scores["utb_severity"]["value"] = math.nan
            del scores["utb_relaxed"]
        return sample

    file = open_log(logs["spec"])
    file.save(file.path, file.header, file.reductions, {i: edit for i in range(len(file)) if file.sample(i)["scores"]})
    text = " ".join(utb(logs["spec"]).output.split())
    assert f"{WRONG} 1 utb_labels wrong_tool 0 → 1, no_answer 1 → 0" in text
    assert f"{CUT} 1 utb_severity not scored → major" in text
    assert "utb_relaxed accuracy 0.889 0.889 0 0 1" in text  # eight of nine; one had no score before
    assert "utb_progress progress" in text
    assert re.search(r"utb_progress progress (\S+) \1 0 1 0", text)
    assert "values changed though the scoring version is the same, spec-1" in text


def test_a_label_that_is_true_is_one_that_is_1(logs: dict[str, Path]) -> None:
    def edit(sample: Json) -> Json:
        labels = sample["scores"]["utb_labels"]["value"]
        sample["scores"]["utb_labels"]["value"] = {label: bool(held) for label, held in labels.items()}
        return sample

    file = open_log(logs["spec"])
    file.save(file.path, file.header, file.reductions, {i: edit for i in range(len(file)) if file.sample(i)["scores"]})
    before = logs["spec"].read_bytes()
    done = utb(logs["spec"])
    assert done.exit_code == 0
    assert "Nothing changed" in done.output
    assert logs["spec"].read_bytes() == before


def test_samples_that_a_limit_ended_before_they_were_set_up_stay_unscored(data: str, tmp_path: Path) -> None:
    log = run(user_tool_bench(data=data), plays(load(data)), log_dir=str(tmp_path), time_limit=0)
    assert {sample.limit.type if sample.limit else None for sample in log.samples or []} == {"time"}
    assert not any(sample.store for sample in log.samples or [])
    for sample in log.samples or []:
        for score in (sample.scores or {}).values():
            assert "cut short by a limit" in str(score.explanation)
    done = utb(log.location)
    assert done.exit_code == 0, done.output
    assert "Nothing changed" in done.output


def test_versions_and_data_are_told_apart(logs: dict[str, Path], data: str) -> None:
    aged(logs["spec"])
    file = open_log(logs["json"])
    header = json.loads(json.dumps(file.header).replace("harbour@1.0.0", "harbour@0.9.0"))
    file.save(file.path, header, file.reductions, {})
    text = utb(logs["spec"], logs["json"], logs["epochs"]).output
    lines = [line.strip() for line in text.splitlines() if line.startswith(("  ", "The logs "))]
    name = load(data).name
    assert lines == [
        "The logs are of different data; their figures do not compare:",
        f"{name}: log 1, log 3",
        f"{name.replace('1.0.0', '0.9.0')}: log 2",
        "The logs had scores of different versions, which do not compare:",
        "spec-0: log 1",
        "spec-1: log 2, log 3",
    ]


def test_a_log_of_other_data_than_the_installed_is_named(logs: dict[str, Path]) -> None:
    file = open_log(logs["spec"])
    header = json.loads(json.dumps(file.header))
    header["eval"]["metadata"] |= {"dataset": "utb_open", "dataset_hash": "abc123abc123"}
    header["eval"]["metadata"]["signature"] = "data:utb_open@0.9.0#abc123|verdict:spec-1|suite:0.1.0"
    file.save(file.path, header, file.reductions, {})
    installed = load("utb_open").name.removeprefix("utb_open@")
    assert f"made with utb_open@0.9.0#abc123, installed is {installed}; scored against" in utb(file.path).output


# --- files ---------------------------------------------------------------------------------------------------


def test_a_dry_run_writes_nothing(logs: dict[str, Path]) -> None:
    aged(logs["spec"])
    before = logs["spec"].read_bytes()
    done = utb(logs["spec"], "--dry-run")
    assert done.exit_code == 0
    assert "would change" in done.output
    assert logs["spec"].read_bytes() == before


def test_another_folder_leaves_the_logs_alone(logs: dict[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "all"
    folder.mkdir()
    own = [Path(shutil.copy(logs[kind], folder)) for kind in ("spec", "upstream", "json")]
    aged(own[0])
    before = [path.read_bytes() for path in own]
    done = utb(folder, "--output-dir", tmp_path / "new")
    assert done.exit_code == 0
    assert [path.read_bytes() for path in own] == before
    written = {path.name: path for path in (tmp_path / "new").iterdir()}
    assert set(written) == {path.name for path in own}
    assert dump(read_eval_log(str(written[own[1].name]))) == dump(read_eval_log(str(own[1])))
    again = utb(folder, "--output-dir", tmp_path / "new")
    assert again.exit_code == 2
    assert "exists already" in again.output


def test_what_cannot_be_scored_is_named_and_the_rest_is_done(logs: dict[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "all"
    folder.mkdir()
    aged(logs["spec"])
    good = shutil.copy(logs["spec"], folder / "good.eval")
    (folder / "broken.eval").write_bytes(b"no log")
    run(Task(dataset=[Sample(input="Hello", id=1)], name="other"), lambda seen: output("Hello."), log_dir=str(folder))
    _repacked(logs["epochs"], folder / "running.eval", lambda name, data: None if name == "header.json" else data)
    no_turn = open_log(logs["json"])
    edits = dict.fromkeys(range(len(no_turn)), lambda sample: {**sample, "store": {}})
    no_turn.save(folder / no_turn.path.name, no_turn.header, no_turn.reductions, edits)
    _repacked(logs["upstream"], folder / "half.eval", lambda name, data: data[:99] if WRONG in name else data)
    _scribbled(Path(shutil.copy(logs["upstream"], folder / "scribbled.eval")), 100)
    _scribbled(Path(shutil.copy(logs["upstream"], folder / "damaged.eval")), 400)
    untouched = {path: path.read_bytes() for path in folder.iterdir() if path.name != "good.eval"}
    done = utb(folder, tmp_path / "nowhere.eval")
    assert done.exit_code == 1
    text = " ".join(done.output.split())
    assert text.count("Not re-scored") == 8
    for reason in (
        "broken.eval",
        "other",
        "running.eval",
        "no turn in its store",
        "half.eval: samples/",
        "scribbled.eval: samples/",
        "damaged.eval: samples/",
        "nowhere.eval",
    ):
        assert reason in text
    assert read_eval_log(str(good)).eval.metadata["rescored_from"]  # type: ignore[index]
    assert {path: path.read_bytes() for path in untouched} == untouched


def _other_values(sample: Json) -> None:
    for score in (sample.get("scores") or {}).values():
        score["value"] = {"a": [{}]}


def _other_parameters(sample: Json) -> None:
    for tool in sample["store"]["utb"]["toolset"]["tools"]:
        tool["function"]["parameters"] = {"type": 2}


DAMAGE: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "no id": ("samples/", lambda sample: sample.pop("id")),
    "no epoch": ("samples/", lambda sample: sample.pop("epoch")),
    "events that are none": ("samples/", lambda sample: sample.update(events=[[]])),
    "store that is none": ("samples/", lambda sample: sample.update(store=[1])),
    "values that are none": ("samples/", _other_values),
    "tools that are none": ("samples/", _other_parameters),
    "summaries": ("summaries.json", lambda summaries: summaries.insert(0, 3)),
    "reductions": ("reductions.json", lambda reductions: reductions.append(3)),
    "start": ("_journal/start.json", lambda start: start.clear()),
}
"""What is damaged of a log: members, and how."""


@pytest.mark.parametrize("kind", [*DAMAGE, "a list", "samples that are a number"])
def test_a_damaged_log_is_named_and_the_others_are_scored(logs: dict[str, Path], tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "all"
    folder.mkdir()
    for name in ("first.eval", "third.eval"):
        aged(Path(shutil.copy(logs["upstream" if name == "first.eval" else "spec"], folder / name)))
    damaged = folder / "second.eval"
    if kind in DAMAGE:

        def change(name: str, data: bytes) -> bytes:
            member, damage = DAMAGE[kind]
            value = json.loads(data)
            if name.startswith(member):
                damage(value)
            return json.dumps(value).encode()

        aged(logs["epochs"])
        _repacked(logs["epochs"], damaged, change)
    else:
        damaged = folder / "second.json"
        whole = {**json.loads(logs["json"].read_text()), "samples": 7}
        damaged.write_text(json.dumps([whole] if kind == "a list" else whole))
    before = damaged.read_bytes()
    done = utb(*sorted(folder.iterdir()))
    told = [line for line in done.stderr.splitlines() if line.startswith("Not re-scored: ")]
    if kind == "start":  # nothing that scoring needs
        assert (done.exit_code, told) == (0, [])
    else:
        assert done.exit_code == 1
        assert [line.startswith(f"Not re-scored: {damaged}: ") for line in told] == [True]
        assert damaged.read_bytes() == before
    for name in ("first.eval", "third.eval"):
        assert read_eval_log(str(folder / name), header_only=True).eval.metadata["rescored_from"]  # type: ignore[index]
    assert sorted(path.name for path in folder.iterdir()) == ["first.eval", damaged.name, "third.eval"]


def _repacked(source: Path, target: Path, change: Callable[[str, bytes], bytes | None]) -> None:
    """A log with other members, or fewer, as one has that is still written."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in dict.fromkeys(old.namelist()):
            if (data := change(name, old.read(name))) is not None:
                new.writestr(name, data)


def _scribbled(log: Path, offset: int) -> None:
    """Write over the packed bytes of a sample, at the start or further in, which is noticed in other places."""
    with zipfile.ZipFile(log) as archive:
        (member,) = [info for info in archive.infolist() if WRONG in info.filename]
    with log.open("r+b") as file:
        file.seek(member.header_offset + offset)
        file.write(bytes(64))


# --- inspect score -------------------------------------------------------------------------------------------


def test_inspect_score_beside_it(logs: dict[str, Path]) -> None:
    """The documented command lines, each in a process of its own; what they leave is re-scored like any log."""
    folder = logs["spec"].parent
    argv = ["score", str(logs["spec"]), "--model", "none/none", "--display", "plain", "--overwrite"]
    one = [*argv, "--scorer", "utb_inspect/utb_exact", "--action"]
    commands = {"append": [*one, "append"], "all": [*argv, "--action", "overwrite"]}
    done = inspect_commands({name: (folder, command) for name, command in commands.items()}, preload=folder)
    assert {name: result["code"] for name, result in done.items()} == {"append": 0, "all": 0}, done
    log = read_eval_log(str(logs["spec"]))
    exact = [scorer for scorer in log.eval.scorers or [] if scorer.name == "utb_exact"]
    assert [scorer.metadata for scorer in exact] == [{"verdict": SPEC_VERSION}] * 2
    assert utb(logs["spec"]).exit_code == 0
    log = read_eval_log(str(logs["spec"]))
    assert [scorer.name for scorer in log.eval.scorers or []].count("utb_exact") == 1
