"""`inspect` lines that are broken off: each in a process of its own, with an offline model that takes its time."""

from __future__ import annotations

import ctypes
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import anyio
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log, read_eval_log_sample_summaries
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from utb_inspect.baselines.provider import OfflineModel

_SLOW = (
    "inspect_ai._cli.main inspect_ai.agent._acp.server inspect_ai.model._openai_responses "
    "inspect_ai.model._providers.anthropic fastapi pandas uvicorn"
).split()
"""What every line would import for itself, the package left out."""


Cell = tuple[str, str]
"""Task and model."""


class SlowModel(OfflineModel):
    """A model of `utb/` that answers after a delay, and counts."""

    def __init__(self, model_name: str, delay: float = 0.1, counter: str = os.devnull, **options: Any) -> None:
        """Set how slow it is.

        Args:
            model_name: Name of the model of `utb/`.
            delay: Seconds.
            counter: A file that gets a byte with each answer.
            options: What that model takes.
        """
        super().__init__(model_name, **options)
        self.delay = delay
        self.counter = counter

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        await anyio.sleep(self.delay)
        with open(self.counter, "ab") as counter:
            counter.write(b".")
        return await super().generate(input, tools, tool_choice, config)


@modelapi(name="slow")
def slow() -> type[ModelAPI]:
    """`slow/NAME` is `utb/NAME`, which takes `-M delay=SECONDS` and `-M counter=FILE` too."""
    return SlowModel


@dataclass(frozen=True)
class EvalSet:
    """An `inspect eval-set` line with a folder of its own, given as often as it takes."""

    folder: Path
    runs: Sequence[str]
    """Tasks and options; models of `slow/`."""

    def __post_init__(self) -> None:
        self.folder.mkdir()
        self._counter.touch()

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    @property
    def output(self) -> str:
        """What all lines so far have printed."""
        return (self.folder / "out.txt").read_text()

    @property
    def answers(self) -> int:
        """How many answers its models have given."""
        return self._counter.stat().st_size

    @property
    def _counter(self) -> Path:
        return self.folder / "answers"

    @contextmanager
    def started(self, before: Callable[[], object] | None = None) -> Iterator[BaseProcess]:
        """The line as it runs, the leader of a process group; it is killed at the end of the block.

        Args:
            before: Called in its process first; a function that can be pickled.
        """
        line = ["eval-set", *self.runs, "-M", f"counter={self._counter}", "--log-dir", str(self.logs)]
        with started(line, self.folder / "out.txt", self.folder / "home", before) as process:
            yield process

    def ends(self, before: Callable[[], object] | None = None) -> int | None:
        """Run the line, and return its exit code."""
        with self.started(before) as process:
            process.join()
            return process.exitcode

    def waits(self, process: BaseProcess, answers: int) -> bool:
        """Wait until its models have given so many answers; false when the line ended before."""
        while self.answers < answers and process.is_alive():
            time.sleep(0.005)
        return process.is_alive()

    def finished(self) -> dict[Cell, EvalLog]:
        """The logs that ended well, of which there is one a cell."""
        found = [read_eval_log(info) for info in list_eval_logs(str(self.logs))]
        ended = [log for log in found if log.status == "success"]
        cells = {(log.eval.task, log.eval.model): log for log in ended}
        assert len(cells) == len(ended), "a cell has two logs that ended well"
        return cells

    def completed(self) -> dict[tuple[Cell, str], str]:
        """Samples that are complete in the logs, as (cell, sample) to the uuid in the newest."""
        found = {}
        for info in sorted(list_eval_logs(str(self.logs)), key=lambda info: info.name):
            header = read_eval_log(info, header_only=True)
            for sample in read_eval_log_sample_summaries(info):
                if sample.completed and not sample.error:
                    found[(header.eval.task, header.eval.model), str(sample.id)] = str(sample.uuid)
        return found


def scores(log: EvalLog) -> dict[str, dict[str, str]]:
    """Sample to scorer to value as JSON, in which NaN equals NaN."""
    return {
        str(sample.id): {name: json.dumps(score.value) for name, score in (sample.scores or {}).items()}
        for sample in log.samples or []
    }


def answers(log: EvalLog) -> dict[str, int]:
    """Sample to how many answers its run took."""
    return {str(one.id): sum(event.event == "model" for event in one.events) for one in log.samples or []}


def figures(log: EvalLog) -> str:
    """All metrics, as JSON."""
    assert log.results is not None
    return json.dumps({score.name: {k: m.value for k, m in score.metrics.items()} for score in log.results.scores})


@contextmanager
def started(
    line: Sequence[str], out: Path, home: Path, before: Callable[[], object] | None = None
) -> Iterator[BaseProcess]:
    """An `inspect` line as it runs; see `EvalSet.started`.

    Args:
        line: Arguments of `inspect`.
        out: File that its output is added to.
        home: Where Inspect keeps what it keeps in the home folder.
        before: Called in its process first.
    """
    process = _forks().Process(target=_inspect, args=(list(line), out, home, before))
    process.start()
    try:
        yield process
    finally:
        process.kill()
        process.join()


def heed_permissions() -> None:
    """Take from root what lets it write where permissions forbid."""
    if os.geteuid() == 0:
        version_3 = (ctypes.c_uint32 * 2)(0x20080522, 0)
        assert ctypes.CDLL(None).capset(version_3, (ctypes.c_uint32 * 6)()) == 0


@cache
def _forks() -> ForkServerContext:
    """Processes forked from one that has imported Inspect, which saves most of their time."""
    context = get_context("forkserver")
    context.set_forkserver_preload(_SLOW)
    return context


def _inspect(line: Sequence[str], out: Path, home: Path, before: Callable[[], object] | None) -> None:
    from inspect_ai._cli.main import main

    os.setpgid(0, 0)
    to = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(to, 1)
    os.dup2(to, 2)
    os.environ |= {
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "INSPECT_DISPLAY": "plain",
    }
    if before is not None:
        before()
    sys.argv = ["inspect", *line]
    try:
        main()
    except Exception:
        sys.excepthook(*sys.exc_info())  # as a user sees it
        sys.exit(1)
