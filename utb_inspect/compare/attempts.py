"""Logs of one task run told apart: what a retry, another scoring or a recovery left behind is read once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import fsspec  # type: ignore[import-untyped]
from inspect_ai.log import EvalLog


def newest_attempts(logs: Sequence[EvalLog]) -> tuple[list[EvalLog], list[str]]:
    """The newest log of each task run, oldest run first, and a sentence for each log that it supersedes.

    `inspect eval-retry` and `inspect eval-set` keep the id of the task run, and copy what the old log had to the new.
    """
    attempts: dict[str, list[EvalLog]] = {}
    for log in logs:
        attempts.setdefault(log.eval.task_id, []).append(log)
    newest = [_newest(same) for same in attempts.values()]
    notes = [note for last, same in zip(newest, attempts.values(), strict=True) for note in _superseded(last, same)]
    return sorted(newest, key=lambda log: log.eval.created), notes


def _newest(same: Sequence[EvalLog]) -> EvalLog:
    if len(same) == 1:
        return same[0]
    # A log that was scored again or recovered began when the other did; the time of the file tells them apart.
    return max(same, key=lambda log: (log.eval.created, _modified(log.location)))


def _modified(location: str) -> float:
    try:
        fs, path = fsspec.core.url_to_fs(location)
        return float(fs.modified(path).timestamp())
    except Exception:  # some file systems keep no times
        return 0.0


def _superseded(last: EvalLog, same: Iterable[EvalLog]) -> Iterator[str]:
    for log in same:
        if log is not last:
            again = log.eval.eval_id == last.eval.eval_id
            what = "is an older file of the same run as" if again else "was continued in"
            yield f"{log.location}: {what} {last.location}; left out"
