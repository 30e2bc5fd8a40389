"""Toolsets by a name: of a dataset, or from files that are no dataset, such as the public pool of candidates."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from utb_inspect import __version__
from utb_inspect.analysis.tool_stats import Functions, functions_of
from utb_inspect.datasets import load, shipped
from utb_inspect.datasets.files import faulty, natural_key, read_json
from utb_inspect.datasets.native import INFO
from utb_inspect.files import json_lines
from utb_inspect.schema import DataError, Function, parse


@dataclass(frozen=True)
class Toolsets:
    """Toolsets, and what a figure of theirs was made with."""

    signature: str
    toolsets: list[Functions]


def toolsets_at(source: str) -> Toolsets:
    """The toolsets that a name means.

    Args:
        source: A file or folder of toolsets, as `read_toolsets` reads; else a dataset, as `load` takes it, of which
            the toolsets that a topic uses are meant.

    Raises:
        DataError: with all faults, a line each.
    """
    path = Path(source).expanduser()
    if source not in shipped() and holds_toolsets(path):
        found: list[Functions] = list(read_toolsets(path))
        content = json.dumps([[function.model_dump() for function in tools] for tools in found], sort_keys=True)
        digest = hashlib.sha256(content.encode()).hexdigest()[:6]
        return Toolsets(f"toolsets:{path.resolve().stem}#{digest}|suite:{__version__}", found)
    dataset = load(source)
    used = {topic.toolset for topic in dataset.topics}
    found = [functions_of(toolset) for name, toolset in dataset.toolsets.items() if name in used]
    return Toolsets(f"data:{dataset.name}|suite:{__version__}", found)


def read_toolsets(path: Path) -> list[list[Function]]:
    """The toolsets of a file or folder that is no dataset.

    Args:
        path: A `.jsonl` file with a toolset a line (a list of tools, or an object whose `tools` they are), a `.json`
            file with one, or a folder of such `.json` files, as a dataset's `toolsets/` is.

    Raises:
        DataError: with all faults, a line each.
    """
    faults: list[str] = []
    found: list[list[Function]] = []
    if _is_lines(path) and path.is_file():
        for source, value in json_lines(path):
            _add(value, source, found, faults)
    else:
        files = sorted(path.glob("*.json"), key=lambda file: natural_key(file.name)) if path.is_dir() else [path]
        for file in files:
            try:
                _add(read_json(file, strict=False), file.name, found, faults)
            except ValueError as error:
                faults.append(f"{file.name}: {error}")
    if not found and not faults:
        faults.append(f"{path.name}: holds no toolset")
    if faults:
        raise faulty(str(path), faults)
    return found


def holds_toolsets(path: Path) -> bool:
    """Whether a file or folder is one that `read_toolsets` reads, told by its first value; a dataset is not."""
    if path.is_dir():
        if (path / INFO).is_file():
            return False
        path = next(iter(sorted(path.glob("*.json"))), path)
    if not path.is_file():
        return False
    try:
        value = next(json_lines(path), ("", None))[1] if _is_lines(path) else read_json(path, strict=False)
    except (DataError, ValueError):
        return False
    if isinstance(value, list):  # of tools; public rows may stand in a list too
        return bool(value) and isinstance(value[0], dict) and not _is_row(value[0])
    return isinstance(value, dict) and "tools" in value and not _is_row(value)


def _is_lines(path: Path) -> bool:
    return path.suffix.lower() == ".jsonl"


def _is_row(value: Mapping[str, Any]) -> bool:
    return not value.keys().isdisjoint(("answer_list", "tasks", "english_tasks"))


def _add(value: Any, source: str, found: list[list[Function]], faults: list[str]) -> None:
    try:
        found.append(_functions(value, source))
    except DataError as error:
        faults.extend(str(error).splitlines())


def _functions(value: Any, source: str) -> list[Function]:
    tools = value.get("tools") if isinstance(value, dict) else value
    if not isinstance(tools, list) or not tools:
        raise DataError(f"{source}: is no toolset; give a list of tools, or an object that holds them as 'tools'")
    faults: list[str] = []
    found: list[Function] = []
    for number, tool in enumerate(tools, 1):
        function = tool.get("function", tool) if isinstance(tool, dict) else tool
        if not isinstance(function, dict):
            faults.append(f"{source}, tool {number}: is no object with a name and parameters")
            continue
        # What a tool says beyond name, description and parameters is not counted.
        kept = {key: function[key] for key in ("name", "description", "parameters") if key in function}
        try:
            found.append(parse(Function, kept, f"{source}, tool {number}"))
        except DataError as error:
            faults.extend(str(error).splitlines())
    if faults:
        raise DataError("\n".join(faults))
    return found
