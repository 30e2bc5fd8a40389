"""An eval-set killed at random moments: `python benchmarks/kills.py` prints figures of docs/reliability.md.

Two tasks by two models that answer after a delay are run by `inspect eval-set`, killed by `kill -9` at a random moment,
and run by the same line again, until a line ends by itself. Then another set begins, until there were kills enough. The
logs are compared with those of a set that nobody killed. Needs the extra `test`.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from signal import SIGKILL

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from inspect_ai.log import EvalLog
from interrupted import Cell, EvalSet, figures, scores

from utb_inspect.compare.reading import read_runs

TASKS = ("utb_inspect/multi_tool", "utb_inspect/lack_of_information")
OPTIONS = ("--model", "slow/oracle,slow/noisy", "-M", "delay=0.2", "--max-connections", "4", "--continue-on-fail")
FAULTS = (
    "lost",
    "doubled",
    "scored otherwise",
    "logs with other metrics",
    "other logs in utb compare",
    "complete samples run again",
)
"""Figures that must be zero."""
COLUMNS = (
    "kills",
    "before a sample was in a log",
    "sets",
    "sets that ended well",
    "samples",
    *FAULTS,
    "answers beyond those of undisturbed sets",
)


def compared(whole: Mapping[Cell, EvalLog], one: EvalSet) -> Counter[str]:
    """What is in the logs of a set that is done, against those of one that nobody killed."""
    found = one.finished()
    taken = {Path(info.location).name for info in read_runs([str(one.logs)]).infos}
    ended = {Path(log.location).name for log in found.values()}
    counts = Counter({"sets": 1, "other logs in utb compare": len(taken ^ ended)})
    counts["sets that ended well"] += found.keys() == whole.keys()
    for cell, right in whole.items():
        log = found.get(cell)
        expected, own = scores(right), scores(log) if log else {}
        counts["samples"] += len(expected)
        counts["lost"] += len(expected.keys() - own.keys())
        counts["doubled"] += len((log.samples if log else None) or []) - len(own)
        counts["scored otherwise"] += sum(value != expected.get(sample) for sample, value in own.items())
        counts["logs with other metrics"] += log is None or figures(log) != figures(right)
    return counts


def kill_and_continue(one: EvalSet, chance: Random, answers: int, most: int) -> Counter[str]:
    """Run a set's line until it ends by itself, killed at most so many times; how the kills found it."""
    counts: Counter[str] = Counter()
    complete: dict[tuple[Cell, str], str] = {}
    while counts["kills"] < most and killed(one, chance.randrange(answers), chance.random()):
        now = one.completed()
        counts["kills"] += 1
        counts["before a sample was in a log"] += not now
        counts["complete samples run again"] += again(complete, now)
        complete |= now
    assert one.ends() == 0, one.output
    counts["complete samples run again"] += again(complete, one.completed())
    return counts


def killed(one: EvalSet, answers: int, seconds: float) -> bool:
    """Run a set's line and kill it some time after so many further answers; false when it ended before."""
    answers += one.answers
    with one.started() as process:
        if one.waits(process, answers):
            process.join(seconds)
        process.kill()
        process.join()
        return process.exitcode == -SIGKILL


def again(before: Mapping[tuple[Cell, str], str], now: Mapping[tuple[Cell, str], str]) -> int:
    """How many complete samples another run took the place of."""
    return sum(now.get(sample) != uuid for sample, uuid in before.items())


def report(counts: Mapping[str, int]) -> Iterator[str]:
    yield "| | |"
    yield "|---|---:|"
    yield from (f"| {name} | {counts[name]} |" for name in COLUMNS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50, help="how many kills there are to be (default 50)")
    parser.add_argument("--samples", type=int, default=20, help="samples of each task (default 20)")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        os.environ |= {"XDG_DATA_HOME": str(base / "data"), "XDG_CACHE_HOME": str(base / "cache")}
        runs = [*TASKS, *OPTIONS, "--limit", str(given.samples)]
        untouched = EvalSet(base / "untouched", runs)
        assert untouched.ends() == 0, untouched.output
        whole = untouched.finished()
        chance = Random(given.seed)
        counts: Counter[str] = Counter()
        while counts["kills"] < given.kills:
            one = EvalSet(base / f"set{counts['sets']}", runs)
            counts.update(kill_and_continue(one, chance, untouched.answers // 2, given.kills - counts["kills"]))
            counts.update(compared(whole, one))
            counts["answers beyond those of undisturbed sets"] += one.answers - untouched.answers
            print(f"{counts['kills']} kills, {counts['sets']} sets", file=sys.stderr, flush=True)
    print(*report(counts), sep="\n")
    sys.exit(any(counts[name] for name in FAULTS))


if __name__ == "__main__":
    main()
