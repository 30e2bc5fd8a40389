"""Comparing 20 logs of 800 samples: `python benchmarks/comparing.py` prints time and memory."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from inspect_ai import eval
from inspect_ai._util.zipfile import zipfile_compress_kwargs
from inspect_ai.model import get_model

LOGS = 20
SAMPLES = 800
ERROR_RATES = (0.1, 0.3, 0.5, 0.7)
"""Of the runs that are made; the other logs are copies of them under names of their own."""
_HEADERS = ("header.json", "_journal/start.json")


def make_log(folder: Path, error_rate: float) -> Path:
    (log,) = eval(
        "utb_inspect/user_tool_bench",
        model=get_model("utb/noisy", error_rate=error_rate, seed=0),
        limit=SAMPLES,
        log_dir=str(folder),
        display="none",
    )
    assert log.status == "success", log.error
    return Path(log.location.removeprefix("file://"))


def copy_log(source: Path, target: Path, number: int) -> None:
    """The log again as one of another run, with a seed of its own: another system to compare."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", **zipfile_compress_kwargs) as new:
        for name in old.namelist():
            content: bytes | str = old.read(name)
            if name in _HEADERS:
                header = json.loads(content)
                header["eval"] |= {"task_id": f"task{number}", "eval_id": f"eval{number}", "run_id": f"run{number}"}
                header["eval"]["model_args"]["seed"] = number
                content = json.dumps(header)
            new.writestr(name, content)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ |= {"XDG_DATA_HOME": name, "XDG_CACHE_HOME": name}
        sources = [make_log(folder / "made", rate) for rate in ERROR_RATES]
        (folder / "twenty").mkdir()
        for number in range(LOGS):
            source = sources[number % len(sources)]
            copy_log(source, folder / "twenty" / f"2026-01-01T00-00-{number:02}_{number}.eval", number)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        command = [str(Path(sys.executable).parent / "utb"), "compare", str(folder / "twenty")]
        subprocess.run(command, check=True, capture_output=True)
        seconds = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print("| logs | samples | seconds | processor seconds | peak memory, MB |", "|---:|---:|---:|---:|---:|", sep="\n")
    print(f"| {LOGS} | {LOGS * SAMPLES} | {seconds:.1f} | {spent:.1f} | {after.ru_maxrss / 1024:.0f} |")


if __name__ == "__main__":
    main()
