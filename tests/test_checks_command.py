"""`utb dataset check`: what it prints, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from checks_data import Files, good_files, turn_of, write
from click.testing import CliRunner, Result
from conftest import ROOT
from test_checks_plan import FIRST, SECOND, SOUND, THIRD, plan_file

from utb_inspect.checks import check
from utb_inspect.checks.run import check_plan
from utb_inspect.cli import main
from utb_inspect.schema import DataError


def utb(*arguments: object) -> Result:
    result = CliRunner().invoke(main, ["dataset", "check", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def leak(files: Files) -> None:
    turn_of(files, "t02.2")["request"] += " On the open deck, Kuipers."


def test_a_sound_dataset(tmp_path: Path) -> None:
    result = utb(write(tmp_path))
    assert (result.exit_code, result.stdout) == (0, "no finding: 40 rules over 17 turns\n")


def test_findings_stand_in_a_line_each_and_are_counted(tmp_path: Path) -> None:
    result = utb(write(tmp_path, leak))
    assert result.exit_code == 1
    rule = "requests_leak_no_omitted_value"
    where = "topics/p01/p01-t02.json: p01-t02.2: step"
    assert [line.rstrip() for line in result.stdout.splitlines()] == [
        f"{where} 'a', argument 'deck': its basis is preference, but 'open_deck' stands in the request ({rule})",
        f"{where} 'b', argument 'skipper': its basis is history, but 'Kuipers' stands in the request ({rule})",
        f"rule{' ' * (len(rule) - 2)}findings",
        f"{rule}{' ' * 9}2",
        "2 findings: 40 rules over 17 turns",
    ]


def test_a_dataset_that_does_not_load(tmp_path: Path) -> None:
    def edit(files: Files) -> None:
        turn_of(files, "t02.2")["task_type"] = "single"
        files["topics/p01/p01-t03.json"]["profile"] = "p09"

    result = utb(write(tmp_path, edit))
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith("topics/p01/p01-t02.json: p01-t02.2: field 'task_type': ")
    assert all(line.endswith("(format)") for line in lines[:3])
    assert lines[-1].endswith("findings: 1 rule over 0 turns")


def two_profiles(files: Files) -> None:
    """A second profile, whose only topic cannot be read."""
    files["profiles/p02.json"] = {**files["profiles/p01.json"], "id": "p02"}
    files["topics/p02/p02-t01.json"] = {"id": "p02-t01"}


def test_one_profile_while_another_is_unfinished(tmp_path: Path) -> None:
    folder = write(tmp_path, two_profiles)
    assert utb(folder).exit_code == 1
    result = utb(folder, "--profile", "p01")
    assert (result.exit_code, result.stdout) == (0, "no finding: 32 rules over 17 turns\n")
    other = utb(folder, "--profile", "p02")
    assert other.exit_code == 1
    assert "topics/p02/p02-t01.json: field 'profile': is missing (format)" in other.stdout
    assert utb(folder, "--profile", "p02", "--profile", "p01").exit_code == 1


def test_a_profile_under_another_splits_toolsets(tmp_path: Path) -> None:
    def edit(files: Files) -> None:
        files["dataset.json"].update(toolsets="../shared", canary="another canary")
        files["../shared/canal_boats.json"] = files.pop("toolsets/canal_boats.json")
        files["../shared/barges.json"] = {"id": "barges", "tools": "none"}  # of no profile here
        for name, content in files.items():
            if not name.startswith(".."):
                content["canary"] = "another canary"

    folder = write(tmp_path / "own", edit)
    assert utb(folder, "--profile", "p01").stdout == "no finding: 32 rules over 17 turns\n"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["nowhere"], "there is no dataset folder 'nowhere'; give utb_open or utb_open_dynamic, or a folder"),
        (["utb_open", "--profile", "p99"], "utb_open has no topic of profile 'p99'"),
        (["--plan", "nowhere.csv"], "nowhere.csv: cannot be read"),
    ],
)
def test_what_cannot_be_checked(arguments: list[str], reason: str) -> None:
    result = utb(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert reason in " ".join(result.stderr.split())


def test_a_folder_without_dataset_json(tmp_path: Path) -> None:
    (tmp_path / "topics" / "p01").mkdir(parents=True)
    result = utb(tmp_path)
    assert (result.exit_code, result.stdout.splitlines()[0][:26]) == (1, "dataset.json: is missing; ")
    with pytest.raises(DataError, match=r"dataset\.json is missing or holds no JSON object"):
        check(str(tmp_path), ["p01"])


# --- plans ---------------------------------------------------------------------------------------------------


def test_a_plan_before_any_turn_is_written(tmp_path: Path) -> None:
    def edit(files: Files) -> None:
        for name in [name for name in files if name.startswith("topics/")]:
            del files[name]

    folder = write(tmp_path, edit)
    chat = {**THIRD, "turn": "p01-t01.4", "n": "4", "task_type": "chat", "calls": "", "loi": "", "opening": "The locks"}
    cells = [{**row, "opening": f"{row['opening']} {i}"} for i in range(3) for row in (*SOUND, chat)]
    for i, row in enumerate(cells):
        row["topic"] = f"p01-t{i // 4 + 1:02d}"
        row["turn"] = f"{row['topic']}.{i % 4 + 1}"
        row["n"] = str(i + 1)
    file = plan_file(tmp_path, cells)
    result = utb(folder, "--plan", file)
    assert (result.exit_code, result.stdout) == (0, "no finding: 12 rules over 12 turns\n")
    cells[1]["calls"] = "findBoats + hireBoat"
    cells[2]["calls"] = "findBoats >"
    result = utb(folder, "--plan", plan_file(tmp_path, cells))
    assert result.exit_code == 1
    assert "plan.csv: p01-t01.3: calls: a name is missing before 'the end' (plan_is_readable)" in result.stdout
    assert "structure is 'sequential', but its calls are parallel (calls_follow_the_type)" in result.stdout


def test_a_plan_alone_takes_the_toolsets_and_totals_of_the_main_split(tmp_path: Path) -> None:
    file = plan_file(
        tmp_path, [{**FIRST, "toolset": "rail_desk", "calls": "findTrains"}, {**SECOND, "topic": "d01-t01"}]
    )
    result = utb("--plan", file)
    assert result.exit_code == 1
    assert "plan.csv: the number of turns is 1, not 1065 (totals_hold)" in result.stdout
    assert "tools_exist" not in result.stdout
    one = utb("--plan", file, "--profile", "p01")
    assert "totals_hold" not in one.stdout
    assert "plan.csv: the number of topics of profile p01 is 1, not 30 (profiles_hold_their_topics)" in one.stdout
    with pytest.raises(DataError, match=r"plan\.csv has no row of profile p07 for utb_open"):
        check_plan(file, "utb_open", ["p07"])


def test_a_plan_beside_what_is_written(tmp_path: Path) -> None:
    folder = write(tmp_path)
    result = utb(folder, "--plan", plan_file(tmp_path, SOUND))
    assert result.exit_code == 1
    assert "no finding: 40 rules over 17 turns" in result.stdout
    rule = "(what_is_written_is_what_was_planned)"
    assert (
        f"topics/p01/p01-t01.json: p01-t01.2: task_type is single_tool, but multi_tool is planned {rule}"
        in result.stdout
    )
    assert f"topics/p01/p01-t02.json: p01-t02.1: is not planned in plan.csv {rule}" in result.stdout


def test_a_plan_against_toolsets_with_faults(tmp_path: Path) -> None:
    folder = write(tmp_path)
    (folder / "toolsets" / "barges.json").write_text(json.dumps({"id": "barges"}))
    (folder / "toolsets" / "rafts.json").write_text("{")
    found = check_plan(plan_file(tmp_path, SOUND), str(folder)).findings["format"]
    assert [finding.file for finding in found] == ["toolsets/barges.json", "toolsets/rafts.json"]


def test_a_rule_is_told_before_it_runs(tmp_path: Path) -> None:
    told: list[tuple[int, int, str]] = []
    check(str(write(tmp_path)), ["p01"], lambda done, total, rule: told.append((done, total, rule)))
    assert [done for done, *_ in told] == list(range(len(told)))
    assert {total for _, total, _ in told} == {len(told)}
    assert told[0][2] == "quotes_stand_word_for_word"


def test_the_sound_files_are_not_shared() -> None:
    assert good_files() == good_files()
    assert good_files()["dataset.json"] is not good_files()["dataset.json"]


def test_every_rule_is_described(tmp_path: Path) -> None:
    described = (ROOT / "docs" / "dataset" / "checks.md").read_text()
    folder = write(tmp_path)
    plan = plan_file(tmp_path, SOUND)
    data = check(str(folder))
    names = {
        *data.findings,
        *check_plan(plan, str(folder), (), data.dataset).findings,
        *check_plan(plan, "utb_open").findings,
    }
    assert len(names) > 50
    assert [name for name in sorted(names) if f"`{name}`" not in described] == []


def test_a_part_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(file: Path, target: Path) -> None:
        raise PermissionError(13, "Permission denied")

    folder = write(tmp_path)
    monkeypatch.setattr("shutil.copyfile", refuse)
    result = utb(folder, "--profile", "p01")
    assert result.exit_code == 2
    assert "p01-t01.json: cannot be read (Permission denied)" in result.stderr
