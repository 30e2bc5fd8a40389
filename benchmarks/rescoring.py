"""Re-scoring a log against making it: `python benchmarks/rescoring.py` prints the table of docs/performance.md.

Every sample is made to change in the worst case, so that the log is written anew; when nothing changes it is only read.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from inspect_ai import eval

from utb_inspect.rescoring.log_file import Json, open_log
from utb_inspect.rescoring.scoring import rescore
from utb_inspect.tasks import user_tool_bench

_ROUNDS = 3


def table(samples: int = 800) -> list[str]:
    """Seconds of a run of `utb/noisy` and of scoring its log again; the size of the log after each."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"XDG_DATA_HOME": folder, "XDG_CACHE_HOME": folder}
        start = time.perf_counter()
        (log,) = eval(
            user_tool_bench(),
            model="utb/noisy",
            model_args={"error_rate": 0.5, "seed": 3},
            limit=samples,
            log_dir=folder,
            display="none",
        )
        run = time.perf_counter() - start
        path = Path(log.location)
        rows = [f"| the run | {run:.1f} | 1.00 | {_megabytes(path):.1f} |"]
        seconds = _rescored(path)
        rows.append(f"| re-scored, nothing changes | {seconds:.1f} | {seconds / run:.2f} | {_megabytes(path):.1f} |")
        for number in range(1, _ROUNDS + 1):
            file = open_log(path)
            file.save(path, file.header, file.reductions, dict.fromkeys(range(len(file)), _reworded))
            seconds, name = _rescored(path), f"re-scored, every sample changes, time {number}"
            rows.append(f"| {name} | {seconds:.1f} | {seconds / run:.2f} | {_megabytes(path):.1f} |")
    return [f"| {samples} samples | seconds | against the run | log, MB |", "|---|---:|---:|---:|", *rows]


def _rescored(path: Path) -> float:
    start = time.perf_counter()
    rescored = rescore(open_log(path))
    if not rescored.same:
        rescored.save(path)
    return time.perf_counter() - start


def _reworded(sample: Json) -> Json:
    return {**sample, "scores": {name: {**score, "answer": "?"} for name, score in sample["scores"].items()}}


def _megabytes(path: Path) -> float:
    return path.stat().st_size / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=800, help="samples of the run (default 800)")
    print(*table(parser.parse_args().samples), sep="\n")


if __name__ == "__main__":
    main()
