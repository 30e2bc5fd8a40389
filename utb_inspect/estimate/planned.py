"""Which turns a task would run, and by which rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from inspect_ai._eval.task.util import slice_dataset
from inspect_ai._util.registry import registry_create, registry_find, registry_info, registry_lookup, registry_params

from utb_inspect.datasets import Dataset, PlacedTurn, load
from utb_inspect.schema import DataError

_PACKAGE = "utb_inspect/"


@dataclass(frozen=True)
class PlannedTask:
    """A task as it would run."""

    name: str
    dataset: Dataset
    turns: Sequence[PlacedTurn]
    """In the order in which they would run."""
    rules: Mapping[str, Any]
    """What the setup solver `show` was given: `history`, `environment`, `verdict`, ..."""
    signature: str
    """What the run's log would carry."""


def planned_task(name: str, options: Mapping[str, Any], limit: int | tuple[int, int] | None = None) -> PlannedTask:
    """A task of this suite as Inspect would make it, so that the estimate is of the run that will be made.

    The task comes from Inspect's registry: it alone knows its task types and checks its parameters.

    Args:
        name: `multi_tool`, or as on Inspect's command line `utb_inspect/multi_tool`, `tasks/multi_tool.py`.
        options: What is given as `-T name=value`.
        limit: Samples to run, as Inspect's `eval(limit=...)` takes it: so many, or a slice's bounds; None for all.

    Raises:
        DataError: there is no such task, or the limit leaves no sample of it.
        PrerequisiteError: data that cannot be read, or a parameter that makes no sense.
    """
    registered = f"{_PACKAGE}{task_name(name)}"
    if registry_lookup("task", registered) is None:
        raise DataError(f"there is no task '{name}'; there are {', '.join(task_names())}")
    task = registry_create("task", registered, **options)
    samples = slice_dataset(task.dataset, limit, None)
    if not samples:
        raise DataError(f"--limit leaves no sample of {task.name}, which has {len(task.dataset)}")
    rules = dict(registry_params(task.setup))
    dataset = load(rules.pop("data"), language=rules.pop("language", None))
    return PlannedTask(
        name=task.name,
        dataset=dataset,
        turns=[dataset.by_id[str(sample.id)] for sample in samples],
        rules=rules,
        signature=str((task.metadata or {})["signature"]),
    )


def task_name(given: str) -> str:
    """A task's own name, however the task was named."""
    bare = given.removeprefix(_PACKAGE)
    path, _, attribute = bare.partition("@")
    return attribute or (PurePath(path).stem if path.endswith(".py") else path)


def task_names() -> list[str]:
    """The tasks of this suite."""
    infos = [registry_info(task) for task in registry_find(lambda info: info.type == "task")]
    return sorted(info.name.removeprefix(_PACKAGE) for info in infos if info.name.startswith(_PACKAGE))
