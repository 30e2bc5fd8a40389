"""The `utb compare` command."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import click
from rich.console import Console

from utb_inspect.cli_faults import errors, tells_faults
from utb_inspect.console import as_text
from utb_inspect.schema import DataError

if TYPE_CHECKING:
    from utb_inspect.compare.report import Report

Format = Literal["terminal", "markdown", "latex", "json", "csv", "parquet", "html"]

SUFFIXES: dict[str, Format] = {
    **{".html": "html", ".htm": "html", ".md": "markdown", ".tex": "latex", ".json": "json"},
    **dict.fromkeys((".txt", ""), "terminal"),
}
"""The format that an output's name asks for."""
VIEW = "http://127.0.0.1:7575/"
"""Where `inspect view` listens unless told otherwise."""


@click.command()
@click.argument("logs", nargs=-1)
@click.option(
    "--format",
    "-f",
    "format_",
    type=click.Choice(get_args(Format)),
    help="Form of the report. By default what the output's name ends in says: .html, .md, .tex, .json, or .txt.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    help="File to write, or for csv and parquet a new folder. By default standard output.",
)
@click.option("--common", is_flag=True, help="Compare on the samples that all systems have.")
@click.option("--baseline", metavar="MODEL", help="Pair the others with this system alone: fewer tests to correct for.")
@click.option("--details", is_flag=True, help="All tables on the terminal. The other formats always have all.")
@click.option(
    "--published",
    type=click.Path(path_type=Path),
    help="JSON file of published figures, to show beside as a reference.",
)
@click.option(
    "--view",
    metavar="ADDRESS",
    default=VIEW,
    show_default=True,
    help="Inspect View, or a bundle of it, that links to samples lead to.",
)
@tells_faults
def compare(
    logs: tuple[str, ...],
    format_: Format | None,
    output: Path | None,
    common: bool,
    baseline: str | None,
    details: bool,
    published: Path | None,
    view: str,
) -> None:
    """Compare models on their finished runs: which is better, how sure that is, where they differ, what they cost.

    LOGS are log files and folders of logs, here or at an address such as s3://bucket/logs; by default where Inspect
    writes. Logs of one model with the same settings are one system, and make up one row. Only what was made alike is
    put side by side: runs with other data, options, limits or scoring stand in groups of their own, and the report says
    why.

    \b
        utb compare logs                                # tables on the terminal
        utb compare logs/run1 logs/run2 -o compare.html # a page with plots, to open in a browser
        utb compare logs -f markdown > compare.md       # for a README or an issue
        utb compare logs -o tables.tex                  # the paper's tables 4 and 5, and the others
        utb compare logs -f parquet -o compare          # a folder with a file a table, unrounded
        utb compare logs --common                       # where systems ran different samples

    Shares come with 95 % intervals over profiles. The table of pairs says whether two models differ; intervals that
    overlap do not say it. Links to samples work while `inspect view --log-dir FOLDER` runs on the folder that holds all
    logs.

    What is left out, and why, stands at the top of the report, and for a written one on standard error too. Exits with
    2 when there is nothing to compare.
    """
    from utb_inspect.compare.build import build_report
    from utb_inspect.compare.formats.addresses import with_view
    from utb_inspect.compare.reading import read_runs

    chosen = format_ or _by_name(output)
    if output is None and chosen in ("csv", "parquet", "html"):
        raise DataError(f"{chosen} is not for standard output; name a file or folder with --output")
    with errors.status("reading logs"):
        found = build_report(read_runs(logs), common=common, baseline=baseline, published=published)
        report = with_view(found, view)
    if output is None:
        _print(report, chosen, details)
        return
    _write(report, chosen, output)
    for warning in report.warnings:
        errors.print(f"[yellow]![/] {as_text(warning)}")
    click.echo(f"written to {output}")


def _by_name(output: Path | None) -> Format:
    suffix = "" if output is None else output.suffix.lower()
    if suffix not in SUFFIXES:
        raise DataError(
            f"{output}: no report is written as {suffix}; end the name in {', '.join(filter(None, SUFFIXES))}, or name "
            "the form with --format. Tables for programs fill a folder: -f csv -o FOLDER, or -f parquet -o FOLDER"
        )
    return SUFFIXES[suffix]


def _print(report: Report, format_: Format, details: bool) -> None:
    if format_ == "terminal":
        from utb_inspect.compare.formats.terminal import print_report, terminal_text

        if sys.stdout.isatty():
            print_report(report, Console(highlight=False), details=details)
        else:
            click.echo(terminal_text(report, details=details), nl=False)
    else:
        click.echo(_text(report, format_), nl=False)


def _write(report: Report, format_: Format, output: Path) -> None:
    if format_ == "csv":
        from utb_inspect.compare.formats.csv import write_csv

        write_csv(report, output)
    elif format_ == "parquet":
        from utb_inspect.compare.formats.parquet import write_parquet

        write_parquet(report, output)
    else:
        from utb_inspect.files import write_text

        write_text(output, _text(report, format_))


def _text(report: Report, format_: Format) -> str:
    """The report in a format that is one text, whole, ending in a line break."""
    if format_ == "terminal":
        from utb_inspect.compare.formats.terminal import terminal_text

        return terminal_text(report, details=True)
    module = import_module(f"utb_inspect.compare.formats.{format_}")
    writer: Callable[[Report], str] = getattr(module, f"{format_}_text")
    return writer(report)
