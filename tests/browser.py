"""A Chromium for tests of pages, from `UTB_CHROMIUM` or the path. A module that uses it imports the fixture `browser`.

Playwright's synchronous interface keeps an event loop running in its thread while it is open, so Inspect's `eval()`
cannot be called then: make logs before the fixture opens (in a fixture that it comes after), or in a process of their
own.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--no-sandbox",  # as root, in a container, there is none to be had
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
HOW = "install Chromium (Debian: apt install chromium) or set UTB_CHROMIUM to its program, and pip install playwright"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium without a window.

    Skips where there is none, saying how to get one. With `UTB_CHROMIUM` set, one that does not start is a failure.
    """
    asked = os.environ.get("UTB_CHROMIUM")
    program = asked or next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"needs a browser: {HOW}")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        if asked:
            pytest.fail(f"UTB_CHROMIUM is set, but playwright is not installed: {HOW}")
        pytest.skip(f"needs playwright: {HOW}")
    with sync_playwright() as playwright:
        try:
            chromium = playwright.chromium.launch(executable_path=program, args=list(QUIET))
        except Exception as error:
            pytest.fail(f"{program} cannot be started ({error}): {HOW}")
        yield chromium
        chromium.close()
