"""`load`: a dataset by name, from a folder or file, or from the Hugging Face hub."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import get_args

from utb_inspect.datasets.dataset import Dataset
from utb_inspect.datasets.files import Truncated
from utb_inspect.datasets.language import NAMES, Language, language_of
from utb_inspect.datasets.native import INFO, native_files, read_native
from utb_inspect.datasets.public import info_file, public_files, read_public
from utb_inspect.datasets.wire import wire_faults
from utb_inspect.foreign_text import fault_line
from utb_inspect.schema import DataError

HUB = "hf:"
_REVISION = re.compile(r"(?:[\w.-]+(?:/[\w.-]+)*)?")


def load(source: str, *, language: Language | None = None, truncated: Truncated = "refuse") -> Dataset:
    """Load a dataset.

    Args:
        source: A shipped split (`utb_open`, `utb_open_dynamic`), a dataset folder, a folder or file of public rows
            (`.jsonl`, `.json`), or `hf:OWNER/NAME`, `hf:OWNER/NAME@REVISION`. A shipped name wins over a folder of
            that name here; write `./utb_open` for the folder.
        language: Which texts of bilingual public rows to read; by default English where it is given.
        truncated: `keep` leaves out a last line that is cut off, with a warning, instead of refusing the file.

    Returns:
        The dataset. Loading it again gives the same object as long as its files have not changed.

    Raises:
        DataError: with all faults of the dataset: file, topic, turn and field.
    """
    if language is not None and language not in get_args(Language):
        raise DataError(f"language={language}: give en or zh, or leave it out")
    if truncated not in get_args(Truncated):
        raise DataError(f"truncated={truncated}: give refuse or keep")
    try:
        place = _find(source)
        return _load(place, language, truncated, _stamp(place))
    except OSError as error:
        raise DataError(f"{source}: cannot be read: {error.strerror or error}") from None


def shipped() -> list[str]:
    """Names of the splits that the package holds."""
    return sorted(path.name for path in _data().iterdir() if path.is_dir())


@dataclass(frozen=True)
class _Place:
    path: Path
    name: str
    native: bool
    links: Path | None = None
    """Folder that the dataset's links may lead into."""


def _find(source: str) -> _Place:
    if source in shipped():
        return _Place(_data() / source, source, native=True)
    if source.startswith(HUB):
        repository, _, revision = source.removeprefix(HUB).partition("@")
        # The cache looks both up as paths; the name is the hub's own to check, and it does.
        if not _REVISION.fullmatch(revision) or ".." in revision.split("/"):
            raise DataError(f"{source}: the revision is no name of a branch, tag or commit")
        snapshot = _download(repository, revision or None)
        # The cache's files are links to where it keeps what is in several snapshots.
        return _at(snapshot, repository.rpartition("/")[2], snapshot.parents[1] / "blobs")
    try:
        path = Path(source).expanduser()
        known = bool(source.strip()) and path.exists()
    except RuntimeError:  # `~name` of nobody here
        known = False
    if not known:
        raise DataError(
            f"there is no dataset '{source}'; give {' or '.join(shipped())}, an existing file or folder, "
            f"or {HUB}OWNER/NAME"
        )
    return _at(path.resolve())


def _at(path: Path, name: str | None = None, links: Path | None = None) -> _Place:
    if path.is_file() and path.suffix.lower() not in (".jsonl", ".json"):
        raise DataError(f"{path.name}: a file of public rows ends in .jsonl or .json; or give a dataset folder")
    if path.is_file() and path.name == INFO:
        path = path.parent
    # Public rows may have a `dataset.json` beside them; a native dataset has folders.
    native = any((path / folder).is_dir() for folder in ("topics", "toolsets"))
    native = native or ((path / INFO).is_file() and not public_files(path))
    return _Place(path, name or (path.stem if path.is_file() else path.name), native, links)


def _data() -> Path:
    return Path(str(files("utb_inspect"))) / "data"


def _stamp(place: _Place) -> tuple[tuple[str, int, int], ...]:
    """What tells whether a file of the dataset was changed, added or removed."""
    found = native_files(place.path) if place.native else [*public_files(place.path), info_file(place.path)]
    states = [(str(path), path.stat()) for path in found if path.is_file()]
    return tuple(sorted((path, state.st_mtime_ns, state.st_size) for path, state in states))


@lru_cache(maxsize=8)
def _load(
    place: _Place, language: Language | None, truncated: Truncated, stamp: tuple[tuple[str, int, int], ...]
) -> Dataset:
    if place.native:
        dataset = read_native(place.path, place.name, place.links)
    else:
        dataset = read_public(place.path, place.name, language, truncated, place.links)
    refused = chain.from_iterable(map(wire_faults, dataset.toolsets.values()))
    # Public rows repeat their tools, in one toolset for each list of them, and with them what is to be said.
    dataset.warnings[:] = dict.fromkeys(map(fault_line, chain(dataset.warnings, refused)))
    if place.native and language and language_of(turn.turn.request for turn in dataset.turns) not in (language, None):
        raise DataError(f"language={language}: {place.name} has no {NAMES[language]} texts; leave it out")
    return dataset


def _download(repository: str, revision: str | None) -> Path:
    """The local snapshot of a dataset repository of the hub, downloaded when it is not there yet."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise DataError(
            f"{HUB}{repository}: needs the package huggingface_hub; pip install 'utb-inspect[hf]'"
        ) from None
    try:
        return Path(
            snapshot_download(repository, repo_type="dataset", revision=revision, allow_patterns=["*.json", "*.jsonl"])
        )
    # The hub's errors have no base of their own; they differ by its version and by its HTTP library's.
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise DataError(
            f"{HUB}{repository}: cannot be had ({reason}); check owner, name and revision, and for a private or "
            "gated dataset that HF_TOKEN is set; offline, download it first"
        ) from None
