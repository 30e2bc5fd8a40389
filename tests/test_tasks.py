"""Tasks by path and by name, what they log, and what wrong parameters are told."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai._util.registry import registry_info
from inspect_ai.log import EvalLog, read_eval_log
from rich.console import Console
from support import (
    ROOT,
    SCORERS,
    STARTED,
    TOPICS,
    inspect_commands,
    metrics,
    newest_log,
    once,
    output,
    run,
    samples,
    shipped_or_skip,
    values,
    write_dataset,
    write_public,
)

from utb_inspect.datasets import load
from utb_inspect.refusal import refusal
from utb_inspect.signature import signature
from utb_inspect.start import from_start
from utb_inspect.tasks import (
    chat,
    dynamic_preference,
    lack_of_information,
    multi_tool,
    single_tool,
    user_tool_bench,
)

TASKS: dict[str, Callable[..., Task]] = {
    "chat": chat,
    "dynamic_preference": dynamic_preference,
    "lack_of_information": lack_of_information,
    "multi_tool": multi_tool,
    "single_tool": single_tool,
    "user_tool_bench": user_tool_bench,
}


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_dataset(tmp_path_factory.mktemp("tasks") / "harbour"))


# --- which turns ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "turns"),
    [
        ("single_tool", ["p01-t01.1", "p02-t01.1", "p02-t02.1"]),
        ("multi_tool", ["p01-t01.3", "p02-t01.2", "p02-t02.2"]),
        ("lack_of_information", ["p01-t02.1", "p01-t02.2"]),
        ("chat", ["p01-t01.2", "p02-t02.3"]),
        ("user_tool_bench", STARTED),
        ("dynamic_preference", STARTED),
    ],
)
def test_each_task_runs_its_turns_side_by_side(folder: str, task: str, turns: list[str]) -> None:
    assert [sample.id for sample in TASKS[task](data=folder).dataset] == turns


@pytest.mark.parametrize("given", ["p02", ["p02"], " p02 ,"])
def test_profiles_narrow_the_run(folder: str, given: Any) -> None:
    assert [sample.id for sample in chat(data=folder, profiles=given).dataset] == ["p02-t02.3"]


def test_the_third_is_that_of_the_whole_interaction_whatever_is_run(folder: str) -> None:
    thirds = {sample.id: (sample.metadata or {})["third"] for sample in multi_tool(data=folder).dataset}
    # Five turns a profile: two, two, one.
    assert thirds == {"p01-t01.3": "middle", "p02-t01.2": "first", "p02-t02.2": "middle"}


@pytest.mark.parametrize("task", [name for name in TASKS if name != "dynamic_preference"])
def test_shipped_turns_are_split_over_the_tasks(task: str) -> None:
    dataset = shipped_or_skip("utb_open")
    wanted = [t.id for t in dataset.turns if task == "user_tool_bench" or t.task_type == task]
    found = [str(sample.id) for sample in TASKS[task]().dataset]
    assert sorted(found) == sorted(wanted)
    assert found
    for profile in dataset.by_profile:
        assert [turn for turn in found if turn.startswith(f"{profile}-")] == [
            turn for turn in wanted if turn.startswith(f"{profile}-")
        ]


# --- by path and by name -------------------------------------------------------------------------------------


def _by_path_and_name(folder: Path) -> dict[str, Any]:
    write_dataset(folder / "harbour")
    write_public(folder / "ann.jsonl")
    common = ["--model", "utb/oracle", "--display", "none", "-T"]
    two = ["-T", "profiles=p01,p02"]
    given = {
        "path": (ROOT, ["eval", "tasks/multi_tool.py", *common, f"data={folder / 'harbour'}"]),
        # Data as the user sees it, though Inspect changes to the folder of the task's file.
        "path_from_elsewhere": (
            folder,
            ["eval", f"{ROOT}/tasks/multi_tool.py@multi_tool", *common, "data=harbour"],
        ),
        "name": (folder, ["eval", "utb_inspect/multi_tool", *common, "data=./harbour"]),
        "upstream": (
            folder,
            ["eval", "utb_inspect/single_tool", *common, "data=ann.jsonl", "-T", "verdict=upstream"],
        ),
        "generate": (
            folder,
            ["eval", "utb_inspect/multi_tool", *common, "data=harbour", "--solver", "inspect_ai/generate"],
        ),
        "commas": (
            folder,
            [
                "eval",
                "utb_inspect/chat",
                *common,
                "data=harbour",
                *two,
                "-T",
                "system_prompt=A, b.",
            ],
        ),
    }
    commands = {name: (cwd, [*argv, "--log-dir", str(folder / name)]) for name, (cwd, argv) in given.items()}
    # Only a process that has not imported the package shows whether the folder is noted in time.
    first = {"path_from_elsewhere": commands.pop("path_from_elsewhere")}
    return inspect_commands(first) | inspect_commands(commands, preload=folder) | {"folder": str(folder)}


@pytest.fixture(scope="session")
def ways(tmp_path_factory: pytest.TempPathFactory) -> dict[str, EvalLog]:
    done = once(tmp_path_factory, "ways", _by_path_and_name)
    folder = Path(done.pop("folder"))
    for name, result in done.items():
        assert result["code"] == 0, f"{name}: {result['output']}"
        assert "Traceback" not in result["output"]
    return {name: newest_log(folder / name) for name in done}


@pytest.mark.parametrize("way", ["path_from_elsewhere", "name"])
def test_by_path_and_by_name_is_the_same_task(ways: dict[str, EvalLog], way: str) -> None:
    by_path, other = ways["path"], ways[way]
    for log in (by_path, other):
        assert log.status == "success"  # `inspect eval` exits with 0 when the run ended in an error, too
        assert (log.eval.task, log.eval.task_version, log.eval.task_display_name) == ("multi_tool", "1.0", "Multi tool")
        assert set(log.eval.tags or ()) == {"user-tool-bench", "tool-use", "personalization", "spec-1"}
        assert log.eval.headline_metric is not None
        assert (log.eval.headline_metric.scorer, log.eval.headline_metric.metric) == ("utb_exact", "accuracy")
        assert log.results is not None
        assert [s.name for s in log.results.scores] == list(SCORERS)
        assert metrics(log, "utb_exact")["accuracy"] == 1.0
    assert by_path.eval.metadata == other.eval.metadata
    assert by_path.eval.viewer == other.eval.viewer
    assert [s.id for s in by_path.samples or ()] == [s.id for s in other.samples or ()]
    first, second = ([m.text for m in samples(log)["p01-t01.3"].messages] for log in (by_path, other))
    assert first == second


def test_the_viewer_shows_request_decision_and_verdicts(ways: dict[str, EvalLog]) -> None:
    viewer = ways["path"].eval.viewer
    assert viewer is not None
    view = viewer.task_samples_view
    assert view is not None
    assert not isinstance(view, list)
    columns = json.dumps([column.model_dump(mode="json") for column in view.columns or ()])
    for shown in ("input", "answer", "utb_exact", "utb_relaxed", "utb_severity", "error"):
        assert f'"{shown}"' in columns or shown in columns


def test_the_signature_stands_in_the_logs_metadata(ways: dict[str, EvalLog]) -> None:
    log = ways["path"]
    assert log.eval.metadata is not None
    parts = dict(part.split(":", 1) for part in log.eval.metadata["signature"].split("|"))
    digest = log.eval.metadata["dataset_hash"]
    assert len(digest) == 12
    assert parts["data"] == f"harbour@1.0.0#{digest[:6]}"
    assert parts["verdict"] == "spec-1"
    assert parts["inspect"] == log.eval.packages["inspect_ai"]
    assert (log.eval.metadata["dataset"], log.eval.metadata["dataset_version"]) == ("harbour", "1.0.0")


def test_public_rows_run_with_the_public_verdict(ways: dict[str, EvalLog]) -> None:
    log = ways["upstream"]
    assert log.status == "success"
    assert next(values(s) for s in log.samples or ()) == {"utb_upstream": True}
    assert log.eval.tags is not None
    assert "upstream" in log.eval.tags
    assert log.eval.headline_metric is not None
    assert log.eval.headline_metric.scorer == "utb_upstream"
    assert "|verdict:upstream|" in (log.eval.metadata or {})["signature"]


def test_another_solver_on_the_command_line_keeps_history_tools_and_scores(ways: dict[str, EvalLog]) -> None:
    log = ways["generate"]
    assert log.status == "success"
    assert {s.id: values(s)["utb_exact"] for s in log.samples or ()} == {
        "p01-t01.3": True,
        "p02-t01.2": True,
        "p02-t02.2": True,
    }
    ours = ways["path"]
    for a, b in zip(log.samples or (), ours.samples or (), strict=True):
        assert [m.text for m in a.messages] == [m.text for m in b.messages]


def test_values_with_commas_are_taken_as_meant(ways: dict[str, EvalLog]) -> None:
    log = ways["commas"]
    assert [s.id for s in log.samples or ()] == ["p01-t01.2", "p02-t02.3"]
    assert samples(log)["p01-t01.2"].messages[0].text in ("A, b.", "A,b.")


def test_offline_models_count_usage_themselves(ways: dict[str, EvalLog]) -> None:
    """Without it, Inspect asks the network how to count."""
    assert ways["path"].stats.model_usage["utb/oracle"].total_tokens > 0


def test_no_tool_is_swapped_for_a_providers_own(ways: dict[str, EvalLog]) -> None:
    assert ways["path"].plan.config.internal_tools is False


@pytest.mark.parametrize("task", TASKS)
def test_registry_names(task: str) -> None:
    assert registry_info(TASKS[task]).name == f"utb_inspect/{task}"


@pytest.mark.parametrize("task", TASKS)
def test_a_task_file_has_its_task_in_it(task: str) -> None:
    """Inspect finds tasks of a file by reading it; re-exported ones are not found."""
    text = (ROOT / f"tasks/{task}.py").read_text()
    assert f"@task\ndef {task}(" in text
    assert "from ." not in text


# --- wrong parameters ----------------------------------------------------------------------------------------


def _broken(folder: Path, kind: str) -> None:
    """A copy of the dataset with one fault."""
    topics = json.loads(json.dumps(TOPICS))
    call = topics[0]["turns"][2]["reference"]
    match kind:
        case "unknown_tool":
            call[1]["call"] = "bookPlane"
        case "cycle":
            call[0]["after"] = ["b"]
        case "dangling_evidence":
            call[0]["grounds"]["origin"]["evidence"][0]["turn"] = "p01-t07.3"
    write_dataset(folder, topics)
    if kind == "broken_json":
        (folder / "topics/p01/p01-t01.json").write_text('{"id": "p01-t01",\n "profile": }')


WRONG: dict[str, tuple[str, list[str]]] = {
    "unknown parameter": ("colour=blue", ["no parameter colour", "profiles", "max_rounds"]),
    "history": ("history=all", ["history=all", "full, none, topic or last:N"]),
    "environment": ("environment=outside", ["environment=outside", "inline or system"]),
    "profiles": ("profiles=p09", ["profiles=p09", "p01, p02"]),
    "no profile": ("profiles=''", ["profiles is empty"]),
    "max_rounds": ("max_rounds=0", ["max_rounds=0", "whole number from 1"]),
    "max_rounds word": ("max_rounds=many", ["max_rounds=many", "whole number from 1"]),
    "off_path": ("off_path=maybe", ["off_path=maybe", "continue or stop"]),
    "verdict": ("verdict=good", ["verdict=good", "spec or upstream"]),
    "language": ("language=nl", ["language=nl", "en or zh"]),
    "missing file": ("data=nowhere.jsonl", ["no dataset 'nowhere.jsonl'", "utb_open"]),
    "broken JSON": ("data=broken_json", ["topics/p01/p01-t01.json", "is no JSON", "line 2"]),
    "unknown tool": ("data=unknown_tool", ["turn p01-t01.3", "step 'b'", "no tool 'bookPlane'"]),
    "cyclic after": ("data=cycle", ["turn p01-t01.3", "cycle", "'a', 'b'"]),
    "dangling evidence": (
        "data=dangling_evidence",
        ["turn p01-t01.3", "'origin'", "'p01-t07.3', which does not exist"],
    ),
}


def _run_wrong(folder: Path) -> dict[str, Any]:
    for kind in ("broken_json", "unknown_tool", "cycle", "dangling_evidence"):
        _broken(folder / kind, kind)
    write_dataset(folder / "harbour")
    common = ["--model", "utb/oracle", "--display", "plain", "--log-dir", str(folder / "logs")]
    commands: dict[str, tuple[Path, list[str]]] = {}
    for name, (parameter, _) in WRONG.items():
        data = [] if parameter.startswith("data=") else ["-T", "data=harbour"]
        commands[name] = (folder, ["eval", "utb_inspect/multi_tool", *common, *data, "-T", parameter])
    done: Mapping[str, Any] = inspect_commands(commands, preload=folder)
    return {**done, "logs": [path.name for path in folder.glob("logs/*")]}


@pytest.fixture(scope="session")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    found: dict[str, Any] = once(tmp_path_factory, "wrong", _run_wrong)
    return found


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_parameter_gets_one_clear_message(wrong: dict[str, Any], name: str) -> None:
    text = " ".join(wrong[name]["output"].split())  # lines are wrapped at the width of the terminal
    assert wrong[name]["code"] == 1
    assert "Traceback" not in text
    assert text.count("multi_tool:") == 1
    for words in WRONG[name][1]:
        assert words in text


def test_nothing_is_logged_for_a_wrong_parameter(wrong: dict[str, Any]) -> None:
    assert wrong["logs"] == []


def test_all_faults_of_a_dataset_are_told_at_once(tmp_path: Path) -> None:
    topics = json.loads(json.dumps(TOPICS))
    topics[0]["turns"][2]["reference"][1]["call"] = "bookPlane"
    topics[2]["turns"][1]["reference"][0]["arguments"]["origin"] = 7
    data = write_dataset(tmp_path / "harbour", topics)
    with pytest.raises(PrerequisiteError) as caught:
        chat(data=str(data))
    text = str(caught.value.message)
    assert "2 faults" in text
    assert "p01-t01.3" in text
    assert "p02-t01.2" in text


@pytest.mark.parametrize("text", ["pip install 'utb-inspect[hf]'", "history=last:x: give", "a:smile:b [bold]", r"C:\x"])
def test_a_message_is_shown_as_it_is(text: str) -> None:
    """Inspect prints the message as rich markup."""
    console = Console(file=io.StringIO(), width=200)
    console.print(f"{refusal(text).message}")
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert shown.replace("\u200b", "") == f"{text}\n"


# --- signature -----------------------------------------------------------------------------------------------


def test_signature_format(folder: str) -> None:
    from importlib.metadata import version

    dataset = load(folder)
    rest = f"suite:{version('utb-inspect')}|inspect:{version('inspect-ai')}"
    assert signature(dataset, {}) == (
        f"data:harbour@1.0.0#{dataset.hash[:6]}|verdict:spec-1|history:full|environment:inline|off_path:continue|{rest}"
    )
    given = {"history": "last:5", "environment": "system", "off_path": "stop", "max_rounds": 9, "language": "en"}
    assert signature(dataset, given) == (
        f"data:harbour@1.0.0#{dataset.hash[:6]}|verdict:spec-1|history:last:5|environment:system|off_path:stop"
        f"|max_rounds:9|language:en|{rest}"
    )


def test_a_system_prompt_is_told_apart_without_being_told(folder: str) -> None:
    dataset = load(folder)
    one, other = (signature(dataset, {"system_prompt": text}) for text in ("Be brief.", "Be kind."))
    assert one != other != signature(dataset, {})
    assert "brief" not in one


def test_options_that_were_given_as_their_defaults_change_no_signature(folder: str) -> None:
    plain = single_tool(data=folder).metadata or {}
    given = (
        single_tool(data=folder, history="full", environment="inline", off_path="continue", verdict="spec").metadata
        or {}
    )
    assert plain["signature"] == given["signature"]


def test_the_hash_follows_what_a_model_is_shown(tmp_path: Path) -> None:
    same = load(str(write_dataset(tmp_path / "same")))
    profiles = {"p01": {"short_persona": "Someone else."}, "p02": {"short_persona": "Another."}}
    hidden = load(str(write_dataset(tmp_path / "hidden", profiles=profiles)))
    topics = json.loads(json.dumps(TOPICS))
    topics[0]["turns"][0]["request"] += " Now."
    changed = load(str(write_dataset(tmp_path / "changed", topics)))
    assert same.hash == hidden.hash != changed.hash


# --- the log as a whole --------------------------------------------------------------------------------------


def test_a_log_can_be_read_back_and_names_its_dataset(folder: str, tmp_path: Path) -> None:
    log = run(chat(data=folder), lambda seen: output("Indeed."), log_dir=str(tmp_path))
    again = read_eval_log(log.location)
    assert again.eval.dataset.name == f"harbour@1.0.0#{load(folder).hash[:6]}"
    assert again.eval.dataset.sample_ids == ["p01-t01.2", "p02-t02.3"]
    assert [values(s)["utb_exact"] for s in again.samples or ()] == [True, True]


@pytest.mark.parametrize("prompt", [{"You are helpful": "be brief"}, True, 7, [1, 2]])
def test_a_system_prompt_that_was_misread_is_refused(folder: Path, prompt: Any) -> None:
    with pytest.raises(PrerequisiteError) as error:
        chat(data=str(folder), system_prompt=prompt)
    assert "quotes" in str(error.value.message)


@pytest.mark.parametrize("prompt", ["", "  ", "\n"])
def test_a_blank_system_prompt_is_refused(folder: Path, prompt: str) -> None:
    with pytest.raises(PrerequisiteError, match="chat: system_prompt is blank"):
        chat(data=str(folder), system_prompt=prompt)


@pytest.mark.parametrize("option", [{"off_path": "stop"}, {"max_rounds": 3}])
def test_options_without_meaning_under_the_public_verdict_are_refused(folder: Path, option: Any) -> None:
    with pytest.raises(PrerequisiteError) as error:
        chat(data=str(folder), verdict="upstream", **option)
    assert "verdict=upstream" in str(error.value.message)


def test_a_local_folder_does_not_stand_for_a_shipped_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "utb_open").mkdir()
    monkeypatch.chdir(tmp_path)
    assert from_start("utb_open") == "utb_open"
    (tmp_path / "mine").mkdir()
    assert from_start("mine") == str((tmp_path / "mine").resolve())
