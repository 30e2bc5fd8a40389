"""Tokens, time and money: in all, a sample, and a right decision."""

from __future__ import annotations

import pandas as pd

from utb_inspect.compare.frame import NEVER_RAN, NOT_SCORED
from utb_inspect.compare.report import Column, Table
from utb_inspect.compare.tables.accuracy import PARTS, figure, headline_part
from utb_inspect.compare.tables.making import MODEL, made
from utb_inspect.compare.tables.view import View

TOKENS = {
    "input_tokens": "Input",
    "cached_tokens": "Read from cache",
    "cache_write_tokens": "Written to cache",
    "output_tokens": "Output",
    "reasoning_tokens": "Of it reasoning",
    "total_tokens": "Total",
}


def ran(rows: pd.DataFrame) -> pd.DataFrame:
    """Samples that ran, scored or not."""
    return rows[(rows["error"] != NEVER_RAN).fillna(True)]


def total(rows: pd.DataFrame, key: str) -> float | None:
    """The sum of a column over samples that ran; None where it is not known of every one.

    A sample that failed before it called a model has no tokens, and cost nothing.
    """
    rows = ran(rows)
    known = rows[key].notna()
    if not known.any() or (~known & (rows["scored"] | rows["total_tokens"].notna())).any():
        return None
    return float(rows[key].sum())


def tokens_table(view: View) -> Table:
    """Tokens in all, a sample and a right decision."""
    rows = []
    for system, own in view.rows_of.items():
        sums = {key: total(own, key) for key in TOKENS}
        rows.append({"model": system, **_counts(own), **sums, **_rates("tokens", sums["total_tokens"], own)})
    columns = [
        *_COUNT_COLUMNS,
        *(Column(key, heading, "tokens") for key, heading in TOKENS.items()),
        Column("tokens_per_sample", "A sample", "number"),
        Column("tokens_per_right", "A right decision", "number"),
    ]
    note = (
        "Over all samples that ran, those that were not scored too. Input is what was neither read from a provider's "
        f"cache nor written to it. {_UNKNOWN}"
    )
    return made(view.signatures, "tokens", "Tokens", columns, rows, note)


def cost_table(view: View) -> Table:
    """Money and time in all, a sample and a right decision, beside the accuracy."""
    measure, part = view.measures[0], headline_part(view)
    turns = view.turns_of
    rows = []
    for system, own in view.rows_of.items():
        sums = {key: total(own, key) for key in ("cost", "seconds", "working_seconds", "total_tokens")}
        rows.append(
            {
                "model": system,
                **_counts(own),
                measure.key: figure(turns[system], measure.key, part),
                **_rates("tokens", sums["total_tokens"], own),
                "cost": sums["cost"],
                **_rates("cost", sums["cost"], own),
                **_rates("seconds", sums["seconds"], own),
                **_rates("working_seconds", sums["working_seconds"], own),
                "retries": int(own["retries"].sum()),
            }
        )
    columns = [
        *_COUNT_COLUMNS,
        Column(measure.key, f"{measure.label}, {PARTS[part][0].lower()}", interval=True),
        Column("cost", "Cost", "usd"),
        Column("cost_per_sample", "Cost a sample", "usd"),
        Column("cost_per_right", "Cost a right decision", "usd"),
        Column("tokens_per_sample", "Tokens a sample", "number"),
        Column("seconds_per_sample", "Time a sample", "seconds"),
        Column("seconds_per_right", "Time a right decision", "seconds"),
        Column("working_seconds_per_sample", "Working time a sample", "seconds"),
        Column("retries", "Retries", "count"),
    ]
    note = (
        "Over all samples that ran, those that were not scored too; what they cost is part of the price of a right "
        "decision. Cost as the logs have it. Working time leaves out waiting for rate limits and retries. "
        f"{_UNKNOWN}"
    )
    return made(view.signatures, "cost", "Cost and time", columns, rows, note)


_UNKNOWN = "Empty: not known of every sample."
_COUNT_COLUMNS = (
    MODEL,
    Column("samples", "Samples run", "count"),
    Column("right", "Right decisions", "count"),
)


def _counts(rows: pd.DataFrame) -> dict[str, int | None]:
    """Samples that ran, and right decisions; None as long as some are not scored yet."""
    known = not (rows["error"] == NOT_SCORED).any()
    return {"samples": len(ran(rows)), "right": int(rows["correct"].sum()) if known else None}


def _rates(name: str, amount: float | None, rows: pd.DataFrame) -> dict[str, float | None]:
    return {
        f"{name}_per_{unit}": None if amount is None or not count else amount / count
        for unit, count in zip(("sample", "right"), _counts(rows).values(), strict=True)
    }
