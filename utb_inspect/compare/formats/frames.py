"""Tables as data: unrounded, typed by their columns' kinds, and written as a folder of files, a file a table."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from utb_inspect.compare.formats.text import LEFT, number
from utb_inspect.compare.report import Report, Table
from utb_inspect.schema import DataError

CONTENTS = "contents"
"""File that lists the tables: section, title, note, signatures."""
REMARKS = "remarks"
"""File of the warnings and of the sections' sentences."""


def data_frame(table: Table) -> pd.DataFrame:
    """A table's columns with their intervals. Shares and their differences are 0 to 1; a missing figure is `pd.NA`."""
    columns: dict[str, pd.Series[Any]] = {}
    for column in table.columns:
        keys = [column.key, f"{column.key}_low", f"{column.key}_high"] if column.interval else [column.key]
        for key in keys:
            series = table.frame[key]
            if column.kind in LEFT:
                columns[key] = series.astype("string")
            else:
                figures = pd.Series([number(value) for value in series], dtype="Float64", index=series.index)
                whole = column.kind in ("count", "tokens") and (figures.dropna() % 1 == 0).all()
                columns[key] = figures.astype("Int64") if whole else figures
    return pd.DataFrame(columns)


def file_names(report: Report) -> list[str]:
    """A name for each table's file: its own, numbered from the second of one name on."""
    seen: dict[str, int] = {}
    names = []
    for table in report.tables:
        seen[table.name] = seen.get(table.name, 0) + 1
        names.append(table.name if seen[table.name] == 1 else f"{table.name}_{seen[table.name]}")
    return names


def contents(report: Report) -> pd.DataFrame:
    """What the tables are: a row a table, with the name of its file."""
    names = iter(file_names(report))
    rows = [
        {
            "file": next(names),
            "section": _text(section.title),
            "title": _text(table.title),
            "note": _text(table.note),
            "reference": table.reference,
            "signatures": _text("\n".join(table.signatures)),
        }
        for section in report.sections
        for table in section.tables
    ]
    return pd.DataFrame(rows)


def remarks(report: Report) -> pd.DataFrame:
    """The sentences around the tables; a warning has no section."""
    rows = [("", _text(warning)) for warning in report.warnings]
    rows += [(_text(section.title), _text(sentence)) for section in report.sections for sentence in section.text]
    return pd.DataFrame(rows, columns=["section", "text"])


def write_folder(
    report: Report, folder: Path, suffix: str, write: Callable[[pd.DataFrame, Path, Table | None], None]
) -> None:
    """Write a folder with a file a table, `contents` and `remarks`: all of it or nothing.

    Args:
        report: The comparison.
        folder: New, or empty.
        suffix: Of the files, with its dot.
        write: Writes one frame; the table is None for `contents` and `remarks`.

    Raises:
        DataError: the folder holds something, or cannot be written.
    """
    frames: dict[str, tuple[pd.DataFrame, Table | None]] = {
        CONTENTS: (contents(report), None),
        REMARKS: (remarks(report), None),
    }
    for name, table in zip(file_names(report), report.tables, strict=True):
        frames[name] = (data_frame(table), table)
    own: Path | None = None
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise DataError(f"{folder}: is there already; name a folder that is new or empty")
        folder.parent.mkdir(parents=True, exist_ok=True)
        own = folder.resolve().with_name(f".{folder.name}.{os.getpid()}")
        own.mkdir()
        for name, (frame, of) in frames.items():
            write(frame, own / f"{name}{suffix}", of)
        os.replace(own, folder)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written ({error.strerror or error})") from None
    finally:
        if own is not None:
            shutil.rmtree(own, ignore_errors=True)


def _text(value: str) -> str:
    """Text that UTF-8 can hold: half a surrogate pair, as from a file's name that is no UTF-8, becomes a `?`."""
    return value.encode("utf-8", "replace").decode()
