"""A comparison on a terminal."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from utb_inspect.compare.formats.text import (
    KEY,
    LEFT,
    Cell,
    all_signatures,
    cells,
    headings,
    plain,
    section_words,
    table_notes,
    title,
)
from utb_inspect.compare.report import Kind, Report, Table

WIDTH = 160
"""Columns of a report that does not go to a terminal."""
GAP = 2
"""Blanks between columns."""
MOST_ROWS = 40
"""Rows of a table that are printed; the others stand in the other formats."""
PARTS = 4
"""A column of words has at most this part of the width; longer text is set in lines."""


@dataclass(frozen=True)
class _Column:
    heading: str
    kind: Kind
    cells: Sequence[Cell]
    stacked: bool
    """Whether intervals stand below their values rather than beside."""
    most: int
    """Width of the widest column of words."""

    @cached_property
    def width(self) -> int:
        lines = [line for cell in self.cells for line in self.lines(cell)]
        widest = max(map(cell_len, [*lines, *self.heading.split()]), default=0)
        return min(widest, self.most) if self.kind == "text" else widest

    def lines(self, cell: Cell) -> list[str]:
        return [cell.text, cell.interval] if self.stacked and cell.interval else [str(cell)]


def terminal_text(report: Report, *, details: bool = False) -> str:
    """The report as it is printed, in plain text, ending in a line break."""
    console = Console(file=io.StringIO(), highlight=False, color_system=None, width=WIDTH)
    print_report(report, console, details=details)
    assert isinstance(console.file, io.StringIO)
    return "".join(f"{line.rstrip()}\n" for line in console.file.getvalue().splitlines())


def print_report(report: Report, console: Console, *, details: bool = False) -> None:
    """Print the report; tables wider than the console are printed in parts.

    Args:
        report: What to print.
        console: Where to.
        details: Print all tables, not only the main ones.
    """
    whole = len(report.tables)
    if not details:
        report = _main(report)
    signatures = {text: number for number, text in enumerate(all_signatures(report), 1)}
    console.print(Text(plain(report.title), style="bold underline"))
    _words(console, KEY, "dim")
    for warning in report.warnings:
        _words(console, f"! {plain(warning)}", "yellow")
    for section in report.sections:
        console.print()
        console.rule(Text(plain(section.title), style="bold"), align="left")
        for sentence in section_words(section):
            _words(console, sentence)
        for table in section.tables:
            console.print()
            console.print(Text(title(table), style="bold"))
            _print_rows(table, console)
            for note in table_notes(table):
                _words(console, note, "dim")
            if table.signatures:
                numbers = ", ".join(str(signatures[plain(text)]) for text in table.signatures)
                _words(console, f"signature {numbers}", "dim")
    if signatures:
        console.print()
    for text, number in signatures.items():
        console.print(Text(f"signature {number}: {text}", style="dim"), soft_wrap=True)
    if left := whole - len(report.tables):
        _words(console, f"{left} further tables with --details, and with plots in a page: -o compare.html", "dim")


def _main(report: Report) -> Report:
    """The report without details, and without sections that hold nothing else."""
    sections = [replace(s, tables=[t for t in s.tables if not t.detail]) for s in report.sections]
    return replace(report, sections=[section for section in sections if section.tables])


def _words(console: Console, text: str, style: str = "") -> None:
    console.print(Text(text, style=style))


def _print_rows(table: Table, console: Console) -> None:
    rows = cells(table)[:MOST_ROWS]
    if not rows:
        return
    most = console.width // PARTS
    columns = _columns(table, rows, stacked=False, most=most)
    if _width(columns) > console.width:
        columns = _columns(table, rows, stacked=True, most=most)
    for number, part in enumerate(_parts(columns, console.width)):
        if number:
            console.print()
        console.print(_rich(part))
    if left := len(table.frame) - len(rows):
        _words(console, f"and {left:,} more rows, which the other formats have", "dim")


def _columns(table: Table, rows: Sequence[Sequence[Cell]], *, stacked: bool, most: int) -> list[_Column]:
    return [
        _Column(heading, column.kind, [row[index] for row in rows], stacked, most)
        for index, (column, heading) in enumerate(zip(table.columns, headings(table), strict=True))
    ]


def _width(columns: Sequence[_Column]) -> int:
    return sum(column.width for column in columns) + GAP * (len(columns) - 1)


def _parts(columns: Sequence[_Column], width: int) -> Iterator[list[_Column]]:
    """The columns in as few parts as fit the width, each with the words that name a row, at least the first."""
    names = _names(columns, width)
    part = list(columns[:names])
    for column in columns[names:]:
        if len(part) > names and _width([*part, column]) > width:
            yield part
            part = list(columns[:names])
        part.append(column)
    yield part


def _names(columns: Sequence[_Column], width: int) -> int:
    """How many columns of words name a row: as many as tell rows apart and leave room for the widest of the others."""
    names = 1
    while names < len(columns) - 1 and columns[names].kind == "text" and not _tell_apart(columns[:names]):
        widest = max(column.width for column in columns[names + 1 :])
        if _width(columns[: names + 1]) + GAP + widest > width:
            break
        names += 1
    return names


def _tell_apart(columns: Sequence[_Column]) -> bool:
    rows = list(zip(*(column.cells for column in columns), strict=True))
    return len(set(rows)) == len(rows)


def _rich(columns: Sequence[_Column]) -> RichTable:
    shown = RichTable(box=None, pad_edge=False, padding=(0, GAP, 0, 0), collapse_padding=True)
    for column in columns:
        shown.add_column(
            Text(column.heading, style="bold"),
            justify="left" if column.kind in LEFT else "right",
            width=column.width,
            overflow="fold",
            vertical="top",
        )
    for row in zip(*(column.cells for column in columns), strict=True):
        shown.add_row(*(_text(column, cell) for column, cell in zip(columns, row, strict=True)))
    return shown


def _text(column: _Column, cell: Cell) -> Text:
    value, *interval = column.lines(cell)
    if not column.stacked and cell.interval:
        return Text.assemble(cell.text, " ", (cell.interval, "dim"))
    return Text.assemble(value, *(("\n" + line, "dim") for line in interval))
