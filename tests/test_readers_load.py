"""Where a dataset comes from: a shipped split, a folder or file, the hub."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from utb_inspect.datasets import load, shipped
from utb_inspect.datasets.files import natural_key
from utb_inspect.schema import DataError

DATA = Path(__file__).parent / "data"


def message(source: str, **options: object) -> str:
    with pytest.raises(DataError) as caught:
        load(source, **options)  # type: ignore[arg-type]
    return str(caught.value)


def test_shipped_splits() -> None:
    assert shipped() == ["utb_open", "utb_open_dynamic"]


def test_what_is_no_dataset(tmp_path: Path) -> None:
    known = "give utb_open or utb_open_dynamic, an existing file or folder, or hf:OWNER/NAME"
    assert message("utb_opne") == f"there is no dataset 'utb_opne'; {known}"
    assert message(" ") == f"there is no dataset ' '; {known}"
    assert "holds neither dataset.json nor public rows" in message(str(tmp_path))
    (tmp_path / "rows.csv").write_text("id")
    assert message(str(tmp_path / "rows.csv")).startswith("rows.csv: a file of public rows ends in .jsonl or .json")


def test_wrong_options() -> None:
    source = str(DATA / "native")
    assert message(source, language="fr") == "language=fr: give en or zh, or leave it out"
    assert message(source, truncated="yes") == "truncated=yes: give refuse or keep"
    assert message(source, language="zh") == "language=zh: native has no Chinese texts; leave it out"
    assert load(source, language="en").hash == load(source).hash


def test_the_info_file_stands_for_its_folder() -> None:
    assert load(str(DATA / "native/dataset.json")) is load(str(DATA / "native"))


def test_a_changed_file_is_read_anew(tmp_path: Path) -> None:
    folder = shutil.copytree(DATA / "native", tmp_path / "ferry")
    first = load(str(folder))
    assert load(str(folder)) is first
    path = folder / "topics/p02/p02-t1.json"
    topic = json.loads(path.read_text())
    topic["turns"][0]["request"] += " Thank you."
    path.write_text(json.dumps(topic))
    assert load(str(folder)).hash != first.hash
    shutil.rmtree(path.parent)
    assert list(load(str(folder)).by_profile) == ["p01"]


def test_natural_order() -> None:
    assert sorted(["t10", "t2", "a", "t1b", "t1", "2"], key=natural_key) == ["2", "a", "t1", "t1b", "t2", "t10"]


# --- the hub -------------------------------------------------------------------------------------------------


def on_the_hub(home: Path, source: str, code: str) -> subprocess.CompletedProcess[str]:
    """Load offline in a process of its own, since huggingface_hub reads its settings when it is imported."""
    env = {**os.environ, "HF_HOME": str(home), "HF_HUB_OFFLINE": "1"}
    script = f"from utb_inspect.datasets import load\ndataset = load({source!r})\n{code}"
    return subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=False)


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """A hub cache that holds one dataset."""
    revision = "0123456789abcdef0123456789abcdef01234567"
    repository = tmp_path / "hub/datasets--ada--boats"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs/main").write_text(revision)
    shutil.copytree(DATA / "public", repository / "snapshots" / revision / "data")
    return tmp_path


@pytest.mark.parametrize("source", ["hf:ada/boats", "hf:ada/boats@main"])
def test_a_local_snapshot(hub: Path, source: str) -> None:
    done = on_the_hub(hub, source, "print(dataset.info.name, len(dataset.turns))")
    assert done.stdout == "boats 10\n", done.stderr


def test_a_dataset_that_is_not_to_be_had(hub: Path) -> None:
    done = on_the_hub(hub, "hf:ada/planes", "")
    assert "DataError: hf:ada/planes: cannot be had (" in done.stderr
    assert "offline, download it first" in done.stderr


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert message("hf:ada/boats") == "hf:ada/boats: needs the package huggingface_hub; pip install 'utb-inspect[hf]'"
