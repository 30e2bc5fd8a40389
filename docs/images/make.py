"""Make the pictures of docs/reading-results.md: `python docs/images/make.py`.

Needs the extra `test` and a Chromium (`UTB_CHROMIUM` names another than the one on the path). The samples are those of
`utb/noisy` with the seed below, whose mistakes are the same each time; look at the pictures when the data has changed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from inspect_ai import eval as inspect_eval
from inspect_ai.model import get_model

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from view_support import View, inspect_view, own_page

HERE = Path(__file__).parent
WIDTH, HEIGHT = 1400, 860
CRUMBS = 29
"""Height of the line with the path of the log, which is cut off."""
PREFERENCE_MISSED = "p01-t19.4"
CALL_TOO_MANY = "p01-t19.1"


def make_log(folder: Path) -> str:
    """A log of one profile, half of its runs with a mistake: the name of its file."""
    (log,) = inspect_eval(
        "utb_inspect/user_tool_bench",
        model=get_model("utb/noisy", error_rate=0.5, seed=3),
        task_args={"profiles": "p01"},
        log_dir=str(folder),
        display="plain",
    )
    assert log.status == "success", log.error
    return Path(log.location).name


def take(view: View, name: str) -> None:
    """A picture of the page as it stands."""
    view.page.mouse.move(WIDTH / 2, 5)  # no row is marked
    view.page.wait_for_timeout(1000)
    whole = {"x": 0, "y": CRUMBS, "width": WIDTH, "height": HEIGHT - CRUMBS}
    view.page.screenshot(path=HERE / f"{name}.png", clip=whole, animations="disabled", caret="hide")
    print(f"{name}.png: {(HERE / f'{name}.png').stat().st_size // 1000} kB")


def scroll_to(view: View, text: str) -> None:
    """Scroll down until a text stands in the middle of the page; what is far below is not drawn before."""
    found = view.page.get_by_text(text).last
    view.page.mouse.move(WIDTH / 2, HEIGHT / 2)
    while not found.count():
        view.page.mouse.wheel(0, HEIGHT)
        view.page.wait_for_timeout(200)
    found.evaluate("it => it.scrollIntoView({block: 'center'})")


def take_all(view: View, log: str) -> None:
    view.open_list(log)
    take(view, "sample-list")
    view.filter('utb_severity == "major" and metadata.third == "last"')
    view.page.keyboard.press("Escape")  # closes the list of completions
    view.page.locator(".cm-content").blur()
    take(view, "filtered-list")
    view.open_sample(log, PREFERENCE_MISSED, "scoring")
    view.tables()
    take(view, "explanation")
    view.open_sample(log, PREFERENCE_MISSED, "transcript")
    take(view, "transcript")
    view.open_sample(log, PREFERENCE_MISSED, "messages")
    scroll_to(view, "recorded reply")
    take(view, "messages")
    view.open_sample(log, CALL_TOO_MANY, "transcript")
    scroll_to(view, "off the reference path")
    take(view, "off-path")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        logs = Path(name)
        log = make_log(logs)
        with inspect_view(logs) as address, own_page(WIDTH, HEIGHT) as page:
            take_all(View(page, address), log)


if __name__ == "__main__":
    main()
