"""How fast Inspect View shows a log: `python benchmarks/view.py [LOG]` prints the table of docs/performance.md.

Without LOG, `utb/noisy` is run on the whole main split first, which takes minutes. Needs the extra `test` and a
Chromium.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from zipfile import ZipFile

from inspect_ai import eval as inspect_eval
from inspect_ai.log import read_eval_log
from inspect_ai.model import get_model

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from view_support import View, inspect_view, own_page

Figures = dict[str, float]
_PAGES = {"list": "the sample list", "explanation": "the largest sample's explanation"}


def make_log(folder: Path) -> Path:
    """A log of the main split."""
    model = get_model("utb/noisy", error_rate=0.5, seed=3)
    (log,) = inspect_eval("utb_inspect/user_tool_bench", model=model, log_dir=str(folder), display="none")
    assert log.status == "success", log.error
    return Path(log.location)


def largest_sample(log: Path) -> tuple[str, int]:
    """The sample that takes most room in a log, and its bytes."""
    with ZipFile(log) as archive:
        entries = [entry for entry in archive.infolist() if entry.filename.startswith("samples/")]
    largest = max(entries, key=lambda entry: entry.compress_size)
    return Path(largest.filename).name.removesuffix("_epoch_1.json"), largest.compress_size


@contextmanager
def measured(figures: Figures, name: str, received: list[float]) -> Iterator[None]:
    """The seconds of a block, and the megabytes that came in until its end."""
    received.clear()
    start = time.perf_counter()
    yield
    figures[f"{name}, s"] = time.perf_counter() - start
    figures[f"{name}, MB"] = sum(received) / 1e6


def cold_page(log: Path, sample: str) -> Figures:
    """A browser that has seen nothing opens the sample list, then the sample's explanation."""
    figures: Figures = {}
    received: list[float] = []
    with inspect_view(log.parent) as address, own_page(1400, 900) as page:
        network = page.context.new_cdp_session(page)
        network.on("Network.loadingFinished", lambda done: received.append(done["encodedDataLength"]))
        network.send("Network.enable")
        view = View(page, address)
        with measured(figures, "list", received):
            view.open_list(log.name)
        page.wait_for_timeout(2000)
        with measured(figures, "explanation", received):
            view.open_sample(log.name, sample, "scoring")
            view.tables()
    return figures


def table(log: Path, repeats: int) -> list[str]:
    """The medians, in Markdown."""
    sample, size = largest_sample(log)
    runs = [cold_page(log, sample) for _ in range(repeats)]
    middle = {name: median(run[name] for run in runs) for name in runs[0]}
    results = read_eval_log(str(log), header_only=True).results
    assert results is not None
    return [
        f"{results.total_samples} samples, {log.stat().st_size / 1e6:.1f} MB; "
        f"the largest sample, {sample}, takes {size / 1e3:.0f} kB.",
        "",
        "| until | seconds | MB transferred |",
        "|---|---:|---:|",
        *(f"| {what} shows | {middle[f'{key}, s']:.1f} | {middle[f'{key}, MB']:.1f} |" for key, what in _PAGES.items()),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", nargs="?", type=Path, help="log to show; by default one is made")
    parser.add_argument("--repeats", type=int, default=3, help="pages of each kind (default 3; the median counts)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        log = (arguments.log or make_log(Path(name))).resolve()
        print("## Inspect View\n", *table(log, arguments.repeats), sep="\n")


if __name__ == "__main__":
    main()
