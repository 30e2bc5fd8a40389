"""Commands of this package run where all that they touch is seen: files written, addresses asked, programs started."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# A process of its own for each command, forked from one that has imported what is slow; what these imports did counts
# for each command. An audit hook cannot be taken off, and sees what Python itself does; what compiled code writes is
# seen by comparing folders.
_RUNNER = """
import importlib, json, os, sys, tempfile
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = {"os.mkdir": 1, "os.rmdir": 1, "os.remove": 1, "os.rename": 2, "os.link": 2, "os.symlink": 2, "os.chmod": 1,
           "os.chown": 1, "os.truncate": 1, "os.utime": 1, "sqlite3.connect": 1}
ASKS = {"socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo", "socket.gethostbyname",
        "socket.gethostbyaddr", "socket.getnameinfo", "urllib.Request"}
STARTS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty",
          "pty.spawn", "webbrowser.open", "pickle.find_class"}
written, asked, started = [], [], []
def hook(event, args):
    if event in ("os.remove", "os.rmdir", "os.mkdir") and args[-1] >= 0:  # seen from an open folder
        written.append(os.path.join(os.readlink(f"/proc/self/fd/{args[-1]}"), os.fsdecode(args[0])))
    elif event == "open" and isinstance(args[0], (str, bytes)) and args[2] is not None and args[2] & WRITES:
        written.append(os.path.realpath(os.fsdecode(args[0])))
    elif event in CHANGES:
        written.extend(os.path.realpath(os.fsdecode(path)) for path in args[:CHANGES[event]])
    elif event in ASKS and not str(args[-1]).startswith("/"):
        asked.append(f"{event} {args}")
    elif event in STARTS:
        started.append(f"{event} {args}")
sys.addaudithook(hook)
for slow in (
    "altair anthropic click inspect_ai.log jieba openai pandas pyarrow.parquet rapidfuzz rouge scipy.stats "
    "sklearn.feature_extraction.text vl_convert utb_inspect.cli utb_inspect._registry"
).split():
    importlib.import_module(slow)
from utb_inspect.cli import main
imports = list(written), list(asked), list(started)
for command in json.load(sys.stdin):
    with tempfile.TemporaryFile(mode="w+") as out, tempfile.TemporaryFile(mode="w+") as seen:
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(out.fileno(), 2)
            os.chdir(command["cwd"])
            written[:], asked[:], started[:] = imports
            code = 0
            try:
                main(command["argv"], prog_name="utb")
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else int(end.code is not None)
            except BaseException:
                sys.excepthook(*sys.exc_info())
                code = 70
            sys.stdout.flush()
            sys.stderr.flush()
            json.dump({"code": code, "written": written, "asked": asked, "started": started}, seen)
            seen.flush()
            os._exit(0)
        os.waitpid(child, 0)
        out.seek(0)
        seen.seek(0)
        print(json.dumps({**json.load(seen), "output": out.read()}), flush=True)
"""


@dataclass(frozen=True)
class Done:
    """A command that has run."""

    code: int
    """Exit code; 70 for an exception that nobody caught."""
    output: str
    """Standard output and standard error."""
    written: list[str]
    """Files and folders written, moved or removed, links resolved."""
    asked: list[str]
    """Addresses that were looked up or connected to."""
    started: list[str]
    """Programs started, and classes that a pickle asked for."""


@dataclass(frozen=True)
class Sandbox:
    """A folder that is home, working folder and temporary folder of the commands.

    Attributes:
        root: Holds all of it.
        env: Variables that the commands get beside those of the tests.
    """

    root: Path
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def work(self) -> Path:
        return self.root / "work"

    def utb(self, *commands: Sequence[str]) -> list[Done]:
        """Run `utb` commands one after another in the working folder."""
        places = {"HOME": "home", "TMPDIR": "tmp", "XDG_DATA_HOME": "home/data", "XDG_CACHE_HOME": "home/cache"}
        for place in (*places.values(), "work"):
            (self.root / place).mkdir(parents=True, exist_ok=True)
        given = [{"cwd": str(self.work), "argv": list(map(str, command))} for command in commands]
        done = subprocess.run(
            [sys.executable, "-c", _RUNNER],
            env={
                **os.environ,
                **{name: str(self.root / place) for name, place in places.items()},
                "INSPECT_LOG_DIR": "logs",
                "PYTHONDONTWRITEBYTECODE": "1",
                **self.env,
            },
            cwd=self.work,
            input=json.dumps(given),
            capture_output=True,
            text=True,
            check=False,
        )
        results = [Done(**json.loads(line)) for line in done.stdout.splitlines()]
        assert len(results) == len(given), done.stderr
        return results


def files(*folders: Path) -> dict[str, tuple[int, int]]:
    """Every file and folder below some folders, with what tells whether it was changed."""
    found = [path for folder in folders for path in folder.rglob("*") if "__pycache__" not in path.parts]
    states = {str(path): path.lstat() for path in found}
    return {
        path: (state.st_mtime_ns, state.st_size if not Path(path).is_dir() else 0) for path, state in states.items()
    }


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The bytes of every file below a folder, those of archives and of compressed files unpacked."""
    import inspect_ai.log  # noqa: F401  # teaches zipfile the compression of logs

    for path in folder.rglob("*"):
        if not path.is_file():
            continue
        data = path.read_bytes()
        yield str(path), data
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                yield from ((f"{path}!{name}", archive.read(name)) for name in archive.namelist())
        elif data[:2] == b"\x1f\x8b":
            yield f"{path}!", gzip.decompress(data)


def holders(secret: str, folder: Path, *texts: Any) -> list[str]:
    """Where a secret stands: files below a folder, and texts by their place among those given."""
    found = [name for name, data in contents(folder) if secret.encode() in data]
    return found + [f"text {i}" for i, text in enumerate(texts) if secret in str(text)]
