"""`utb demo`: runs of offline models as pages that need no more than a web server."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser import browser
from click.testing import CliRunner, Result
from inspect_ai.log import EvalError, EvalLog, list_eval_logs, read_eval_log
from support import values
from view_support import View, free_port, served

from utb_inspect import demo
from utb_inspect.cli import main
from utb_inspect.demo import make_demo
from utb_inspect.schema import DataError

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["browser"]


def utb(*arguments: str) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    folder = tmp_path_factory.mktemp("demo") / "new" / "pages"
    return folder, utb("demo", str(folder), "--profiles", "p02", "--limit", "3")


@pytest.fixture(scope="module")
def logs(built: tuple[Path, Result]) -> list[EvalLog]:
    folder, _ = built
    found = [read_eval_log(info) for info in list_eval_logs(str(folder / "logs"), descending=False)]
    return sorted(found, key=lambda log: log.eval.created)


@pytest.fixture(scope="module")
def view(built: tuple[Path, Result], browser: Browser) -> Iterator[View]:
    folder, _ = built
    port = free_port()
    command = [sys.executable, "-m", "http.server", "-d", str(folder), "--bind", "127.0.0.1", str(port)]
    with served(command, port) as address:
        yield View(browser.new_page(viewport={"width": 1400, "height": 1500}), address)


def test_it_says_what_was_made_and_how_to_serve_it(built: tuple[Path, Result]) -> None:
    folder, result = built
    assert result.exit_code == 0
    assert f"3 runs of 3 turns each are bundled in {folder}" in result.stdout
    assert f"python -m http.server --bind 127.0.0.1 -d {folder}" in result.stdout
    assert [path.name for path in folder.parent.iterdir()] == ["pages"]  # nothing is left beside it


def test_the_runs_are_those_of_the_offline_models(logs: list[EvalLog]) -> None:
    assert [log.status for log in logs] == ["success"] * 3
    assert [(log.eval.model, log.eval.model_args) for log in logs] == [
        ("utb/recall", {}),
        ("utb/noisy", {"error_rate": 0.5, "seed": 3}),
        ("utb/noisy", {"error_rate": 0.2, "seed": 3}),
    ]
    assert all([s.id for s in log.samples or ()] == ["p02-t01.1", "p02-t01.2", "p02-t01.3"] for log in logs)
    assert "error_rate 0.5" in (logs[1].eval.tags or ())


def test_the_pages_are_read_without_inspect(view: View, logs: list[EvalLog]) -> None:
    name = Path(logs[1].location).name
    sample = (logs[1].samples or [])[0]
    view.open_list(name)
    assert view.column("sampleId") == ["p02-t01.1", "p02-t01.2", "p02-t01.3"]
    severity = "score__utb_severity__utb_severity"
    assert view.column(severity) == [values(s)["utb_severity"] for s in logs[1].samples or ()]
    view.open_sample(name, str(sample.id), "scoring")
    assert view.tables()[0][0] == ["#", "made", "reference", "verdict"]
    view.open_sample(name, str(sample.id), "transcript")
    view.page.get_by_text("History ends here and the run begins.").wait_for()


# --- folders -------------------------------------------------------------------------------------------------


def runs_that(end: Callable[[Path], None]) -> Any:
    """In place of the runs."""
    return lambda *run: end(run[-1])


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bundles without runs."""

    def bundle(logs: str, folder: str) -> None:
        (Path(folder) / "logs").mkdir(parents=True)
        (Path(folder) / "logs/listing.json").write_text("{}")
        (Path(folder) / "index.html").write_text("new")

    monkeypatch.setattr(demo, "_run", runs_that(lambda logs: None))
    monkeypatch.setattr(demo, "bundle_log_dir", bundle)


@pytest.mark.usefixtures("quick")
def test_an_empty_folder_will_do(tmp_path: Path) -> None:
    assert make_demo(tmp_path, "p02", 2, overwrite=False) == 2
    assert (tmp_path / "index.html").read_text() == "new"


@pytest.mark.usefixtures("quick")
def test_an_earlier_bundle_is_replaced_only_when_asked(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    make_demo(folder, "p02", 2, overwrite=False)
    (folder / "index.html").write_text("old")
    result = utb("demo", str(folder))
    assert result.exit_code == 2
    assert "is not empty" in result.stderr
    assert "--overwrite" in result.stderr
    assert (folder / "index.html").read_text() == "old"
    assert utb("demo", str(folder), "--overwrite").exit_code == 0
    assert (folder / "index.html").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["pages"]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("overwrite", [True, False])
def test_other_peoples_files_are_never_replaced(tmp_path: Path, overwrite: bool) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(DataError, match="name a new folder"):
        make_demo(tmp_path, "p02", 2, overwrite)
    with pytest.raises(DataError, match="is a file"):
        make_demo(tmp_path / "thesis.txt", "p02", 2, overwrite)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


@pytest.mark.usefixtures("quick")
def test_an_unknown_profile_is_told_before_anything_runs(tmp_path: Path) -> None:
    result = utb("demo", str(tmp_path / "pages"), "--profiles", "p02,nobody")
    assert result.exit_code == 2
    assert "profiles=nobody" in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_run_that_fails_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, logs: list[EvalLog]
) -> None:
    error = EvalError(message="no more power", traceback="", traceback_ansi="")
    failed = logs[0].model_copy(update={"status": "error", "error": error})
    monkeypatch.setattr(demo, "inspect_eval", lambda *task, **given: [failed])
    with pytest.raises(DataError, match="the run of utb/recall ended as error: no more power"):
        make_demo(tmp_path / "pages", "p02", 1, overwrite=False)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_nothing_is_left_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(logs: Path) -> None:
        logs.mkdir()
        (logs / "half").write_text("half a log")
        raise error

    monkeypatch.setattr(demo, "_run", runs_that(fail))
    with pytest.raises((DataError, KeyboardInterrupt)) as told:
        make_demo(tmp_path / "pages", "p02", 1, overwrite=False)
    assert not list(tmp_path.iterdir())
    assert isinstance(error, KeyboardInterrupt) or "No space left on device" in str(told.value)
