"""What the wheel must carry."""

from __future__ import annotations

import ast
import tomllib
from importlib.metadata import entry_points

import pytest
from conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
FOLDERS = {"utb_inspect.tasks": "tasks", "utb_inspect.solvers": "solvers", "utb_inspect.scorers": "scorers"}


def test_every_package_is_listed():
    own = {
        ".".join(file.parent.relative_to(ROOT).parts)
        for file in (ROOT / "utb_inspect").rglob("*.py")
        if "data" not in file.parts
    }
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == own | set(FOLDERS)


def test_the_distribution_has_the_name_of_the_import_package():
    # Otherwise Inspect's registry names break when the package is installed editable.
    assert PROJECT["project"]["name"].replace("-", "_") == "utb_inspect"
    assert entry_points(group="inspect_ai")["utb_inspect"].value == "utb_inspect._registry"


def imports(folder: str) -> set[tuple[str, str]]:
    found = set()
    for file in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                found.add((file.name, node.module))
            elif isinstance(node, ast.Import):
                found |= {(file.name, alias.name) for alias in node.names}
    return found


@pytest.mark.parametrize(
    ("folder", "forbidden"),
    [
        ("utb_inspect/trajectory", ("inspect_ai", "utb_inspect.datasets", "utb_inspect.solvers")),
        ("utb_inspect/upstream", ("inspect_ai", "utb_inspect.datasets", "utb_inspect.trajectory")),
        ("utb_inspect/datasets", ("utb_inspect.baselines", "utb_inspect.solvers", "utb_inspect.scorers")),
        ("utb_inspect/explain", ("inspect_ai", "utb_inspect.datasets", "utb_inspect.scorers")),
        ("utb_inspect/compare", ("utb_inspect.tasks", "utb_inspect.solvers", "utb_inspect.scorers")),
        ("utb_inspect/rescoring", ("utb_inspect.tasks", "utb_inspect.solvers", "utb_inspect.scorers")),
        ("utb_inspect/estimate", ("utb_inspect.tasks", "utb_inspect.solvers", "utb_inspect.scorers")),
        ("solvers", ("utb_inspect.tasks", "utb_inspect.scorers")),
        ("scorers", ("utb_inspect.tasks", "utb_inspect.solvers")),
    ],
)
def test_imports_run_one_way(folder, forbidden):
    assert not {(file, module) for file, module in imports(folder) if module.startswith(forbidden)}
