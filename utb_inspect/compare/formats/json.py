"""A comparison as JSON: everything, unrounded."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from utb_inspect.compare.formats.frames import data_frame
from utb_inspect.compare.report import Report, Section, Table
from utb_inspect.foreign_text import printable


def json_text(report: Report) -> str:
    """The report as JSON, ending in a line break. Shares and differences are 0 to 1; what is not to be had is null."""
    content = {
        "title": report.title,
        "warnings": list(report.warnings),
        "sections": [_section(section) for section in report.sections],
    }
    text = printable(json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False))
    return text.encode("utf-8", "replace").decode() + "\n"


def _section(section: Section) -> dict[str, Any]:
    return {
        "title": section.title,
        "text": list(section.text),
        "tables": [_table(table) for table in section.tables],
        "plots": [asdict(plot) for plot in section.plots],
    }


def _table(table: Table) -> dict[str, Any]:
    frame = data_frame(table).astype(object)
    return {
        "name": table.name,
        "title": table.title,
        "note": table.note,
        "reference": table.reference,
        "signatures": list(table.signatures),
        "columns": [asdict(column) for column in table.columns],
        "rows": frame.where(frame.notna(), None).to_dict("records"),
    }
