"""A comparison as a folder of CSV files, a file a table."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from utb_inspect.compare.formats.frames import write_folder
from utb_inspect.compare.report import Report, Table


def write_csv(report: Report, folder: Path) -> None:
    """Write the tables, unrounded, with `contents.csv` and `remarks.csv`.

    Raises:
        DataError: the folder holds something, or cannot be written.
    """
    write_folder(report, folder, ".csv", _write)


def _write(frame: pd.DataFrame, file: Path, table: Table | None) -> None:
    frame.to_csv(file, index=False, encoding="utf-8", lineterminator="\n")
