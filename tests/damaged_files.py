"""Fuzz targets of the files that commands read besides datasets: cases, prices and logs, damaged in a place or two."""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

from click.testing import CliRunner, Result
from fuzzing import Target, damaged, json_values
from hypothesis import strategies as st
from inspect_ai.log import read_eval_log
from inspect_ai.model import get_model
from support import run, write_dataset

from utb_inspect.cli import main
from utb_inspect.estimate.prices import Price, read_prices
from utb_inspect.schema import DataError
from utb_inspect.tasks import user_tool_bench

CASES = Path(__file__).parent / "cases"
KINDS = {"decisions": "decisions", "arguments": "arguments", "upstream": "upstream_verdicts"}


@st.composite
def torn(draw: Any, whole: bytes) -> bytes:
    """Bytes with a piece of them cut out, doubled, or overwritten."""
    start = draw(st.integers(0, len(whole)))
    end = draw(st.integers(start, min(len(whole), start + 200)))
    piece = draw(st.sampled_from([b"", whole[start:end] * 2]) | st.binary(max_size=8))
    return whole[:start] + piece + whole[end:]


@st.composite
def json_files(draw: Any, whole: bytes) -> bytes:
    """A file of JSON with a place or two of it damaged, or some of its bytes."""
    value = json.loads(whole)
    return draw(damaged(st.just(value)).map(lambda value: json.dumps(value).encode()) | torn(whole))


def utb(*arguments: str | Path) -> Result:
    """Run a command; whatever it raises but its exit goes on."""
    result = CliRunner().invoke(main, list(map(str, arguments)))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


# --- cases ---------------------------------------------------------------------------------------------------


@cache
def cases(kind: str) -> Sequence[bytes]:
    return (CASES / f"{KINDS[kind]}.jsonl").read_bytes().splitlines()[:60]


@st.composite
def case_files(draw: Any) -> tuple[str, bytes]:
    """A kind of cases, and a file of one."""
    kind = draw(st.sampled_from(sorted(KINDS)))
    return kind, draw(json_files(draw(st.sampled_from(cases(kind)))))


def check_cases(edit: tuple[str, bytes]) -> None:
    kind, content = edit
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cases.jsonl"
        file.write_bytes(content)
        result = utb("verify", kind, file)
    if result.exit_code == 2:
        assert result.stderr.startswith(f"Error: {file}")
        return
    *differences, last = result.stdout.splitlines()
    assert last.endswith("agree")
    assert bool(differences) == (result.exit_code == 1)


# --- prices --------------------------------------------------------------------------------------------------

_PRICE = {"input": 1.25, "output": 10, "input_cache_write": 0, "input_cache_read": 0.125, "token_ratio": 1.1}
_HUGE = ["0x" + "f" * 9_000, "9" * 10_000, "1e999", "-.inf", "~", "[1, 2]", "2025-03-14", "&a [*a]"]


@st.composite
def price_files(draw: Any) -> bytes:
    """JSON or YAML of two models."""
    prices = {"openai/a": _PRICE, "openai/b": _PRICE}
    names, numbers = st.sampled_from(["openai/a", *_HUGE]), st.sampled_from(["1", *_HUGE])
    yaml = f"? {draw(names)}\n: {{input: {draw(numbers)}, output: 1}}\n".encode()
    other = json_values().map(lambda value: json.dumps(value).encode())
    return draw(json_files(json.dumps(prices).encode()) | other | torn(yaml) | st.just(yaml))


def check_prices(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "prices.yaml"
        file.write_bytes(content)
        try:
            prices = read_prices(file)
        except DataError as error:
            prices, lines = {}, str(error).split("\n")
        else:
            lines = []
    assert all(line.startswith(f"{file}: ") and len(line) < 1_000 for line in lines)
    assert all(isinstance(name, str) and isinstance(price, Price) for name, price in prices.items())


# --- logs ----------------------------------------------------------------------------------------------------


@cache
def log(ending: Literal["eval", "json"]) -> bytes:
    """A log of one sample."""
    with tempfile.TemporaryDirectory() as folder:
        data = write_dataset(Path(folder) / "harbour")
        task, model = user_tool_bench(data=str(data)), get_model("utb/noisy")
        made = run(task, model, log_dir=folder, log_format=ending, limit=1)
        return Path(made.location).read_bytes()


@st.composite
def logs(draw: Any) -> tuple[str, bytes]:
    """The ending of a log's name, and a log that is damaged: JSON, or an archive or one of its members."""
    if draw(st.booleans()):
        return "json", draw(json_files(log("json")))
    if draw(st.booleans()):
        return "eval", draw(torn(log("eval")))
    with zipfile.ZipFile(BytesIO(log("eval"))) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = draw(st.sampled_from(sorted(members)))
    members[name] = draw(json_files(members[name]))
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return "eval", out.getvalue()


def check_log(edit: tuple[str, bytes]) -> None:
    """It is re-scored into a log that can be read, or a message names it and nothing is written."""
    ending, content = edit
    with tempfile.TemporaryDirectory() as folder:
        file, target = Path(folder) / f"run.{ending}", Path(folder) / "new"
        file.write_bytes(content)
        result = utb("rescore", file, "--output-dir", target)
        assert file.read_bytes() == content
        written = list(target.iterdir()) if target.exists() else []
        if result.exit_code == 0:
            assert [path.name for path in written] == [file.name]
            read_eval_log(str(written[0]), header_only=True)
        else:
            assert result.exit_code == 1
            assert written == []
            assert f"Not re-scored: {file}: " in result.stderr


TARGETS = {
    "damaged cases": Target(case_files(), check_cases),
    "damaged price files": Target(price_files(), check_prices),
    "damaged logs": Target(logs(), check_log),
}
