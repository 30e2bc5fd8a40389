"""`utb compare`: formats, files, messages, and what it passes on."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from click.testing import CliRunner, Result
from compare_data import real_logs
from compare_report import (
    report,
)

from utb_inspect.cli import main
from utb_inspect.cli_compare import VIEW
from utb_inspect.compare.formats.addresses import with_view
from utb_inspect.compare.formats.terminal import terminal_text
from utb_inspect.compare.frame import Runs, sample_frame


@pytest.fixture
def compare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    """The command over the comparison made by hand, whatever logs it is given."""
    asked: dict[str, Any] = {}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("utb_inspect.compare.reading.read_runs", lambda logs: asked.update(logs=logs) or empty())
    monkeypatch.setattr(
        "utb_inspect.compare.build.build_report", lambda runs, **options: asked.update(options) or report()
    )

    def run(*arguments: str) -> Result:
        result = CliRunner().invoke(main, ["compare", *arguments])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        result.asked = asked  # type: ignore[attr-defined]
        return result

    return run


def empty() -> Runs:
    return Runs([], sample_frame([]))


@pytest.mark.parametrize(
    ("arguments", "start"),
    [
        ([], "Systems compared\n"),
        (["--format", "markdown"], "# Systems compared\n"),
        (["--format", "latex"], "% \\usepackage{booktabs}\n"),
        (["--format", "json"], '{\n  "title": "Systems compared"'),
    ],
)
def test_text_goes_to_standard_output(compare: Callable[..., Result], arguments: list[str], start: str) -> None:
    result = compare(*arguments)
    assert result.exit_code == 0
    assert result.stdout.startswith(start)
    assert result.stdout.endswith("\n")
    assert "http://127.0.0.1:7575/" in result.stdout


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("a.md", "# Systems compared\n"),
        ("a.tex", "% \\usepackage"),
        ("a.json", "{"),
        ("a.HTML", "<!doctype html>"),
        ("a.txt", "Systems compared\n"),
        ("a", "Systems compared\n"),
    ],
)
def test_the_outputs_name_chooses_the_format(
    compare: Callable[..., Result], tmp_path: Path, name: str, start: str
) -> None:
    result = compare("logs", "-o", name)
    assert (result.exit_code, result.stdout) == (0, f"written to {name}\n")
    assert (tmp_path / name).read_text().startswith(start)
    assert "! broken.eval: cannot be read as a log; left out." in result.stderr


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "A.CSV", "a.xlsx", "a.html.gz", "run.v1"])
def test_a_name_that_says_no_format_is_refused(compare: Callable[..., Result], tmp_path: Path, name: str) -> None:
    result = compare("logs", "-o", name)
    told = re.sub(r"\s+", " ", result.stderr)
    assert result.exit_code == 2
    assert f"{name}: no report is written as {Path(name).suffix.lower()}; end the name in .html, .htm, .md" in told
    assert "-f csv -o FOLDER" in told
    assert list(tmp_path.iterdir()) == []
    assert compare("logs", "-f", "markdown", "-o", name).exit_code == 0
    assert (tmp_path / name).read_text().startswith("# Systems compared\n")


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_folders_are_written_where_asked(compare: Callable[..., Result], tmp_path: Path, format_: str) -> None:
    assert compare("--format", format_, "-o", "compared").exit_code == 0
    assert (tmp_path / "compared" / f"gap.{format_}").is_file()
    again = compare("--format", format_, "-o", "compared")
    assert again.exit_code == 2
    assert "compared: is there already" in again.stderr


@pytest.mark.parametrize("format_", ["csv", "parquet", "html"])
def test_what_no_terminal_shows_needs_an_output(compare: Callable[..., Result], format_: str) -> None:
    result = compare("--format", format_)
    assert result.exit_code == 2
    assert f"{format_} is not for standard output; name a file or folder with --output" in result.stderr


def test_options_reach_the_comparison(compare: Callable[..., Result], tmp_path: Path) -> None:
    result = compare(
        "a",
        "b",
        "--common",
        "--baseline",
        "m",
        "--published",
        "p.json",
        "--view",
        "https://example.org/",
        "-o",
        "a.json",
    )
    asked = result.asked  # type: ignore[attr-defined]
    assert asked == {"logs": ("a", "b"), "common": True, "baseline": "m", "published": Path("p.json")}
    assert "https://example.org/#/logs/1.eval" in (tmp_path / "a.json").read_text()


def test_the_command_over_real_logs(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Four models on ten turns: what goes to a terminal and to a page begins with the same row of the same table."""
    logs = real_logs(tmp_path_factory)["main"]
    shown_ = CliRunner().invoke(main, ["compare", logs])
    assert shown_.exit_code == 0
    assert re.search(r"^utb/oracle +user_tool_bench +success +10 +10 +0 +0 +100.00", shown_.stdout, re.MULTILINE)
    written = CliRunner().invoke(main, ["compare", logs, "-o", str(tmp_path / "page.html")])
    assert written.exit_code == 0
    page = BeautifulSoup((tmp_path / "page.html").read_text(), "html.parser")
    row = [cell.get_text() for cell in page.select("tbody tr")[0].find_all(["th", "td"])]
    assert row[:8] == ["utb/oracle", "user_tool_bench", "success", "10", "10", "0", "0", "100.00"]


def test_the_command_without_logs_says_so(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["compare", str(tmp_path)])
    assert result.exit_code == 2
    assert "holds no log" in result.stderr


def test_the_terminal_shows_the_main_tables_and_says_what_it_leaves_out(
    compare: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = report()
    section, *others = whole.sections
    marked = [replace(table, detail=number > 0) for number, table in enumerate(section.tables)]
    details = [replace(s, tables=[replace(t, detail=True) for t in s.tables]) for s in others]
    made = replace(whole, sections=[replace(section, tables=marked), *details])
    monkeypatch.setattr("utb_inspect.compare.build.build_report", lambda runs, **options: made)
    short = compare().stdout
    assert section.tables[0].title in short
    assert not any(f"\n{s.title} ──" in short for s in others)
    assert f"{len(whole.tables) - 1} further tables with --details" in short
    long = compare("--details").stdout
    assert all(table.title in long for table in whole.tables)
    assert "further tables" not in long


def test_a_written_report_is_whole(compare: Callable[..., Result], tmp_path: Path) -> None:
    compare("-o", "a.txt")
    assert (tmp_path / "a.txt").read_text() == terminal_text(with_view(report(), VIEW), details=True)
