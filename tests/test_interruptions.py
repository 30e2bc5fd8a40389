"""Runs that are broken off, and continued by the same line (docs/reliability.md, Interruptions).

Many more kills, at any moment: benchmarks/kills.py.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

import pytest
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from interrupted import Cell, EvalSet, answers, figures, heed_permissions, scores
from support import TURNS, write_dataset

from utb_inspect.compare.reading import read_runs

CELLS = [("user_tool_bench", "slow/noisy"), ("user_tool_bench", "slow/oracle")]

LATE = ["--log-buffer", "100"]
"""Samples wait for the end of the run before they are written to the log."""

Begin = Callable[..., EvalSet]
Logs = Mapping[Cell, EvalLog]


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A task by two models, of which one is wrong at times, two samples of each at once."""
    data = write_dataset(tmp_path_factory.mktemp("data") / "harbour")
    models = ["--model", "slow/oracle,slow/noisy", "-M", "delay=0.05", "--max-samples", "2"]
    return ["utb_inspect/user_tool_bench", "-T", f"data={data}", *models, "--continue-on-fail", "--retry-attempts", "1"]


@pytest.fixture
def begin(runs: list[str], tmp_path: Path) -> Begin:
    return lambda *options: EvalSet(tmp_path / "set", [*runs, *options])


@pytest.fixture(scope="session")
def undisturbed(runs: list[str], tmp_path_factory: pytest.TempPathFactory) -> Logs:
    """Logs of a set that nobody broke off."""
    one = EvalSet(tmp_path_factory.mktemp("undisturbed") / "set", runs)
    assert one.ends() == 0, one.output
    found = one.finished()
    assert sorted(found) == CELLS
    right = {cell: sum(own["utb_exact"] == "true" for own in scores(log).values()) for cell, log in found.items()}
    assert right["user_tool_bench", "slow/oracle"] == len(TURNS) > right["user_tool_bench", "slow/noisy"]
    assert one.answers == in_all(found)
    return found


def in_all(logs: Logs) -> int:
    """How many answers the samples of all logs took."""
    return sum(sum(answers(log).values()) for log in logs.values())


def in_progress(logs: Logs) -> int:
    """The most answers that the two samples of each cell that run at once can have got."""
    return sum(sum(sorted(answers(log).values())[-2:]) for log in logs.values())


def lacking(one: EvalSet, undisturbed: Logs) -> int:
    """How many answers the samples take that are not complete in the logs."""
    complete = one.completed()
    return sum(
        count
        for cell, log in undisturbed.items()
        for sample, count in answers(log).items()
        if (cell, sample) not in complete
    )


def assert_continues(one: EvalSet, undisturbed: Logs) -> None:
    """The same line, given again, ends well with each sample once and scored as if nothing had been."""
    complete = one.completed()
    most = one.answers + lacking(one, undisturbed)
    assert one.ends() == 0, one.output
    assert one.answers <= most  # what was complete was not asked again
    found = one.finished()
    assert sorted(found) == CELLS
    for cell, log in found.items():
        assert sorted(str(sample.id) for sample in log.samples or []) == sorted(TURNS)
        assert scores(log) == scores(undisturbed[cell])
        assert figures(log) == figures(undisturbed[cell])
    assert one.completed().items() >= complete.items()  # nor run again
    compared = read_runs([str(one.logs)])
    assert sorted(Path(info.location).name for info in compared.infos) == sorted(
        Path(log.location).name for log in found.values()
    )


def statuses(one: EvalSet) -> list[str]:
    return sorted(read_eval_log(info, header_only=True).status for info in list_eval_logs(str(one.logs)))


def kill(one: EvalSet, answers: int) -> None:
    """Run the line, and kill it when its models have given so many answers in all."""
    with one.started() as process:
        assert one.waits(process, answers), one.output
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
        assert process.exitcode == -signal.SIGKILL


@pytest.mark.parametrize("seed", range(2))
def test_killed_at_random_moments(begin: Begin, undisturbed: Logs, seed: int) -> None:
    one, chance = begin(), Random(seed)
    for _ in range(2):
        left = in_all(undisturbed) - one.answers
        kill(one, one.answers + chance.randrange(max(1, left)))
    assert_continues(one, undisturbed)
    assert one.answers <= in_all(undisturbed) + 2 * in_progress(undisturbed)


def test_killed_before_a_sample_is_in_the_logs(begin: Begin, undisturbed: Logs) -> None:
    one = begin(*LATE)
    half = in_all(undisturbed) // 2
    kill(one, half)
    assert set(statuses(one)) == {"started"}
    assert not one.completed()
    assert_continues(one, undisturbed)
    # All that was answered would have been asked again but for Inspect's buffer.
    assert one.answers <= in_all(undisturbed) + in_progress(undisturbed) < in_all(undisturbed) + half


def test_ctrl_c(begin: Begin, undisturbed: Logs) -> None:
    one = begin(*LATE)
    with one.started() as process:
        assert one.waits(process, in_all(undisturbed) // 2), one.output
        os.killpg(process.pid or 0, signal.SIGINT)
        process.join()
        assert process.exitcode == 0  # and "Completed all tasks successfully": so Inspect 0.3.285
    assert "Task interrupted" in one.output
    assert "cancelled" in statuses(one)
    assert one.completed()
    assert any("samples never ran" in note for note in read_runs([str(one.logs)]).refused)
    assert_continues(one, undisturbed)
    assert one.answers <= in_all(undisturbed) + in_progress(undisturbed)


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """Make a folder that is a disk of 100 MB; a test that may not mount one is skipped."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=100m", "tmpfs", str(folder)]
    try:
        subprocess.run(mount, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"a full disk needs the right to mount a tmpfs: {getattr(error, 'stderr', None) or error}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def filled(folder: Path) -> Iterator[None]:
    """Take all space that is left on the disk of a folder, and give it back at the end of the block."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1_000_000))
    try:
        yield
    finally:
        filler.unlink()


@pytest.mark.parametrize(
    ("folder", "told"),
    [
        pytest.param("logs", "No space left on device", id="of the logs"),
        pytest.param("home", "OperationalError: database or disk is full", id="of the home folder"),
    ],
)
def test_a_full_disk(begin: Begin, undisturbed: Logs, folder: str, told: str) -> None:
    one = begin("--retry-attempts", "0")  # a retry may find room, and end well
    with small_disk(one.folder / folder):
        with one.started() as process:
            assert one.waits(process, in_all(undisturbed) // 2), one.output
            with filled(one.folder / folder):
                process.join()
                assert process.exitcode == 1
        assert told in one.output
        assert set(statuses(one)) != {"success"}  # one cell may go on where the other gave room back
        assert one.completed()
        assert_continues(one, undisturbed)


def test_a_log_folder_that_cannot_be_written(begin: Begin, undisturbed: Logs) -> None:
    one = begin()
    one.logs.mkdir(mode=0o555)
    assert one.ends(before=heed_permissions) == 1
    assert f"Permission denied: '{one.logs}" in one.output
    assert one.answers == 0  # before anything is paid
    one.logs.chmod(0o755)
    assert_continues(one, undisturbed)


def test_a_log_folder_that_can_no_longer_be_written(begin: Begin, undisturbed: Logs) -> None:
    one = begin()
    with one.started(before=heed_permissions) as process:
        assert one.waits(process, in_all(undisturbed) // 2), one.output
        one.logs.chmod(0o555)
        process.join()
        assert process.exitcode == 1
    assert "Permission denied" in one.output
    assert "success" not in statuses(one)
    one.logs.chmod(0o755)
    assert one.completed()
    asked, lack = one.answers, lacking(one, undisturbed)
    assert_continues(one, undisturbed)
    assert one.answers == asked + lack  # for samples without a place to be written to, paid twice
