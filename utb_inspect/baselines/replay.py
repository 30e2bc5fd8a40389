"""Replay: plays back answers made elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from inspect_ai.model import ChatMessage
from inspect_ai.tool import ToolInfo
from pydantic import Field

from utb_inspect.baselines.player import Action, current_sample, rounds_played
from utb_inspect.baselines.responses import Response
from utb_inspect.files import json_lines
from utb_inspect.schema import DataError, Model, parse


class Recording(Model):
    """A line of the file: the messages for one sample."""

    id: str | int
    epoch: int | None = Field(default=None, ge=1)
    """None: for every epoch that has no line of its own."""
    responses: list[Response]
    """Round by round."""


Recordings = Mapping[tuple[str, int | None], list[Response]]


class Replay:
    """Answers the n-th round of a sample with the n-th response that the file has for it.

    A sample or a round that the file lacks is an error of the run, never a decision.
    """

    def __init__(self, file: str) -> None:
        """Read the file once, so that a fault in it shows before the first sample.

        Args:
            file: JSON Lines, a `Recording` each.

        Raises:
            DataError: the file cannot be read; names line and fault.
        """
        self.file = Path(str(file)).absolute()
        self._recordings()

    async def act(self, messages: list[ChatMessage], tools: list[ToolInfo]) -> Action:
        sample = current_sample()
        recordings = self._recordings()
        responses = recordings.get(sample, recordings.get((sample.id, None)))
        if responses is None:
            raise DataError(f"{self.file}: no line for sample {sample.id}, epoch {sample.epoch}")
        played = rounds_played(messages)
        if played >= len(responses):
            raise DataError(
                f"{self.file}: sample {sample.id}, epoch {sample.epoch} has come to round {played + 1}, "
                f"and there are {len(responses)} responses"
            )
        return responses[played].action(tools)

    def _recordings(self) -> Recordings:
        # Inspect hands out one instance for all runs of a process, between which the file may change.
        try:
            stat = self.file.stat()
        except OSError as error:
            raise DataError(f"{self.file}: cannot be read ({error.strerror})") from None
        return _read(self.file, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=4)
def _read(file: Path, _modified: int, _size: int) -> Recordings:
    recordings: dict[tuple[str, int | None], list[Response]] = {}
    for place, data in json_lines(file):
        recording = parse(Recording, data, place)
        key = (str(recording.id), recording.epoch)
        if key in recordings:
            raise DataError(f"{place}: a second line for sample {recording.id}, epoch {recording.epoch or 'any'}")
        recordings[key] = recording.responses
    return recordings
