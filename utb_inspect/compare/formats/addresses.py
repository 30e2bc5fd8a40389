"""Where a report's links lead."""

from __future__ import annotations

from dataclasses import replace

from utb_inspect.compare.report import Report, Table


def with_view(report: Report, view: str) -> Report:
    """The report with the address of Inspect View in front of links into it, which begin with `#`."""
    sections = [
        replace(section, tables=[_with_view(table, view) for table in section.tables]) for section in report.sections
    ]
    return replace(report, sections=sections)


def _with_view(table: Table, view: str) -> Table:
    links = [column.key for column in table.columns if column.kind == "link"]
    full = {key: table.frame[key].map(lambda link: _full(link, view)) for key in links}
    return replace(table, frame=table.frame.assign(**full)) if links else table


def _full(link: object, view: str) -> object:
    return view + link if isinstance(link, str) and link.startswith("#") else link
