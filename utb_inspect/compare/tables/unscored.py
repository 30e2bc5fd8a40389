"""Why samples are not scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from utb_inspect.compare.report import Column, Table
from utb_inspect.compare.tables.making import made, signatures_of, system_columns
from utb_inspect.compare.tables.view import View

LONGEST = 120
"""Characters of a reason."""


def unscored_table(views: Sequence[tuple[str, View]]) -> Table:
    """A row a system and reason, a system's most frequent reason first.

    Args:
        views: Groups of runs with their titles; with more than one, a column names the group.
    """
    rows = [
        {"model": system, "group": title, "reason": reason, "samples": count}
        for title, view in views
        for system, own in view.rows_of.items()
        for reason, count in Counter(map(_short, own["error"].dropna())).most_common()
    ]
    columns = [
        *system_columns(views),
        Column("reason", "Reason", "text"),
        Column("samples", "Samples", "count"),
    ]
    note = (
        "Epochs of a sample count apart. Samples that no scorer of this suite has scored wait for `utb rescore`; they "
        "are neither errors nor counted as wrong."
    )
    return made(signatures_of(views), "unscored", "Why samples are not scored", columns, rows, note)


def _short(reason: str) -> str:
    return reason if len(reason) <= LONGEST else f"{reason[: LONGEST - 1]}…"
