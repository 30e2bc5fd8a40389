"""A demonstration: runs of offline models, bundled with Inspect View into pages that any web server can give out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from inspect_ai import eval as inspect_eval
from inspect_ai.log import bundle_log_dir
from inspect_ai.model import get_model

from utb_inspect.datasets import load
from utb_inspect.datasets.samples import profile_names, to_samples
from utb_inspect.schema import TASK_TYPES, DataError

TASK = "utb_inspect/user_tool_bench"
MODELS: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("utb/recall", {}),
    ("utb/noisy", {"error_rate": 0.5, "seed": 3}),
    ("utb/noisy", {"error_rate": 0.2, "seed": 3}),
)
"""Models with their arguments: an honest baseline, and two shares of planned mistakes."""


def make_demo(
    folder: Path, profiles: str, limit: int | None, overwrite: bool, tell: Callable[[str], None] = lambda step: None
) -> int:
    """Run the offline models on some profiles of the main split and bundle the logs.

    The folder appears whole, when all runs are done, or not at all.

    Args:
        folder: Folder to write.
        profiles: Profiles to run, comma separated.
        limit: Turns of each run; None for all of the profiles.
        overwrite: Replace an earlier demonstration.
        tell: Told of each step when it begins.

    Returns:
        The number of turns of each run.

    Raises:
        DataError: the folder is not free, there is no such profile, or a run ended in an error.
    """
    folder = folder.resolve()
    _check_free(folder, overwrite)
    names = profile_names(profiles)
    turns = len(to_samples(load("utb_open"), TASK_TYPES, names))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as own:
            logs, bundle, before = (Path(own) / name for name in ("logs", "bundle", "before"))
            for number, (model, arguments) in enumerate(MODELS, 1):
                tags = [f"{key} {value:g}" for key, value in arguments.items()]
                tell(f"run {number} of {len(MODELS)}: {' '.join([model, *tags])}")
                _run(model, arguments, tags, names, limit, logs)
            tell("bundling the logs")
            bundle_log_dir(str(logs), str(bundle))
            if folder.exists():
                folder.rename(before)
            bundle.rename(folder)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written ({error.strerror or error})") from None
    return min(turns, limit or turns)


def _check_free(folder: Path, overwrite: bool) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise DataError(f"{folder}: is a file; name a new folder")
    if not any(folder.iterdir()):
        return
    if not overwrite:
        raise DataError(f"{folder}: is not empty; name a new folder, or give --overwrite to replace an earlier bundle")
    if not (folder / "logs" / "listing.json").is_file():
        raise DataError(f"{folder}: holds something else than an earlier bundle; name a new folder")


def _run(
    model: str,
    arguments: Mapping[str, Any],
    tags: list[str],
    profiles: list[str],
    limit: int | None,
    logs: Path,
) -> None:
    (log,) = inspect_eval(
        TASK,
        model=get_model(model, **arguments),
        task_args={"profiles": profiles},
        tags=tags,  # tell two logs of one model apart
        limit=limit,
        log_dir=str(logs),
        display="none",  # of the bundling, too
    )
    if log.status != "success":
        why = log.error.message if log.error else "it was stopped"
        raise DataError(f"the run of {model} ended as {log.status}: {why}")
