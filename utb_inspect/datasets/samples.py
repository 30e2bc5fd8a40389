"""Turns as Inspect samples."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import groupby, zip_longest

from inspect_ai.dataset import MemoryDataset, Sample

from utb_inspect.datasets.dataset import Dataset, PlacedTurn
from utb_inspect.schema import AskStep, CallStep, DataError, TaskType


def to_samples(
    dataset: Dataset, task_types: Collection[TaskType], profiles: Collection[str] | None = None
) -> MemoryDataset:
    """The turns of some task types as samples: the first of each profile in order of time, then the second, ...

    With as many samples at a time as profiles, each profile's run about one after another. What a provider's cache
    holds of one then serves the next, whose prompt begins in the same way. A `--limit` takes from all profiles alike.

    Args:
        dataset: The loaded dataset.
        task_types: Task types to take.
        profiles: Profiles to take; None for all.

    Raises:
        DataError: a profile that the dataset has not, or no turn is left.
    """
    if profiles is not None and (unknown := sorted(set(profiles) - set(dataset.by_profile))):
        raise DataError(
            f"profiles={','.join(unknown)}: {dataset.info.name} has no such profile; "
            f"it has {', '.join(dataset.by_profile)}"
        )
    turns = [
        turn
        for turn in dataset.turns
        if turn.task_type in task_types and (profiles is None or turn.profile in profiles)
    ]
    if not turns:
        raise DataError(f"{dataset.info.name} has no turn of task type {', '.join(task_types)} to run")
    return MemoryDataset(
        [to_sample(turn) for turn in _side_by_side(turns)], name=dataset.name, location=dataset.info.name
    )


def _side_by_side(turns: Iterable[PlacedTurn]) -> list[PlacedTurn]:
    """Turns that stand profile by profile, in turns from each profile."""
    profiles = [list(own) for _, own in groupby(turns, key=lambda turn: turn.profile)]
    return [turn for row in zip_longest(*profiles) for turn in row if turn is not None]


def profile_names(given: str | Collection[object]) -> list[str]:
    """Profiles as people name them: a list, or one text with commas.

    Raises:
        DataError: no name is left.
    """
    names = [str(name).strip() for name in (given.split(",") if isinstance(given, str) else given)]
    if not any(names):
        raise DataError("profiles is empty; name at least one, or leave the parameter out")
    return [name for name in names if name]


def to_sample(turn: PlacedTurn) -> Sample:
    """A turn as a sample: the request as input, what people filter by as metadata.

    History is put in front by the setup solver, reference and toolset into the sample's store.
    """
    metadata = {
        "profile": turn.profile,
        "topic": turn.topic.id,
        "topic_turns": len(turn.topic.turns),
        "turn_index": turn.index + 1,
        "position": turn.position + 1,
        "third": turn.third,
        "task_type": turn.task_type,
        "subtype": turn.subtype,
        "structure": turn.turn.structure,
        "recoverable": turn.turn.recoverable,
        "change": turn.turn.change,
        "toolset": turn.toolset.id,
        "domain": turn.toolset.domain,
    }
    return Sample(
        id=turn.id,
        input=turn.turn.request,
        target=decision_line(turn),
        metadata={key: value for key, value in metadata.items() if value is not None},
    )


def decision_line(turn: PlacedTurn) -> str:
    """The reference in one line: `ask day > findTradespeople > answer`."""
    words = []
    for step in turn.turn.paths[0].steps:
        match step:
            case CallStep():
                words.append(step.call)
            case AskStep():
                words.append(f"ask {', '.join(step.ask)}")
            case _:
                words.append("answer")
    return " > ".join(words)
