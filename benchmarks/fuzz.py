"""Long fuzzing: `python benchmarks/fuzz.py --seconds 600` prints figures of docs/reliability.md.

Gives the targets of tests/test_fuzz_*.py inputs for that long each. A fault is an input on which a check fails, or
takes more than `--hang` seconds of computing; it is printed in its smallest form, and the next target goes on.
Needs the extra `test`.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from fuzzing import Target

MODULES = ("test_fuzz_readers", "test_fuzz_schemas", "test_fuzz_values", "test_fuzz_verdicts")
BATCH = 2_000
"""Inputs between two looks at the clock; hypothesis begins a batch with simple inputs and goes on to larger ones."""


class HangError(Exception):
    """A check took too long."""


class InterruptError(BaseException):
    """Breaks off a check that takes too long; no Exception, since the code under test catches those."""


@dataclass
class Count:
    """What a target was given."""

    inputs: int = 0
    faults: int = 0
    slowest: float = 0.0
    """Seconds of computing that the slowest input took."""


def counted(check: Callable[[Any], None], count: Count, hang: float) -> Callable[[Any], None]:
    def each(value: Any) -> None:
        count.inputs += 1
        start = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, hang, hang)
        try:
            check(value)
        except InterruptError as error:
            raise HangError("broken off") from error  # hypothesis finds the smallest input for an Exception alone
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            took = time.process_time() - start
            count.slowest = max(count.slowest, took)
            if took > hang:  # code in C is not broken off
                raise HangError(f"{took:.1f} s of computing")

    return each


def fuzz(target: Target, seconds: float, hang: float, chance: random.Random) -> Count:
    """Fuzz a target for a time, or until a fault is found."""
    count = Count()
    end = time.monotonic() + seconds
    watched = replace(target, check=counted(target.check, count, hang))
    while time.monotonic() < end and not count.faults:
        try:
            watched.fuzz(BATCH, chance.getrandbits(32))
        except (Exception, InterruptError):
            count.faults += 1
            traceback.print_exc()
    return count


def _hang(*_: object) -> None:
    raise InterruptError


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="for each target")
    parser.add_argument("--hang", type=float, default=10, help="seconds of computing that an input may take")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--targets", nargs="*", help="those whose names hold one of these words; else all")
    options = parser.parse_args()
    signal.signal(signal.SIGVTALRM, _hang)
    chance = random.Random(options.seed)
    targets: dict[str, Target] = {}
    for module in MODULES:
        targets |= import_module(module).TARGETS
    if options.targets:
        targets = {name: t for name, t in targets.items() if any(word in name for word in options.targets)}
    print(f"| {'target':<32} | {'inputs':>9} | {'faults':>6} | slowest, s |")
    print(f"|{'-' * 34}|{'-' * 10}:|{'-' * 7}:|{'-' * 11}:|")
    total = Count()
    for name, target in targets.items():
        count = fuzz(target, options.seconds, options.hang, chance)
        print(f"| {name:<32} | {count.inputs:>9,} | {count.faults:>6} | {count.slowest:>10.2f} |", flush=True)
        total.inputs += count.inputs
        total.faults += count.faults
        total.slowest = max(total.slowest, count.slowest)
    print(f"| {'all':<32} | {total.inputs:>9,} | {total.faults:>6} | {total.slowest:>10.2f} |")
    sys.exit(total.faults > 0)


if __name__ == "__main__":
    main()
