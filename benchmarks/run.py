"""Benchmarks of the suite: `python benchmarks/run.py` prints the tables of docs/performance.md.

Times and memory depend on the machine; ratios and growth are what to look at.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import verdicts
from synthetic import write_dataset

from utb_inspect.datasets import load

_HERE = Path(__file__).parent


def reading(folder: Path, topics: int, turns: int) -> list[str]:
    times = []
    for i in range(3):
        copy = folder.parent / f"copy{i}"
        shutil.copytree(folder, copy)  # another path, so that nothing is cached
        start = time.perf_counter()
        load(str(copy))
        times.append(time.perf_counter() - start)
    return ["| topics | turns | seconds |", "|---:|---:|---:|", f"| {topics} | {turns} | {median(times):.2f} |"]


_TASKS = {
    "suite": "user_tool_bench",
    "bare": "bare Inspect task, messages in the samples",
    "lean": "bare Inspect task, messages set by its solver",
}


def running(folder: Path, samples: int, repeats: int) -> list[str]:
    """The suite's task against bare ones, each run in a process of its own."""
    figures: dict[str, list[dict[str, float]]] = {kind: [] for kind in _TASKS}
    script = folder.parent / "script.json"
    for _ in range(repeats):
        for kind in figures:
            out = subprocess.run(
                [sys.executable, str(_HERE / "load_run.py"), kind, str(folder), str(script), str(samples)],
                check=True,
                capture_output=True,
                text=True,
            )
            figures[kind].append(json.loads(out.stdout.splitlines()[-1]))
    middle = {kind: {k: median(f[k] for f in runs) for k in runs[0]} for kind, runs in figures.items()}
    suite = middle["suite"]
    rows = [
        "| task | seconds | ratio | peak memory, MB | ratio | log, MB | ratio |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for kind, name in _TASKS.items():
        own = middle[kind]
        cells = [f"{own[k]:.{places}f} | {suite[k] / own[k]:.2f}" for k, places in _COLUMNS]
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return rows


_COLUMNS = (("seconds", 1), ("megabytes", 0), ("log", 1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=800, help="samples of the run (default 800)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each task (default 3; the median counts)")
    arguments = parser.parse_args()
    print("## Verdicts\n", *verdicts.table(), sep="\n", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "data"
        folder.mkdir()
        turns = write_dataset(folder, profiles=10, topics=300)
        print("\n## Reading\n", *reading(folder, 300, turns), sep="\n", flush=True)
        print(
            f"\n## A run of {arguments.samples} samples with utb/recall\n",
            *running(folder, arguments.samples, arguments.repeats),
            sep="\n",
        )


if __name__ == "__main__":
    main()
