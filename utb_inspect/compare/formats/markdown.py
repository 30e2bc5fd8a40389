"""A comparison as Markdown, in GitHub's dialect."""

from __future__ import annotations

import re
from collections.abc import Iterable

from utb_inspect.compare.formats.text import (
    KEY,
    LEFT,
    Cell,
    cells,
    headings,
    plain,
    section_words,
    table_notes,
    title,
)
from utb_inspect.compare.report import Column, Report, Section, Table

# An underscore inside a word is none of Markdown's marks, and names are full of them.
_MARKS = re.compile(r"[\\`*\[\]<>|~&]|(?<![^\W_])_|_(?![^\W_])")
_OPENS = re.compile(r"^(\d*)([#>+\-=.)])")


def markdown_text(report: Report) -> str:
    """The report as Markdown, ending in a line break: a heading a section, a table under a heading of its own."""
    blocks = [f"# {_escaped(report.title)}", KEY]
    if report.warnings:
        blocks += ["**Read first**", _list(report.warnings)]
    for section in report.sections:
        blocks += _section(section)
    return "\n\n".join(blocks) + "\n"


def _section(section: Section) -> Iterable[str]:
    yield f"## {_escaped(section.title)}"
    yield from map(_escaped, section_words(section))
    for table in section.tables:
        yield from _table(table)


def _table(table: Table) -> Iterable[str]:
    yield f"### {_escaped(title(table))}"
    rows = cells(table)
    if rows:
        lines = [map(_marked, headings(table)), map(_rule, table.columns), *(map(_cell, row) for row in rows)]
        yield "\n".join(f"| {' | '.join(line)} |" for line in lines)
    yield from map(_escaped, table_notes(table))
    for signature in table.signatures:
        yield f"Signature: `{plain(signature).replace('`', chr(39))}`"


def _rule(column: Column) -> str:
    return "---" if column.kind in LEFT else "---:"


def _cell(cell: Cell) -> str:
    return f"{_marked(cell.text)} {cell.interval}".rstrip()


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {_escaped(item)}" for item in items)


def _escaped(text: str) -> str:
    """Text as a paragraph or heading of its own, so that none of it is read as Markdown."""
    return _OPENS.sub(r"\1\\\2", _marked(plain(text)))


def _marked(text: str) -> str:
    return _MARKS.sub(lambda mark: f"\\{mark[0]}", text)
