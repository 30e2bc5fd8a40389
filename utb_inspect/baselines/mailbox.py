"""Mailbox: each request a file, each answer a file."""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from pathlib import Path
from urllib.parse import quote

import anyio
from inspect_ai.model import ChatMessage
from inspect_ai.tool import ToolInfo

from utb_inspect.baselines.player import Action, SampleKey, current_sample, rounds_played
from utb_inspect.baselines.prompts import prompt
from utb_inspect.baselines.responses import Response
from utb_inspect.files import decode_json, write_text
from utb_inspect.schema import DataError, parse

POLL_SECONDS = 0.2
SETTLE_SECONDS = 5.0
"""How long an answer that is no JSON counts as one that is still being written."""
MANY = 10_000
"""Samples that wait at the same time: a request that waits for a file costs nothing."""


class Mailbox:
    """Writes `<sample>.<round>.request.json` and waits for `<sample>.<round>.response.json`.

    An answer that is there already is taken if the stored request is byte for byte the one that would be written.
    So a run that was broken off goes on where it was, and a changed prompt never gets a stale answer.
    """

    def __init__(self, dir: str, timeout: float | None = None) -> None:
        """Open a mailbox.

        Args:
            dir: Its folder; made when it is not there. One run at a time.
            timeout: Seconds to wait for each answer; by default for ever.

        Raises:
            DataError: the folder cannot be made.
            ValueError: a time-out that is no positive number.
        """
        if timeout is not None and (isinstance(timeout, bool) or not isinstance(timeout, int | float) or timeout <= 0):
            raise ValueError(f"timeout={timeout}: give a number of seconds above 0, or leave it out")
        self.dir = Path(str(dir)).absolute()
        self.timeout = timeout
        try:
            self.dir.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(f"{self.dir}: the folder cannot be made ({error.strerror})") from None

    async def act(self, messages: list[ChatMessage], tools: list[ToolInfo]) -> Action:
        sample = current_sample()
        round_ = rounds_played(messages) + 1
        name = f"{file_name(sample)}.{round_}"
        request, response = self.dir / f"{name}.request.json", self.dir / f"{name}.response.json"
        text = json.dumps(prompt(sample.id, round_, messages, tools), ensure_ascii=False, indent=1) + "\n"
        if _read(request) != text.encode():
            if response.exists():
                os.replace(response, response.with_name(f"{response.name}.stale"))
            write_text(request, text)
        return (await self._answer(response)).action(tools)

    async def _answer(self, file: Path) -> Response:
        asked = changed = time.monotonic()
        seen: bytes | None = None
        while True:
            data = _read(file)
            now = time.monotonic()
            if data != seen:
                seen, changed = data, now
            if data is not None:
                try:
                    answer = decode_json(data)
                except ValueError as error:
                    if now - changed > SETTLE_SECONDS:
                        raise DataError(f"{file}: no JSON ({error})") from None
                else:
                    return parse(Response, answer, str(file))
            if self.timeout is not None and now - asked > self.timeout:
                raise DataError(f"{file}: no answer within {self.timeout:g} seconds")
            await anyio.sleep(POLL_SECONDS)


def file_name(sample: SampleKey) -> str:
    """A sample as the first part of a file name, one to one.

    Letters, digits and `_.-~` of the id are kept, other characters are percent-encoded as in addresses, and so is a
    leading dot; an id that comes out longer than 180 characters is cut and ends in `%` and a hash. Epochs from the
    second on follow as `@2`, which no encoded id holds.
    """
    name = re.sub(r"^\.", "%2E", quote(sample.id, safe=""))
    if len(name) > 180:
        name = f"{name[:160]}%{hashlib.sha256(sample.id.encode()).hexdigest()[:16]}"
    return name if sample.epoch == 1 else f"{name}@{sample.epoch}"


def _read(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DataError(f"{file}: cannot be read ({error.strerror})") from None
