"""How many turns there are of each kind (the paper's table 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

from utb_inspect.schema import TASK_TYPES, Change, Structure, Subtype, Turn


@dataclass(frozen=True)
class Count:
    """A kind, how often it occurs, and its share, 0 to 1; None when there is nothing to share."""

    kind: str
    count: int
    rate: float | None


@dataclass(frozen=True)
class TurnCounts:
    """Kinds of turns; each list in the order of the specification, with kinds that do not occur."""

    turns: int
    chat: int
    task_types: list[Count]
    """Table 2a. Rates over the turns that are tasks: all but chat."""
    subtypes: list[Count]
    """Table 2b. Rates over all turns; `coreferential_reference` only where it occurs."""
    recoverability: list[Count]
    """Lack-of-information turns that history settles, and those that need a question; rates over both."""
    structures: list[Count]
    """Multi-tool turns by structure; rates over them."""
    changes: list[Count]
    """Dynamic split: turns by what changed, rates over those that turn on a change; empty when none does."""


def turn_counts(turns: Iterable[Turn]) -> TurnCounts:
    """Count the kinds of turns."""
    turns = list(turns)
    tasks = [turn for turn in turns if turn.task_type != "chat"]
    subtypes = _counts(get_args(Subtype), [turn.subtype for turn in turns])
    recoverable = {True: "recoverable", False: "unrecoverable"}
    changes = [turn.change for turn in turns if turn.change is not None]
    return TurnCounts(
        turns=len(turns),
        chat=len(turns) - len(tasks),
        task_types=_counts([kind for kind in TASK_TYPES if kind != "chat"], [turn.task_type for turn in tasks]),
        subtypes=[row for row in subtypes if row.count or row.kind != "coreferential_reference"],
        recoverability=_counts(
            list(recoverable.values()), [recoverable[t.recoverable] for t in turns if t.recoverable is not None]
        ),
        structures=_counts(get_args(Structure), [turn.structure for turn in turns if turn.structure is not None]),
        changes=_counts(get_args(Change), changes) if changes else [],
    )


def _counts(kinds: Sequence[str], found: Sequence[Hashable]) -> list[Count]:
    counted = Counter(found)
    return [Count(kind, counted[kind], counted[kind] / len(found) if found else None) for kind in kinds]
