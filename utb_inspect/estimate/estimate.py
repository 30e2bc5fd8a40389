"""The estimate of a matrix of tasks and models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from utb_inspect.estimate.limits import Duration, Limits, duration
from utb_inspect.estimate.planned import PlannedTask
from utb_inspect.estimate.prices import Cost, Price, cost, is_free, lacking
from utb_inspect.estimate.requests import requests
from utb_inspect.estimate.volume import Volume, measure, total

ALL = "all tasks"
"""Name of the row that sums up a model's tasks."""

_FREE = Price(input=0, output=0, input_cache_write=0, input_cache_read=0)


@dataclass(frozen=True)
class Estimate:
    """What a task is expected to take with a model."""

    task: str
    model: str
    volume: Volume
    free: bool
    """An offline model of this package, for which no price is given."""
    cost: Cost | None
    """None: the model has no price."""
    unpriced: str | None
    """Why it has none, in words."""
    duration: Duration | None
    """None: no limit was given."""


def task_volumes(tasks: Iterable[PlannedTask], connections: int, epochs: int = 1) -> dict[str, Volume]:
    """The volume of each task by name, and of all together under `ALL` when there are several.

    Args:
        tasks: The tasks.
        connections: Calls at the same time.
        epochs: How often each sample is run. Nothing is taken to be cached from one epoch to the next.
    """
    volumes = {task.name: measure(requests(task), connections).scaled(times=epochs) for task in tasks}
    return {**volumes, ALL: total(volumes.values())} if len(volumes) > 1 else volumes


def estimates(
    volumes: Mapping[str, Volume],
    models: Iterable[str],
    prices: Mapping[str, Price] | None,
    limits: Limits,
    output_per_call: int | None = None,
) -> list[Estimate]:
    """An estimate for each model and task.

    Args:
        volumes: Task name to volume, as `task_volumes` has them.
        models: Names of the models.
        prices: Prices by model name; None when no price file was given.
        limits: What holds a run up.
        output_per_call: Output tokens of a call, reasoning included; by default what the reference answers.
    """
    return [
        _estimate(task, model, volume, prices, limits, output_per_call)
        for model in models
        for task, volume in volumes.items()
    ]


def _estimate(
    task: str,
    model: str,
    counted: Volume,
    prices: Mapping[str, Price] | None,
    limits: Limits,
    output_per_call: int | None,
) -> Estimate:
    price = (prices or {}).get(model)
    free = price is None and is_free(model)
    if free:
        price = _FREE
    volume = counted.scaled(ratio=price.token_ratio if price else 1)
    if output_per_call is not None:
        volume = replace(volume, output_tokens=volume.calls * output_per_call)
    return Estimate(
        task, model, volume, free, cost(volume, price), lacking(price, prices is not None), duration(volume, limits)
    )
