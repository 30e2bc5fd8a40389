"""Turns that turn on a change of preference (the dynamic split, table 14): right, or by what was true before."""

from __future__ import annotations

from utb_inspect.compare.report import Column, Table
from utb_inspect.compare.tables.kinds import by_kind, kinds_found
from utb_inspect.compare.tables.making import MODEL, TURNS, made, over_profiles, verdict_columns, verdict_figures
from utb_inspect.compare.tables.view import View

_STALE = "stale_preference"
_TABLES = {
    "change": ("By kind of change", "Change"),
    "task_type": ("Changes by task type", "Task type"),
    "third": ("Changes by third", "Third"),
}


def change_tables(view: View) -> list[Table]:
    """Accuracy and stale rate by kind of change, task type and third; none where no turn turns on a change."""
    return [_table(view, key) for key in _TABLES] if view.rows["change"].notna().any() else []


def _table(view: View, key: str) -> Table:
    turns = view.turns[view.turns["change"].notna()]
    found = kinds_found(view.rows[view.rows["change"].notna()], key)
    rows = [
        {
            key: kind,
            "model": system,
            "turns": len(own),
            **verdict_figures(view, own),
            "stale": over_profiles(own, _STALE),
            "stale_pooled": own[_STALE].mean(),
        }
        for kind, by_system in by_kind(view, turns, key, found).items()
        for system, own in by_system.items()
    ]
    title, heading = _TABLES[key]
    columns = [
        Column(key, heading, "text"),
        MODEL,
        TURNS,
        *verdict_columns(view),
    ]
    if not view.upstream:
        columns += [Column("stale", "Stale", interval=True), Column("stale_pooled", "Stale, pooled")]
    note = (
        "Turns that turn on a change alone. Stale: of those turns, right or wrong, the share in which a value was used "
        "that had been replaced. Of several epochs, a turn counts with its mean. Means over profiles, beside them the "
        "figures pooled."
    )
    return made(view.signatures, f"changes_by_{key}", title, columns, rows, note)
