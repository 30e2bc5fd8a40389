"""Writing files whole."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from utb_inspect.schema import DataError


def write_text(path: Path, text: str) -> None:
    """Write a text file by rename, so that a reader sees all of it or none.

    Raises:
        DataError: the file cannot be written.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror or error})") from None
