"""An estimate as tables, and as JSON with the same numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from math import floor, log10
from typing import Any

from utb_inspect.analysis.tables import Table
from utb_inspect.estimate.estimate import Estimate
from utb_inspect.estimate.limits import Duration
from utb_inspect.estimate.prefix import SCOPES
from utb_inspect.estimate.tokens import ERROR
from utb_inspect.estimate.volume import Volume

_COUNTED = (
    f"Tokens are counted without a tokenizer, within {ERROR:.0%} (docs/estimating.md has exceptions). Output is what "
    "the reference answers; reasoning, which cannot be known, and more words come on top (--output-per-call). "
    "Repeated: the share of the input that repeats the beginning of a request of the same sample, topic or profile "
    "which was answered before, with --connections at a time: what prompt caching can save."
)
_LIMITED = (
    "Samples: --limit {limit} of each task, in the order of the run. Where history is shown, later ones are longer, so "
    "a whole task is no multiple of this."
)
_CHANGED = "Tokens differ from those above by --output-per-call or a model's token_ratio."
_PRICED = (
    "USD: with nothing cached, at the prices of --prices. Cached: what repeats in a sample, topic or profile is read "
    "from the cache, and all else is billed at the dearer of input and input_cache_write."
)
_TIMED = "Time: the least that the rate limit or speed beside it allows."


def tables(volumes: Mapping[str, Volume], found: Sequence[Estimate], limit: str | None = None) -> list[Table]:
    """What is sent, and what that costs and takes with each model.

    Args:
        volumes: Task name to volume.
        found: An estimate for each model and task.
        limit: Samples of each task, as given; None for all.
    """
    return [_sent(volumes, limit), _spent(volumes, found)]


def _sent(volumes: Mapping[str, Volume], limit: str | None) -> Table:
    columns = ["task", "samples", "model calls", "input tokens", "longest request", "output tokens"]
    rows = [
        [
            task,
            f"{volume.samples:,}",
            f"{volume.calls:,}",
            _tokens(volume.input_tokens),
            _tokens(volume.longest_request),
            _tokens(volume.output_tokens),
            *(f"{volume.repeated[scope] / volume.input_tokens:.1%}" for scope in SCOPES),
        ]
        for task, volume in volumes.items()
    ]
    note = _COUNTED if limit is None else f"{_LIMITED.format(limit=limit)} {_COUNTED}"
    return Table("Requests", [*columns, *(f"repeated in a {scope}" for scope in SCOPES)], rows, note)


def _spent(volumes: Mapping[str, Volume], found: Sequence[Estimate]) -> Table:
    columns = ["model", "task", "input tokens", "output tokens", "USD", *(f"USD, {scope} cached" for scope in SCOPES)]
    timed = any(estimate.duration for estimate in found)
    rows = [
        [
            estimate.model,
            estimate.task,
            _tokens(estimate.volume.input_tokens),
            _tokens(estimate.volume.output_tokens),
            *_costs(estimate),
            *(_time(estimate.duration) if timed else ()),
        ]
        for estimate in found
    ]
    notes = [
        *([_CHANGED] if any(estimate.volume != volumes[estimate.task] for estimate in found) else []),
        *([_PRICED] if any(estimate.cost and not estimate.free for estimate in found) else []),
        *_unpriced(found),
        *([_TIMED] if timed else []),
    ]
    title = "Cost and time" if timed else "Cost"
    shown = [*columns, *(["time", "bound by"] if timed else [])]
    return Table(title, shown, rows, " ".join(notes), text_columns=2)


def _unpriced(found: Iterable[Estimate]) -> list[str]:
    """Why models have no price, a sentence a reason."""
    models: dict[str, dict[str, None]] = {}
    for estimate in found:
        if estimate.unpriced is not None:
            models.setdefault(estimate.unpriced, {})[estimate.model] = None
    return [f"No price for {', '.join(names)}: {why}." for why, names in models.items()]


def _costs(estimate: Estimate) -> list[str]:
    if estimate.free:
        return ["free"] * (1 + len(SCOPES))
    if estimate.cost is None:
        return [""] * (1 + len(SCOPES))
    return [_usd(amount) for amount in (estimate.cost.uncached, *(estimate.cost.cached[scope] for scope in SCOPES))]


def _tokens(count: float) -> str:
    """Three digits that count: the rest would be made up."""
    digits = floor(log10(count)) if count >= 1 else 0
    return f"{round(count, 2 - digits):,.0f}"


def _usd(amount: float) -> str:
    return f"{amount:,.2f}" if amount >= 1 or amount == 0 else f"{amount:#.2g}"


def _time(duration: Duration | None) -> tuple[str, str]:
    if duration is None:
        return "", ""
    hours, minutes = divmod(round(duration.minutes), 60)
    return f"{hours} h {minutes:02} min" if hours else f"{max(minutes, 1)} min", duration.limit


def figures(found: Iterable[Estimate]) -> dict[str, Any]:
    """The same as JSON: shares 0 to 1, USD and minutes unrounded; what cannot be had is null."""
    return {"token_error": ERROR, "estimates": [_figures(estimate) for estimate in found]}


def _figures(estimate: Estimate) -> dict[str, Any]:
    volume = estimate.volume
    return {
        "task": estimate.task,
        "model": estimate.model,
        "samples": volume.samples,
        "calls": volume.calls,
        "input_tokens": round(volume.input_tokens),
        "longest_request": round(volume.longest_request),
        "output_tokens": round(volume.output_tokens),
        "repeated": {scope: volume.repeated[scope] / volume.input_tokens for scope in SCOPES},
        "price": "free" if estimate.free else "unknown" if estimate.cost is None else "known",
        "unpriced": estimate.unpriced,
        "usd": None if estimate.cost is None else asdict(estimate.cost),
        "duration": None if estimate.duration is None else asdict(estimate.duration),
    }
