"""The specification for Inspect Flow in examples/."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from support import ROOT, shipped_or_skip

pytest.importorskip("inspect_flow", reason="Inspect Flow is not installed; pip install 'utb-inspect[flow]'")

TASKS = ("utb_inspect/single_tool", "utb_inspect/multi_tool", "utb_inspect/lack_of_information")
MODELS = ("utb/oracle", "utb/noisy", "utb/recall")


def flow(logs: Path, limit: int) -> list[EvalLog]:
    """Run the specification with so many samples a task; the logs of its folder."""
    scripts = Path(sys.executable).parent
    done = subprocess.run(
        [scripts / "flow", "run", ROOT / "examples" / "flow.py", "--log-dir", logs, "--limit", str(limit)],
        cwd=logs.parent,
        env={**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "INSPECT_DISPLAY": "plain"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [read_eval_log(info) for info in list_eval_logs(str(logs))]


def uuids(logs: list[EvalLog]) -> dict[tuple[str, str], dict[str, str | None]]:
    """Cell of the matrix to sample to uuid; a sample that is run again gets another one."""
    return {(log.eval.task, log.eval.model): {str(s.id): s.uuid for s in log.samples or []} for log in logs}


def test_the_matrix_runs_and_grows_without_running_anything_twice(tmp_path: Path) -> None:
    shipped_or_skip("utb_open")
    first = flow(tmp_path / "logs", limit=1)
    assert len(first) == len(TASKS) * len(MODELS)
    assert set(uuids(first)) == {(task, model) for task in TASKS for model in MODELS}
    assert {log.status for log in first} == {"success"}
    grown = flow(tmp_path / "logs", limit=2)
    assert len(grown) == len(first)
    for cell, before in uuids(first).items():
        after = uuids(grown)[cell]
        assert len(after) == 2
        assert before.items() <= after.items()
