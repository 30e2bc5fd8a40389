"""Where logs lie and how they are opened: files and folders, here or at any address that fsspec knows."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from inspect_ai.log import EvalLog, EvalSampleSummary, list_eval_logs, read_eval_log, read_eval_log_sample_summaries

from utb_inspect.schema import DataError

_SUFFIXES = (".eval", ".json")


def default_place() -> str:
    """Where Inspect writes logs unless told otherwise."""
    return os.environ.get("INSPECT_LOG_DIR", "./logs")


def find_logs(places: Iterable[str]) -> tuple[list[str], list[str]]:
    """The log files at some places, each once, and what was not found.

    Args:
        places: Log files, and folders that are searched with all below them: paths or addresses (`s3://...`).

    Returns:
        Locations, absolute paths or addresses, in the order of the places and oldest first within a folder; and a
        sentence for each place without a log.
    """
    found: dict[str, None] = {}
    missing = []
    for place in places:
        try:
            found |= dict.fromkeys(_logs_at(place))
        except DataError as error:
            missing.append(str(error))
    return list(found), missing


def _logs_at(place: str) -> list[str]:
    location = _absolute(place)
    if location.endswith(_SUFFIXES) and not Path(location).is_dir():
        return [location]
    if Path(location).is_file():
        raise DataError(f"{place}: is no log; name a file that ends in .eval or .json, or a folder")
    try:
        found = [_absolute(info.name) for info in list_eval_logs(location, descending=False)]
    except Exception as error:  # whatever a file system raises: no package, no credentials, no network
        raise DataError(f"{place}: cannot be searched for logs ({first_line(error)})") from None
    if not found:
        raise DataError(f"{place}: holds no log; runs write theirs to ./logs unless --log-dir says otherwise")
    return found


def _absolute(place: str) -> str:
    """A local path made absolute; an address as it is."""
    path = place.removeprefix("file://")
    return path if "://" in path else os.path.abspath(path)


def read_header(location: str) -> EvalLog:
    """A log of this suite that has ended, without its samples.

    Raises:
        DataError: there is no such log, it is broken, still running, or of another suite.
    """
    try:
        log = read_eval_log(location, header_only=True)
    except FileNotFoundError:
        raise DataError(f"{location}: there is no such file") from None
    except Exception as error:  # a broken file can raise anything
        raise DataError(f"{location}: is no log that can be read, or cut off ({first_line(error)})") from None
    if not str((log.eval.metadata or {}).get("signature", "")).startswith("data:"):
        raise DataError(f"{location}: is a log of {log.eval.task}, which is no task of this suite")
    if log.status == "started":
        raise DataError(
            f"{location}: the run of {log.eval.model} has not ended, or was killed "
            "(`inspect log recover` closes the log of a killed run)"
        )
    log.location = location
    return log


def read_summaries(log: EvalLog) -> list[EvalSampleSummary]:
    """What a log says of each sample in short.

    Raises:
        DataError: they cannot be read, or there is none.
    """
    try:
        summaries = read_eval_log_sample_summaries(log.location)
    except Exception as error:
        raise DataError(f"{log.location}: its samples cannot be read ({first_line(error)})") from None
    if not summaries:
        why = f": {first_line(log.error.message)}" if log.error else ""
        raise DataError(f"{log.location}: holds no sample (status {log.status}{why})")
    return summaries


def first_line(error: object) -> str:
    """The first line of an error's message, or its kind."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
