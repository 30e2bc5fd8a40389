r"""A comparison as LaTeX tables in the paper's layout: models in rows, `booktabs` rules, intervals small below."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from utb_inspect.compare.formats.text import LEFT, Cell, cells, headings, plain, section_words, table_notes, title
from utb_inspect.compare.report import Column, Report, Section, Table

WIDE = 7
"""Columns from which a table spans both columns of a page."""
PAPER = {
    "model": "Model",
    "single_tool": "ST",
    "multi_tool": "MT",
    "lack_of_information": "LOI",
    "first": "First",
    "middle": "Mid",
    "last": "Last",
    "average": "Avg",
}
"""Columns of the paper's tables 4 and 5. A table of accuracies that has them all is set with them alone."""
MOST_ROWS = 60
"""A table with more rows is no table for a paper; it is left to the other formats."""
LONG = 40
"""Characters from which a column of words is set in lines."""
_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "`": r"\textasciigrave{}",
        "[": "{[}",
        "]": "{]}",
        **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    }
)


def latex_text(report: Report) -> str:
    """The report's tables as a fragment for `\\input`, ending in a line break."""
    blocks = ["% \\usepackage{booktabs}\n% \\usepackage[T1]{fontenc}", f"% {plain(report.title)}"]
    blocks += [f"% {plain(warning)}" for warning in report.warnings]
    for section in report.sections:
        blocks += _section(section)
    return "\n\n".join(blocks) + "\n"


def _section(section: Section) -> Iterable[str]:
    yield "\n".join(f"% {line}" for line in [plain(section.title), *section_words(section)])
    for table in section.tables:
        if len(table.frame) > MOST_ROWS:
            yield f"% {plain(table.title)}: {len(table.frame)} rows, which the other formats have"
        else:
            yield _table(_as_in_the_paper(table))


def _as_in_the_paper(table: Table) -> Table:
    found = {column.key: column for column in table.columns}
    if not found.keys() >= PAPER.keys() or found["average"].kind != "share":
        return table
    return replace(table, columns=[replace(found[key], label=label) for key, label in PAPER.items()])


def _table(table: Table) -> str:
    rows = cells(table)
    environment = "table*" if len(table.columns) >= WIDE else "table"
    lines = [
        f"\\begin{{{environment}}}",
        "\\centering",
        "\\small",
        f"\\caption{{{_escaped(title(table))}}}",
        f"\\label{{tab:{_label(table.name)}}}",
    ]
    if rows:
        lines += [
            f"\\begin{{tabular}}{{{_layout(table.columns, rows)}}}",
            "\\toprule",
            f"{' & '.join(map(_escaped, headings(table)))} \\\\",
            "\\midrule",
            *(line for row in rows for line in _row(row)),
            "\\bottomrule",
            "\\end{tabular}",
        ]
    lines += [f"\\par\\smallskip{{\\footnotesize {_escaped(note)}\\par}}" for note in table_notes(table)]
    lines += [f"\\par{{\\scriptsize\\ttfamily {_signature(text)}\\par}}" for text in table.signatures]
    return "\n".join([*lines, f"\\end{{{environment}}}"])


def _layout(columns: Iterable[Column], rows: list[list[Cell]]) -> str:
    def letter(index: int, column: Column) -> str:
        if column.kind not in LEFT:
            return "r"
        return "p{12em}" if max(len(row[index].text) for row in rows) > LONG else "l"

    return "".join(letter(index, column) for index, column in enumerate(columns))


def _row(row: list[Cell]) -> Iterable[str]:
    yield f"{' & '.join(_figure(cell) for cell in row)} \\\\"
    if any(cell.interval for cell in row):
        small = [f"{{\\scriptsize {_negative(_escaped(cell.interval))}}}" if cell.interval else "" for cell in row]
        yield f"{' & '.join(small)} \\\\"


def _figure(cell: Cell) -> str:
    text = _escaped(cell.text)
    return text if cell.number is None else _negative(text)


def _negative(text: str) -> str:
    return text.replace("-", "$-$")


def _signature(text: str) -> str:
    return _escaped(text).replace(r"\textbar{}", r"\textbar\allowbreak{}")


def _escaped(text: str) -> str:
    # Two hyphens would become a dash.
    return plain(text).translate(_SPECIAL).replace("--", "-{}-").replace("--", "-{}-")


def _label(name: str) -> str:
    return "".join(character if character.isalnum() else "-" for character in name)
