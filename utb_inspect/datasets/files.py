"""JSON and JSON Lines files, read with faults that name the place."""

from __future__ import annotations

import json
import math
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from utb_inspect.files import decode_json
from utb_inspect.foreign_text import one_line
from utb_inspect.schema import DataError

Truncated = Literal["refuse", "keep"]
"""What to do about a file whose last line is cut off: refuse it, or keep the rows before."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def natural_key(text: str) -> tuple[tuple[int, str], ...]:
    """Orders names as people count: `t2` before `t10`."""
    # Every second part is a number; not an `int`, since Python makes none of some thousands of digits.
    parts = enumerate(re.split(r"([0-9]+)", text))
    return tuple(_number_key(part) if place % 2 else (0, part) for place, part in parts)


def _number_key(digits: str) -> tuple[int, str]:
    significant = digits.lstrip("0")
    return len(significant), significant


class _NoJsonError(ValueError):
    """A text that is no JSON, be it that it breaks off."""


def read_json(path: Path, *, strict: bool, within: Collection[Path] = ()) -> Any:
    """Decode a JSON file.

    Args:
        path: The file.
        strict: Refuse keys that stand twice in an object, NaN and infinities, as the native format does.
        within: Folders that it must not lead out of; none for no bounds.

    Raises:
        ValueError: what is wrong, without the file's name.
    """
    return _decode(_read_bytes(path, within), strict=strict)


LEADS_OUT = "leads out of the dataset's folder; put the file itself there"
"""What is wrong with a link that `leads_out`."""


def leads_out(path: Path, folders: Iterable[Path]) -> bool:
    """Whether a path leads, through links or `..`, to a place in none of the folders."""
    place = Path(os.path.realpath(path))  # `resolve` raises on links that run in a circle
    return not any(place.is_relative_to(os.path.realpath(folder)) for folder in folders)


def _read_bytes(path: Path, within: Collection[Path]) -> bytes:
    if within and leads_out(path, within):
        raise ValueError(LEADS_OUT)
    try:
        if not (stat.S_ISREG(mode := path.stat().st_mode) or stat.S_ISDIR(mode)):
            raise ValueError("is a device or pipe; give a file")
        return path.read_bytes()
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror or error}") from None


def _decode(data: bytes, *, strict: bool) -> Any:
    try:
        text = data.decode("utf-8-sig")
        hooks: dict[str, Callable[[Any], Any]] = {}
        if strict:
            hooks = {"object_pairs_hook": _unique, "parse_constant": _no_constant, "parse_float": _finite}
        value = decode_json(text, **hooks)
    except UnicodeDecodeError as error:
        raise _NoJsonError(f"is not UTF-8 text (at byte {error.start + 1})") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}" if "\n" in text else f"column {error.colno}"
        raise _NoJsonError(f"is no JSON ({error.msg} at {place})") from None
    if _SURROGATE.search(text):
        _check_encodes(value)
    return value


def _check_encodes(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("holds half a surrogate pair, which cannot be sent") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
        raise ValueError(f"has the key '{twice}' twice in one object; keep one")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"holds {name}, which is no JSON")


def _finite(digits: str) -> float:
    if math.isinf(number := float(digits)):
        raise ValueError(f"holds {digits}, which is too large for a number")
    return number


@dataclass(frozen=True)
class Row:
    """One JSON value of a file of rows."""

    source: str
    """File, and line or place in the list, for messages."""
    stem: str
    """The file's name without its ending."""
    index: int
    """Index in the file, from 0."""
    data: Any


def read_rows(
    path: Path,
    name: str,
    truncated: Truncated,
    faults: list[str],
    warnings: list[str],
    within: Collection[Path] = (),
) -> list[Row]:
    """Read the rows of a `.jsonl` file, or of a `.json` file that holds a list, one row, or lines.

    Args:
        path: The file.
        name: Its name for messages.
        truncated: What to do about a last line that is no JSON.
        faults: What cannot be used is added here, a line each.
        warnings: What was left out is added here, a line each.
        within: Folders that the file must not lead out of; none for no bounds.
    """
    try:
        data = _read_bytes(path, within)
        if path.suffix.lower() == ".json" and not _is_lines(data):
            return _listed(path, name, _decode(data, strict=False))
    except ValueError as error:
        faults.append(f"{name}: {error}")
        return []
    return _lines(path, name, data, truncated, faults, warnings)


def _is_lines(data: bytes) -> bool:
    """Whether each line is a JSON value of its own, whatever the file's name says."""
    lines = [line for line in data.split(b"\n", 2) if line.strip()]
    try:
        return len(lines) > 1 and isinstance(_decode(lines[0], strict=False), dict)
    except ValueError:
        return False


def _listed(path: Path, name: str, data: Any) -> list[Row]:
    if not isinstance(data, list):
        return [Row(name, path.stem, 0, data)]
    return [Row(f"{name} row {i + 1}", path.stem, i, item) for i, item in enumerate(data)]


def _lines(
    path: Path, name: str, data: bytes, truncated: Truncated, faults: list[str], warnings: list[str]
) -> list[Row]:
    # Split by hand: `splitlines` also splits at characters that may stand inside a JSON string.
    lines = [(number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    rows: list[Row] = []
    for number, line in lines:
        source = f"{name} line {number}"
        try:
            rows.append(Row(source, path.stem, len(rows), _decode(line, strict=False)))
        except ValueError as error:
            if number != lines[-1][0] or not isinstance(error, _NoJsonError):
                faults.append(f"{source}: {error}; mend or remove the line")
            elif truncated == "refuse":
                faults.append(
                    f"{source}: the last line is cut off: it {error}; get the whole file, or load it with "
                    "truncated='keep' to leave this line out"
                )
            else:
                warnings.append(f"{source}: left out, since it is cut off: it {error}")
    return rows


def faulty(source: str, faults: Iterable[str]) -> DataError:
    """All faults of a dataset as one error, a line each."""
    lines = list(dict.fromkeys(map(one_line, faults)))
    count = "a fault" if len(lines) == 1 else f"{len(lines)} faults"
    return DataError("\n".join([f"{source} cannot be used, for {count}:", *lines]))
