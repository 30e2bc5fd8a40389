"""Make the pictures of the comparison page: `python docs/images/make_compare.py`.

Needs the extra `test` and a Chromium (`UTB_CHROMIUM` names another than the one on the path). Five offline models are
run on the main split with the last three turns as history.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from inspect_ai import eval as inspect_eval
from inspect_ai.model import get_model
from playwright.sync_api import sync_playwright

from utb_inspect.compare.build import build_report
from utb_inspect.compare.formats.html import html_text
from utb_inspect.compare.reading import read_runs
from utb_inspect.files import write_text

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from browser import NAMES, QUIET

HERE = Path(__file__).parent
PICTURES = {"compare": "Accuracy", "compare-pairs": "Pairs", "compare-labels": "What went wrong"}
"""Name of the picture to the heading that it begins with."""


def make_logs(folder: str) -> None:
    for rate in (0.1, 0.23, 0.25, 0.5):
        run("utb/noisy", folder, error_rate=rate, seed=round(100 * rate))
    run("utb/recall", folder)


def run(model: str, folder: str, **arguments: float) -> None:
    (log,) = inspect_eval(
        "utb_inspect/user_tool_bench",
        model=get_model(model, **arguments),
        task_args={"history": "last:3"},
        log_dir=folder,
        display="none",
    )
    assert log.status == "success", log.error
    print(model, arguments, "done")


def main() -> None:
    program = os.environ.get("UTB_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)))
    with tempfile.TemporaryDirectory() as folder:
        make_logs(folder)
        page_file = Path(folder) / "compare.html"
        write_text(page_file, html_text(build_report(read_runs([folder]))))
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=program, args=list(QUIET))
            page = chromium.new_page(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
            page.goto(page_file.as_uri())
            for name, title in PICTURES.items():
                page.get_by_role("heading", name=title, exact=True).first.evaluate("it => it.scrollIntoView()")
                page.wait_for_timeout(1000)
                page.screenshot(path=HERE / f"{name}.png", animations="disabled")
                print(f"{name}.png")
            chromium.close()


if __name__ == "__main__":
    main()
