"""Formats of a comparison: each says the numbers of the frames, names come out whole, what is missing stays missing."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from bs4 import BeautifulSoup
from compare_data import real_logs
from compare_report import (
    COST,
    DIFFERENCES,
    EVIL,
    GAP,
    OTHER,
    PUBLISHED,
    SIGNATURE,
    THIRDS,
    accuracy,
    report,
)
from markdown_it import MarkdownIt
from pyarrow import parquet
from rich.cells import cell_len
from rich.console import Console

from utb_inspect.compare.build import build_report
from utb_inspect.compare.formats import latex, terminal
from utb_inspect.compare.formats.addresses import with_view
from utb_inspect.compare.formats.csv import write_csv
from utb_inspect.compare.formats.html import html_text
from utb_inspect.compare.formats.json import json_text
from utb_inspect.compare.formats.latex import latex_text
from utb_inspect.compare.formats.markdown import markdown_text
from utb_inspect.compare.formats.parquet import write_parquet
from utb_inspect.compare.formats.terminal import print_report
from utb_inspect.compare.formats.text import REFERENCE, plain, shown, title
from utb_inspect.compare.reading import read_runs
from utb_inspect.compare.report import Column, Kind, Report, Section, Table
from utb_inspect.schema import DataError

Parsed = list[list[str]]
"""A table's cells as text, an interval behind its value."""


# --- values as text ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("share", 0.12346, "12.35"),
        ("share", 1, "100.00"),
        ("share", 0, "0.00"),
        ("share", 0.00004, "0.00"),
        ("difference", 0.0312, "+3.12"),
        ("difference", -0.0312, "-3.12"),
        ("difference", -0.00001, "0.00"),
        ("difference", 0.00001, "0.00"),
        ("p", 0.0004, "<0.001"),
        ("p", 0.04321, "0.043"),
        ("p", 1.0, "1.000"),
        ("count", 1234567, "1,234,567"),
        ("count", 0, "0"),
        ("tokens", 17890.4, "17,890"),
        ("number", 3.4567, "3.46"),
        ("number", -0.001, "0.00"),
        ("seconds", 0.004, "<0.01"),
        ("seconds", 0.0, "0.00"),
        ("seconds", 1234.5, "1,234.50"),
        ("usd", 0.03125, "0.0312"),
        ("usd", 0.0000125, "<0.0001"),
        ("usd", 12.5, "12.50"),
        ("usd", 0, "0.0000"),
        ("text", "  two\n lines ", "two lines"),
        ("text", "\x1b[31mred\x07 \u202egnp", "\ufffd[31mred\ufffd \ufffdgnp"),
        ("text", "half \ud83d a pair", "half \ufffd a pair"),
        ("link", "#/logs/a.eval", "#/logs/a.eval"),
    ],
)
def test_a_value_as_text(kind: Kind, value: Any, text: str) -> None:
    assert shown(value, kind) == text


@pytest.mark.parametrize(
    "kind", ["text", "share", "difference", "count", "number", "p", "tokens", "seconds", "usd", "link"]
)
@pytest.mark.parametrize("value", [None, float("nan"), pd.NA])
def test_what_is_missing_is_empty(kind: Kind, value: Any) -> None:
    assert shown(value, kind) == ""


def test_infinity_is_no_figure() -> None:
    assert shown(float("inf"), "difference") == ""


# --- the numbers of each format ------------------------------------------------------------------------------


def markdown_cells(compared: Report) -> Iterator[Parsed]:
    """By a parser of Markdown, which also says what each cell's text is once read."""
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown_text(compared))
    rows: Parsed = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type == "tbody_open":
            rows = []
        elif token.type == "tr_open":
            rows.append([])
        elif before is not None and before.type == "td_open":
            assert all(child.type == "text" for child in token.children or ())
            rows[-1].append("".join(child.content for child in token.children or ()))
        elif token.type == "table_close":
            yield rows
            rows = []


def html_cells(compared: Report) -> Iterator[Parsed]:
    for table in BeautifulSoup(html_text(compared), "html.parser").find_all("table"):
        yield [[_html_cell(cell) for cell in row.find_all(["th", "td"])] for row in table.find("tbody").find_all("tr")]


def _html_cell(cell: Any) -> str:
    link = cell.find("a")
    return str(link["href"]) if link else cell.get_text().replace("\u2212", "-")


def latex_cells(compared: Report) -> Iterator[Parsed]:
    for found in re.findall(r"\\midrule\n(.*?)\n\\bottomrule", latex_text(compared), re.DOTALL):
        rows: Parsed = []
        for line in found.split("\n"):
            cells = [_from_latex(cell) for cell in re.split(r" ?(?<!\\)& ?", line.removesuffix(r" \\"))]
            if any(cell.startswith("[") and cell.endswith("]") and cells[0] == "" for cell in cells):
                rows[-1] = [f"{value} {interval}".rstrip() for value, interval in zip(rows[-1], cells, strict=True)]
            else:
                rows.append(cells)
        yield rows


def _from_latex(cell: str) -> str:
    """What a cell reads as: each command that the format is to use, back to its character."""
    cell = re.sub(r"^\{\\scriptsize (.*)\}$", r"\1", cell).replace("$-$", "-").replace("-{}", "-")
    named = {"backslash": "\\", "asciitilde": "~", "asciicircum": "^", "less": "<", "greater": ">", "bar": "|"}
    named |= {"quotedbl": '"', "asciigrave": "`"}
    pattern = r"\\text(\w+)\{\}|\\([&%$#_{}])|\{([\[\]])\}|[\\~^<>|\"`&%$#_{}]"
    return re.sub(pattern, lambda match: named[match[1]] if match[1] else match[2] or match[3], cell)


def terminal_cells(compared: Report) -> Iterator[Parsed]:
    """A row a line; cells without text leave no trace, so rows hold the others only."""
    lines = printed(compared, 1000).split("\n")
    for table in compared.tables:
        if len(table.frame):
            above = next(index for index, line in enumerate(lines) if line in (table.title, title(table)))
            first = str(table.frame.iloc[0, 0])
            start = next(index for index in range(above + 1, len(lines)) if lines[index].strip().startswith(first))
            yield [
                re.split(r" {2,}", line.strip())
                for line in lines[start : start + min(len(table.frame), terminal.MOST_ROWS)]
            ]
            lines = lines[start:]


def printed(compared: Report, width: int) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None, highlight=False)
    print_report(compared, console, details=True)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


SCALES = {"share": 100, "difference": 100}
PLACES = {"share": 2, "difference": 2, "p": 3, "count": 0, "tokens": 0, "number": 2, "seconds": 2}


def agrees(text: str, value: Any, kind: Kind) -> bool:
    """Whether a text reads as a value, to the precision that the text has."""
    if pd.isna(value):
        return text == ""
    value = float(value) * SCALES.get(kind, 1)
    text = text.replace(",", "")
    if text.startswith("<"):
        return 0 < value < float(text[1:])
    places = len(text.partition(".")[2])
    assert places == PLACES.get(kind, 4 if abs(value) < 1 else 2)
    return abs(float(text) - value) <= 0.5 * 10**-places + 1e-9


def assert_agrees(cells: list[str], row: Any, columns: list[Column]) -> None:
    for text, column in zip(cells, columns, strict=True):
        value = row[column.key]
        if column.kind in ("text", "link"):
            assert text == ("" if pd.isna(value) else value)
            continue
        number, _, interval = text.partition(" ")
        assert agrees(number, value, column.kind), (text, value, column)
        low, _, high = interval.strip("[]").partition(", ")
        bounds = [row[f"{column.key}_{end}"] if column.interval else None for end in ("low", "high")]
        if any(map(pd.isna, bounds)):
            bounds = [None, None]
        assert agrees(low, bounds[0], column.kind), (text, bounds)
        assert agrees(high, bounds[1], column.kind), (text, bounds)


@pytest.fixture(scope="module")
def compared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """`hand`: the one made by hand; `real`: that of runs of offline models on both splits."""
    made = report()
    if request.param == "real":
        logs = real_logs(tmp_path_factory)
        made = build_report(read_runs([logs["main"], logs["dynamic"]]))
    return with_view(made, "http://127.0.0.1:7575/")


both = pytest.mark.parametrize("compared", ["hand", "real"], indirect=True)


@both
@pytest.mark.parametrize("parse", [markdown_cells, html_cells, latex_cells, terminal_cells])
def test_every_number_reads_as_the_frames(compared: Report, parse: Callable[[Report], Iterator[Parsed]]) -> None:
    most = {latex_cells: latex.MOST_ROWS, terminal_cells: terminal.MOST_ROWS}.get(parse, 10**6)
    tables = [
        table
        for table in compared.tables
        if len(table.frame) and (parse is not latex_cells or len(table.frame) <= most)
    ]
    parsed = list(parse(compared))
    assert len(parsed) == len(tables) >= 10
    for table, rows in zip(tables, parsed, strict=True):
        columns = list(table.columns)
        if parse is latex_cells and re.match("(accuracy_(exact|relaxed|upstream)|published_exact)", table.name):
            columns = [column for column in columns if column.key in latex.PAPER]
        assert len(rows) == min(len(table.frame), most)
        for cells, (_, row) in zip(rows, table.frame.iterrows(), strict=False):
            there = [c for c in columns if parse is not terminal_cells or not (pd.isna(row[c.key]) or row[c.key] == "")]
            assert_agrees(cells, row, there)


@both
def test_json_has_everything_unrounded(compared: Report) -> None:
    content = json.loads(json_text(compared), parse_constant=pytest.fail)
    assert (content["title"], content["warnings"]) == (compared.title, list(compared.warnings))
    for section, written in zip(compared.sections, content["sections"], strict=True):
        assert (written["title"], written["text"]) == (section.title, list(section.text))
        assert [plot["kind"] for plot in written["plots"]] == [plot.kind for plot in section.plots]
        for table, made in zip(section.tables, written["tables"], strict=True):
            assert (made["name"], made["title"], made["note"]) == (table.name, table.title, table.note)
            assert (made["signatures"], made["reference"]) == (list(table.signatures), table.reference)
            assert [column["key"] for column in made["columns"]] == [column.key for column in table.columns]
            assert made["rows"] == [
                {key: None if pd.isna(value) else value for key, value in row.items()}
                for row in table.frame.to_dict("records")
            ]


def read_csv(file: Path) -> pd.DataFrame:
    return pd.read_csv(file, keep_default_na=False, na_values=[""], float_precision="round_trip")


@both
@pytest.mark.parametrize(
    ("write", "suffix", "read"), [(write_csv, ".csv", read_csv), (write_parquet, ".parquet", pd.read_parquet)]
)
def test_folders_hold_every_table_unrounded(
    compared: Report,
    tmp_path: Path,
    write: Callable[[Report, Path], None],
    suffix: str,
    read: Callable[[Path], pd.DataFrame],
) -> None:
    write(compared, tmp_path / "compared")
    names = [table.name for table in compared.tables]
    assert {file.name for file in (tmp_path / "compared").iterdir()} == {
        f"{name}{suffix}" for name in (*names, "contents", "remarks")
    }
    for table in compared.tables:
        found = read(tmp_path / "compared" / f"{table.name}{suffix}")
        assert len(found) == len(table.frame)
        for key in table.frame:
            for ours, theirs in zip(found[key], table.frame[key], strict=True):
                # CSV knows no types: a turn named 1 comes back as a number.
                told = str(ours) if isinstance(theirs, str) else ours
                assert (pd.isna(ours) and (pd.isna(theirs) or theirs == "")) or told == theirs
    contents = read(tmp_path / "compared" / f"contents{suffix}")
    assert contents["file"].tolist() == names
    assert contents["reference"].tolist() == [table.reference for table in compared.tables]
    signatures = ["\n".join(table.signatures) for table in compared.tables]
    assert contents["signatures"].fillna("").tolist() == signatures
    remarks = read(tmp_path / "compared" / f"remarks{suffix}")
    assert remarks["text"].tolist() == [
        *compared.warnings,
        *(sentence for section in compared.sections for sentence in section.text),
    ]


def test_parquet_types_and_metadata(tmp_path: Path) -> None:
    write_parquet(report(), tmp_path / "compared")
    schema = parquet.read_schema(tmp_path / "compared" / "cost.parquet")
    types = {name: str(schema.field(name).type) for name in schema.names}
    assert types["model"] in ("string", "large_string")
    assert (types["exact"], types["cost"], types["tokens"], types["retries"]) == ("double", "double", "int64", "int64")
    about = json.loads(schema.metadata[b"utb"])
    assert about["signatures"] == [SIGNATURE, OTHER]
    assert about["columns"]["cost"] == {"label": "Cost a sample", "kind": "usd"}


# --- words -----------------------------------------------------------------------------------------------------

WORDS = [
    *report().warnings,
    "Four of 799 samples were not scored.",
    "Means over profiles; the average is that of ST, MT and LOI.",
    "Each turn ran once: there is nothing to show.",
    "pass@k and pass^k",
]


def unwrapped(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(
    "read",
    [
        lambda compared: printed(compared, 160),
        lambda compared: BeautifulSoup(html_text(compared), "html.parser").get_text(),
        lambda compared: _from_latex(latex_text(compared).replace(r"\allowbreak", "")),
        lambda compared: "".join(
            child.content
            for token in MarkdownIt("commonmark").parse(markdown_text(compared))
            for child in token.children or ()
        ),
    ],
    ids=["terminal", "html", "latex", "markdown"],
)
def test_words_signatures_and_the_mark_of_what_is_not_ours(read: Callable[[Report], str]) -> None:
    text = unwrapped(read(report()))
    for words in (*WORDS, REFERENCE, OTHER):
        assert words in text


def test_only_what_is_published_is_marked() -> None:
    assert markdown_text(report()).count(REFERENCE) == 1


def test_the_unit_stands_in_the_title_where_all_shares_have_it() -> None:
    text = markdown_text(report())
    assert "### Exact accuracy (%)\n\n| Model | ST | MT |" in text
    assert "### Relaxed minus exact\n\n| Model | Exact (%) | Relaxed (%) | Relaxed minus exact (points) |" in text
    assert "| Model | Exact (%) | Cost a sample (USD) | Tokens | Time a sample (s) | Rounds a turn | Retries |" in text


# --- names that mean harm --------------------------------------------------------------------------------------


def test_markdown_reads_names_as_text() -> None:
    """As headings, notes, warnings and sentences, too; those of cells are read in the test of numbers."""
    names = [*EVIL.values(), "# heading", "- item", "1. item", "> quote", "=====", "+ item", "```", "---"]
    compared = Report(
        "title", [Section(name, [name], [replace(THIRDS, title=name, note=name)]) for name in names], names
    )
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown_text(compared))
    kinds = {child.type for token in tokens for child in token.children or ()} | {token.type for token in tokens}
    assert not kinds & {"html_block", "html_inline", "link_open", "image", "em_open", "blockquote_open", "fence", "hr"}
    texts = ["".join(child.content for child in token.children or ()) for token in tokens if token.type == "inline"]
    for name in names:
        assert (texts.count(name), texts.count(f"{name} (%)")) == (4, 1)


def test_latex_names_hold_no_command() -> None:
    table = replace(DIFFERENCES, title=EVIL["latex"], note=EVIL["latex"])
    text = latex_text(Report("a\nb", [Section("c\nd", ["e\n\\f"], [table])], ["g\n\\h"]))
    known = r"\\(text\w+|[&%$#_{}\\]|begin|end|caption|label|centering|small|toprule|midrule|bottomrule|par|smallskip"
    known += r"|footnotesize|scriptsize|ttfamily|allowbreak)"
    set_lines = [line for line in text.split("\n") if not line.startswith("%")]
    assert not re.search(r"\\", re.sub(known, "", "\n".join(set_lines)))
    assert (
        r"100\% of \$5 \& \#1\_a\textasciicircum{}2 \{x\} \textasciitilde{} \textbackslash{}input\{/etc/passwd\}"
        in text
    )
    assert r"\textless{}\textgreater{} -{}- {[}3{]}" in text
    assert not any(line in text.split("\n") for line in ("b", "d", r"\f", r"\h"))


def test_a_terminal_is_sent_no_control_character() -> None:
    name = "\x1b]0;owned\x07\x9b2J\r\u202e"
    compared = Report(name, [Section(name, [name], [replace(DIFFERENCES, title=name, note=name, signatures=[name])])])
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", printed(compared, 100))
    assert plain(name).startswith("\ufffd]0;owned\ufffd")


def test_half_a_surrogate_pair_breaks_no_format(tmp_path: Path) -> None:
    name = "half \ud83d"
    table = Table("t", name, [Column("model", name, "text")], pd.DataFrame({"model": ["m"]}), name, [name])
    compared = Report(name, [Section(name, [name], [table])], [name])
    for text in (json_text(compared), html_text(compared), latex_text(compared), markdown_text(compared)):
        assert text.encode()
    write_csv(compared, tmp_path / "csv")
    write_parquet(compared, tmp_path / "parquet")
    assert read_csv(tmp_path / "csv" / "remarks.csv")["text"].tolist() == ["half ?", "half ?"]
    assert pd.read_parquet(tmp_path / "parquet" / "contents.parquet")["title"].tolist() == ["half ?"]


# --- layout ----------------------------------------------------------------------------------------------------


def test_latex_has_the_papers_layout() -> None:
    text = latex_text(Report("", [Section("", tables=[accuracy()])]))
    assert r"\caption{Exact accuracy (\%)}" in text
    assert "\\begin{tabular}{lrrrrrrr}\n\\toprule\nModel & ST & MT & LOI & First & Mid & Last & Avg \\\\\n" in text
    # By hand: 0.61237 plus 0.011 for each column; from three points below to 4.56 above.
    assert (
        "lab/model-b & 61.24 & 62.34 & 63.44 & 64.54 & 65.64 & 66.74 & 67.84 \\\\\n"
        " & {\\scriptsize {[}58.24, 65.80{]}} & {\\scriptsize {[}59.34, 66.90{]}}"
    ) in text
    assert "utb/oracle & 100.00 & 100.00 & 100.00 & 100.00 & 100.00 & 100.00 & 100.00 \\\\\nlab/model-b" in text
    assert "utb/recall & 3.12 & 3.12 &  & 3.12" in text


def test_latex_leaves_long_tables_to_other_formats() -> None:
    frame = pd.concat([DIFFERENCES.frame] * 10, ignore_index=True)
    text = latex_text(Report("", [Section("", tables=[replace(DIFFERENCES, frame=frame)])]))
    assert "% Turns on which systems differ: 70 rows, which the other formats have" in text
    assert "tabular" not in text


@pytest.mark.parametrize("width", [60, 80, 120, 160])
def test_wide_tables_are_printed_in_parts(width: int) -> None:
    table = accuracy()
    text = printed(Report("", [Section("", tables=[table])]), width)
    assert all(cell_len(line) <= width for line in text.split("\n") if "signature" not in line)
    for heading in ("ST", "MT", "LOI", "First", "Middle", "Last", "Average", "Chat"):
        assert len(re.findall(rf"\b{heading}\b", text.split("Means over")[0])) == 1
    for value in ("61.24", "[58.24, 65.80]", "68.94"):  # no figure is cut in two
        assert value in text
    heads = text.count("\nModel")
    assert text.count("lab/model-b") == heads
    assert heads > 1 or width == 160


@pytest.mark.parametrize(
    ("rows", "repeated"),
    [
        ([("a", "b", "alike"), ("a", "c", "alike"), ("b", "c", "apart")], ["First", "Second"]),
        ([("a", "c", "alike"), ("b", "c", "alike")], ["First"]),
        ([("a", "b", "alike"), ("a", "b", "alike")], ["First", "Second", "Finding"]),  # nothing tells them apart
    ],
)
def test_a_part_repeats_the_words_that_tell_rows_apart_and_no_others(
    rows: list[tuple[str, ...]], repeated: list[str]
) -> None:
    words = [Column(word.lower(), word, "text") for word in ("First", "Second", "Finding")]
    figures = [Column(f"figure{number}", f"Figure{number}", "count") for number in range(10)]
    frame = pd.DataFrame(rows, columns=[column.key for column in words])
    frame = frame.assign(**{column.key: 1 for column in figures})
    text = printed(Report("", [Section("", tables=[Table("t", "", [*words, *figures], frame)])]), 60)
    parts = text.count("First")
    assert parts > 1
    assert [column.label for column in words if text.count(column.label) == parts] == repeated
    assert all(text.count(column.label) in (1, parts) for column in words)


def test_long_tables_are_cut_on_a_terminal_and_say_so() -> None:
    frame = pd.DataFrame({"sample": [f"p01-t{index}" for index in range(1234)], "model": "m", "link": "#/", "epoch": 1})
    text = printed(Report("", [Section("", tables=[replace(DIFFERENCES, frame=frame)])]), 100)
    assert "p01-t39 " in text
    assert "p01-t40 " not in text
    assert "and 1,194 more rows, which the other formats have" in text


def test_tables_of_one_name_get_files_of_their_own(tmp_path: Path) -> None:
    compared = Report("", [Section("", tables=[GAP, COST]), Section("", tables=[replace(COST, title="again"), COST])])
    write_csv(compared, tmp_path / "a" / "compared")
    contents = read_csv(tmp_path / "a" / "compared" / "contents.csv")
    assert contents["file"].tolist() == ["gap", "cost", "cost_2", "cost_3"]
    assert contents["title"].tolist()[2] == "again"
    assert (tmp_path / "a" / "compared" / "cost_3.csv").is_file()


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    for place in (tmp_path, tmp_path / "notes.txt"):
        with pytest.raises(DataError, match="name a folder that is new or empty"):
            write_csv(report(), place)
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]
    (tmp_path / "empty").mkdir()
    write_csv(report(), tmp_path / "empty")
    assert (tmp_path / "empty" / "gap.csv").is_file()


def test_a_folder_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = []

    def full(frame: pd.DataFrame, file: Path, **options: Any) -> None:
        if len(written) == 3:
            raise OSError(28, "No space left on device")
        written.append(file)
        file.write_text("")

    monkeypatch.setattr(pd.DataFrame, "to_csv", full)
    with pytest.raises(DataError, match=r"cannot be written \(No space left on device\)"):
        write_csv(report(), tmp_path / "compared")
    assert list(tmp_path.iterdir()) == []


def test_links_lead_to_the_view() -> None:
    (table,) = with_view(Report("", [Section("", tables=[DIFFERENCES])]), "https://example.org/v/").tables
    links = table.frame["link"].tolist()
    assert links[0] == "https://example.org/v/#/logs/1.eval/samples/sample/p01/1/"
    assert links[-1] == EVIL["script"]
    assert DIFFERENCES.frame["link"].tolist()[0].startswith("#/logs/1.eval")


def test_published_tables_are_a_reference_in_the_page() -> None:
    page = BeautifulSoup(html_text(Report("", [Section("", tables=[GAP, PUBLISHED])])), "html.parser")
    marked = [table.get("class") for table in page.find_all("div", class_="table")]
    assert ["reference" in (classes or ()) for classes in marked] == [False, True]
