"""What a comparison says, before any format: titled tables of numbers, each with what they were made with.

Formats (`utb_inspect.compare.formats`) turn a `Report` into text, files or a page. They take every number from the
tables' frames, so that formats agree with each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import pandas as pd

Kind = Literal["text", "share", "difference", "points", "count", "number", "p", "tokens", "seconds", "usd", "link"]
"""How a column's values are shown.

`share`: 0 to 1, shown as percent with two places (as the paper's tables); `difference`: of two shares, signed, in
percentage points; `points`: the size of one; `p`: a p-value; `count`, `tokens`: whole numbers; `number`: two places;
`seconds`, `usd`: as said; `link`: an address.
"""
PlotKind = Literal["bars", "scatter", "lines", "heatmap"]


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        key: Name in the table's frame. With `interval`, the frame also has `<key>_low` and `<key>_high`.
        label: Heading for people.
        kind: How values are shown.
        interval: Whether the value comes with a 95 % interval.
    """

    key: str
    label: str
    kind: Kind = "share"
    interval: bool = False


@dataclass(frozen=True)
class Table:
    """A titled table. Missing values (None, NaN) are figures that are not to be had, and are shown empty.

    Attributes:
        name: Short name for files: `accuracy_exact`.
        title: Title for people.
        columns: Columns in order, those of kind `text` first.
        frame: Values; a row a line, in the order to show. May be empty: then `note` says why.
        note: What a reader must know to read the numbers: definitions, what is counted, caveats.
        signatures: What the numbers were made with, one for each different signature.
        reference: Figures from elsewhere (published ones), on other data: never ranked with the others.
        detail: For a closer look: the terminal leaves it out unless all is asked for.
    """

    name: str
    title: str
    columns: Sequence[Column]
    frame: pd.DataFrame
    note: str = ""
    signatures: Sequence[str] = ()
    reference: bool = False
    detail: bool = False


@dataclass(frozen=True)
class Plot:
    """A picture of a table's numbers; formats without pictures leave it out.

    Attributes:
        kind: `bars` with intervals, `scatter` of two measures, `lines` over an ordered x, `heatmap` of x, y and value.
        title: Title for people.
        table: Name of the table that it draws.
        x: Column keys, as the kind needs them.
        y: Column keys, as the kind needs them.
        colour: Column whose values tell series apart; for a heatmap the value.
    """

    kind: PlotKind
    title: str
    table: str
    x: str
    y: str
    colour: str | None = None


@dataclass(frozen=True)
class Section:
    """Part of a report: a heading, words, tables and pictures."""

    title: str
    text: Sequence[str] = ()
    """Sentences a reader should not miss: what differs, what does not, what was left out."""
    tables: Sequence[Table] = ()
    plots: Sequence[Plot] = ()


@dataclass(frozen=True)
class Report:
    """A comparison of runs."""

    title: str
    sections: Sequence[Section]
    warnings: Sequence[str] = field(default_factory=tuple)
    """Logs that were left out and why; runs that do not compare and why."""

    @property
    def tables(self) -> list[Table]:
        return [table for section in self.sections for table in section.tables]
