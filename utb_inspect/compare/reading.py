"""Logs read to runs and samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inspect_ai.log import EvalLog, effective_eval_config

from utb_inspect.compare.attempts import newest_attempts
from utb_inspect.compare.frame import NEVER_RAN, NOT_SCORED, PLACE, RunInfo, Runs, sample_frame
from utb_inspect.compare.labels import Run, labels, settings
from utb_inspect.compare.rows import MAIN_SCORERS, Row, epochs, history_turns, log_rows, planned
from utb_inspect.datasets import load, shipped
from utb_inspect.datasets.samples import to_sample
from utb_inspect.logs import default_place, find_logs, read_header, read_summaries
from utb_inspect.schema import DataError
from utb_inspect.signature import parts, with_verdict

_LIMITS = "message_limit token_limit token_limit_type turn_limit time_limit working_limit cost_limit".split()
"""Limits on a sample, which can end it; how many run at a time is none."""


def read_runs(places: Sequence[str] = ()) -> Runs:
    """Finished runs of this suite, from their logs' headers and sample summaries.

    Args:
        places: Log files and folders of logs, here or at addresses that fsspec knows; by default where Inspect writes.

    Returns:
        The runs. What could not be read, and what was not taken as it stands, is told in `refused`.

    Raises:
        DataError: no log can be read; the message has a line for each.
    """
    locations, notes = find_logs(places or [default_place()])
    read: dict[str, _Read] = {}
    for location in locations:
        try:
            log = read_header(location)
            read[location] = _Read(log, log_rows(log, read_summaries(log)))
        except DataError as error:
            notes.append(f"{error}; left out")
    if not read:
        raise DataError("\n".join(["there is no log to compare:", *notes]))
    newest, superseded = newest_attempts([each.log for each in read.values()])
    runs = [read[log.location] for log in newest]
    infos, apart = _infos(runs)
    _fill_places(infos, runs)
    told = [
        note
        for info, run in zip(infos, runs, strict=True)
        for note in (*_ended_early(info, run), *_not_scored(info, run))
    ]
    rows = [row for index, run in enumerate(runs) for row in _finished(index, infos[index], run.rows)]
    return Runs(infos, sample_frame(rows), [*notes, *superseded, *apart, *told])


@dataclass(frozen=True)
class _Read:
    log: EvalLog
    rows: list[Row]


def _infos(runs: Sequence[_Read]) -> tuple[list[RunInfo], list[str]]:
    unnamed = [_info(run.log, run.rows) for run in runs]
    named = [
        Run(
            info.model,
            settings(run.log),
            info.data,
            info.options,
            frozenset((row["sample"], row["epoch"]) for row in run.rows),
            info.location,
        )
        for info, run in zip(unnamed, runs, strict=True)
    ]
    found, apart = labels(named)
    infos = [replace(info, label=label.name, repeats=label.repeats) for info, label in zip(unnamed, found, strict=True)]
    return infos, apart


def _info(log: EvalLog, rows: Sequence[Row]) -> RunInfo:
    signature = _as_scored(log)
    made = parts(signature)
    config = effective_eval_config(log)
    return RunInfo(
        location=log.location,
        model=log.eval.model,
        label=log.eval.model,
        repeats=None,
        task=log.eval.task.split("/")[-1],
        version=str(log.eval.task_version),
        status=log.status,
        signature=signature,
        parts=made,
        upstream=made.get("verdict", "").startswith("upstream"),
        epochs=epochs(log),
        samples=len(planned(log)) * epochs(log) or len(rows),
        limits={key: value for key in _LIMITS if (value := getattr(config, key)) is not None},
        created=str(log.eval.created),
    )


def _as_scored(log: EvalLog) -> str:
    """A log's signature with the version of the scorer that gave its verdicts: it may have been scored again."""
    signature = str((log.eval.metadata or {})["signature"])
    for scorer in log.eval.scorers or []:
        if scorer.name.split("/")[-1] in MAIN_SCORERS and (version := (scorer.metadata or {}).get("verdict")):
            return with_verdict(signature, version)
    return signature


def _fill_places(infos: Sequence[RunInfo], runs: Sequence[_Read]) -> None:
    """Put profile, task type and so on into rows of samples that never ran: from other runs, else from shipped data."""
    for data in dict.fromkeys(info.data for info in infos):
        rows = [row for info, run in zip(infos, runs, strict=True) if info.data == data for row in run.rows]
        lost = [row for row in rows if row["error"] == NEVER_RAN]
        known: Mapping[str, Mapping[str, Any]] = {row["sample"]: row for row in rows if row["error"] != NEVER_RAN}
        if any(row["sample"] not in known for row in lost):
            known = {**_shipped_places(data), **known}
        for row in lost:
            place = known.get(row["sample"], {})
            row |= {key: place.get(key) for key in PLACE}


def _shipped_places(data: str) -> dict[str, dict[str, Any]]:
    """Sample id to metadata of a shipped split, where this is the very data of the run."""
    name = data.split("@")[0]
    if name not in shipped() or (dataset := load(name)).name != data:
        return {}
    return {turn.id: to_sample(turn).metadata or {} for turn in dataset.turns}


def _ended_early(info: RunInfo, run: _Read) -> Iterator[str]:
    lost = [row for row in run.rows if row["error"] == NEVER_RAN]
    if not lost:
        return
    note = f"{info.location}: ended with status {info.status}; {len(lost)} of {info.samples} samples never ran"
    if unknown := sum(row["profile"] is None for row in lost):
        note += f", and of {unknown} of them nothing says what profile and task type they are"
    yield note


def _not_scored(info: RunInfo, run: _Read) -> Iterator[str]:
    waiting = any(row["error"] == NOT_SCORED for row in run.rows)
    if waiting and not any(row["scored"] for row in run.rows):
        yield f"{info.location}: not scored yet; run `utb rescore`"


def _finished(index: int, info: RunInfo, rows: Iterable[Row]) -> Iterable[Row]:
    for row in rows:
        shown = history_turns(info.parts.get("history", "full"), row)
        yield {**row, "run": index, "model": info.label, "task": info.task, "history_turns": shown}
