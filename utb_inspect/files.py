"""Writing files whole."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from utb_inspect.schema import DataError


def write_text(path: Path, text: str) -> None:
    """Write a text file by rename, so that a reader sees all of it or none.

    Raises:
        DataError: the file cannot be written.
    """
    own = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        try:
            own.write_text(text, encoding="utf-8", newline="\n")
            os.replace(own, path)
        except BaseException:
            own.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror or error})") from None
