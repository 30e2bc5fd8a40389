"""JSON decoded within bounds, files read line by line, and files written whole."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from utb_inspect.schema import DataError

MAX_DEPTH = 100
"""Levels of nesting that JSON may have: far more than data needs, and far from where recursion gives out."""


def decode_json(text: str | bytes, **hooks: Any) -> Any:
    """Decode JSON of limited depth.

    Args:
        text: The JSON text.
        hooks: Hooks of `json.loads`.

    Raises:
        ValueError: it is no JSON (`json.JSONDecodeError`), or is nested more than `MAX_DEPTH` levels deep.
    """
    try:
        value = json.loads(text, **hooks)
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    if _is_deep(value):
        raise ValueError("is nested too deeply")
    return value


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8; see `write_bytes`."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file by rename, so that a reader sees all of it or none; a device or pipe is written to as it is.

    Raises:
        DataError: the file cannot be written.
    """
    own = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        try:
            with own.open("xb") as file:  # never through a link that somebody laid there
                file.write(content)
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
                value = decode_json(line)
            except json.JSONDecodeError as error:
                raise DataError(f"{place}: no JSON ({error})") from None
            except ValueError as error:
                raise DataError(f"{place}: {error}") from None
            yield place, value
