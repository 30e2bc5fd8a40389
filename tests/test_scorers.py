"""What each scorer says of a run, and that it says so again from the log alone."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import score as score_log
from inspect_ai._eval.score import resolve_scorers
from inspect_ai.analysis import SampleColumn, samples_df
from inspect_ai.log import EvalLog, read_eval_log, read_eval_log_sample_summaries
from inspect_ai.scorer import accuracy
from inspect_ai.solver import generate
from support import SCORERS, Seen, inspect_commands, once, output, run, samples, values, write_dataset

from utb_inspect.scorers import (
    utb_exact,
    utb_labels,
    utb_progress,
    utb_relaxed,
    utb_severity,
    utb_turn,
    utb_upstream,
)
from utb_inspect.tasks import user_tool_bench
from utb_inspect.trajectory.verdict import LABELS

LYON = {"origin": "Utrecht", "destination": "Lyon", "day": "2025-03-15", "seat": "window"}
LILLE = {"origin": "Utrecht", "destination": "Lille", "day": "2025-03-16", "seat": "window"}
BOOK = {"train_id": "L1", "seat": "window"}
NEXT = {"restaurant": "De Eend", "guests": 4, "day": "2025-03-28", "terrace": True}

RUNS: dict[str, list[Any]] = {
    # A preference missed: slight, and relaxed. L2 is no train that the reference books: it would be major.
    "p01-t01.3": [("findTrains", {**LILLE, "seat": "aisle"}), ("bookTrain", BOOK), "L1 is booked."],
    # An error after a call that would be judged wrong.
    "p01-t01.1": [("findTrains", {**LYON, "destination": "Nice"}), ConnectionError("gone")],
    "p01-t01.2": ["Mild."],
    # A preference missed in a lack-of-information turn: slight, but not relaxed; and asked without need.
    "p01-t02.2": [("reserveTable", {**NEXT, "terrace": False}), "Table E3."],
    "p02-t01.1": ["Which station in Bruges?"],
    # Ended by a limit of the provider.
    "p02-t02.3": ["OVERFLOW"],
}

WANTED: dict[str, tuple[bool, bool, str, set[str]]] = {
    "p01-t01.3": (False, True, "slight", {"implicit_preference"}),
    "p01-t01.2": (True, True, "none", set()),
    "p01-t02.2": (False, False, "slight", {"implicit_preference"}),
    "p02-t01.1": (False, False, "major", {"missing_tool", "clarification"}),
}
UNSCORED = ("p01-t01.1", "p02-t02.3")


def script(seen: Seen) -> Any:
    step = RUNS[seen.sample][seen.round]
    if isinstance(step, Exception):
        raise step
    if isinstance(step, tuple):
        return seen.call(step)
    return output("", stop="model_length") if step == "OVERFLOW" else output(step)


def _make(folder: Path) -> dict[str, Any]:
    """The log, and what `inspect score` makes of it with each scorer."""
    data = str(write_dataset(folder / "harbour"))
    log = run(user_tool_bench(data=data), script, sample_id=list(RUNS), log_dir=str(folder / "logs"))
    public = run(
        user_tool_bench(data=data, verdict="upstream"),
        script,
        sample_id=list(RUNS),
        log_dir=str(folder / "upstream"),
    )
    given = dict.fromkeys(SCORERS, log.location) | {"utb_upstream": public.location}
    commands = {}
    for name, location in given.items():
        target = ["--action", "overwrite", "--output-file", str(folder / f"{name}.eval")]
        argv = ["score", location, "--scorer", f"utb_inspect/{name}", "--model", "none/none", *target]
        commands[name] = (folder, [*argv, "--display", "plain"])
    done = inspect_commands(commands, preload=folder)
    return {
        "log": log.location,
        "upstream": public.location,
        "scored": {name: {**done[name], "log": str(folder / f"{name}.eval")} for name in done},
    }


@pytest.fixture(scope="session")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    found: dict[str, Any] = once(tmp_path_factory, "scorers", _make)
    return found


@pytest.fixture(scope="session")
def log(logs: dict[str, Any]) -> EvalLog:
    return read_eval_log(logs["log"])


def same(left: Any, right: Any) -> bool:
    """Equal, an unscored value (NaN) being equal to another."""
    if isinstance(left, float) and isinstance(right, float) and math.isnan(left):
        return math.isnan(right)
    return bool(left == right)


# --- values --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", WANTED)
def test_verdicts(log: EvalLog, sample: str) -> None:
    exact, relaxed, severity, labels = WANTED[sample]
    found = values(samples(log)[sample])
    assert found["utb_exact"] is exact
    assert found["utb_relaxed"] is relaxed
    assert found["utb_severity"] == severity
    assert found["utb_labels"] == {label: label in labels for label in LABELS}


def test_every_scorer_has_scored_every_decision(log: EvalLog) -> None:
    assert all(tuple(values(samples(log)[sample])) == SCORERS for sample in WANTED)


@pytest.mark.parametrize(
    ("sample", "wanted"),
    [
        # One of two calls fully agrees.
        ("p01-t01.3", {"progress": 0.5, "optimal": False, "asked": False, "rounds": 3, "calls": 2, "questions": 0}),
        ("p01-t01.2", {"progress": 1.0, "optimal": True, "rounds": 1, "calls": 0, "question_sentences": 0}),
        ("p02-t01.1", {"progress": 0.0, "asked": True, "rounds": 1, "questions": 1, "question_sentences": 1}),
    ],
)
def test_progress(log: EvalLog, sample: str, wanted: dict[str, Any]) -> None:
    found = values(samples(log)[sample])["utb_progress"]
    assert {key: found[key] for key in wanted} == wanted
    assert set(found) == {"progress", "optimal", "asked", "rounds", "calls", "questions", "question_sentences"}


def test_the_answer_column_has_the_run_in_one_line(log: EvalLog) -> None:
    answers = {s: (samples(log)[s].scores or {})["utb_exact"].answer for s in WANTED}
    assert answers == {
        "p01-t01.3": "findTrains > bookTrain > answer",
        "p01-t01.2": "answer",
        "p01-t02.2": "reserveTable > answer",
        "p02-t01.1": "question",
    }
    assert (samples(log)["p02-t01.1"].scores or {})["utb_labels"].answer == "clarification, missing_tool"
    assert (samples(log)["p01-t01.2"].scores or {})["utb_labels"].answer == "none"


@pytest.mark.parametrize("sample", UNSCORED)
def test_errors_are_not_scored(log: EvalLog, sample: str) -> None:
    assert all(isinstance(v, float) and math.isnan(v) for v in values(samples(log)[sample]).values())
    assert log.results is not None
    assert log.results.total_samples == len(RUNS)
    assert {s.scored_samples for s in log.results.scores} == {len(WANTED)}


# --- again from the log --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*SCORERS, "utb_upstream"])
def test_inspect_score_gives_the_same_scores_again(logs: dict[str, Any], name: str) -> None:
    done = logs["scored"][name]
    assert done["code"] == 0, done["output"]
    assert "Traceback" not in done["output"]
    first = read_eval_log(logs["upstream" if name == "utb_upstream" else "log"])
    again = read_eval_log(done["log"])
    compared = 0
    for sample, before in samples(first).items():
        value = (samples(again)[sample].scores or {})[name].value
        if name not in values(before):
            assert isinstance(value, float)  # errored: never scored before
            assert math.isnan(value)
            continue
        assert same(value, values(before)[name])
        compared += not (isinstance(value, float) and math.isnan(value))
    assert compared == len(WANTED)
    assert first.results is not None
    assert again.results is not None
    (figures,) = [s for s in first.results.scores if s.name == name]
    (figures_again,) = [s for s in again.results.scores if s.name == name]
    assert {k: m.value for k, m in figures.metrics.items()} == pytest.approx(
        {k: m.value for k, m in figures_again.metrics.items()}, nan_ok=True
    )
    assert figures_again.scored_samples == len(WANTED)


@pytest.mark.parametrize("sample", UNSCORED)
def test_scoring_again_never_turns_an_error_into_a_decision(log: EvalLog, sample: str) -> None:
    scorers = [utb_exact(), utb_relaxed(), utb_severity(), utb_labels(), utb_progress(), utb_turn()]
    again = score_log(log, scorers, model="none/none", action="overwrite", display="none")
    found = (samples(again)[sample].scores or {}).values()
    assert len(found) == 6
    assert all(isinstance(s.value, float) and math.isnan(s.value) for s in found)
    assert all("Not scored" in (s.explanation or "") for s in found)
    assert {s: values(x) for s, x in samples(again).items() if s in WANTED} == {
        s: values(x) for s, x in samples(log).items() if s in WANTED
    }


def test_runs_of_the_other_verdict_are_unscored(logs: dict[str, Any], log: EvalLog) -> None:
    as_public = score_log(log, utb_upstream(), model="none/none", action="overwrite", display="none")
    assert all(math.isnan(s["utb_upstream"]) for s in map(values, samples(as_public).values()))
    public = read_eval_log(logs["upstream"])
    as_spec = score_log(public, utb_exact(), model="none/none", action="overwrite", display="none")
    assert all(math.isnan(s["utb_exact"]) for s in map(values, samples(as_spec).values()))


def test_the_mark_of_an_error_survives_writing_and_reading(log: EvalLog) -> None:
    assert samples(log)["p01-t01.1"].store["utb_error"] == "ConnectionError: gone"


# --- other solvers -------------------------------------------------------------------------------------------


def test_errors_of_other_solvers_are_no_decisions_either(tmp_path: Path) -> None:
    """`generate()` leaves no mark: the run just stops after a call, or with the provider's fault as its output."""
    data = str(write_dataset(tmp_path / "harbour"))
    log = run(user_tool_bench(data=data), script, sample_id=list(RUNS), solver=generate())
    again = score_log(log, utb_exact(), model="none/none", action="overwrite", display="none")
    found = {sample: values(x)["utb_exact"] for sample, x in samples(again).items()}
    assert {sample: found[sample] for sample in WANTED} == {sample: w[0] for sample, w in WANTED.items()}
    assert all(math.isnan(found[sample]) for sample in UNSCORED)


# --- what readers of logs rely on ----------------------------------------------------------------------------


def test_the_sample_list_can_be_filtered(logs: dict[str, Any]) -> None:
    """`utb_severity == "major" and metadata.third == "last"`, in the summaries that the viewer reads."""
    summaries = {str(s.id): s for s in read_eval_log_sample_summaries(logs["log"])}
    assert (summaries["p02-t01.1"].scores or {})["utb_severity"].value == "major"
    assert summaries["p02-t01.1"].metadata["third"] == "first"
    assert summaries["p01-t02.2"].metadata == {
        "profile": "p01",
        "topic": "p01-t02",
        "topic_turns": 2,
        "turn_index": 2,
        "position": 5,
        "third": "last",
        "task_type": "lack_of_information",
        "subtype": "partial_information",
        "recoverable": True,
        "toolset": "table",
        "domain": "food",
    }
    assert summaries["p01-t01.3"].input == "And to Lille on Sunday, book the early one."
    assert len({(s.scores or {})["utb_severity"].value for n, s in summaries.items() if n in WANTED}) <= 3


def test_labels_can_be_picked_from_the_data_frame(logs: dict[str, Any]) -> None:
    pytest.importorskip("pyarrow", reason="inspect_ai.analysis needs pyarrow")
    columns = [
        SampleColumn("id", path="id"),
        SampleColumn("missing", path="scores.utb_labels.value.missing_tool"),
    ]
    frame = samples_df(logs["log"], columns=columns, quiet=True)
    found: dict[str, Any] = defaultdict(lambda: None, zip(frame["id"], frame["missing"], strict=True))
    assert {s: bool(found[s]) for s in WANTED} == {s: "missing_tool" in w[3] for s, w in WANTED.items()}


def test_values_are_of_kinds_that_the_viewer_knows(log: EvalLog) -> None:
    for sample in WANTED:
        found = values(samples(log)[sample])
        assert isinstance(found["utb_exact"], bool)
        assert isinstance(found["utb_severity"], str)
        assert all(type(held) is int and held in (0, 1) for held in found["utb_labels"].values())
        json.dumps(found)


def test_accuracy_reads_the_values(log: EvalLog) -> None:
    assert log.results is not None
    (exact,) = [s for s in log.results.scores if s.name == "utb_exact"]
    assert exact.metrics["accuracy"].value == 1 / 4
    assert accuracy()([]) == 0


def test_a_log_is_scored_again_without_naming_a_scorer(tmp_path: Path) -> None:
    """Inspect logs scorers without their package, and looks for them under that name."""
    data = str(write_dataset(tmp_path / "harbour"))
    first = run(user_tool_bench(data=data), script, sample_id=list(RUNS))
    again = score_log(first, resolve_scorers(first), model="none/none", action="overwrite", display="none", copy=True)
    assert {s: values(samples(again)[s]) for s in WANTED} == {s: values(samples(first)[s]) for s in WANTED}
