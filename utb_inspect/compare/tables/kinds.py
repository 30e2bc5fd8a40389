"""Accuracy by kind of turn: where it stands, how long the history is, whose it is, what it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

import pandas as pd

from utb_inspect.compare.report import Column, Table
from utb_inspect.compare.tables.making import MODEL, TURNS, made, verdict_columns, verdict_figures
from utb_inspect.compare.tables.view import View
from utb_inspect.datasets.files import natural_key
from utb_inspect.schema import TASK_TYPES, Change, Structure, Subtype, Third

HISTORY_BINS = (0, 1, 10, 25, 50, 75, 100, 150, 200)
"""Shortest history of each bin, in earlier turns shown; the last bin has no end."""
ORDERS: Mapping[str, Sequence[str]] = {
    "third": get_args(Third),
    "task_type": TASK_TYPES,
    "subtype": get_args(Subtype),
    "structure": get_args(Structure),
    "change": get_args(Change),
    "recoverable": ("recoverable", "unrecoverable"),
}
"""Kinds in the order of the specification; those of other columns stand in natural order."""
_RECOVERABLE = {"True": "recoverable", "False": "unrecoverable"}
_NOTE = "Means over profiles with 95 % intervals, beside them the figures pooled. Over scored turns of all task types."


def kinds(frame: pd.DataFrame, key: str) -> pd.Series[str]:
    """The kind of each row by a column, as text; missing where it has none. `history`: its bin."""
    if key == "history":
        return frame["history_turns"].map(history_bin, na_action="ignore").astype("string")
    named = frame[key].astype("string")
    return named.replace(_RECOVERABLE) if key == "recoverable" else named


def kinds_found(rows: pd.DataFrame, key: str) -> list[str]:
    """The kinds that occur among samples, in order."""
    found = sorted(kinds(rows, key).dropna().unique(), key=natural_key)
    order = ORDERS.get(key, ())
    return [*(kind for kind in order if kind in found), *(kind for kind in found if kind not in order)]


def by_kind(view: View, frame: pd.DataFrame, key: str, found: Sequence[str]) -> dict[str, dict[str, pd.DataFrame]]:
    """A frame's rows by kind, then by system: of every kind in `found`, also where nothing of it was scored."""
    own = dict(iter(frame.groupby(kinds(frame, key), sort=False)))
    return {kind: view.by_system(own.get(kind, frame.iloc[:0])) for kind in found}


def history_bin(turns: int) -> str:
    """The bin of a history's length: `0`, `1 to 9`, ..., `200 or more`."""
    for low, after in zip(HISTORY_BINS, (*HISTORY_BINS[1:], None), strict=True):
        if after is None:
            return f"{low} or more"
        if turns < after:
            return str(low) if after == low + 1 else f"{low} to {after - 1}"
    raise AssertionError


def kinds_table(view: View, key: str, title: str, heading: str, note: str = "") -> Table:
    """Accuracy by a column of the samples (or `history`): a row a kind and system."""
    rows = [
        {key: kind, "model": system, "turns": len(turns), **verdict_figures(view, turns)}
        for kind, by_system in by_kind(view, view.turns, key, kinds_found(view.rows, key)).items()
        for system, turns in by_system.items()
    ]
    columns = [
        Column(key, heading, "text"),
        MODEL,
        TURNS,
        *verdict_columns(view),
    ]
    return made(view.signatures, f"by_{key}", title, columns, rows, f"{note} {_NOTE}".strip())


def position_tables(view: View) -> list[Table]:
    """By third of the interaction, by length of the history shown, and by place in the topic."""
    return [
        kinds_table(view, "third", "By third of the interaction", "Third"),
        kinds_table(
            view,
            "history",
            "By length of history",
            "Earlier turns",
            "Earlier turns of the profile that the model was shown.",
        ),
        kinds_table(view, "turn_index", "By place in the topic", "Turn", "1 is the topic's first turn."),
    ]


def turn_tables(view: View) -> list[Table]:
    """By subtype and structure; task types stand in the accuracy tables."""
    return [
        kinds_table(view, "subtype", "By subtype", "Subtype"),
        kinds_table(view, "structure", "By structure of multi-tool turns", "Structure"),
    ]


def recoverable_table(view: View) -> Table:
    """Lack-of-information turns that history settles, and those that need a question."""
    note = "Lack-of-information turns: recoverable ones are settled by history, the others need a question."
    return kinds_table(view, "recoverable", "Recoverable and unrecoverable turns", "LOI turns", note)


def owner_tables(view: View) -> list[Table]:
    """By profile, domain and toolset."""
    return [
        kinds_table(view, "profile", "By profile", "Profile", "A single profile shows no spread, hence no interval."),
        kinds_table(view, "domain", "By domain", "Domain"),
        kinds_table(view, "toolset", "By toolset", "Toolset"),
    ]


def session_table(view: View) -> Table:
    """Topics with every turn right."""
    rows = []
    for system, scored in view.scored_of.items():
        topics = _whole_topics(view, scored)
        rows.append({"model": system, "topics": len(topics), **verdict_figures(view, topics)})
    columns = [
        MODEL,
        Column("topics", "Topics", "count"),
        *verdict_columns(view),
    ]
    note = (
        "Share of topics with every turn right, over the topics all of whose turns are in the run and scored. Of "
        "several epochs, a topic counts with the share of them in which it is all right."
    )
    return made(view.signatures, "sessions", "Session accuracy", columns, rows, note)


def _whole_topics(view: View, scored: pd.DataFrame) -> pd.DataFrame:
    keys = [measure.key for measure in view.measures]
    by_epoch = scored.groupby(["profile", "topic", "epoch"], sort=False, as_index=False).agg(
        turns=("sample", "size"), topic_turns=("topic_turns", "first"), **{key: (key, "min") for key in keys}
    )
    whole = by_epoch[(by_epoch["turns"] == by_epoch["topic_turns"]).fillna(False)]
    return whole.groupby(["profile", "topic"], sort=False, as_index=False)[keys].mean()
