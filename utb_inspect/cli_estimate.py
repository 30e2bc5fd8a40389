"""The command `utb estimate`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from utb_inspect.cli_dataset import Format, show, shown_as
from utb_inspect.cli_faults import errors, tells_faults
from utb_inspect.foreign_text import printable
from utb_inspect.schema import DataError


@click.command()
@click.argument("tasks", nargs=-1)
@click.option("--model", "models", multiple=True, required=True, help="Models, comma separated or repeated.")
@click.option("-T", "options", multiple=True, help="Parameter of the tasks, name=value, as in the run.")
@click.option("--epochs", type=click.IntRange(min=1), default=1, show_default=True, help="Runs of each sample.")
@click.option("--limit", help="Samples of each task, as in the run: 10 for the first ten, or 11-20.")
@click.option(
    "--prices", type=click.Path(path_type=Path, dir_okay=False), help="Prices by model name, JSON or YAML; see above."
)
@click.option(
    "--write-prices",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a price file for the models, to be filled in, and stop.",
)
@click.option(
    "--output-per-call",
    type=click.IntRange(min=0),
    help="Output tokens of a call, reasoning included; by default what the reference answers.",
)
@click.option("--rpm", type=float, help="Rate limit: requests a minute.")
@click.option("--tpm", type=float, help="Rate limit: tokens a minute.")
@click.option("--seconds-per-call", type=float, help="Seconds that a call takes.")
@click.option(
    "--connections",
    type=int,
    default=10,
    show_default=True,
    help="Calls at the same time, as --max-connections of the run.",
)
@shown_as
@tells_faults
def estimate(
    tasks: tuple[str, ...],
    models: tuple[str, ...],
    options: tuple[str, ...],
    epochs: int,
    limit: str | None,
    prices: Path | None,
    write_prices: Path | None,
    output_per_call: int | None,
    rpm: float | None,
    tpm: float | None,
    seconds_per_call: float | None,
    connections: int,
    format_: Format,
    output: Path | None,
) -> None:
    """What a run will send, cost and take, before it is made. Nothing is downloaded.

    TASKS are named as for `inspect eval-set`: multi_tool, utb_inspect/multi_tool or tasks/multi_tool.py. Give -T,
    --epochs and --limit as in the run.

    A price file has USD per million tokens by model name, and serves `inspect eval --model-cost-config` too:

    \b
        {"openai/gpt-5": {"input": ..., "output": ..., "input_cache_write": ..., "input_cache_read": ...}}

    A model that it lacks, or whose prices are not filled in, gets no cost, and the table says why; models of this
    package (utb/...) are free. docs/estimating.md says how all is counted, and how far off it may be.
    """
    from inspect_ai._util.error import PrerequisiteError

    from utb_inspect.estimate.estimate import estimates, task_volumes
    from utb_inspect.estimate.limits import Limits
    from utb_inspect.estimate.planned import planned_task, task_names
    from utb_inspect.estimate.prices import read_prices, write_template
    from utb_inspect.estimate.tables import figures, tables

    names = [name for name in dict.fromkeys(name.strip() for given in models for name in given.split(",")) if name]
    if not names:
        raise DataError("--model is empty; name a model, such as openai/gpt-5")
    if write_prices is not None:
        write_template(write_prices, names)
        click.echo(f"written to {write_prices}; fill in the prices and give it as --prices")
        return
    if not tasks:
        raise DataError(f"name a task, such as multi_tool; there are {', '.join(task_names())}")
    limits = Limits(rpm, tpm, seconds_per_call, connections)
    samples = _samples(limit)
    known = read_prices(prices) if prices is not None else None
    try:
        planned = [planned_task(task, _parameters(options), samples) for task in tasks]
    except PrerequisiteError as error:  # a message that is marked up for Inspect's console
        errors.print(f"[bold red]Error[/]: {printable(str(error.message))}")
        sys.exit(2)
    volumes = task_volumes(planned, limits.connections, epochs)
    found = estimates(volumes, names, known, limits, output_per_call)
    signatures = " and ".join(dict.fromkeys(task.signature for task in planned))
    show(tables(volumes, found, limit), figures(found), signatures, format_, output)


def _parameters(given: Sequence[str]) -> dict[str, Any]:
    """Parameters of tasks, read as Inspect's command line reads them."""
    from inspect_ai._util.config import parse_cli_args

    if unclear := [option for option in given if "=" not in option]:
        raise DataError(f"-T {unclear[0]}: give name=value")
    try:
        return parse_cli_args(list(given))
    except Exception:  # YAML's errors
        raise DataError(f"-T {' -T '.join(given)}: a value is no YAML; put it in quotes of its own") from None


def _samples(limit: str | None) -> int | tuple[int, int] | None:
    """Which samples of a task, read as Inspect's command line reads them."""
    from inspect_ai._util.samples import parse_samples_limit

    try:
        return parse_samples_limit(limit)
    except ValueError:
        raise DataError(f"--limit {limit}: give a number of samples, such as 10, or a range, such as 11-20") from None
