"""What many samples at once ask for (figures: benchmarks/load.py)."""

from __future__ import annotations

import asyncio
from pathlib import Path

from inspect_ai import eval as inspect_eval
from inspect_ai import eval_async
from inspect_ai.model import ModelOutput
from support import TURNS, Seen, output, scripted, write_dataset

from utb_inspect.tasks import user_tool_bench


def test_the_event_loop_goes_on_while_samples_are_set_up(tmp_path: Path) -> None:
    data = write_dataset(tmp_path / "harbour")
    turns, started = 0, dict[str, int]()

    async def count_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    def answer(seen: Seen) -> ModelOutput:
        started.setdefault(seen.sample, turns)
        return output("No idea.")

    async def run() -> None:
        counting = asyncio.create_task(count_turns())
        task = user_tool_bench(data=str(data))
        (log,) = await eval_async(task, model=scripted(answer), max_samples=len(TURNS), log_dir=str(tmp_path / "logs"))
        counting.cancel()
        assert log.status == "success", log.error

    asyncio.run(run())
    assert set(started) == set(TURNS)
    assert len(set(started.values())) == len(TURNS)  # no two in one turn of the loop


def test_a_task_runs_in_one_event_loop_after_another(tmp_path: Path) -> None:
    task = user_tool_bench(data=str(write_dataset(tmp_path / "harbour")))
    for _ in range(2):
        (log,) = inspect_eval(
            task,
            model=scripted(lambda seen: output("No idea.")),
            log_dir=str(tmp_path / "logs"),
            max_samples=len(TURNS),
        )
        assert log.status == "success", log.error
