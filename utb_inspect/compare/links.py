"""Addresses of samples in Inspect View."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import quote


class SampleLinks:
    """Addresses of samples in Inspect View over the innermost folder that holds all logs, or in a bundle of it.

    They begin with `#`; in front belongs the address of the view, such as `http://127.0.0.1:7575/`.

    Args:
        locations: The logs: paths or addresses.
    """

    def __init__(self, locations: Iterable[str]) -> None:
        folders = [_parts(location)[:-1] for location in locations]
        self._depth = _shared(folders)

    def link(self, location: str, sample: str, epoch: int) -> str:
        """The address of a sample: `#/logs/<log>/samples/sample/<id>/<epoch>/`, as Inspect's own pages make it."""
        log = "/".join(map(_quoted, _parts(location)[self._depth :]))
        return f"#/logs/{log}/samples/sample/{_quoted(sample)}/{epoch}/"


def _shared(folders: Sequence[Sequence[str]]) -> int:
    """How many parts all folders begin with."""
    depth = 0
    for parts in zip(*folders, strict=False):
        if len(set(parts)) > 1:
            break
        depth += 1
    return depth


def _parts(location: str) -> list[str]:
    return location.replace("\\", "/").split("/")


def _quoted(text: str) -> str:
    # What JavaScript's encodeURIComponent leaves alone.
    return quote(text, safe="!'()*")
