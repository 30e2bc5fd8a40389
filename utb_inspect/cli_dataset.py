"""The commands `utb dataset` and `utb toolsets`."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click
from rich.console import Console

from utb_inspect.cli_faults import tells_faults
from utb_inspect.datasets.language import Language
from utb_inspect.foreign_text import printable

if TYPE_CHECKING:
    from utb_inspect.analysis.tables import Table

C = TypeVar("C", bound=Callable[..., Any])
Format = Literal["terminal", "markdown", "json"]

WIDTH = 160
"""Columns of a table that does not go to a terminal."""


@click.group()
def dataset() -> None:
    """What a dataset holds."""


@click.group()
def toolsets() -> None:
    """What toolsets hold."""


@dataset.command()
@click.argument("path", required=False)
@click.option("--plan", type=click.Path(path_type=Path), help="Plan to check, a CSV file of one row a turn.")
@click.option("--profile", "profiles", multiple=True, help="Check this profile alone; repeat for several.")
@tells_faults
def check(path: str | None, plan: Path | None, profiles: tuple[str, ...]) -> None:
    """Check a dataset against the rules that UTB-Open is held to (docs/dataset/checks.md).

    PATH is a shipped split or a dataset folder; by default utb_open. Each finding stands in a line, `file: turn: reason
    (rule)`; a count a rule follows, and the command exits with 1 when anything was found.

    With --profile the other profiles may be unfinished: only rules of a profile's own turns are asked. With --plan and
    no PATH the plan alone is checked, with the toolsets of utb_open; with both, also that what is written is what was
    planned.
    """
    from utb_inspect.checks.command import show

    sys.exit(1 if show(path, plan, profiles) else 0)


def shown_as(command: C) -> C:
    """The options that say in which form figures are shown, and where."""
    command = click.option(
        "--format",
        "-f",
        "format_",
        type=click.Choice(["terminal", "markdown", "json"]),
        default="terminal",
        show_default=True,
        help="Tables for reading, tables in Markdown, or figures unrounded.",
    )(command)
    return click.option(
        "--output",
        "-o",
        type=click.Path(path_type=Path, dir_okay=False),
        help="File to write; by default standard output.",
    )(command)


@dataset.command("stats")
@click.argument("path", default="utb_open")
@click.option("--language", type=click.Choice(["en", "zh"]), help="Language of data that has two.")
@shown_as
@click.option(
    "--pictures",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for PNG and SVG of figures 2 and 3.",
)
@tells_faults
def dataset_stats(
    path: str, language: Language | None, format_: Format, output: Path | None, pictures: Path | None
) -> None:
    """The paper's tables 2, 3, 7 to 11 and figures 2 and 3 for a dataset.

    PATH is what a task's `data` is: a shipped split, a folder, a file of public rows, or hf:OWNER/NAME. Of profiles,
    names of fields, counts and similarities are shown, never their text. docs/statistics.md defines each figure.
    """
    from utb_inspect.analysis.dataset_stats import dataset_statistics
    from utb_inspect.analysis.stats_tables import dataset_figures, dataset_tables
    from utb_inspect.datasets import load

    stats = dataset_statistics(load(path, language=language))
    if pictures is not None:
        from utb_inspect.analysis.pictures import write_pictures

        written = write_pictures(stats, pictures)
        told = f"{len(written)} pictures written to {pictures}" if written else "there is no figure to draw"
        click.echo(told, err=True)
    show(dataset_tables(stats), dataset_figures(stats), stats.signature, format_, output)


@dataset.command()
@click.argument("path", default="utb_open")
@click.option(
    "--format", "format_", type=click.Choice(["public"]), default="public", show_default=True, help="Format to write."
)
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="JSON Lines file to write, a row a topic.",
)
@tells_faults
def export(path: str, format_: Literal["public"], output: Path) -> None:
    """Write a dataset as public rows, for the public evaluator.

    PATH is what a task's `data` is. The rows hold tools, requests, references and all that is needed to play the
    history; what they cannot hold (grounds, effects, alternatives, ...) is listed with its number.
    """
    from utb_inspect.datasets import load
    from utb_inspect.datasets.export import lost, public_rows
    from utb_inspect.files import write_text

    data = load(path)
    rows = public_rows(data)
    write_text(output, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    click.echo(printable(f"{len(rows)} rows of {data.name} written to {output}"), err=True)
    click.echo("Left out, since the public format has no place for it:", err=True)
    for what, count in lost(data).items():
        click.echo(f"  {count:>6,} {what}", err=True)


@toolsets.command("stats")
@click.argument("path", default="utb_open")
@shown_as
@tells_faults
def toolset_stats(path: str, format_: Format, output: Path | None) -> None:
    """The paper's table 11: toolsets, tools and parameter slots.

    PATH is a .jsonl file with a list of tools a line, a .json file with one toolset, a folder of those, or a dataset,
    of which the toolsets in use are counted.
    """
    from utb_inspect.analysis.stats_tables import tool_figures, tool_table
    from utb_inspect.analysis.tool_stats import tool_statistics
    from utb_inspect.analysis.toolset_files import toolsets_at

    found = toolsets_at(path)
    stats = tool_statistics(found.toolsets)
    show([tool_table(stats)], {"table_11": tool_figures(stats)}, found.signature, format_, output)


def show(
    tables: Sequence[Table], figures: Mapping[str, Any], signature: str, format_: Format, output: Path | None
) -> None:
    from utb_inspect.analysis.tables import markdown_tables, print_tables
    from utb_inspect.files import write_text

    if format_ == "json":
        text = printable(json.dumps({"signature": signature, **figures}, ensure_ascii=False, indent=2)) + "\n"
    elif format_ == "markdown":
        text = printable(f"{markdown_tables(tables)}\nsignature: `{signature}`\n")
    else:
        terminal = output is None and sys.stdout.isatty()
        file, width = (None, None) if terminal else (io.StringIO(), WIDTH)
        console = Console(file=file, width=width, highlight=False, emoji=False)
        print_tables(tables, console)
        console.print(f"\nsignature: {printable(signature)}", soft_wrap=True, markup=False)
        if terminal:
            return
        assert isinstance(console.file, io.StringIO)
        text = "".join(f"{line.rstrip()}\n" for line in console.file.getvalue().splitlines())
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(output, text)
        click.echo(f"written to {output}")
