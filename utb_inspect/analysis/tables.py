"""Tables of text cells, on a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table as RichTable

from utb_inspect.console import as_text


@dataclass(frozen=True)
class Table:
    """A titled table. Without rows, the note alone says why."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    text_columns: int = 1
    """Columns from the left that hold text; the others hold figures and are set flush right."""


def print_tables(tables: Iterable[Table], console: Console) -> None:
    """Print tables on a terminal, each under its title."""
    for number, table in enumerate(tables):
        if number:
            console.print()
        console.print(f"[bold]{as_text(table.title)}[/]")
        if table.rows:
            shown = RichTable(box=None, pad_edge=False)
            for index, column in enumerate(table.columns):
                text = index < table.text_columns
                shown.add_column(as_text(column), justify="left" if text else "right", overflow="fold")
            for row in table.rows:
                shown.add_row(*map(as_text, row))
            console.print(shown)
        if table.note:
            console.print(f"[dim]{as_text(table.note)}[/]")


def markdown_tables(tables: Iterable[Table]) -> str:
    """Tables as Markdown, each under a heading of the third level, ending in a line break."""
    return "\n".join(map(_markdown, tables))


def _markdown(table: Table) -> str:
    lines = [f"### {_plain(table.title)}", ""]
    if table.rows:
        marks = ["---" if index < table.text_columns else "---:" for index in range(len(table.columns))]
        lines += [_row(table.columns), _row(marks), *map(_row, table.rows), ""]
    if table.note:
        lines += [_plain(table.note), ""]
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(_plain(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def _plain(text: str) -> str:
    return " ".join(text.split())
