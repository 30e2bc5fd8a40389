"""Runs that are broken off, and continued by the same line (docs/reliability.md, Interruptions).

Many more kills, at any moment: benchmarks/kills.py.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from resource import RLIMIT_FSIZE, setrlimit

import pytest
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from interrupted import Cell, EvalSet, figures, heed_permissions, scores
from support import TURNS, write_dataset

from utb_inspect.compare.reading import read_runs

CELLS = [("user_tool_bench", "slow/noisy"), ("user_tool_bench", "slow/oracle")]

Begin = Callable[[], EvalSet]


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A task by two models, of which one is wrong at times."""
    data = write_dataset(tmp_path_factory.mktemp("data") / "harbour")
    models = ["--model", "slow/oracle,slow/noisy", "-M", "delay=0.05", "--max-connections", "2"]
    return ["utb_inspect/user_tool_bench", "-T", f"data={data}", *models, "--continue-on-fail", "--retry-attempts", "1"]


@pytest.fixture
def begin(runs: list[str], tmp_path: Path) -> Begin:
    return lambda: EvalSet(tmp_path / "set", runs)


@pytest.fixture(scope="session")
def undisturbed(runs: list[str], tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[Cell, EvalLog], int]:
    """Logs of a set that nobody broke off, and how many answers it took."""
    one = EvalSet(tmp_path_factory.mktemp("undisturbed") / "set", runs)
    assert one.ends() == 0, one.output
    found = one.finished()
    assert sorted(found) == CELLS
    right = {cell: sum(own["utb_exact"] == "true" for own in scores(log).values()) for cell, log in found.items()}
    assert right["user_tool_bench", "slow/oracle"] == len(TURNS) > right["user_tool_bench", "slow/noisy"]
    return found, one.answers


def assert_continues(one: EvalSet, undisturbed: tuple[dict[Cell, EvalLog], int]) -> None:
    """The same line, given again, ends well with each sample once and scored as if nothing had been."""
    complete = one.completed()
    assert one.ends() == 0, one.output
    whole, _ = undisturbed
    found = one.finished()
    assert sorted(found) == CELLS
    for cell, log in found.items():
        assert sorted(str(sample.id) for sample in log.samples or []) == sorted(TURNS)
        assert scores(log) == scores(whole[cell])
        assert figures(log) == figures(whole[cell])
    assert one.completed().items() >= complete.items()  # what was complete was not run again
    compared = read_runs([str(one.logs)])
    assert sorted(Path(info.location).name for info in compared.infos) == sorted(
        Path(log.location).name for log in found.values()
    )


def statuses(one: EvalSet) -> list[str]:
    return sorted(read_eval_log(info, header_only=True).status for info in list_eval_logs(str(one.logs)))


@pytest.mark.parametrize("seed", range(2))
def test_killed_at_random_moments(begin: Begin, undisturbed: tuple[dict[Cell, EvalLog], int], seed: int) -> None:
    one, chance = begin(), Random(seed)
    for _ in range(2):
        left = undisturbed[1] - one.answers
        with one.started() as process:
            assert one.waits(process, one.answers + chance.randrange(max(1, left))), one.output
            os.kill(process.pid or 0, signal.SIGKILL)
            process.join()
            assert process.exitcode == -signal.SIGKILL
    assert_continues(one, undisturbed)


def test_ctrl_c(begin: Begin, undisturbed: tuple[dict[Cell, EvalLog], int]) -> None:
    one = begin()
    with one.started() as process:
        assert one.waits(process, undisturbed[1] // 2), one.output
        os.killpg(process.pid or 0, signal.SIGINT)
        process.join()
        # Not the exit code: Inspect 0.3.285 ends with 0, and with "Completed all tasks successfully".
        assert process.exitcode is not None
    assert "Task interrupted" in one.output
    assert "cancelled" in statuses(one)
    assert any("samples never ran" in note for note in read_runs([str(one.logs)]).refused)
    assert_continues(one, undisturbed)


@pytest.mark.parametrize(
    ("size", "options", "told"),
    [
        pytest.param(45_000, ["--no-log-realtime"], "File too large", id="the logs'"),
        pytest.param(300_000, [], "OperationalError", id="that of Inspect's buffer in the home folder"),
    ],
)
def test_a_full_disk(
    runs: list[str],
    undisturbed: tuple[dict[Cell, EvalLog], int],
    tmp_path: Path,
    size: int,
    options: list[str],
    told: str,
) -> None:
    # A limit on the size of files, which fails writes in the middle as a full disk does.
    one = EvalSet(tmp_path / "set", [*runs, *options])
    assert one.ends(before=partial(setrlimit, RLIMIT_FSIZE, (size, size))) == 1, one.output
    assert told in one.output
    assert one.answers > 0
    assert "success" not in statuses(one)
    assert_continues(one, undisturbed)


def test_a_log_folder_that_cannot_be_written(begin: Begin, undisturbed: tuple[dict[Cell, EvalLog], int]) -> None:
    one = begin()
    one.logs.mkdir(mode=0o555)
    assert one.ends(before=heed_permissions) == 1
    assert f"Permission denied: '{one.logs}" in one.output
    assert one.answers == 0  # before anything is paid
    one.logs.chmod(0o755)
    assert_continues(one, undisturbed)


def test_a_log_folder_that_can_no_longer_be_written(begin: Begin, undisturbed: tuple[dict[Cell, EvalLog], int]) -> None:
    one = begin()
    with one.started(before=heed_permissions) as process:
        assert one.waits(process, undisturbed[1] // 2), one.output
        one.logs.chmod(0o555)
        process.join()
        assert process.exitcode == 1
    assert "Permission denied" in one.output
    assert "success" not in statuses(one)
    one.logs.chmod(0o755)
    assert_continues(one, undisturbed)
