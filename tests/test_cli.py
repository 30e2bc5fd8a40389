"""The `utb` command: codes, last lines, and prompts as a model sees them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool
from inspect_ai.util._json import json_schema_dump
from public_rows import PUBLIC
from support import MENU_SCHEMA_SENT, PROFILES, STARTED, Seen, output, run, write_dataset

from utb_inspect import __version__
from utb_inspect.cli import main
from utb_inspect.tasks import user_tool_bench

CASES = Path(__file__).parent / "cases"


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_dataset(tmp_path_factory.mktemp("cli") / "harbour"))


def utb(*arguments: str) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def cases(file: Path, kind: str, count: int = 3, **expected: Any) -> list[dict[str, Any]]:
    """Cases of the project's own file of a kind, the last one expecting something else."""
    lines = (CASES / f"{kind}.jsonl").read_text().splitlines()[:count]
    found = [json.loads(line) for line in lines]
    if expected:
        found[-1]["expected"] = {**found[-1]["expected"], **expected}
    file.write_text("\n".join(map(json.dumps, found)))
    return found


# --- verify --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "file"), [("decisions", "decisions"), ("arguments", "arguments"), ("upstream", "upstream_verdicts")]
)
def test_cases_that_agree(tmp_path: Path, command: str, file: str) -> None:
    cases(tmp_path / "cases.jsonl", file)
    result = utb("verify", command, str(tmp_path / "cases.jsonl"))
    assert (result.exit_code, result.stdout) == (0, "3 of 3 agree\n")


def test_disagreements_stand_above_the_count(tmp_path: Path) -> None:
    *_, last = cases(tmp_path / "cases.jsonl", "decisions", exact="perhaps", severity="mild")
    result = utb("verify", "decisions", str(tmp_path / "cases.jsonl"))
    lines = result.stdout.splitlines()
    assert result.exit_code == 1
    assert lines[-1] == "2 of 3 agree"
    assert len(lines) == 3
    for line, field, expected in zip(lines, ("exact", "severity"), ("perhaps", "mild"), strict=False):
        assert line.startswith(last["id"])
        assert f'{field}: expected "{expected}", got ' in line
    assert last["why"] in lines[0]


def test_a_wrong_argument_case_says_what_it_got(tmp_path: Path) -> None:
    (case,) = cases(tmp_path / "cases.jsonl", "arguments", 1)
    wrong = {"agree": "differ", "differ": "agree", "invalid": "agree"}[case["expected"]]
    (tmp_path / "cases.jsonl").write_text(json.dumps({**case, "expected": wrong}))
    result = utb("verify", "arguments", str(tmp_path / "cases.jsonl"))
    assert result.exit_code == 1
    assert f"expected {wrong}, got {case['expected']}" in result.stdout
    assert result.stdout.splitlines()[-1] == "0 of 1 agree"


@pytest.mark.parametrize("command", ["decisions", "arguments", "upstream"])
def test_a_case_of_another_format_disagrees_and_says_so(tmp_path: Path, command: str) -> None:
    (tmp_path / "cases.jsonl").write_text('{"id": "odd", "expected": {"exact": true}}\n')
    result = utb("verify", command, str(tmp_path / "cases.jsonl"))
    assert result.exit_code == 1
    assert result.stdout.startswith("odd: ")
    assert result.stdout.splitlines()[-1] == "0 of 1 agree"


@pytest.mark.parametrize("command", ["decisions", "arguments", "upstream"])
@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "cannot be read"),
        ("", "holds no case"),
        ("{", "line 1: no JSON"),
        ("\n[]", "line 2: a case is an object"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, command: str, text: str | None, why: str) -> None:
    file = tmp_path / "cases.jsonl"
    if text is not None:
        file.write_text(text)
    result = utb("verify", command, str(file))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert why in " ".join(result.stderr.split())
    assert "cases.jsonl" in result.stderr


def test_the_projects_decisions_agree() -> None:
    lines = (CASES / "decisions.jsonl").read_text().splitlines()
    result = utb("verify", "decisions", str(CASES / "decisions.jsonl"))
    count = sum(bool(line.strip()) for line in lines)
    assert (result.exit_code, result.stdout) == (0, f"{count} of {count} agree\n")


# --- prompts export ------------------------------------------------------------------------------------------


def exported(*arguments: str) -> list[dict[str, Any]]:
    result = utb("prompts", "export", *arguments)
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_line_a_sample_in_order(folder: str) -> None:
    lines = exported("--data", folder)
    assert [line["id"] for line in lines] == STARTED
    assert {tuple(line) for line in lines} == {("id", "round", "messages", "tools")}
    assert {line["round"] for line in lines} == {1}


def test_task_types_and_profiles_narrow_the_export(folder: str) -> None:
    assert [x["id"] for x in exported("--data", folder, "--task-type", "chat")] == ["p01-t01.2", "p02-t02.3"]
    both = exported("--data", folder, "--task-type", "chat", "--task-type", "single_tool", "--profiles", "p02")
    assert [x["id"] for x in both] == ["p02-t01.1", "p02-t02.1", "p02-t02.3"]


def test_the_export_is_what_a_model_sees(folder: str) -> None:
    sent: dict[str, Any] = {}

    def script(seen: Seen) -> Any:
        messages = []
        for m in seen.messages:
            shown: dict[str, Any] = {"role": m.role, "content": m.text}
            if isinstance(m, ChatMessageAssistant) and m.tool_calls:
                calls = [{"id": c.id, "name": c.function, "arguments": c.arguments} for c in m.tool_calls]
                shown["tool_calls"] = calls
            if isinstance(m, ChatMessageTool):
                shown["tool_call_id"] = m.tool_call_id
            messages.append(shown)
        tools = [
            {"name": t.name, "description": t.description, "parameters": json_schema_dump(t.parameters)}
            for t in seen.tools
        ]
        sent[seen.sample] = {"id": seen.sample, "round": 1, "messages": messages, "tools": tools}
        return output("No.")

    run(user_tool_bench(data=folder, history="last:2"), script)
    assert {line["id"]: line for line in exported("--data", folder, "--history", "last:2")} == sent


def test_the_profile_is_added_on_demand_alone(folder: str) -> None:
    """It stands beside what a model sees, which stays as it is."""
    plain = exported("--data", folder, "--profiles", "p02")
    shown = exported("--data", folder, "--profiles", "p02", "--with-profile")
    assert [{key: value for key, value in line.items() if key != "profile"} for line in shown] == plain
    assert all(line["profile"] == PROFILES["p02"] for line in shown)
    refused = utb("prompts", "export", "--data", str(PUBLIC), "--with-profile")
    assert refused.exit_code == 2
    assert "has no profiles to show" in refused.stderr


def test_schemas_are_exported_whole(folder: str) -> None:
    line = exported("--data", folder)[-1]
    assert [t["parameters"] for t in line["tools"] if t["name"] == "planMenu"] == [MENU_SCHEMA_SENT]


def test_options_of_the_layout(folder: str) -> None:
    (line,) = exported(
        *("--data", folder, "--task-type", "multi_tool", "--profiles", "p01"),
        *("--history", "none", "--environment", "system", "--system-prompt", "Be brief."),
    )
    assert line["messages"] == [
        {"role": "system", "content": "Be brief.\n\nCurrent Date: 2025-03-10 09:00:00 Monday, Utrecht, Netherlands"},
        {"role": "user", "content": "And to Lille on Sunday, book the early one."},
    ]


def test_a_file_is_written_whole(folder: str, tmp_path: Path) -> None:
    file = tmp_path / "prompts.jsonl"
    result = utb("prompts", "export", "--data", folder, "-o", str(file))
    assert (result.exit_code, result.stdout) == (0, f"10 prompts written to {file}\n")
    assert [json.loads(line)["id"] for line in file.read_text().splitlines()] == STARTED
    assert [path.name for path in tmp_path.iterdir()] == ["prompts.jsonl"]


def test_the_export_is_the_same_each_time(folder: str) -> None:
    assert utb("prompts", "export", "--data", folder).stdout == utb("prompts", "export", "--data", folder).stdout


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--data", "nowhere"], "no dataset 'nowhere'"),
        (["--history", "some"], "give full, none, topic or last:N"),
        (["--profiles", "p09"], "no such profile"),
        (["--task-type", "chat", "--language", "zh"], "language=zh"),
        (["-o", "no/such/folder/prompts.jsonl"], "cannot be written"),
    ],
)
def test_faults_of_an_export(folder: str, arguments: list[str], why: str) -> None:
    data = [] if "--data" in arguments else ["--data", folder]
    result = utb("prompts", "export", *data, *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert why in " ".join(result.stderr.split())


# --- help ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [[], ["verify"], ["verify", "decisions"], ["prompts"], ["prompts", "export"]])
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help(arguments: list[str], flag: str) -> None:
    result = utb(*arguments, flag)
    assert result.exit_code == 0
    assert result.stdout.startswith("Usage: ")


def test_the_installed_command() -> None:
    command = str(Path(sys.executable).parent / "utb")
    done = subprocess.run([command, "--help"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "verify" in done.stdout
    assert "prompts" in done.stdout
    assert utb("--version").stdout == f"utb, version {__version__}\n"


def test_a_wrong_option_exits_with_two() -> None:
    assert utb("verify", "decisions").exit_code == 2
    assert utb("prompts", "export", "--task-type", "none").exit_code == 2
