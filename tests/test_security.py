"""The claims of docs/security.md: data and logs are not trusted, keys are kept, nothing is written unasked."""

from __future__ import annotations

import ast
import csv
import json
import os
import re
import shutil
import sys
import threading
import tomllib
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import packages_distributions, requires
from pathlib import Path
from typing import Any

import click
import pandas as pd
import pytest
from damaged_files import KINDS, cases, utb
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai import eval as inspect_eval
from inspect_ai.log import read_eval_log
from inspect_ai.model import get_model
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from sandbox import Done, Sandbox, files, holders
from support import ROOT, inspect_commands, run, write_dataset, write_public
from wire.reply import Reply
from wire.request import Kind
from wire.server import PROTOCOLS

from utb_inspect.baselines.mailbox import file_name
from utb_inspect.baselines.player import SampleKey
from utb_inspect.cli import main
from utb_inspect.compare.formats.csv import write_csv
from utb_inspect.compare.report import Column, Report, Section, Table
from utb_inspect.datasets import load
from utb_inspect.estimate.prices import read_prices
from utb_inspect.files import MAX_DEPTH, decode_json, write_text
from utb_inspect.schema import DataError
from utb_inspect.tasks import user_tool_bench
from utb_inspect.trajectory.json_schema import MISSING, ArgumentSchema, described_default

TOPIC = "topics/p01/p01-t01.json"
RAIL = "toolsets/rail.json"
OUT = "leads out of the dataset's folder; put the file itself there"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_dataset(tmp_path / "given/harbour")


def edit(path: Path, change: Callable[[Any], Any]) -> None:
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def faults(source: Path | str) -> list[str]:
    with pytest.raises(DataError) as caught:
        load(str(source))
    return str(caught.value).splitlines()


# --- no code from data ---------------------------------------------------------------------------------------

SOURCES = [
    file
    for folder in ("utb_inspect", "tasks", "solvers", "scorers")
    for file in sorted((ROOT / folder).rglob("*.py"))
    if "data" not in file.relative_to(ROOT).parts
]
CALLS = {"eval", "exec", "compile", "__import__", "breakpoint", "__builtins__", "__loader__"}
"""Names that are not even mentioned. `re.compile` is none: it is an attribute, of another module."""
MODULES = {
    "builtins",  # whose eval, exec and compile are attributes, perhaps found by getattr
    "pickle",
    "marshal",
    "shelve",
    "dill",
    "cloudpickle",
    "joblib",
    "subprocess",
    "ctypes",
    "runpy",
    "code",
    "yaml",
    "webbrowser",
    "multiprocessing",
    "pty",
}
ATTRIBUTES = {
    *("system", "popen", "startfile", "fork", "forkpty", "posix_spawn", "posix_spawnp", "ProcessPoolExecutor"),
    *(f"{start}{form}" for start in ("exec", "spawn") for form in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")),
    *("subprocess", "create_subprocess_exec", "create_subprocess_shell", "subprocess_exec", "subprocess_shell"),
    *("read_pickle", "to_pickle", "unsafe_load"),
}
"""`subprocess` is also a function of Inspect's and a module in others."""
LOADED_BY_NAME = {"utb_inspect/cli_compare.py"}
"""Imports a module by a name made from an option with fixed choices."""


def makers_of_code(source: str) -> Iterator[str]:
    """What in a source could turn text into code, or start a program."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id=name) if name in CALLS:
                yield name
            case ast.Call(func=ast.Attribute(attr="eval" | "exec" as name)):
                yield f".{name}()"
            case ast.Constant(value="builtins" | "__builtins__" as name):
                yield name
            case ast.Import(names=names):
                yield from (alias.name for alias in names if alias.name.split(".")[0] in MODULES)
            case ast.ImportFrom(module=str(module)) if module.split(".")[0] in MODULES:
                yield module
            case ast.ImportFrom(names=names):
                yield from (alias.name for alias in names if alias.name in ATTRIBUTES)
            case ast.Attribute(attr=name) if name in ATTRIBUTES:
                yield f".{name}"
            case ast.keyword(arg="shell" | "allow_pickle" as name):
                yield f"{name}="


def test_no_code_is_made_from_text() -> None:
    assert len(SOURCES) > 100
    assert {file.name: found for file in SOURCES if (found := list(makers_of_code(file.read_text())))} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("eval('1')", ["eval"]),
        ("run = exec", ["exec"]),
        ("import builtins\nbuiltins.eval('1')", ["builtins", ".eval()"]),
        ("import builtins\nbuiltins.compile('1', '', 'eval')", ["builtins"]),
        ("import builtins as b\ngetattr(b, 'ev' + 'al')('1')", ["builtins"]),
        ("from builtins import compile as c\nc('1', '', 'eval')", ["builtins"]),
        ("__builtins__['eval']('1')", ["__builtins__"]),
        ("import os\nos.system('ls')", [".system"]),
        ("import os\nos.fork() or os.execlp('ls', 'ls')", [".fork", ".execlp"]),
        ("from os import posix_spawn as run\nrun('ls', ['ls'], {})", ["posix_spawn"]),
        ("import asyncio\nasyncio.create_subprocess_shell('ls')", [".create_subprocess_shell"]),
        ("from inspect_ai.util import subprocess\nsubprocess(['ls'])", ["subprocess"]),
        ("import webbrowser, multiprocessing.pool, pty", ["webbrowser", "multiprocessing.pool", "pty"]),
        ("import re\nre.compile('1')", []),
        ("frame.eval('a + b')", [".eval()"]),
        ("log.eval.model", []),
        ("getattr(sys.modules['builtins'], 'eval')('1')", ["builtins"]),
    ],
)
def test_what_makes_code_is_seen(source: str, found: list[str]) -> None:
    assert list(makers_of_code(source)) == found


def test_modules_are_loaded_by_name_in_one_place() -> None:
    own = {str(file.relative_to(ROOT)) for file in SOURCES if re.search(r"import_module|spec_from", file.read_text())}
    assert own == LOADED_BY_NAME


def test_a_default_in_a_description_is_read_not_run(tmp_path: Path) -> None:
    harm = tmp_path / "harm"
    for text in (f"[__import__('os').mkdir({str(harm)!r})]", "[1 for _ in (1,)]", "[open('x')]"):
        assert described_default(f"Defaults to {text}", "array") is MISSING
    assert not harm.exists()
    for text in ("-" * 5_000 + "1", "-" * 100_000 + "1", "(" * 5_000):  # what the parser itself gives up on
        assert described_default(f"Defaults to [{text}]", "array") is MISSING


REFERRING: dict[str, Callable[[str], Any]] = {
    "reference": lambda address: {"properties": {"day": {"$ref": address}}},
    "with a fragment": lambda address: {"properties": {"day": {"$ref": f"{address}#/$defs/x"}}},
    "dynamic reference": lambda address: {"properties": {"day": {"$dynamicRef": address}}},
    "by a part": lambda address: {"$id": address, "properties": {"day": {"$ref": "more"}}},
    "in a definition": lambda address: {"$defs": {"x": {"items": {"$ref": address}}}},
    "beyond the keywords": lambda address: {"properties": {"day": {"$ref": "#/x"}}, "x": {"$ref": address}},
}
NAMING: dict[str, Callable[[str], Any]] = {
    "dialect": lambda address: {"$schema": address, "properties": {"day": {"$schema": address}}},
    "name": lambda address: {"$id": address, "properties": {"day": {"$id": f"{address}2"}}},
    "contents": lambda address: {"properties": {"day": {"contentSchema": {"$schema": address}}}},
    "older draft": lambda address: {"properties": {"day": {}}, "dependencies": {"day": {"$ref": address}}},
    "unknown keyword": lambda address: {"properties": {"day": {"discriminator": {"$ref": address}}}},
    "value": lambda address: {"properties": {"day": {"default": {"$ref": address}, "enum": [1, {"$ref": address}]}}},
}


@pytest.fixture
def listener() -> Iterator[tuple[str, list[str]]]:
    """An address that serves a schema, and the requests that it got."""
    asked: list[str] = []

    class Schema(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"$defs": {"x": {}}}')

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Schema)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/schema", asked
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("kind", [*REFERRING, *NAMING])
def test_a_schema_that_refers_elsewhere_loads_nothing(
    kind: str, listener: tuple[str, list[str]], tmp_path: Path
) -> None:
    address, asked = listener
    file = tmp_path / "schema.json"
    file.write_text('{"$defs": {"x": {}}}', encoding="utf-8")
    for place in (address, file.as_uri(), str(file), "https://json-schema.org/draft/2020-12/schema"):
        if kind in REFERRING:
            with pytest.raises(ValueError, match=r"it refers to .*, which is not to be found in it"):
                ArgumentSchema(REFERRING[kind](place))
        else:
            assert ArgumentSchema(NAMING[kind](place)).fault({"day": 1}) is None
    assert asked == []
    with urllib.request.urlopen(address) as answer:  # it would have been served
        assert json.load(answer) == {"$defs": {"x": {}}}
    assert asked == ["/schema"]


# --- no way out of the folder --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["..", "../../given/other", "/etc/hostname", "a\0b", "p01\n", "..\\x", "C:\\x"])
@pytest.mark.parametrize("field", ["id", "profile", "toolset"])
def test_ids_of_a_dataset_are_no_paths(folder: Path, field: str, name: str) -> None:
    edit(folder / TOPIC, lambda topic: topic.update({field: name}))
    assert any(line.startswith(f"{TOPIC}: field '{field}': ") for line in faults(folder))


@pytest.mark.parametrize(
    "where", ["/etc", "//etc", "C:\\x", "../../..", "../../elsewhere", "a\0b", "../x/../../elsewhere"]
)
def test_toolsets_lie_in_the_folder_or_beside_it(folder: Path, where: str) -> None:
    shutil.copytree(folder / "toolsets", folder.parents[1] / "elsewhere")
    (folder.parent / "x").mkdir()
    edit(folder / "dataset.json", lambda info: info.update(toolsets=where))
    assert any(line.startswith("dataset.json: field 'toolsets': ") for line in faults(folder))
    assert not any("elsewhere/" in line for line in faults(folder))


def test_another_splits_toolsets_may_be_shared(folder: Path) -> None:
    shutil.move(folder / "toolsets", folder.parent / "main/toolsets")
    edit(folder / "dataset.json", lambda info: info.update(toolsets="../main/toolsets"))
    assert len(load(str(folder)).toolsets) == 2


LINKED = ("dataset.json", TOPIC, RAIL, "profiles/p01.json", "topics", "profiles", "toolsets", "topics/p01")


@pytest.mark.parametrize("name", LINKED)
def test_no_link_leads_out_of_the_folder(folder: Path, tmp_path: Path, name: str) -> None:
    shutil.copytree(folder, tmp_path / "elsewhere")
    path = folder / name
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    path.symlink_to(tmp_path / "elsewhere" / name)
    lines = faults(folder)
    assert any(line.startswith(name) and line.endswith(OUT) for line in lines) or (
        name == "toolsets" and "dataset.json: field 'toolsets': toolsets leads too far" in lines[1]
    )


def test_links_within_the_folder_are_followed(folder: Path) -> None:
    (folder / TOPIC).rename(folder / "kept.json")
    (folder / TOPIC).symlink_to(folder / "kept.json")
    assert len(load(str(folder)).topics) == 4


@pytest.mark.parametrize("target", ["/", "/dev/zero", "/proc/self/environ", "."])
def test_a_link_to_everything_is_not_walked(folder: Path, target: str) -> None:
    for name in ("topics", RAIL):
        path = folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        path.symlink_to(target)
    assert faults(folder)


def test_a_pipe_is_not_waited_for(folder: Path) -> None:
    (folder / TOPIC).unlink()
    os.mkfifo(folder / TOPIC)
    assert f"{TOPIC}: is a device or pipe; give a file" in faults(folder)


@pytest.mark.parametrize("name", ["rows.jsonl", "dataset.json"])
def test_no_link_leads_out_of_a_folder_of_rows(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "rows"
    folder.mkdir()
    write_public(folder / "rows.jsonl")
    (folder / "dataset.json").write_text(json.dumps({"name": "rows", "version": "1", "licence": "CC0-1.0"}))
    assert load(str(shutil.copytree(folder, tmp_path / "whole"))).info.name == "rows"
    (folder / name).rename(tmp_path / name)
    (folder / name).symlink_to(tmp_path / name)
    assert faults(folder)[1:] == [f"{name}: {OUT}"]


@pytest.mark.parametrize("topic", ["..", "../../x_topic_0", "/etc/hostname", "a\0b", "~/x"])
def test_ids_of_rows_are_no_paths(tmp_path: Path, topic: str) -> None:
    write_public(tmp_path / "rows.jsonl")
    edit(tmp_path / "rows.jsonl", lambda row: row.update(id=topic))
    (found,) = load(str(tmp_path / "rows.jsonl")).topics
    assert not re.search(r"[/\\]", found.id + found.profile)


@given(st.text(st.characters(codec="utf-8"), min_size=1), st.integers(1, 3))
@settings(deadline=None)
def test_a_sample_has_a_file_of_its_own_in_the_mailbox(sample: str, epoch: int) -> None:
    name = f"{file_name(SampleKey(sample, epoch))}.1.request.json"
    assert re.fullmatch(r"[\w.~%@-]+", name, re.ASCII)
    assert not name.startswith(".")
    assert len(name) < 255


@pytest.mark.parametrize("profile", ["../../elsewhere", "..", ".", "/", "p01/../p01", "a\0b"])
def test_a_profile_to_check_is_no_path(folder: Path, profile: str) -> None:
    shutil.copytree(folder / "topics/p01", folder.parent / "elsewhere")
    before = files(folder.parent)
    result = utb("dataset", "check", folder, "--profile", profile)
    assert result.exit_code == 2
    assert "has no topic of profile" in result.stderr
    assert files(folder.parent) == before


@pytest.mark.parametrize("name", ["../../elsewhere/rail", "{root}/elsewhere/rail"])
def test_a_part_that_is_checked_reads_no_toolset_from_elsewhere(folder: Path, name: str) -> None:
    name = name.format(root=folder.parent)
    shutil.copytree(folder / "toolsets", folder.parent / "elsewhere")
    edit(folder / TOPIC, lambda topic: topic.update(toolset=name))
    edit(folder.parent / "elsewhere/rail.json", lambda toolset: toolset.update(id=name))
    result = utb("dataset", "check", folder, "--profile", "p01")
    assert f"there is no toolset '{name}'" in result.stdout


def test_a_part_that_is_checked_copies_nothing_from_elsewhere(folder: Path, tmp_path: Path) -> None:
    (folder / TOPIC).rename(tmp_path / "topic.json")
    (folder / TOPIC).symlink_to(tmp_path / "topic.json")
    assert f"{TOPIC}: {OUT}" in utb("dataset", "check", folder, "--profile", "p01").stderr


# --- the hub -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    ["hf:", "hf:/etc", "hf:../x", "hf:a/..", "hf:a/b/c", "hf:a\0/b", "hf:~/x"]
    + [f"hf:a/b@{revision}" for revision in ("../../..", "/etc", "x/../../y", "a\0b", "x//y")],
)
def test_names_of_the_hub_are_no_paths(monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    # The name is refused by the hub's own library, which says no more of one that it takes than that it is not there.
    fault = "the revision is no name of a branch, tag or commit" if "@" in source else "cannot be had (Repo id must "
    assert faults(source)[0].partition(": ")[2].startswith(fault)


@pytest.fixture
def snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A snapshot as the hub's cache lays it out: every file is a link to where the cache keeps it."""
    repository = tmp_path / "datasets--ada--harbour"
    snapshot = write_dataset(repository / "snapshots/0123")
    (repository / "blobs").mkdir()
    for number, file in enumerate(path for path in snapshot.rglob("*") if path.is_file()):
        file.rename(repository / f"blobs/{number}")
        file.symlink_to(repository / f"blobs/{number}")
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda *_, **__: str(snapshot))
    return snapshot


def test_the_hubs_own_links_are_followed(snapshot: Path) -> None:
    assert len(load("hf:ada/harbour").topics) == 4


def test_no_link_leads_out_of_the_hubs_cache(snapshot: Path, tmp_path: Path) -> None:
    shutil.copy(snapshot / TOPIC, tmp_path / "topic.json")
    (snapshot / TOPIC).unlink()
    (snapshot / TOPIC).symlink_to(tmp_path / "topic.json")
    assert f"{TOPIC}: {OUT}" in faults("hf:ada/harbour")


# --- bombs ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("start", "end"), [("[", "]"), ('{"a": ', "}")])
def test_nesting_is_bounded(start: str, end: str) -> None:
    def nested(depth: int) -> str:
        return start * depth + "1" + end * depth

    assert decode_json(nested(MAX_DEPTH)) == json.loads(nested(MAX_DEPTH))
    for depth in (MAX_DEPTH + 1, 900, 100_000):
        with pytest.raises(ValueError, match="is nested too deeply"):
            decode_json(nested(depth))


DEEP = "[" * 500 + "]" * 500


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (DEEP, "is nested too deeply"),
        ("NaN", "holds NaN, which is no JSON"),
        ("1e999", "holds 1e999, which is too large for a number"),
        ("-1e999", "holds -1e999, which is too large for a number"),
        ("9" * 5_000, "Exceeds the limit"),
        ('{"a": 1, "a": 2}', "has the key 'a' twice in one object; keep one"),
        ('"\\ud800"', "holds half a surrogate pair, which cannot be sent"),
        ('{"\\udfff": 1}', "holds half a surrogate pair, which cannot be sent"),
    ],
    ids=lambda text: text[:12],
)
@pytest.mark.parametrize("file", [TOPIC, RAIL, "profiles/p01.json", "dataset.json"])
def test_what_no_file_may_hold(folder: Path, file: str, value: str, message: str) -> None:
    (folder / file).write_text((folder / file).read_text()[:-1] + f', "canary2": {value}}}')
    assert any(line.startswith(f"{file}: {message}") for line in faults(folder))


@pytest.mark.parametrize("place", ["observation", "answer_list", "id"])
def test_bombs_in_rows(tmp_path: Path, place: str) -> None:
    write_public(tmp_path / "rows.jsonl")
    row = json.loads((tmp_path / "rows.jsonl").read_text())
    if place == "observation":
        row["answer_list"][0][0]["observation"] = "@"
    else:
        row[place] = "[" * 100_000 if place == "answer_list" else "\ud800"  # a list may stand as JSON text
    (tmp_path / "rows.jsonl").write_text(json.dumps(row).replace('"@"', DEEP) + "\n")
    (line,) = faults(tmp_path / "rows.jsonl")[1:]
    reason = {"observation": "is nested too deeply", "answer_list": "is missing", "id": "holds half a surrogate pair"}
    assert line.startswith("rows.jsonl line 1")
    assert reason[place] in line


@pytest.mark.parametrize("command", KINDS)
def test_bombs_in_cases(tmp_path: Path, command: str) -> None:
    for number, text in enumerate(['{"id": ' + DEEP, '{"id": "a", "expected": ' + DEEP + "}", "[" * 100_000]):
        file = tmp_path / f"{number}.jsonl"
        file.write_text(text)
        result = utb("verify", command, file)
        assert result.exit_code == 2
        assert "line 1: " in result.stderr


def aliases(depth: int) -> str:
    """A YAML list of lists of ... of nine equal words each, by aliases: some lines for 9^depth words."""
    lists = ["&l0 [x, x, x, x, x, x, x, x, x]"]
    lists += [f"&l{i} [{', '.join([f'*l{i - 1}'] * 9)}]" for i in range(1, depth)]
    return f"[{', '.join(lists)}]"


@pytest.mark.parametrize(
    "text",
    [
        f"openai/x: {aliases(12)}",
        f"openai/x: {{input: {aliases(12)}}}",
        "openai/x: &x [*x]",
        "openai/x: &x {input: *x}",
        "openai/x: " + "[" * 5_000,
        '{"openai/x": ' + "[" * 100_000,
        '{"openai/x": ' + "[" * 900 + "]" * 900 + "}",
        "openai/x: !!python/object/apply:os.mkdir [harm]",
        "openai/x: !!python/name:os.mkdir",
        '{"openai/x": {"input": NaN}}',
        "openai/x: {input: .inf, output: 1, input_cache_write: 1, input_cache_read: 1}",
    ],
    ids=lambda text: text[:40],
)
def test_bombs_in_a_price_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "prices.yaml"
    file.write_text(text)
    with pytest.raises(DataError) as caught:
        read_prices(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert len(str(caught.value)) < 1_000
    assert [path.name for path in tmp_path.iterdir()] == ["prices.yaml"]


# --- files ---------------------------------------------------------------------------------------------------


def test_a_link_laid_in_the_way_is_not_written_through(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("kept")
    own = f".out.txt.{os.getpid()}-{threading.get_ident()}"
    (tmp_path / own).symlink_to(victim)
    with pytest.raises(DataError, match="cannot be written"):
        write_text(tmp_path / "out.txt", "new")
    assert victim.read_text() == "kept"


def test_a_device_or_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "new")
    reader.join(10)
    assert got == ["new"]
    assert pipe.is_fifo()


SECRET = "sk-5entinel-Q8WvTz3f0pKe"
NAMES = "OPENAI_API_KEY ANTHROPIC_API_KEY LOCAL_API_KEY GOOGLE_API_KEY HF_TOKEN AWS_SECRET_ACCESS_KEY"
KEYS = dict.fromkeys(NAMES.split(), SECRET)
LOG = "logs/run.eval"

COMMANDS: Mapping[str, tuple[int, list[str]]] = {
    # Command line: exit code, and what it is told to write. Paths are seen from the working folder.
    **{f"verify {kind} {kind}.jsonl": (0, []) for kind in KINDS},
    "prompts export --data harbour": (0, []),
    "prompts export --data harbour --with-profile -o out/prompts.jsonl": (2, ["out/prompts.jsonl"]),  # no such folder
    "prompts export --data harbour -o prompts.jsonl": (0, ["prompts.jsonl"]),
    "dataset check harbour": (1, []),
    "dataset check harbour --profile p01": (1, []),
    "dataset check nowhere": (2, []),
    "dataset stats harbour": (0, []),
    "dataset stats hf:ada/boats": (2, []),
    "dataset stats harbour -f json -o stats.json --pictures pictures": (0, ["stats.json", "pictures"]),
    "dataset export harbour -o rows.jsonl": (0, ["rows.jsonl"]),
    "toolsets stats harbour": (0, []),
    "toolsets stats harbour/toolsets -f markdown -o tools.md": (0, ["tools.md"]),
    "compare logs": (0, []),
    "compare logs -o page.html": (0, ["page.html"]),
    "compare logs -f csv -o csv": (0, ["csv"]),
    "compare logs -f parquet -o parquet": (0, ["parquet"]),
    "rescore logs --dry-run": (0, []),
    "rescore logs": (0, [LOG]),
    "rescore logs --output-dir again --details changes.jsonl": (0, ["again", "changes.jsonl"]),
    "estimate multi_tool --model openai/gpt-5 -T data=harbour": (0, []),
    "estimate --model openai/gpt-5 --write-prices prices.json": (0, ["prices.json"]),
    "estimate multi_tool --model openai/gpt-5 -T data=harbour --prices prices.json -o cost.txt": (0, ["cost.txt"]),
    "demo demo --profiles p01 --limit 1": (0, ["demo"]),
}
INSPECTS_OWN = ("home/data/inspect_ai", "home/cache/inspect_ai")
"""Where Inspect itself keeps traces and what a broken-off run needs."""


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return furnished(tmp_path_factory.mktemp("sandbox"))


def furnished(root: Path) -> Sandbox:
    """All that `COMMANDS` work on."""
    box = Sandbox(root, {**KEYS, "HF_HUB_OFFLINE": "1"})
    box.work.mkdir()
    write_dataset(box.work / "harbour")
    for kind in KINDS:
        (box.work / f"{kind}.jsonl").write_bytes(b"\n".join(cases(kind)[:3]))
    logs = box.root / "made"
    run(user_tool_bench(data=str(box.work / "harbour")), get_model("utb/oracle"), log_dir=str(logs), limit=2)
    (box.work / "logs").mkdir()
    (log,) = logs.glob("*.eval")
    log.rename(box.work / LOG)
    shutil.rmtree(logs)
    return box


@pytest.fixture(scope="module")
def before(sandbox: Sandbox) -> dict[str, tuple[int, int]]:
    return files(sandbox.root, ROOT / "utb_inspect/data")


@pytest.fixture(scope="module")
def done(sandbox: Sandbox, before: dict[str, tuple[int, int]]) -> dict[str, Done]:
    return dict(zip(COMMANDS, sandbox.utb(*(line.split() for line in COMMANDS)), strict=True))


def leaves(command: click.Command, *path: str) -> Iterator[tuple[str, ...]]:
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from leaves(inner, *path, name)
    else:
        yield path


def test_every_command_is_looked_at() -> None:
    assert {
        path for path in leaves(main) if not any(line.split()[: len(path)] == list(path) for line in COMMANDS)
    } == set()


@pytest.mark.parametrize("line", COMMANDS)
def test_nothing_is_written_but_what_was_told(sandbox: Sandbox, done: dict[str, Done], line: str) -> None:
    code, told = COMMANDS[line]
    result = done[line]
    assert result.code == code, result.output
    free = [sandbox.work / name for name in told] + [sandbox.root / "tmp"]
    if line.startswith("demo"):  # runs under Inspect
        free += [sandbox.root / name for name in INSPECTS_OWN]
    strays = {path for path in result.written if not any(_is_in(Path(path), place) for place in free)}
    assert strays <= {str(sandbox.work)}  # `mkdir` of a folder that is there
    assert result.asked == []
    assert result.started == []


def _is_in(path: Path, place: Path) -> bool:
    """Whether a path is a place, or in it, or its unfinished form beside it, `.name.` and something."""
    unfinished = [p for p in (path, *path.parents) if p.parent == place.parent and p.name.startswith(f".{place.name}.")]
    return path == place or place in path.parents or bool(unfinished)


def test_nothing_else_has_changed(sandbox: Sandbox, before: dict[str, tuple[int, int]], done: dict[str, Done]) -> None:
    """Compiled code included, which no hook sees."""
    after = files(sandbox.root, ROOT / "utb_inspect/data")
    told = [sandbox.work / name for _, names in COMMANDS.values() for name in names]
    told += [sandbox.root / name for name in INSPECTS_OWN]
    places = {sandbox.work, sandbox.root / "home", sandbox.root / "tmp", *(path for t in told for path in t.parents)}
    changed = {Path(path) for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert {path for path in changed - places if not any(t == path or t in path.parents for t in told)} == set()
    assert list((sandbox.root / "tmp").iterdir()) == []


def test_no_command_shows_or_writes_a_key(sandbox: Sandbox, done: dict[str, Done]) -> None:
    assert holders(SECRET, sandbox.root, *(result.output for result in done.values())) == []


# --- terminals -----------------------------------------------------------------------------------------------

STEERING = "\x1b]0;harm\x07\x1b[2J\x9b31m\x7f\u202e[red]b[/]"
"""Sets a title, clears the screen, turns what follows red and writes it from right to left, and is markup for the
library that prints."""
STEERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
PRINTING = (
    *(line for line in COMMANDS if not line.startswith("demo")),  # which runs shipped data alone
    *(
        f"{command} harbour -f {form}"
        for command in ("dataset stats", "toolsets stats")
        for form in ("json", "markdown")
    ),
    *(f"compare logs -f {form}" for form in ("json", "markdown", "latex")),
    "compare logs --details",
    "estimate multi_tool --model openai/gpt-5 -T data=harbour -f json",
    "estimate multi_tool --model openai/gpt-5 -T data=harbour --prices steering.json",
)
TELLING = (
    *(f"verify {kind} {kind}.jsonl" for kind in KINDS),
    *("prompts export --data harbour", "dataset stats harbour", "dataset check harbour", "toolsets stats harbour"),
    *("dataset stats harbour -f json", "dataset stats harbour -f markdown", "compare logs", "compare logs -f json"),
    *("rescore logs --dry-run", "estimate multi_tool --model openai/gpt-5 -T data=harbour"),
    "estimate multi_tool --model openai/gpt-5 -T data=harbour --prices steering.json",
)
"""Those that print names of a dataset, log or case."""


UNSAID = {"basis": "history", "evidence": [{"turn": "p01-t01.1", "quote": f"never {STEERING}"}]}


def steered(box: Sandbox) -> None:
    """Put what steers a terminal into every name and text that a dataset, a log and cases may hold."""
    harbour = box.work / "harbour"
    edit(harbour / "dataset.json", lambda info: info.update(name=STEERING))
    edit(harbour / RAIL, lambda toolset: toolset.update(domain=STEERING, description=STEERING))
    edit(harbour / RAIL, lambda toolset: toolset["tools"][0]["function"].update(description=STEERING))
    edit(harbour / TOPIC, lambda topic: topic["turns"][0].update(request=STEERING))
    edit(harbour / TOPIC, lambda topic: topic["turns"][2]["reference"][0]["grounds"].update(seat=UNSAID))
    for kind in KINDS:
        case = json.loads((box.work / f"{kind}.jsonl").read_text().splitlines()[0])
        expected = STEERING if kind == "arguments" else dict.fromkeys(case["expected"], STEERING)
        (box.work / f"{kind}.jsonl").write_text(
            json.dumps({**case, "expected": expected, "id": STEERING, "why": STEERING})
        )
    (box.work / "steering.json").write_text(json.dumps({STEERING: {"input": -1}}))
    edit_log(box.work / LOG, with_names)


def with_names(member: str, text: str) -> str:
    """A member of a log with other names of model, dataset and samples, and verdicts that re-scoring changes."""
    if member.startswith("samples/"):
        sample = json.loads(text)
        sample["scores"]["utb_exact"]["value"] = STEERING
        text = json.dumps(sample)
    for name in ("utb/oracle", "harbour@", "p01-t01"):
        text = text.replace(name, json.dumps(STEERING + name)[1:-1])
    return text


def broken(box: Sandbox) -> None:
    """Let there be a fault everywhere, told with a name."""
    edit(box.work / "harbour" / TOPIC, lambda topic: topic.update(profile=STEERING))
    for kind in KINDS:
        (box.work / f"{kind}.jsonl").write_text(
            json.dumps({"id": STEERING, "why": STEERING, "expected": {STEERING: 1}})
        )
    log = box.work / LOG
    for name, old, new in (("foreign", "data:", "x:"), ("running", '"status":"success"', '"status":"started"')):
        shutil.copy(log, log.with_stem(name))
        edit_log(log.with_stem(name), lambda _, text, old=old, new=new: text.replace(old, new))
    (log.parent / f"{STEERING.replace('/', '')}.eval").write_bytes(b"no log")


def edit_log(log: Path, change: Callable[[str, str], str]) -> None:
    with zipfile.ZipFile(log) as old:
        members = {name: old.read(name).decode() for name in old.namelist()}
    with zipfile.ZipFile(log, "w") as new:
        for name, text in members.items():
            new.writestr(name, change(name, text))


@pytest.fixture(scope="module", params=["read", "refused"])
def printed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the commands print of names that steer, in data that they read or refuse."""
    box = furnished(tmp_path_factory.mktemp(request.param))
    steered(box)
    if request.param == "refused":
        broken(box)
    done = box.utb(*(line.split() for line in PRINTING))
    assert {line for line, result in zip(PRINTING, done, strict=True) if result.code == 70} == set()
    return {line: result.output for line, result in zip(PRINTING, done, strict=True)}


def test_data_does_not_steer_the_terminal(printed: dict[str, str]) -> None:
    assert {line: found[0] for line, text in printed.items() if (found := STEERS.search(text))} == {}
    assert [line for line in TELLING if "[red]b[/]" not in printed[line].replace("\n", "")] == []


def test_csv_holds_names_as_they_are(tmp_path: Path) -> None:
    names = ["=1+1", STEERING]
    table = Table("names", "", [Column("model", "Model", "text")], pd.DataFrame({"model": names}))
    write_csv(Report("", [Section("", tables=[table])]), tmp_path / "csv")
    with (tmp_path / "csv/names.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["model"], *([name] for name in names)]


# --- logs ----------------------------------------------------------------------------------------------------

MEMBERS = ("../../harm.json", "/harm.json", "samples/../../../harm.json", "samples/..\\harm.json", "samples/x\0.json")


def test_names_in_a_log_are_no_paths(tmp_path: Path) -> None:
    """A log is an archive; what its members are called leads nowhere."""
    box = Sandbox(tmp_path / "box")
    (box.work / "logs").mkdir(parents=True)
    data = write_dataset(tmp_path / "harbour")
    run(user_tool_bench(data=str(data)), get_model("utb/oracle"), log_dir=str(tmp_path / "made"), limit=2)
    (log,) = (tmp_path / "made").glob("*.eval")
    with zipfile.ZipFile(log) as old, zipfile.ZipFile(box.work / LOG, "w") as new:
        samples = [name for name in old.namelist() if name.startswith("samples/")]
        for name in old.namelist():
            new.writestr(name, old.read(name))
        for name in MEMBERS:
            new.writestr(name, old.read(samples[0]))
    before = files(tmp_path)
    for result in box.utb(
        ["compare", "logs"], ["rescore", "logs", "--dry-run"], ["rescore", "logs", "--output-dir", "again"]
    ):
        assert result.code in (0, 1), result.output
        free = (box.work / "again", box.root / "tmp")
        assert not [path for path in result.written if not any(_is_in(Path(path), place) for place in free)]
    own = {str(box.work), str(box.root)}
    changed = {path for path, state in files(tmp_path).items() if before.get(path) != state} - own
    assert {path for path in changed if not _is_in(Path(path), box.work / "again")} <= {
        str(box.root / name) for name in ("home", "home/data", "home/cache", "tmp")
    }


# --- keys ----------------------------------------------------------------------------------------------------

ANSWERS: Mapping[str, tuple[int, bytes]] = {
    "right": (200, b""),  # made for each model's protocol
    "refused": (
        401,
        b'{"error": {"message": "Incorrect API key provided: sk-5e****pKe.", "type": "invalid_request_error"}}',
    ),
    "broken": (500, b"<html>Internal error</html>"),
    "garbled": (200, b'{"id": "c1", "choices": [{'),
    "cut": (0, b""),
}
MODELS: Mapping[str, Kind] = {
    "openai/gpt-4o": "openai",
    "openai/gpt-5": "responses",
    "openai-api/local/m": "compatible",
    "anthropic/claude-sonnet-4-5": "anthropic",
}


@pytest.fixture
def heard() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """A server that answers as the first part of the address says, and of each request the model and the headers, which
    hold the key."""
    requests: list[tuple[str, str]] = []
    kinds = {model.rpartition("/")[2]: kind for model, kind in MODELS.items()}

    class Provider(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            given = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
            requests.append((given["model"], str(self.headers)))
            answer = self.path.split("/")[1]
            status, body = ANSWERS[answer]
            if not status:
                self.connection.close()
                return
            if answer == "right":
                protocol = PROTOCOLS[kinds[given["model"]]]
                body = json.dumps(protocol.answer(Reply("Done."), given, len(requests)).body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Provider) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", requests
        server.shutdown()


@pytest.fixture(params=ANSWERS)
def keeps_key(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    heard: tuple[str, list[tuple[str, str]]],
) -> Callable[..., None]:
    """Runs with the real clients, whatever the provider answers, with all that Inspect can log: each model sends the
    key, and it is nowhere in what the runs leave."""
    address, requests = heard
    for name in ("DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))

    def check(*given: str) -> None:
        line = f"eval utb_inspect/single_tool -T data={write_dataset(tmp_path / 'harbour')} --limit 1 --log-dir logs"
        line += f" --model {','.join(MODELS)} --model-base-url {address}/{request.param}/v1"
        line += " --max-tokens 1000 --max-retries 0 --timeout 60"  # with more tokens, Anthropic's answers are streamed
        line += " --display plain --log-level debug --log-level-transcript debug --log-model-api --traceback-locals"
        (result,) = inspect_commands({"run": (tmp_path, [*line.split(), *given])}, preload=tmp_path).values()
        logs = [read_eval_log(str(path), header_only=True) for path in tmp_path.glob("logs/*.eval")]
        status = "success" if request.param == "right" else "error"
        assert sorted((log.eval.model, log.status) for log in logs) == sorted((model, status) for model in MODELS)
        assert {model for model, headers in requests if SECRET in headers} == {m.rpartition("/")[2] for m in MODELS}
        assert holders(SECRET, tmp_path, result["output"]) == []

    return check


def test_a_run_keeps_its_key(monkeypatch: pytest.MonkeyPatch, keeps_key: Callable[..., None]) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    keeps_key()


def test_a_key_given_as_an_argument_is_kept_too(
    monkeypatch: pytest.MonkeyPatch, keeps_key: Callable[..., None]
) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    keeps_key("-M", f"api_key={SECRET}")


def test_other_arguments_are_logged_as_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, heard: tuple[str, list[tuple[str, str]]]
) -> None:
    """Why no key may be put there."""
    address, _ = heard
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    task = user_tool_bench(data=str(write_dataset(tmp_path / "harbour")))
    (log,) = inspect_eval(
        task,
        model="openai/gpt-4o",
        model_base_url=f"{address}/refused/v1",
        model_args={"organization": "team-4711"},
        extra_headers={"X-Desk": "desk-4712"},
        log_dir=str(tmp_path / "logs"),
        **{"limit": 1, "max_retries": 0, "display": "none"},
    )
    stored = read_eval_log(log.location, header_only=True).eval
    assert stored.model_base_url == f"{address}/refused/v1"
    assert stored.model_args["organization"] == "team-4711"
    assert stored.model_generate_config.extra_headers == {"X-Desk": "desk-4712"}


# --- dependencies --------------------------------------------------------------------------------------------

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
GIVEN = [
    Requirement(text)
    for texts in (PROJECT["dependencies"], *PROJECT["optional-dependencies"].values())
    for text in texts
    if not text.startswith(PROJECT["name"])
]
BROUGHT = {"anyio": "inspect-ai", "tenacity": "inspect-ai", "pydantic-core": "pydantic", "markupsafe": "jinja2"}
"""Packages that are used and come with a declared one, which is of no use without them."""


@pytest.mark.parametrize("need", GIVEN, ids=lambda need: need.name)
def test_every_dependency_is_listed(need: Requirement) -> None:
    rows = re.findall(r"^\| ([\w.-]+) \| (\S+) \| (.+) \| (.+) \|$", (ROOT / "docs/dependencies.md").read_text(), re.M)
    (row,) = [row for row in rows if row[0] == need.name]  # else: python benchmarks/dependencies.py
    assert need.specifier == SpecifierSet(row[1])
    assert re.fullmatch(r"[\w.+-]+( (AND|OR) [\w.+-]+)*", row[2])


def test_every_import_is_declared() -> None:
    owners = packages_distributions()
    declared = {canonicalize_name(need.name) for need in GIVEN}
    for name, parent in BROUGHT.items():
        assert name in {canonicalize_name(Requirement(text).name) for text in requires(parent) or ()}
        assert parent in declared
    unknown = set()
    for file in SOURCES:
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
            for name in {name.split(".")[0] for name in names} - sys.stdlib_module_names - {"utb_inspect"}:
                found = {canonicalize_name(owner) for owner in owners.get(name, [name])}
                if not found & (declared | BROUGHT.keys()):
                    unknown.add(f"{file.name}: {name}")
    assert unknown == set()


# --- the page that says all this -----------------------------------------------------------------------------


def test_every_claim_has_a_test() -> None:
    """Each test that docs/security.md names is in the file that it names, and each test here is named."""
    own = Path(__file__).name
    named = {
        (file or own, name)
        for names, file in re.findall(
            r"(`test_\w+`(?:,\s+`test_\w+`)*)(?:\s+in\s+`tests/(\w+\.py)`)?", (ROOT / "docs/security.md").read_text()
        )
        for name in re.findall(r"test_\w+", names)
    }
    found = {
        (file.name, node.name)
        for file in (ROOT / "tests").glob("test_*.py")
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }
    assert named - found == set()
    assert {name for file, name in found - named if file == own} == {"test_every_claim_has_a_test"}
