"""Where the user stands. Inspect loads and runs a task file from the file's own folder."""

from __future__ import annotations

from pathlib import Path

from utb_inspect.datasets import shipped

FOLDER = Path.cwd()
"""The working folder when Inspect loaded the package's entry point, before any task file."""


def from_start(source: str) -> str:
    """A path as the user meant it, absolute; anything that is no path there or here is returned as it is."""
    if source in shipped():
        return source
    for folder in (FOLDER, Path.cwd()):
        if (path := folder / source).exists():
            return str(path.resolve())
    return source
