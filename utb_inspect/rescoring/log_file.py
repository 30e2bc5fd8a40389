"""Log files as Inspect lays them out, rewritten so that all but the scores stays as it was.

Inspect's own reader and writer build an object of every message and event, which takes longer than the scoring by far.
Here a sample is parsed when it is asked for, and one without an edit is copied.
"""

from __future__ import annotations

import json
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, EvalSampleSummary  # also teaches zipfile the compression of logs
from pydantic_core import to_jsonable_python

from utb_inspect.files import write_bytes
from utb_inspect.schema import DataError

Json = dict[str, Any]
Edit = Callable[[Json], Json]
"""A sample before to the sample after."""

_HEADER = "header.json"
_REDUCTIONS = "reductions.json"
_START = "_journal/start.json"
_SUMMARIES = ("summaries.json", "_journal/summaries/")


@contextmanager
def failing_as(path: Path, what: str) -> Iterator[None]:
    """Tell whatever fails within: what is damaged can raise anything, the decompressor's own errors too.

    Args:
        path: The file, which the message begins with.
        what: What is said of it, before the error's own words.

    Raises:
        DataError: something failed; one that begins with the file is passed on as it is.
    """
    try:
        yield
    except Exception as error:
        told = " ".join(str(error).split())
        if isinstance(error, DataError):
            if told.startswith(f"{path}: "):
                raise
            raise DataError(f"{path}: {what} ({told})") from error
        raise DataError(f"{path}: {what} ({type(error).__name__}: {told})") from error


class LogFile(ABC):
    """A finished log on the local disk.

    Attributes:
        path: Where it lies.
        header: Everything but samples and reductions, as in the file.
        reductions: Scores reduced over epochs; None when the log has none.
    """

    path: Path
    header: Json
    reductions: list[Json] | None

    @abstractmethod
    def __len__(self) -> int:
        """Number of samples, epochs counted apart."""

    @abstractmethod
    def outline(self, index: int) -> Json:
        """A sample's `id`, `epoch`, `error` and `scores`, as short as the file has them."""

    @abstractmethod
    def sample(self, index: int) -> Json:
        """A sample as it stands in the file.

        Raises:
            DataError: the file is damaged there.
        """

    @abstractmethod
    def rewritten(self, header: Json, reductions: list[Json] | None, edits: Mapping[int, Edit]) -> bytes:
        """The file with another header, other reductions, and some samples edited, by index."""

    @cached_property
    def log(self) -> EvalLog:
        """The log without its samples."""
        return EvalLog.model_validate(self.header)

    def save(self, target: Path, header: Json, reductions: list[Json] | None, edits: Mapping[int, Edit]) -> None:
        """Write the rewritten file by rename, so that a crash loses nothing.

        Raises:
            DataError: the file is damaged, or the target cannot be written.
        """
        with failing_as(self.path, "cannot be rewritten; it may be damaged"):
            content = self.rewritten(header, reductions, edits)
        write_bytes(target.resolve(), content)


def open_log(path: Path) -> LogFile:
    """Open a log in either of Inspect's formats.

    Raises:
        DataError: it cannot be read, or has not ended.
    """
    with failing_as(path, "cannot be read as a finished log"):
        return JsonLog(path) if path.suffix == ".json" else EvalArchive(path)


class EvalArchive(LogFile):
    """A log in the `.eval` format: a ZIP archive with a member a sample."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with zipfile.ZipFile(path) as archive:
            # A name that occurs again replaces the earlier member.
            names = dict.fromkeys(archive.namelist())
            self.header = json.loads(archive.read(_HEADER))
            self.reductions = json.loads(archive.read(_REDUCTIONS)) if _REDUCTIONS in names else None
        self._samples = [name for name in names if name.startswith("samples/") and name.endswith(".json")]

    def __len__(self) -> int:
        return len(self._samples)

    @cached_property
    def _archive(self) -> zipfile.ZipFile:
        return zipfile.ZipFile(self.path)

    def _member(self, name: str) -> Any:
        with failing_as(self.path, f"{name} is damaged"):
            return json.loads(self._archive.read(name))

    @cached_property
    def _outlines(self) -> dict[str, Json]:
        summaries = self._member(_SUMMARIES[0])
        return {f"samples/{summary['id']}_epoch_{summary['epoch']}.json": summary for summary in summaries}

    def outline(self, index: int) -> Json:
        return self._outlines.get(self._samples[index]) or self.sample(index)

    def sample(self, index: int) -> Json:
        found: Json = self._member(self._samples[index])
        return found

    def rewritten(self, header: Json, reductions: list[Json] | None, edits: Mapping[int, Edit]) -> bytes:
        start = {**self._member(_START), "eval": header["eval"]} if _START in self._archive.namelist() else None
        members = {_HEADER: header, _REDUCTIONS: reductions, _START: start}
        by_name = {self._samples[index]: edit for index, edit in edits.items()}
        scores: dict[tuple[str, int], Any] = {}
        out = BytesIO()
        with zipfile.ZipFile(out, "w") as archive:

            def put(name: str, content: Any) -> None:
                kind = self._archive.getinfo(name if name in self._archive.NameToInfo else _HEADER).compress_type
                archive.writestr(name, _dump(content), compress_type=kind)

            for info in {info.filename: info for info in self._archive.infolist()}.values():
                if (edit := by_name.get(info.filename)) is not None:
                    sample = edit(self._member(info.filename))
                    scores[str(sample["id"]), sample["epoch"]] = _short(sample)
                    put(info.filename, sample)
                elif info.filename not in members and not info.filename.startswith(_SUMMARIES):
                    archive.writestr(copy(info), self._archive.read(info))
            for name in self._archive.NameToInfo:
                if name.startswith(_SUMMARIES):
                    put(name, [_with_scores(summary, scores) for summary in self._member(name)])
            for name, content in members.items():
                if content is not None:
                    put(name, content)
        return out.getvalue()


class JsonLog(LogFile):
    """A log in the `.json` format: one object."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._whole = json.loads(path.read_bytes())
        self._samples: list[Json] = self._whole.get("samples") or []
        self.header = {key: value for key, value in self._whole.items() if key not in ("samples", "reductions")}
        self.reductions = self._whole.get("reductions")

    def __len__(self) -> int:
        return len(self._samples)

    def outline(self, index: int) -> Json:
        return self._samples[index]

    def sample(self, index: int) -> Json:
        return self._samples[index]

    def rewritten(self, header: Json, reductions: list[Json] | None, edits: Mapping[int, Edit]) -> bytes:
        samples = [edits[i](sample) if i in edits else sample for i, sample in enumerate(self._samples)]
        whole = {**self._whole, **header, "samples": samples}
        if reductions is not None:
            whole["reductions"] = reductions
        return _dump(whole, indent=2)


def _dump(content: Any, indent: int | None = None) -> bytes:
    separators = (",", ":") if indent is None else None
    text = json.dumps(content, ensure_ascii=False, indent=indent, separators=separators)
    return text.encode(errors="backslashreplace")  # half a surrogate pair becomes its JSON escape


def _short(sample: Json) -> Any:
    """A sample's scores as the sample list shows them, long texts cut."""
    summary = EvalSampleSummary(id=sample["id"], epoch=sample["epoch"], input="", target="", scores=sample["scores"])
    return to_jsonable_python(summary.scores, exclude_none=True)


def _with_scores(summary: Json, scores: Mapping[tuple[str, int], Any]) -> Json:
    found = scores.get((str(summary["id"]), summary["epoch"]))
    return summary if found is None else {**summary, "scores": found}
