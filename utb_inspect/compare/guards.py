"""Which runs compare: figures are put side by side only where they were made alike."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from utb_inspect.compare.frame import RunInfo, Runs

_SHOWN_IDS = 3


@dataclass(frozen=True)
class Group:
    """Runs whose figures compare.

    Attributes:
        title: What tells the group from the others.
        runs: Its runs alone: rows number its own `infos`, `refused` is empty.
        upstream: Whether the verdict is the public evaluator's.
        warnings: What a reader of its figures must know: systems with different samples, other versions of the suite.
    """

    title: str
    runs: Runs
    upstream: bool
    warnings: list[str]


@dataclass(frozen=True)
class Groups:
    """Runs in groups, and why there is more than one: what differs between them, a sentence each."""

    groups: list[Group]
    reasons: list[str]


def comparable(runs: Runs, *, common: bool = False) -> Groups:
    """Put runs into groups by what changes figures: data, options, scoring, limits, task version.

    Within a group, runs of different tasks and profiles make up a system's samples. Systems with different samples, and
    versions of suite and Inspect that differ, are compared with a warning.

    Args:
        runs: Runs as they were read.
        common: Keep the samples alone that every system of a group was run on.

    Returns:
        The groups in order of time, those with the public evaluator's verdict last.
    """
    found: dict[str, list[int]] = {}
    for index, info in enumerate(runs.infos):
        found.setdefault(_key(info), []).append(index)
    members = sorted(found.values(), key=lambda indices: runs.infos[indices[0]].upstream)
    firsts = [runs.infos[indices[0]] for indices in members]
    groups = []
    for first, indices in zip(firsts, members, strict=True):
        part, warnings = _same_samples(_part(runs, indices), common)
        told = [*_versions(part.infos), *_epochs(part), *warnings]
        groups.append(Group(_title(first, firsts), part, first.upstream, told))
    return Groups(groups, _reasons(firsts))


def _key(info: RunInfo) -> str:
    return json.dumps([info.data, info.options], sort_keys=True, default=str)


def _part(runs: Runs, indices: Sequence[int]) -> Runs:
    """Some of the runs, numbered anew."""
    number = {old: new for new, old in enumerate(indices)}
    rows = runs.samples[runs.samples["run"].isin(indices)].reset_index(drop=True)
    return Runs([runs.infos[i] for i in indices], rows.assign(run=rows["run"].map(number).astype("int64")))


# --- what differs between groups -----------------------------------------------------------------------------


def _varying(infos: Sequence[RunInfo]) -> Iterator[tuple[str, list[str]]]:
    """Options that differ, each with its values as words."""
    for key in dict.fromkeys(key for info in infos for key in info.options):
        values = list(dict.fromkeys(_value(info.options, key) for info in infos))
        if len(values) > 1:
            yield key, values


def _value(options: Mapping[str, Any], key: str) -> str:
    return str(options.get(key, "default"))


def _title(info: RunInfo, firsts: Sequence[RunInfo]) -> str:
    same_data = [other for other in firsts if other.data == info.data]
    told = [f"{key} {_value(info.options, key)}" for key, _ in _varying(same_data)]
    if info.upstream and len(same_data) == 1:
        told.append("verdict upstream")
    return ", ".join([info.data, *told])


def _reasons(firsts: Sequence[RunInfo]) -> list[str]:
    data = list(dict.fromkeys(info.data for info in firsts))
    differing = [*([("data", data)] if len(data) > 1 else []), *_varying(firsts)]
    return [
        f"{' and '.join(f'{key}:{value}' for value in values)}: not averaged, not tested against each other"
        for key, values in differing
    ]


# --- what differs within a group -----------------------------------------------------------------------------


def _versions(infos: Sequence[RunInfo]) -> Iterator[str]:
    for key in ("suite", "inspect"):
        values = sorted({info.parts.get(key, "unknown") for info in infos})
        if len(values) > 1:
            yield f"versions of {key} differ ({', '.join(values)}); the runs are compared all the same"


def _epochs(runs: Runs) -> Iterator[str]:
    epochs = {label: max(info.epochs for info in runs.infos if info.label == label) for label in _labels(runs)}
    if len(set(epochs.values())) > 1:
        each = ", ".join(f"{label} {count}" for label, count in epochs.items())
        yield f"systems ran their samples a different number of times (epochs: {each})"


def _same_samples(runs: Runs, common: bool) -> tuple[Runs, list[str]]:
    """A group, cut to common samples where that is asked for, and what its systems do not share."""
    had = {label: set(runs.samples.loc[runs.samples["model"] == label, "sample"]) for label in _labels(runs)}
    every, shared = set().union(*had.values()), set.intersection(*had.values())
    lacking = [_lacking(runs.samples, label, every - mine, len(every)) for label, mine in had.items() if every - mine]
    if not lacking:
        return runs, []
    if common and shared:
        told = f"compared on the {len(shared)} samples of {len(every)} that all systems share"
        return _cut(runs, shared), [told, *lacking]
    none = "no sample is common to all systems; " if common else ""
    return runs, [f"{none}systems have different samples, and figures are over each one's own", *lacking]


def _labels(runs: Runs) -> list[str]:
    return list(dict.fromkeys(info.label for info in runs.infos))


def _cut(runs: Runs, samples: set[str]) -> Runs:
    rows = runs.samples[runs.samples["sample"].isin(samples)].reset_index(drop=True)
    counts = rows["run"].value_counts()
    return Runs([replace(info, samples=int(counts.get(i, 0))) for i, info in enumerate(runs.infos)], rows)


def _lacking(rows: pd.DataFrame, label: str, samples: set[str], total: int) -> str:
    """`utb/noisy lacks 57 of 1065 samples: chat 54, single_tool 3 (p01-t02.1, p01-t03.2, p01-t04.1, ...)`."""
    which = rows[rows["sample"].isin(samples)].drop_duplicates("sample")
    kinds = which["task_type"].fillna("of unknown type").value_counts(sort=False)
    ids = sorted(samples)
    shown = ", ".join([*ids[:_SHOWN_IDS], *(["..."] if len(ids) > _SHOWN_IDS else [])])
    told = ", ".join(f"{kind} {count}" for kind, count in kinds.items())
    return f"{label} lacks {len(samples)} of {total} samples: {told} ({shown})"
