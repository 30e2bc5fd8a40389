"""The scoring part of a sample's transcript, replaced."""

from __future__ import annotations

from utb_inspect.rescoring.log_file import Json
from utb_inspect.rescoring.suite import bare_name


def with_scoring(events: list[Json], scoring: list[Json]) -> list[Json]:
    """A sample's events with the suite's scoring replaced; what other scorers logged stays.

    Args:
        events: Events of the sample, flat and in order. Scorers log theirs in a span each, inside one span of all.
        scoring: The new scoring: a span of all with a span a scorer.
    """
    if not scoring:
        return events
    begin, *inner, _ = scoring
    whole = next((e["id"] for e in reversed(events) if e["event"] == "span_begin" and e.get("type") == "scorers"), None)
    if whole is None:
        return [*events, *scoring]
    old = {e["id"] for e in events if _is_scorer(e) and e.get("parent_id") == whole and bare_name(e["name"])}
    kept = [e for e in events if e.get("span_id") not in old]
    place = next((i for i, e in enumerate(kept) if e["event"] == "span_end" and e["id"] == whole), len(kept))
    return [*kept[:place], *(_moved(e, begin["id"], whole) for e in inner), *kept[place:]]


def _is_scorer(event: Json) -> bool:
    return event["event"] == "span_begin" and event.get("type") == "scorer"


def _moved(event: Json, old: str, new: str) -> Json:
    """The event, in the span `new` where it was in the span `old`."""
    return {key: new if key in ("parent_id", "span_id") and value == old else value for key, value in event.items()}
