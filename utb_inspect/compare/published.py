"""Published figures as a layer for reference: the paper's tables 4 and 5, from a file that the user has.

They are of other data than the runs, so they stand apart and are not ranked. The file as it is published does not say
which version of the data its figures are of. Only where the user adds that, as `data`, and vouches for it, do its exact
figures stand beside those of runs: runs with the public evaluator's verdict on just that data, with as many turns.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field, Strict

from utb_inspect.compare.report import Column, Table
from utb_inspect.compare.tables.accuracy import PARTS, figure
from utb_inspect.compare.tables.making import MODEL, TURNS, made
from utb_inspect.compare.tables.view import UPSTREAM, View
from utb_inspect.datasets.files import read_json
from utb_inspect.datasets.labels import TASK_TYPES, label_key
from utb_inspect.schema import AVERAGED, DataError, Model, parse

Percent = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]


class PublishedRow(Model):
    """A model's figures, in percent."""

    ST: Percent
    MT: Percent
    LOI: Percent
    First: Percent
    Mid: Percent
    Last: Percent
    Avg: Percent


class Published(Model):
    """Published accuracies by model."""

    exact: dict[str, PublishedRow]
    """Table 4."""
    relaxed: dict[str, PublishedRow]
    """Table 5."""
    task_dist: list[Annotated[tuple[str, int, float], Strict(False)]] = Field(default_factory=list)
    """Turns of the data by task type (table 2a): name, count, percent."""
    data: str | None = None
    """The data they are of, as a signature names it (`name@version#hash`)."""

    model_config = ConfigDict(extra="ignore")

    @property
    def turns(self) -> dict[str, int]:
        """Turns by task type."""
        return {TASK_TYPES.get(label_key(name), name): count for name, count, _ in self.task_dist}


_KEYS = dict(zip(PublishedRow.model_fields, list(PARTS)[:7], strict=True))
"""The file's names of the figures, and ours."""
_COLUMNS = [Column(part, PARTS[part][0]) for part in _KEYS.values()]


def read_published(path: Path) -> Published:
    """Published figures from a JSON file.

    Args:
        path: An object with `exact` and `relaxed`, each from a model's name to `ST`, `MT`, `LOI`, `First`, `Mid`,
            `Last` and `Avg` in percent; `task_dist` and, if known, `data`. Other keys are passed over.

    Raises:
        DataError: it cannot be read, or is not of that form.
    """
    try:
        found = read_json(path, strict=True)
    except ValueError as error:
        raise DataError(f"{path}: {error}") from None
    return parse(Published, found, str(path))


def published_tables(published: Published) -> list[Table]:
    """The figures as they were published, for reference."""
    note = "As published; means over the profiles of the public data."
    tables = {
        "exact": ("Exact accuracy, published", published.exact),
        "relaxed": ("Relaxed accuracy, published", published.relaxed),
    }
    return [
        Table(
            f"published_{key}",
            title,
            [MODEL, *_COLUMNS],
            made([], "", "", [MODEL, *_COLUMNS], _rows(figures)).frame,
            note,
            reference=True,
        )
        for key, (title, figures) in tables.items()
    ]


def beside_published(published: Published, view: View) -> Table | None:
    """Runs with the public evaluator's verdict and the published exact figures in one table, where they compare.

    Returns:
        None unless the file says of which data its figures are, and a system was run on all turns of that data.
    """
    systems = [system for system in view.systems if _same_data(published, view, system)]
    if not systems:
        return None
    turns = view.turns_of
    rows = [
        {"model": system, "source": "run", "turns": len(turns[system]), **_ours(turns[system])} for system in systems
    ]
    rows += [{**row, "source": "published"} for row in _rows(published.exact)]
    columns = [
        MODEL,
        Column("source", "Source", "text"),
        *(Column(part, PARTS[part][0], interval=True) for part in _KEYS.values()),
        TURNS,
    ]
    note = f"On {published.data}, by the word of the file of published figures; same verdict. Means over profiles."
    return made(view.signatures, "beside_published", "Beside the published figures", columns, rows, note)


def _rows(figures: Mapping[str, PublishedRow]) -> list[dict[str, Any]]:
    return [
        {"model": model, **{part: getattr(row, key) / 100 for key, part in _KEYS.items()}}
        for model, row in figures.items()
    ]


def _ours(turns: Any) -> dict[str, Any]:
    return {part: figure(turns, UPSTREAM.key, part) for part in _KEYS.values()}


def _same_data(published: Published, view: View, system: str) -> bool:
    data = {info.data for info in view.runs.infos if info.label == system}
    turns = view.rows_of[system].drop_duplicates("sample")["task_type"].value_counts()
    return (
        view.upstream
        and data == {published.data}
        and published.turns == {kind: turns.get(kind, 0) for kind in AVERAGED}
    )
