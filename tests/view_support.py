"""Inspect View as a reader has it: a server over a folder of logs, and what stands on its pages.

Used by the tests, and by the scripts that make the pictures of the docs and measure how fast pages load.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.request import urlopen

from browser import HOW, NAMES, QUIET

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

WORD_JOINER = "\u2060"
_PATIENCE = 60
"""Seconds that a server is waited for."""


@contextmanager
def served(command: Sequence[str], port: int) -> Iterator[str]:
    """A server on a port of this machine, as long as the block lasts: its address."""
    address = f"http://127.0.0.1:{port}"
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _wait_for(address, server)
            yield address
        finally:
            server.terminate()


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _PATIENCE
    while server.poll() is None and time.monotonic() < end:
        try:
            urlopen(address, timeout=5).close()
        except URLError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"{' '.join(map(str, server.args))} does not answer at {address}")  # type: ignore[union-attr]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def inspect_view(logs: Path) -> Iterator[str]:
    """`inspect view` of a folder of logs: its address."""
    port = free_port()
    command = [sys.executable, "-m", "inspect_ai", "view", "--log-dir", str(logs), "--port", str(port)]
    with served(command, port) as address:
        yield address


@contextmanager
def own_page(width: int, height: int) -> Iterator[Page]:
    """A page of a Chromium of its own, for scripts; tests have the fixture `browser`."""
    from playwright.sync_api import sync_playwright

    program = os.environ.get("UTB_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        raise SystemExit(f"needs a browser: {HOW}")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=list(QUIET))
        yield chromium.new_page(viewport={"width": width, "height": height})
        chromium.close()


class View:
    """The pages of Inspect View, in a browser's page."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address

    def open_list(self, log: str) -> None:
        """The sample list of a log, without a filter."""
        self.page.goto("about:blank")  # the application would keep a filter from page to page
        self.page.goto(f"{self.address}/#/logs/{log}/samples/")
        self.rows.first.wait_for()

    def open_sample(self, log: str, sample: str, tab: str) -> None:
        """A tab of a sample: `transcript`, `messages` or `scoring`."""
        self.page.goto(f"{self.address}/#/logs/{log}/samples/sample/{sample}/1/{tab}")
        self.page.get_by_text(sample, exact=True).first.wait_for()

    # The sample list

    @property
    def rows(self) -> Locator:
        """The rows of the sample list that are drawn, without the head."""
        return self.page.locator("[role=grid] [role=row]:has([role=gridcell])")

    @property
    def columns(self) -> dict[str, str]:
        """Column to heading, in order."""
        heads = self.page.locator("[role=grid] [data-header-col-id]")
        return {head.get_attribute("data-header-col-id") or "": head.inner_text() for head in heads.all()}

    def cell(self, sample: str, column: str) -> Locator:
        """A sample's cell in a column of the list."""
        own = self.page.locator('[data-col-id="sampleId"]').get_by_text(sample, exact=True)
        return self.rows.filter(has=own).locator(f'[data-col-id="{column}"]')

    def column(self, column: str) -> list[str]:
        """The texts of a column, from the top."""
        return [text.strip() for text in self.rows.locator(f'[data-col-id="{column}"]').all_inner_texts()]

    @property
    def status(self) -> Locator:
        """The line that tells how many rows there are."""
        return self.page.locator("[role=grid] [role=status]")

    def filter(self, text: str) -> None:
        """Type into the filter box."""
        self.page.locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+A")
        self.page.keyboard.insert_text(text)

    # A sample

    def tables(self) -> list[list[list[str]]]:
        """The tables of the explanation: rows of cells, the head first."""
        found = self.page.locator("table")
        found.first.wait_for()
        return [
            [[plain(cell) for cell in row.locator("th, td").all_inner_texts()] for row in table.locator("tr").all()]
            for table in found.all()
        ]


def plain(text: str) -> str:
    """A text as it is read: without word joiners, which take no room."""
    return text.replace(WORD_JOINER, "").strip()
