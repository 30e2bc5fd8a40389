"""Many long samples at once: `python benchmarks/load.py` prints the tables of docs/performance.md, Load.

Samples with a history of a hundred turns, 64 at a time, are played by a model that answers after a delay what was
planned beforehand, right or wrong: with the suite's task, and with bare Inspect tasks that have the same messages
(load_run.py). While they run, a task on the same event loop sleeps for 20 ms again and again: what it sleeps longer is
a stall. Stalls are counted and told in processor time, too, to which other programs on the machine add nothing. A task
is made before the loop is watched, since nothing else runs then; its seconds count.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from inspect_ai import Task, eval_async
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.solver._task_state import sample_state
from inspect_ai.tool import ToolChoice, ToolInfo
from load_run import bare, suite
from synthetic import write_dataset

from utb_inspect.baselines.noisy import Noisy
from utb_inspect.baselines.player import Action, SampleKey, rounds_played, to_message
from utb_inspect.datasets import load
from utb_inspect.datasets.dataset import PlacedTurn
from utb_inspect.datasets.record import TurnRecord
from utb_inspect.datasets.wire import tool_info
from utb_inspect.trajectory.run import content_text

TURNS = 100
"""Of history."""
CONNECTIONS = 64
BEAT = 0.02
LONG = 0.1
"""Processor seconds from which a stall is long."""
TASKS = {
    "suite": "user_tool_bench",
    "bare": "bare Inspect task, messages in the samples",
    "lean": "bare Inspect task, messages set by its solver",
}


# --- what is played ------------------------------------------------------------------------------------------


def rounds(turn: PlacedTurn, model: Noisy) -> list[dict[str, Any]]:
    """What the model says in each round of a turn, and what it is answered with."""
    record = TurnRecord(turn=turn.turn, toolset=turn.toolset, start=0)
    infos = [tool_info(tool) for tool in turn.toolset.tools]
    plan, _ = model.plan(record, infos, SampleKey(turn.id, 1))
    run = record.run()
    found: list[dict[str, Any]] = []
    while run.ended is None:
        action = plan[min(len(found), len(plan) - 1)].action
        reply = run.reply(record.message(to_message(action, infos, len(found))))
        results = [content_text(result.content) for result in reply.results]
        found.append({"text": action.text, "calls": action.calls, "results": results, "reply": reply.user})
    return found


class Planned(ModelAPI):
    """Says what is planned for a sample, after a delay."""

    waiting = 0
    most_waiting = 0

    def __init__(self, model_name: str, script: str = "", delay: float = 0.0, **options: Any) -> None:
        super().__init__(model_name, **options)
        self.rounds = json.loads(Path(script).read_text())
        self.delay = delay

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        state = sample_state()
        assert state is not None
        played = rounds_played(input)
        Planned.waiting += 1
        Planned.most_waiting = max(Planned.waiting, Planned.most_waiting)
        await asyncio.sleep(self.delay * Random(f"{state.sample_id} {played}").uniform(0.5, 1.5))
        Planned.waiting -= 1
        round_ = self.rounds[str(state.sample_id)][played]
        message = to_message(Action(round_["text"], round_["calls"]), tools, len(input))
        stop = "tool_calls" if message.tool_calls else "stop"
        return ModelOutput(
            model=self.model_name,
            choices=[ChatCompletionChoice(message=message, stop_reason=stop)],
            usage=ModelUsage(input_tokens=20_000, output_tokens=50, total_tokens=20_050),
        )


@modelapi(name="planned")
def planned() -> type[ModelAPI]:
    return Planned


# --- a run ---------------------------------------------------------------------------------------------------


@dataclass
class Stalls:
    """How late the heartbeat was, in seconds."""

    longest: float = 0.0
    longest_cpu: float = 0.0
    """Processor time that the event loop's thread took between two beats."""
    long: int = 0

    async def watch(self) -> None:
        while True:
            wall, cpu = time.perf_counter(), time.thread_time()
            await asyncio.sleep(BEAT)
            self.longest = max(self.longest, time.perf_counter() - wall - BEAT)
            used = time.thread_time() - cpu
            self.longest_cpu = max(self.longest_cpu, used)
            self.long += used > LONG


def megabytes() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def measured(kind: str, data: str, script: Path, samples: int, delay: float) -> dict[str, float]:
    """Figures of one run."""
    history = f"last:{TURNS}"
    ids = list(json.loads(script.read_text()))[:samples]
    load(data)
    before = megabytes()
    start, cpu = time.perf_counter(), cpu_seconds()
    task: Task = suite(data, history) if kind == "suite" else bare(data, script, lean=kind == "lean", history=history)
    stalls = Stalls()
    heart = asyncio.create_task(stalls.watch())
    (log,) = await eval_async(
        task,
        model=f"planned/{kind}",
        model_args={"script": str(script), "delay": delay},
        sample_id=ids,
        max_connections=CONNECTIONS,
        max_samples=CONNECTIONS,
        log_header_only=True,
    )
    await asyncio.sleep(2 * BEAT)
    seconds, used = time.perf_counter() - start, cpu_seconds() - cpu
    heart.cancel()
    assert log.status == "success", log.error
    assert log.results is not None
    assert log.results.completed_samples == samples
    return {
        "most calls at once": Planned.most_waiting,
        "samples a second": samples / seconds,
        "CPU ms a sample": used / samples * 1000,
        "peak memory, MB": megabytes(),
        "of it before the run": before,
        "longest stall, ms": stalls.longest * 1000,
        "longest stall, CPU ms": stalls.longest_cpu * 1000,
        f"stalls over {LONG * 1000:.0f} CPU ms": stalls.long,
        "log, MB": Path(log.location.removeprefix("file://")).stat().st_size / 1e6,
    }


def in_own_process(kind: str, data: Path, script: Path, samples: int, delay: float) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as home:
        out = subprocess.run(
            [sys.executable, __file__, "--one", kind, str(data), str(script), str(samples), str(delay)],
            env={**os.environ, "XDG_DATA_HOME": home, "XDG_CACHE_HOME": home, "INSPECT_LOG_DIR": f"{home}/logs"},
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
    return dict(json.loads(out.splitlines()[-1]))


def table(runs: Mapping[tuple[str, int], Sequence[Mapping[str, float]]]) -> Iterator[str]:
    """The median of each figure, and how it compares with the suite's."""
    middle = {key: {name: median(run[name] for run in own) for name in own[0]} for key, own in runs.items()}
    names = list(next(iter(middle.values())))
    yield f"| task | samples | {' | '.join(names)} |"
    yield f"|---|---:|{'---:|' * len(names)}"
    for (kind, samples), own in middle.items():
        cells = " | ".join(f"{own[name]:,.1f}".removesuffix(".0") for name in names)
        yield f"| {TASKS[kind]} | {samples:,} | {cells} |"


def one(kind: str, data: str, script: str, samples: str, delay: str) -> None:
    """What a process of its own prints."""
    os.environ["INSPECT_DISPLAY"] = "none"
    print(json.dumps(asyncio.run(measured(kind, data, Path(script), int(samples), float(delay)))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, nargs="+", default=[200, 2000], help="sizes of runs (default 200 2000)")
    parser.add_argument("--delay", type=float, default=5.0, help="seconds that an answer takes (default 5)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each task (default 3; the median counts)")
    given = parser.parse_args()
    most = max(given.samples)
    with tempfile.TemporaryDirectory() as name:
        data, script = Path(name) / "data", Path(name) / "script.json"
        data.mkdir()
        write_dataset(data, profiles=10, topics=(10 * TURNS + most) // 3)
        long = [turn for turn in load(str(data)).turns if turn.position >= TURNS]
        model = Noisy()
        script.write_text(json.dumps({turn.id: rounds(turn, model) for turn in long[:most]}))
        runs: dict[tuple[str, int], list[dict[str, float]]] = {(k, n): [] for n in given.samples for k in TASKS}
        for _ in range(given.repeats):
            for (kind, samples), own in runs.items():
                own.append(in_own_process(kind, data, script, samples, given.delay))
                print(kind, samples, own[-1], file=sys.stderr, flush=True)
    print(*table(runs), sep="\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(*sys.argv[2:])
    else:
        main()
