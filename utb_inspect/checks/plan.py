"""The plan: counts and diversity hold before a turn is written, and what is written is what was planned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import get_args

from utb_inspect.checks.evidence import FAR_BACK
from utb_inspect.checks.finding import Finding
from utb_inspect.checks.openings import common_openings, opening_words
from utb_inspect.checks.rows import Row, by_profile, by_topic
from utb_inspect.schema import TASK_TYPES, Change, Subtype, Toolset


def rows_are_in_order(rows: Sequence[Row]) -> Iterator[Finding]:
    """Turns are numbered within their topic and within their profile, and their dates do not run backwards."""
    for topic, own in by_topic(rows).items():
        for i, row in enumerate(own, 1):
            if row.turn != f"{topic}.{i}":
                yield row.found(f"is turn {i} of its topic, so its id is {topic}.{i}")
            if row.toolset != own[0].toolset or row.date != own[0].date:
                yield row.found("has another toolset or date than its topic's first turn")
    for _, own in by_profile(rows):
        last = ""
        for i, row in enumerate(own, 1):
            if row.number != str(i):
                yield row.found(f"n is {row.number or 'missing'}; it is turn {i} of its profile")
            if not _is_date(row.date):
                yield row.found(f"date is '{row.date}'; give YYYY-MM-DD")
            elif row.date < last:
                yield row.found(f"date is {row.date}, before the row above it ({last})")
            else:
                last = row.date


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def kinds_are_known(rows: Sequence[Row]) -> Iterator[Finding]:
    """Task type, subtype, kind of lack and change are the format's; a topic's first turn alone is cross-topic."""
    for own in by_topic(rows).values():
        for i, row in enumerate(own):
            if row.task_type not in TASK_TYPES:
                yield row.found(f"task_type is '{row.task_type}'; it is one of {', '.join(TASK_TYPES)}")
            if row.subtype not in get_args(Subtype):
                yield row.found(f"subtype is '{row.subtype}'; it is one of {', '.join(get_args(Subtype))}")
            elif (row.subtype == "cross_topic") != (i == 0):
                yield row.found("a topic's first turn is cross_topic, and no other is")
            if row.change is not None and row.change not in get_args(Change):
                yield row.found(f"change is '{row.change}'; it is one of {', '.join(get_args(Change))}")
            if (row.task_type == "lack_of_information") != (row.loi is not None):
                yield row.found("loi is given for turns of lack_of_information, and for no other")
            elif row.loi not in (None, "recoverable", "unrecoverable"):
                yield row.found(f"loi is '{row.loi}'; it is recoverable or unrecoverable")


def calls_follow_the_type(rows: Sequence[Row]) -> Iterator[Finding]:
    """Calls, questions and structure are those of the task type."""
    for row in rows:
        calls, asks = len(row.decision.calls), len(row.decision.asks)
        match row.task_type:
            case "chat" if calls or asks:
                yield row.found("is chat, but has calls")
            case "single_tool" if calls != 1:
                yield row.found(f"is single_tool, but has {calls} calls")
            case "multi_tool" if calls < 2:
                yield row.found(f"is multi_tool, but has {calls} call{'s' * (calls != 1)}")
            case "lack_of_information" if not calls:
                yield row.found("is lack_of_information, but has no call")
        if asks and row.loi != "unrecoverable":
            yield row.found("has an ask, but is not unrecoverable")
        if not asks and row.loi == "unrecoverable":
            yield row.found("is unrecoverable, but has no ask")
        structure = row.decision.structure if row.task_type == "multi_tool" else None
        if row.structure != structure:
            yield row.found(f"structure is '{row.structure or ''}', but its calls are {structure or 'of none'}")


def tools_exist(rows: Sequence[Row], toolsets: Mapping[str, Toolset]) -> Iterator[Finding]:
    """Toolset, tools and the parameters asked for exist."""
    for row in rows:
        toolset = toolsets.get(row.toolset)
        if toolset is None:
            yield row.found(f"there is no toolset '{row.toolset}'")
            continue
        tools = {tool.name: tool.function.parameters.get("properties") or {} for tool in toolset.tools}
        for call in dict.fromkeys(row.decision.calls):
            if call not in tools:
                yield row.found(f"toolset '{row.toolset}' has no tool '{call}'")
        known = [name for name in row.decision.calls if name in tools]
        for item in dict.fromkeys(row.decision.asks):
            if known and not any(item.partition(".")[0].rstrip("[]") in tools[name] for name in known):
                yield row.found(f"asks for '{item}', which is no parameter of {', '.join(dict.fromkeys(known))}")


def needs_are_shown_before(rows: Sequence[Row]) -> Iterator[Finding]:
    """What a turn needs is shown by an earlier turn of the profile; `window1` and `window2` show `window`."""
    for _, own in by_profile(rows):
        shown: set[str] = set()
        for row in own:
            for need in row.needs:
                if _slot(need) not in shown:
                    yield row.found(f"needs '{need}', which no earlier turn of the profile shows")
            shown |= {_slot(name) for name in row.shows}


def long_range_needs_were_shown_far_back(rows: Sequence[Row]) -> Iterator[Finding]:
    """A long-range turn comes late enough, and one of its needs was shown in another topic, 15 turns back or more.

    Turns of talk need nothing; a turn whose needs are not planned yet is asked for its place alone.
    """
    for _, own in by_profile(rows):
        for i, row in enumerate(own):
            if row.subtype != "long_range_dependency" or row.task_type == "chat":
                continue
            if i < FAR_BACK:
                yield row.found(f"is long range, but has only {i} turns before it; evidence lies {FAR_BACK} back")
                continue
            early = [other for other in own[: i - FAR_BACK + 1] if other.topic != row.topic]
            shown = {_slot(name) for other in early for name in other.shows}
            if row.needs and shown.isdisjoint(map(_slot, row.needs)):
                needs = ", ".join(row.needs)
                yield row.found(
                    f"is long range, but none of its needs ({needs}) was shown {FAR_BACK} turns back in another topic"
                )


def _slot(name: str) -> str:
    return name.rstrip("0123456789").rstrip("_") or name


def openings_differ(rows: Sequence[Row]) -> Iterator[Finding]:
    """Every turn has opening words of its own; common openings open at most one request in eight of a profile."""
    used: dict[str, Row] = {}
    for profile, own in by_profile(rows):
        if missing := sum(not row.opening for row in own):
            yield Finding(
                own[0].file, None, f"{missing} of the {len(own)} turns of profile {profile} have no opening words"
            )
        for row in own:
            key = opening_words(row.opening)
            if key and key in used:
                yield row.found(f"opens as {used[key].turn} does: '{row.opening}'")
            elif key:
                used[key] = row
        if fault := common_openings([row.opening for row in own if row.opening]):
            yield Finding(own[0].file, None, f"profile {profile}: {fault}")


def what_is_written_is_what_was_planned(
    planned: Sequence[Row], written: Sequence[Row], *, whole: bool
) -> Iterator[Finding]:
    """Each written turn has the toolset, types, structure, kind of lack, change and calls of its row.

    Args:
        planned: Rows of the plan.
        written: Turns of the dataset.
        whole: Whether every planned turn must be written by now.
    """
    rows = {row.turn: row for row in planned}
    for turn in written:
        row = rows.pop(turn.turn, None)
        if row is None:
            yield turn.found(f"is not planned in {planned[0].file if planned else 'the plan'}")
            continue
        for name in ("toolset", "task_type", "subtype", "structure", "loi", "change", "date"):
            if getattr(turn, name) != getattr(row, name):
                yield turn.found(f"{name} is {getattr(turn, name)}, but {getattr(row, name)} is planned")
        if turn.decision.shape != row.decision.shape:
            yield turn.found(f"its decision is {turn.decision}, but {row.decision} is planned")
    if whole:
        for row in rows.values():
            yield row.found("is planned, but not written")


def turns_are_planned_once(rows: Sequence[Row]) -> Iterator[Finding]:
    """No turn stands twice in the plan."""
    for turn, count in Counter(row.turn for row in rows).items():
        if count > 1:
            yield next(row for row in rows if row.turn == turn).found(f"stands {count} times in the plan")
