"""The native format: one folder a dataset, one file a profile, a toolset, a topic (spec section 2)."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, TypeVar

from pydantic import BaseModel

from utb_inspect.datasets.dataset import Dataset, content_hash
from utb_inspect.datasets.files import LEADS_OUT, faulty, leads_out, natural_key, read_json
from utb_inspect.datasets.validation import TopicFile, check_topics, compile_toolset
from utb_inspect.schema import DataError, DatasetInfo, Profile, Toolset, Topic, parse
from utb_inspect.trajectory.calls import Tools

M = TypeVar("M", bound=BaseModel)

INFO = "dataset.json"


def read_native(folder: Path, name: str, links: Path | None = None) -> Dataset:
    """Read a dataset folder. Nothing outside it is read but toolsets, which may lie in a folder beside it.

    Args:
        folder: Holds `dataset.json`, `profiles/` and `topics/`, and says where the toolsets are.
        name: What messages call the dataset.
        links: A folder that links may lead into.

    Raises:
        DataError: with all faults of all files, a line each.
    """
    reader = _Reader(folder, links)
    info = reader.info()
    if info is None:
        raise faulty(name, reader.faults)
    toolsets, tools = reader.toolsets(info)
    profiles = reader.profiles()
    topics = reader.topics()
    topics.sort(key=_time_key)
    unread = reader.unread
    reader.faults.extend(
        check_topics(
            topics,
            {**dict.fromkeys(unread["toolsets"]), **tools},
            profiles.keys() | unread["profiles"],
            unread["topics"],
        )
    )
    if reader.faults:
        raise faulty(name, reader.faults)
    kept = [file.topic for file in topics]
    return Dataset(
        info=info,
        layout="inline",
        toolsets=toolsets,
        topics=kept,
        hash=content_hash(info, kept, toolsets.values()),
        profiles=profiles,
        compiled={key: value for key, value in tools.items() if value is not None},
    )


def native_files(folder: Path) -> list[Path]:
    """Every file that a dataset folder is read from, as far as it can be told without reading topics."""
    files = [folder / INFO]
    try:
        toolsets = read_json(folder / INFO, strict=False)["toolsets"]
        files.extend((folder / toolsets).glob("*.json"))
    except (ValueError, KeyError, TypeError, OSError):
        files.extend((folder / "toolsets").glob("*.json"))
    files.extend(folder.glob("profiles/*.json"))
    files.extend(folder.glob("topics/*/*.json"))
    return files


def read_info(path: Path, source: str, faults: list[str], within: Collection[Path] = ()) -> DatasetInfo | None:
    """Read a `dataset.json`; None, with what is wrong added to `faults`, when it cannot be used."""
    return _parse(DatasetInfo, path, source, faults, within)


class _Reader:
    """Reads the files of a folder, collecting faults."""

    def __init__(self, folder: Path, links: Path | None) -> None:
        self.folder = folder
        self.links = () if links is None else (links,)
        self.within = (folder, *self.links)
        self.faults: list[str] = []
        self.unread: dict[str, set[str]] = {"toolsets": set(), "profiles": set(), "topics": set()}
        """Ids of files with faults, by kind: they exist, so that what refers to them is not at fault."""

    def info(self) -> DatasetInfo | None:
        if not (self.folder / INFO).is_file():
            self.faults.append(f"{INFO}: is missing; a dataset folder holds one with name, version and licence")
            return None
        return read_info(self.folder / INFO, INFO, self.faults, self.within)

    def toolsets(self, info: DatasetInfo) -> tuple[dict[str, Toolset], dict[str, Tools | None]]:
        where = info.toolsets
        toolsets: dict[str, Toolset] = {}
        tools: dict[str, Tools | None] = {}
        if fault := toolsets_fault(self.folder, where):
            self.faults.append(f"{INFO}: field 'toolsets': {fault}")
        else:
            for path, source in self._files(self.folder / where):
                toolset = _parse(Toolset, path, source, self.faults, (self.folder / where, *self.links))
                if toolset is None:
                    self.unread["toolsets"].add(path.stem)
                    continue
                self._check_name(toolset.id, path, source)
                toolsets[toolset.id] = toolset
                tools[toolset.id] = compile_toolset(source, toolset, self.faults)
        return toolsets, tools

    def profiles(self) -> dict[str, Profile]:
        profiles: dict[str, Profile] = {}
        if self._leads_out("profiles"):
            return profiles
        for path, source in self._files(self.folder / "profiles"):
            try:
                profiles[path.stem] = read_profile(path, source, self.within)
            except DataError as error:
                self.faults.extend(str(error).splitlines())
                self.unread["profiles"].add(path.stem)
        return profiles

    def topics(self) -> list[TopicFile]:
        folder = self.folder / "topics"
        if not folder.is_dir():
            self.faults.append("topics: is missing; it holds a folder of topic files for each profile")
            return []
        if self._leads_out("topics"):
            return []
        topics = []
        # `**` passes over folders that are links.
        for path, source in self._files(folder, "**/*.json", "*/*.json"):
            if path.parent.parent != folder:
                self.faults.append(f"{source}: is out of place; a topic lies in topics/<profile>/")
                continue
            topic = _parse(Topic, path, source, self.faults, self.within)
            if topic is None:
                self.unread["topics"].add(path.stem)
                continue
            self._check_name(topic.id, path, source)
            if topic.profile != path.parent.name:
                self.faults.append(
                    f"{source}: field 'profile': is '{topic.profile}', but the file lies in the folder of "
                    f"'{path.parent.name}'"
                )
            topics.append(TopicFile(source, topic))
        if not topics and not self.unread["topics"]:
            self.faults.append("topics: holds no topic")
        return topics

    def _leads_out(self, name: str) -> bool:
        """Whether a folder is a link to elsewhere, which is then a fault: who knows what would be gone through."""
        if leads_out(self.folder / name, self.within):
            self.faults.append(f"{name}: {LEADS_OUT}")
            return True
        return False

    def _files(self, folder: Path, *patterns: str) -> Iterator[tuple[Path, str]]:
        """Files in natural order, with their names seen from the dataset's folder."""
        found = {path for pattern in patterns or ("*.json",) for path in folder.glob(pattern)}
        shown = [path for path in found if not path.name.startswith(".")]
        for path in sorted(shown, key=lambda path: natural_key(str(path))):
            yield path, Path(os.path.relpath(path, self.folder)).as_posix()

    def _check_name(self, own: str, path: Path, source: str) -> None:
        if own != path.stem:
            self.faults.append(f"{source}: field 'id': is '{own}', but the file is named '{path.stem}'")


def toolsets_fault(folder: Path, where: str) -> str | None:
    """Why the toolsets of a dataset folder cannot lie where its `dataset.json` says; None when they can."""
    if PurePosixPath(where).is_absolute() or PureWindowsPath(where).anchor:
        return f"is absolute ({where}); give it seen from this folder"
    if not os.path.isdir(folder / where):  # the method of `Path` raises on a name that is too long
        return f"there is no folder {where}"
    around = folder / ".."  # not `folder.parent`, which is no parent of "." or of a link
    if leads_out(folder / where, [around]) or not leads_out(folder, [folder / where]):
        return f"{where} leads too far; name a folder in this one, or one beside it"
    return None


def read_profile(path: Path, source: str, within: Collection[Path] = ()) -> Profile:
    """Read a profile; a PersonaMem-v2 file (one top-level key that holds the persona) too.

    Args:
        path: The file.
        source: Its name for messages.
        within: Folders that it must not lead out of; none for no bounds.

    Raises:
        DataError: with all faults of the file.
    """
    try:
        data = read_json(path, strict=True, within=within)
    except ValueError as error:
        raise DataError(f"{source}: {error}") from None
    if not isinstance(data, dict):
        raise DataError(f"{source}: a profile is a JSON object of fields")
    fields = {key: value for key, value in data.items() if key != "canary"}
    if _is_persona_mem(fields):
        (fields,) = fields.values()
    elif fields.pop("id", path.stem) != path.stem:
        raise DataError(f"{source}: field 'id': is {data['id']!r}, but the file is named '{path.stem}'")
    if not fields:
        raise DataError(f"{source}: says nothing of the user")
    return parse(Profile, {"id": path.stem, "fields": fields}, source)


def _is_persona_mem(fields: dict[str, Any]) -> bool:
    if len(fields) != 1:
        return False
    (inner,) = fields.values()
    return isinstance(inner, dict) and bool(inner.keys() & {"persona", "short_persona"})


def _parse(model: type[M], path: Path, source: str, faults: list[str], within: Collection[Path]) -> M | None:
    try:
        return parse(model, read_json(path, strict=True, within=within), source)
    except ValueError as error:
        faults.append(f"{source}: {error}")
    except DataError as error:
        faults.extend(str(error).splitlines())
    return None


def _time_key(file: TopicFile) -> tuple[Any, ...]:
    """Profile by profile in order of time; topics of one moment by id."""
    topic = file.topic
    moment = topic.environment.moment
    # A moment without a zone is a fault, told elsewhere; it only must not stop the sorting.
    known = moment is not None and moment.tzinfo is not None
    return (
        natural_key(topic.profile),
        not known,
        moment.timestamp() if moment is not None and known else 0.0,
        natural_key(topic.id),
    )
