"""Changes of preference, in the dynamic split."""

from __future__ import annotations

from collections.abc import Iterator

from utb_inspect.checks.finding import Finding, found
from utb_inspect.checks.values import reference_values
from utb_inspect.datasets.dataset import Dataset
from utb_inspect.trajectory.agreement import agree


def changes_say_what_they_replace(dataset: Dataset) -> Iterator[Finding]:
    """A turn that turns on a change has a ground that lists what the evidence replaced, and no right value among it."""
    replaced: set[str] = set()
    for value in reference_values(dataset):
        for old in value.ground.superseded:
            replaced.add(value.place.turn.id)
            if any(agree(right, old.value, value.view, value.ground.match) for right in value.spellings):
                yield value.found(f"lists {old.value!r} as superseded, which is right")
    for turn in dataset.turns:
        if turn.turn.change is not None and turn.id not in replaced:
            yield found(turn, f"turns on a change ({turn.turn.change}), but no ground lists a superseded value")
        if turn.turn.change is None and turn.id in replaced:
            yield found(turn, "lists superseded values, but names no change")
