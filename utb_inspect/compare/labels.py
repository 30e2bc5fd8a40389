"""Names of systems: which runs are one system's, and how systems of one model are told apart in tables."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.log import EvalLog, effective_generate_config

Settings = Mapping[str, Any]
Samples = frozenset[tuple[str, int]]

_OPERATION = frozenset(
    "max_retries timeout attempt_timeout stream_idle_timeout max_connections adaptive_connections fail_on_refusal "
    "cache_prompt cache batch logprobs top_logprobs prompt_logprobs".split()
)
"""Generate config that changes how a model is reached and what it costs, not what it decides."""
_LONGEST = 40
"""Characters of a setting that are shown as they are."""


@dataclass(frozen=True)
class Run:
    """What names a run.

    Attributes:
        model: Model name as Inspect has it.
        settings: Model arguments, generate config, solver: what makes it another system than one of the same model.
        data: Dataset with version and hash.
        options: What makes it another group than one on the same data: options of the task, limits, versions.
        samples: Samples by epochs that it was to have.
        location: Where its log lies, for messages.
    """

    model: str
    settings: Settings
    data: str
    options: Settings
    samples: Samples
    location: str


@dataclass(frozen=True)
class Label:
    """What a run's system is called in tables.

    Attributes:
        name: `utb/noisy (error_rate=0.5) #2`.
        repeats: Name of the first run with the very same settings, of which this one is a repeat; None of the first.
    """

    name: str
    repeats: str | None = None


def settings(log: EvalLog) -> dict[str, Any]:
    """What a log's model was set to beyond its name, as JSON values. Inspect keeps keys and passwords out of logs."""
    config = effective_generate_config(log).merge(log.plan.config).model_dump(mode="json", exclude_none=True)
    found: dict[str, Any] = dict(log.eval.model_args)
    for key, value in config.items():
        if key not in _OPERATION:
            found[f"config.{key}" if key in found else key] = value
    if log.eval.model_base_url:
        found["base_url"] = log.eval.model_base_url
    if log.eval.solver:
        found["solver"] = log.eval.solver
        found |= {f"solver.{key}": value for key, value in (log.eval.solver_args_passed or {}).items()}
    return found


def labels(runs: Sequence[Run]) -> tuple[list[Label], list[str]]:
    """A label for each run, and a sentence for each whose name is taken.

    Runs of one model with equal settings, data and options are one system: a model run in parts, by task or profile. A
    run that holds samples which the system has already is a repeat, shown apart as `model #2`. Where settings or
    options tell systems of one model apart, they stand in brackets: `utb/noisy (error_rate=0.5)`. Systems of one model
    on different data share a label; their groups are never in one table.

    Args:
        runs: In the order of time; the first of a system's repeats keeps the plain name.
    """
    found: list[Label] = []
    told: list[str] = []
    systems: dict[tuple[str, str, str], list[_System]] = {}
    for run, name in zip(runs, _names(runs), strict=True):
        known = systems.setdefault((name, run.data, _canonical(run.options)), [])
        identity = _canonical(run.settings)
        same = [system for system in known if system.identity == identity]
        system = next((system for system in same if not system.samples & run.samples), None)
        if system is None:
            label = Label(f"{name} #{len(known) + 1}" if known else name, same[0].label.name if same else None)
            known.append(system := _System(label, identity, set()))
        system.samples |= run.samples
        if system is not known[0]:
            first = system.label.repeats
            why = f"repeats samples of {first}" if first else f"has other settings than {name}"
            told.append(f"{run.location}: {why}, and is shown apart, as {system.label.name}")
        found.append(system.label)
    return found, told


@dataclass
class _System:
    label: Label
    identity: str
    samples: set[tuple[str, int]]


def _names(runs: Sequence[Run]) -> list[str]:
    """Models, with the settings and options that tell runs of one model apart."""
    of_model, on_data = defaultdict(list), defaultdict(list)
    for run in runs:
        of_model[run.model].append(run.settings)
        on_data[run.model, run.data].append(run.options)
    settings = {model: _varying(given) for model, given in of_model.items()}
    options = {place: _varying(given) for place, given in on_data.items()}
    return [_name(run, settings[run.model], options[run.model, run.data]) for run in runs]


def _name(run: Run, settings: Iterable[str], options: Iterable[str]) -> str:
    told = [f"{key}={_shown(run.settings.get(key, 'default'))}" for key in settings]
    told += [f"{key}={_shown(run.options.get(key, 'default'))}" for key in options]
    return f"{run.model} ({', '.join(told)})" if told else run.model


def _varying(settings: Sequence[Settings]) -> list[str]:
    keys = dict.fromkeys(key for given in settings for key in given)
    return [key for key in keys if len({_canonical(given.get(key)) for given in settings}) > 1]


def _shown(value: Any) -> str:
    """A setting's value; of a long or composed one six digits that tell it from others."""
    text = value if isinstance(value, str) else json.dumps(value)
    if len(text) <= _LONGEST and not isinstance(value, dict):
        return text
    return f"#{hashlib.sha256(_canonical(value).encode()).hexdigest()[:6]}"


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
