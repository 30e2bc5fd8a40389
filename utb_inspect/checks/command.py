"""What `utb dataset check` prints."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

from utb_inspect.checks.folder import dataset_folder
from utb_inspect.checks.run import Report, check, check_plan
from utb_inspect.cli_faults import errors
from utb_inspect.foreign_text import printable

DEFAULT = "utb_open"


def show(source: str | None, plan: Path | None, profiles: Collection[str]) -> int:
    """Check, print findings and counts, and return how many were found.

    Args:
        source: A split or folder; None for `DEFAULT`, or, when there is a plan, for nothing but its toolsets.
        plan: A plan to check.
        profiles: Profiles to keep to; none for all.
    """
    folder = dataset_folder(source or DEFAULT)
    reports = []
    if plan is None or (source is not None and any(folder.glob("topics/*/*.json"))):
        reports.append(_check(source or DEFAULT, profiles))
    if plan is not None:
        reports.append(check_plan(plan, source or DEFAULT, profiles, reports[0].dataset if reports else None))
    for report in reports:
        for rule, findings in report.findings.items():
            for finding in findings:
                click.echo(printable(f"{finding} ({rule})"))
    for report in reports:
        _summarise(report)
    return sum(report.count for report in reports)


def _check(source: str, profiles: Collection[str]) -> Report:
    with Progress(TextColumn("{task.description}"), BarColumn(), console=errors, transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def progress(done: int, total: int, rule: str) -> None:
            bar.update(task, completed=done, total=total, description=rule.replace("_", " "))

        return check(source, profiles, progress)


def _summarise(report: Report) -> None:
    if report.count:
        table = Table(box=None, pad_edge=False)
        table.add_column("rule", overflow="fold")
        table.add_column("findings", justify="right")
        for rule, findings in report.findings.items():
            if findings:
                table.add_row(rule, str(len(findings)))
        Console(highlight=False, width=None if sys.stdout.isatty() else 160).print(table)
    count = _many(report.count, "finding") if report.count else "no finding"
    click.echo(f"{count}: {_many(len(report.findings), 'rule')} over {_many(report.turns, 'turn')}")


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
