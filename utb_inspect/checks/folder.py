"""Dataset folders: where they are, a part of one, and the toolsets of one without its topics."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Collection
from importlib.resources import files
from pathlib import Path
from typing import Any

from utb_inspect.checks.finding import INFO, Finding
from utb_inspect.datasets.files import LEADS_OUT, leads_out, read_json
from utb_inspect.datasets.loader import shipped
from utb_inspect.datasets.native import read_info, toolsets_fault
from utb_inspect.datasets.validation import compile_toolset
from utb_inspect.schema import DataError, DatasetInfo, Toolset, parse


def dataset_folder(source: str) -> Path:
    """The folder of a shipped split, or the one at a path.

    Raises:
        DataError: there is none.
    """
    if source in shipped():
        return Path(str(files("utb_inspect"))) / "data" / source
    folder = Path(source).expanduser()
    if not folder.is_dir():
        raise DataError(f"there is no dataset folder '{source}'; give {' or '.join(shipped())}, or a folder")
    return folder.resolve()


def copy_part(folder: Path, profiles: Collection[str], place: Path) -> Path:
    """Copy some profiles of a dataset as a dataset of their own, so that faults of the others do not stand in the way.

    Toolsets come along as far as the profiles' topics use them.

    Raises:
        DataError: a profile has no topic, `dataset.json` cannot be used, or a file cannot be read.
    """
    info = _decoded(folder / INFO)
    if info is None:
        raise DataError(f"{folder.name}: {INFO} is missing or holds no JSON object")
    _write(place / INFO, {**info, "toolsets": "toolsets"})
    used = set()
    for profile in profiles:
        topics = sorted((folder / "topics" / profile).glob("*.json")) if _is_name(profile) else []
        if not topics:
            raise DataError(f"{folder.name} has no topic of profile '{profile}'")
        for file in [*topics, folder / "profiles" / f"{profile}.json"]:
            if leads_out(file, [folder]):
                raise DataError(f"{file.relative_to(folder)}: {LEADS_OUT}")
            if file.is_file():
                _copy(file, place / file.relative_to(folder))
        used |= {
            toolset for file in topics if (data := _decoded(file)) and isinstance(toolset := data.get("toolset"), str)
        }
    where = str(info.get("toolsets", "toolsets"))
    if fault := toolsets_fault(folder, where):
        raise DataError(f"{INFO}: field 'toolsets': {fault}")
    toolsets = folder / where
    (place / "toolsets").mkdir()
    for toolset in filter(_is_name, used):
        file = toolsets / f"{toolset}.json"
        data = _decoded(file)
        if data is not None:  # another split's carries that one's canary
            _write(place / "toolsets" / file.name, {**data, "canary": info.get("canary")})
        elif file.is_file():
            _copy(file, place / "toolsets" / file.name)
    return place


def read_toolsets(folder: Path) -> tuple[DatasetInfo, dict[str, Toolset], list[Finding]]:
    """`dataset.json` and the toolsets of a folder, whether or not it has topics, with what is wrong with them.

    Raises:
        DataError: `dataset.json` cannot be used.
    """
    faults: list[str] = []
    info = read_info(folder / INFO, INFO, faults)
    if info is None:
        raise DataError("\n".join([f"{folder.name} cannot be used:", *faults]))
    toolsets: dict[str, Toolset] = {}
    found: list[Finding] = []
    if fault := toolsets_fault(folder, info.toolsets):
        return info, toolsets, [Finding(INFO, None, f"field 'toolsets': {fault}")]
    for file in sorted((folder / info.toolsets).glob("*.json")):
        source = f"{info.toolsets}/{file.name}"
        try:
            toolset = parse(Toolset, read_json(file, strict=True), source)
        except (ValueError, DataError) as error:
            found.append(Finding(source, None, str(error).splitlines()[0].removeprefix(f"{source}: ")))
            continue
        toolsets[toolset.id] = toolset
        compile_toolset(source, toolset, faults)
    found.extend(Finding(line.partition(": ")[0], None, line.partition(": ")[2]) for line in faults)
    return info, toolsets, found


def _is_name(text: str) -> bool:
    """Whether a text names something in a folder, and not a way out of it."""
    return text not in ("", ".", "..") and not re.search(r"[/\\\0]", text)


def _decoded(file: Path) -> dict[str, Any] | None:
    try:
        data = read_json(file, strict=False)
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


def _write(file: Path, data: Any) -> None:
    file.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")


def _copy(file: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        shutil.copyfile(file, target)
    except OSError as error:
        raise DataError(f"{file}: cannot be read ({error.strerror or error})") from None
