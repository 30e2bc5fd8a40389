"""A log's samples as rows of `utb_inspect.compare.frame.COLUMNS`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from inspect_ai.log import EvalLog, EvalSampleSummary
from inspect_ai.model import ModelUsage
from inspect_ai.scorer import Score

from utb_inspect.compare.frame import FLAGS, NEVER_RAN, NOT_SCORED, PLACE
from utb_inspect.logs import first_line
from utb_inspect.trajectory.verdict import LABELS

Row = dict[str, Any]

MAIN_SCORERS = ("utb_exact", "utb_upstream")
"""Scorers that give a run's main verdict; a log has one of them."""
_PROGRESS = ("progress", "optimal", "asked", "rounds", "calls", "questions", "question_sentences")
_LAST = re.compile(r"last:(\d+)")
_UNSCORED = re.compile(r"\**Not scored\**: ")


def log_rows(log: EvalLog, summaries: Iterable[EvalSampleSummary]) -> list[Row]:
    """A row for every sample and epoch that a log is to have, in the order of its dataset.

    Nothing is known of samples that never ran but their ids. `run`, `model` and `history_turns` are left to fill in.
    """
    ran = {(str(summary.id), summary.epoch): _sample_row(summary) for summary in summaries}
    expected = ((sample, epoch) for sample in planned(log) for epoch in range(1, epochs(log) + 1))
    return [ran.get(key) or _never_ran(*key) for key in dict.fromkeys([*expected, *ran])]


def planned(log: EvalLog) -> list[str]:
    """Ids of the samples that a run was to have."""
    return [str(sample) for sample in log.eval.dataset.sample_ids or ()]


def epochs(log: EvalLog) -> int:
    """How often a run was to run each sample."""
    return log.eval.config.epochs or 1


def history_turns(history: str, row: Mapping[str, Any]) -> int | None:
    """Earlier turns that a model was shown, by the run's `history` option; None where the turn's place is not known.

    Source: spec section 4, Layout.
    """
    if history == "none":
        return 0
    if history == "topic":
        return None if row.get("turn_index") is None else row["turn_index"] - 1
    if row.get("position") is None:
        return None
    before = int(row["position"]) - 1
    last = _LAST.fullmatch(history)
    return min(int(last[1]), before) if last else before


def _never_ran(sample: str, epoch: int) -> Row:
    return {"sample": sample, "epoch": epoch, "scored": False, "error": NEVER_RAN}


def _sample_row(summary: EvalSampleSummary) -> Row:
    scores = summary.scores or {}
    main = next((scores[name] for name in MAIN_SCORERS if name in scores), None)
    error = _why_unscored(summary, main)
    row: Row = {
        "sample": str(summary.id),
        "epoch": summary.epoch,
        "uuid": summary.uuid,
        **{key: summary.metadata.get(key) for key in PLACE},
        "scored": error is None,
        "error": error,
        "answer": main.answer if main else None,
        "seconds": summary.total_time,
        "working_seconds": summary.working_time,
        "retries": summary.retries or 0,
        **_usage(summary.model_usage.values()),
    }
    return row | _verdict(scores) if error is None else row


def _why_unscored(summary: EvalSampleSummary, main: Score | None) -> str | None:
    """Why a sample is no decision; None when it is one. An error of the run never is (spec section 4, Errors)."""
    if summary.error:
        return "cancelled" if summary.error.startswith("CancelledError(") else first_line(summary.error)
    if main is not None and _is_number(main.value):
        return None
    if summary.limit:
        return f"limit: {summary.limit}"
    if main is None:
        return NOT_SCORED
    return _plain(main.explanation or main.reason or "not scored")


def _plain(explanation: str) -> str:
    """An explanation of `utb_inspect.scorers.judged.unscored` without its markup."""
    text = _UNSCORED.sub("", explanation).replace("\N{WORD JOINER}", "")
    return re.sub(r"\\([^\w\s])", r"\1", text)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not math.isnan(value)


def _verdict(scores: Mapping[str, Score]) -> Row:
    row: Row = {}
    for name in ("exact", "relaxed", "upstream"):
        score = scores.get(f"utb_{name}")
        if score is not None and _is_number(score.value):
            row[name] = bool(score.value)
    row["correct"] = row.get("exact", row.get("upstream"))
    if isinstance(severity := _value(scores, "utb_severity"), str):
        row["severity"] = severity
    if isinstance(labels := _value(scores, "utb_labels"), Mapping):
        row |= {label: bool(labels.get(label)) for label in LABELS}
    if isinstance(progress := _value(scores, "utb_progress"), Mapping):
        row |= {key: progress.get(key) for key in _PROGRESS}
        row |= _flags(scores["utb_progress"].metadata or {})
    return row


def _value(scores: Mapping[str, Score], name: str) -> Any:
    return scores[name].value if name in scores else None


def _flags(metadata: Mapping[str, Any]) -> Row:
    return dict(zip(FLAGS, (metadata.get("ended") == "step_cap", bool(metadata.get("cut"))), strict=True))


def _usage(usages: Iterable[ModelUsage]) -> Row:
    """Tokens and cost of a sample over all models that it called; nothing when none said."""
    total: ModelUsage | None = None
    for usage in usages:
        total = usage if total is None else total + usage
    if total is None:
        return {}
    return {
        "input_tokens": total.input_tokens,
        "cached_tokens": total.input_tokens_cache_read or 0,
        "cache_write_tokens": total.input_tokens_cache_write or 0,
        "output_tokens": total.output_tokens,
        "reasoning_tokens": total.reasoning_tokens or 0,
        "total_tokens": total.total_tokens,
        "cost": total.total_cost,
    }
