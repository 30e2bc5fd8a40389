"""The `utb rescore` command."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.progress import Progress

from utb_inspect.cli_faults import errors, tells_faults
from utb_inspect.console import as_text
from utb_inspect.schema import DataError

if TYPE_CHECKING:
    from utb_inspect.rescoring.report import LogReport


@click.command()
@click.argument("logs", nargs=-1, type=click.Path())
@click.option(
    "--output-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the re-scored logs; the old ones are left alone. By default they are overwritten.",
)
@click.option("--dry-run", is_flag=True, help="Only tell what would change; write no log.")
@click.option(
    "--details",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File for every changed value, a JSON line each: log, id, epoch, scorer, before, after.",
)
@tells_faults
def rescore(logs: tuple[str, ...], output_dir: Path | None, dry_run: bool, details: Path | None) -> None:
    """Score finished runs again with the installed version, and tell what changed.

    LOGS are log files or folders of logs; by default ./logs. No model is called and no network used: a log holds all
    that scoring needs. A log is replaced whole or not at all, and one in which nothing changes is left alone. Errors
    of a run stay errors.

    \b
        utb rescore --dry-run                  # what would change in ./logs
        utb rescore logs/run1 logs/run2        # overwrite
        utb rescore logs/run1 --output-dir logs/run1-rescored

    Exits with 1 when a log was left out: it is broken, still running, or not of this suite.
    """
    from utb_inspect.analysis.tables import print_tables
    from utb_inspect.logs import default_place, find_logs
    from utb_inspect.rescoring.report import notes, tables

    places, faults = find_logs(logs or (default_place(),))
    targets = _targets(places, output_dir)
    reports = []
    with Progress(console=errors, transient=True) as progress:
        for place, target in targets.items():
            try:
                reports.append(_rescore(place, None if dry_run else target, progress))
            except DataError as error:
                faults.append(str(error))
    console = Console(highlight=False, emoji=False, width=None if sys.stdout.isatty() else 160)
    if reports:
        print_tables(tables(reports), console)
    for note in notes(reports):
        console.print(as_text(note), soft_wrap=True)
    if details is not None:
        _write_details(details, reports)
    for fault in faults:
        errors.print(f"[bold red]Not re-scored[/]: {as_text(fault)}")
    if faults:
        sys.exit(1)


def _targets(places: Sequence[str], output_dir: Path | None) -> dict[str, Path]:
    """Where each log is written to.

    Raises:
        DataError: a file would be overwritten that is not the log itself.
    """
    if output_dir is None:
        return {place: Path(place) for place in places}
    targets = {place: output_dir / Path(place).name for place in places}
    for place, target in targets.items():
        if target.exists():
            raise DataError(f"{target}: exists already; name a new folder for --output-dir")
        if sum(other == target for other in targets.values()) > 1:
            raise DataError(f"{place}: another of the logs has this file name, too; re-score one folder at a time")
    return targets


def _rescore(place: str, target: Path | None, progress: Progress) -> LogReport:
    """Re-score one log; without a target, write nothing.

    Raises:
        DataError: the log cannot be scored, or not be written.
    """
    from utb_inspect.logs import read_header
    from utb_inspect.rescoring.log_file import failing_as, open_log
    from utb_inspect.rescoring.report import report
    from utb_inspect.rescoring.scoring import rescore

    if "://" in place:
        raise DataError(f"{place}: only logs on this machine are re-scored; copy it here first")
    read_header(place)  # tells a log that is broken, still running or another suite's
    file = open_log(Path(place))
    name = os.path.relpath(place)
    with failing_as(file.path, "cannot be re-scored; it may be damaged"):
        bar = progress.add_task(as_text(name), total=len(file))
        rescored = rescore(file, lambda: progress.advance(bar))
        progress.update(bar, visible=False)
        in_place = target == file.path
        if rescored.same and (in_place or target is None):
            return report(rescored, name, "as it was")
        outcome = "would change" if target is None else "overwritten" if in_place else "written"
        told = report(rescored, name, outcome)  # before anything is written: a log that cannot be told stays
    if target is not None:
        with failing_as(target, "cannot be written"):
            target.parent.mkdir(parents=True, exist_ok=True)
        rescored.save(target)
    return told


def _write_details(file: Path, reports: Sequence[LogReport]) -> None:
    from utb_inspect.files import write_text
    from utb_inspect.rescoring.changes import unscored

    lines = []
    for report in reports:
        for change in report.changes:
            values = {key: None if unscored(value) else value for key, value in asdict(change).items()}
            lines.append(json.dumps({"log": report.name, **values}, ensure_ascii=False) + "\n")
    write_text(file, "".join(lines))
