"""Fuzzing led by coverage: `python benchmarks/fuzz_coverage.py` prints a table of docs/reliability.md.

atheris drives the targets of tests/test_fuzz_*.py: it makes bytes, hypothesis makes inputs of them, and bytes whose
inputs reach new branches of the package are kept and changed further. This pays for checks that are quick and branch
much, such as readers of text; benchmarks/fuzz.py gives the others more inputs in the same time.

Needs the extra `test`, and atheris, of which there are wheels for Linux alone: `pip install atheris`.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from importlib import import_module
from itertools import chain
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

TARGETS = {
    "test_fuzz_readers": ("bytes of rows",),
    "test_fuzz_schemas": ("calls", "validity"),
    "test_fuzz_values": ("agreement", "texts"),
    "test_fuzz_verdicts": ("any run",),
}
"""Those that coverage leads somewhere, by module."""


def run(name: str, options: list[str]) -> None:
    """Fuzz a target in this process, which ends with it."""
    import atheris
    from hypothesis import given

    (module,) = (module for module, names in TARGETS.items() if name in names)
    with atheris.instrument_imports(include=["utb_inspect"]):
        target = import_module(module).TARGETS[name]

    @given(target.inputs)
    def each(value: object) -> None:
        target.check(value)

    atheris.Setup([name, *options], each.hypothesis.fuzz_one_input)
    atheris.Fuzz()


def fuzz(name: str, seconds: int) -> tuple[int, int, int, int]:
    """Byte strings, of which some make no input; faults; branches reached by the first and by all."""
    options = [f"-max_total_time={seconds}", "-print_final_stats=1", "-max_len=8192", "-timeout=20"]
    with tempfile.TemporaryDirectory() as corpus:
        # libFuzzer ends its process, and writes the inputs of faults where it stands.
        own = [sys.executable, str(Path(__file__).resolve()), "--one", name, *options, corpus]
        done = subprocess.run(own, cwd=corpus, capture_output=True, text=True, errors="replace")
    told = done.stderr
    if done.returncode:
        print(f"{name}:", done.stdout[-3000:], told[-3000:], sep="\n", file=sys.stderr)
    units = re.search(r"number_of_executed_units: (\d+)", told)
    branches = [int(found) for found in re.findall(r"cov: (\d+)", told)] or [0]
    return int(units[1]) if units else 0, int(done.returncode != 0), branches[0], branches[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60, help="for each target (default 60)")
    options = parser.parse_args()
    print("| target | byte strings | faults | branches, at first | in the end |\n|---|---:|---:|---:|---:|", flush=True)
    faults = 0
    for name in chain.from_iterable(TARGETS.values()):
        figures = fuzz(name, options.seconds)
        faults += figures[1]
        print(f"| {name} | {' | '.join(f'{figure:,}' for figure in figures)} |", flush=True)
    sys.exit(bool(faults))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        run(sys.argv[2], sys.argv[3:])
    else:
        main()
