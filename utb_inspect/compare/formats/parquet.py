"""A comparison as a folder of Parquet files, a file a table, each with its title, note and signatures inside."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pyarrow
from pyarrow import parquet

from utb_inspect.compare.formats.frames import write_folder
from utb_inspect.compare.report import Report, Table


def write_parquet(report: Report, folder: Path) -> None:
    """Write the tables, unrounded, with `contents.parquet` and `remarks.parquet`.

    A file's schema metadata has under `utb` a JSON object: `title`, `note`, `reference`, `signatures` and `columns`.

    Raises:
        DataError: the folder holds something, or cannot be written.
    """
    write_folder(report, folder, ".parquet", _write)


def _write(frame: pd.DataFrame, file: Path, table: Table | None) -> None:
    data = pyarrow.Table.from_pandas(frame, preserve_index=False)
    if table is not None:
        data = data.replace_schema_metadata({**(data.schema.metadata or {}), "utb": json.dumps(_about(table))})
    parquet.write_table(data, file)


def _about(table: Table) -> dict[str, object]:
    return {
        "title": table.title,
        "note": table.note,
        "reference": table.reference,
        "signatures": list(table.signatures),
        "columns": {column.key: {"label": column.label, "kind": column.kind} for column in table.columns},
    }
