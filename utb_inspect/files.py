"""Files read line by line, and written whole."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from utb_inspect.schema import DataError


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8; see `write_bytes`."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file by rename, so that a reader sees all of it or none.

    Raises:
        DataError: the file cannot be written.
    """
    own = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        try:
            own.write_bytes(content)
            os.replace(own, path)
        except BaseException:
            own.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror or error})") from None


def json_lines(file: Path) -> Iterator[tuple[str, Any]]:
    """The values of a JSON Lines file, each with its place for messages; blank lines are passed over.

    Raises:
        DataError: the file cannot be read, or a line is no JSON.
    """
    try:
        # `splitlines` would also split at characters that may stand inside a JSON string.
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{file}: cannot be read ({getattr(error, 'strerror', None) or error})") from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            place = f"{file}, line {number}"
            try:
                value = json.loads(line)
            except ValueError as error:
                raise DataError(f"{place}: no JSON ({error})") from None
            yield place, value
