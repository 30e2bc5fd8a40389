"""What a rule finds: file, turn and reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from utb_inspect.datasets.dataset import Dataset, PlacedTurn
from utb_inspect.schema import CallStep, Ground, Path, Topic

INFO = "dataset.json"


@dataclass(frozen=True)
class Finding:
    """One thing that is not as the guide has it."""

    file: str
    """Seen from the dataset's folder."""
    turn: str | None
    """Id of the turn; None when it is about the whole file."""
    reason: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.file, self.turn, self.reason) if part)


Rule = Callable[[Dataset], Iterator[Finding]]
"""A rule is named for what it asks; what it yields is where that does not hold."""


def topic_file(topic: Topic) -> str:
    return f"topics/{topic.profile}/{topic.id}.json"


def profile_file(profile: str) -> str:
    return f"profiles/{profile}.json"


def found(turn: PlacedTurn, reason: str) -> Finding:
    """A finding at a turn."""
    return Finding(topic_file(turn.topic), turn.id, reason)


@dataclass(frozen=True)
class Place:
    """A call step in one of a turn's paths."""

    turn: PlacedTurn
    path: Path
    step: CallStep
    label: str
    """Empty for the reference, else which alternative it is."""

    def found(self, argument: str, reason: str) -> Finding:
        return found(self.turn, f"{self.label}step '{self.step.id}', argument '{argument}': {reason}")


def call_steps(turn: PlacedTurn) -> Iterator[Place]:
    """The call steps of all paths of a turn."""
    for i, path in enumerate(turn.turn.paths):
        label = f"alternative {i}, " if i else ""
        for step in path.calls:
            yield Place(turn, path, step, label)


def grounds(turn: PlacedTurn) -> Iterator[tuple[Place, str, Ground]]:
    """The grounds of all paths of a turn, with the arguments they stand for."""
    for place in call_steps(turn):
        for argument, ground in place.step.grounds.items():
            yield place, argument, ground


def short(text: str, length: int = 60) -> str:
    """A text as a finding quotes it: in one line, cut."""
    plain = " ".join(text.split())
    return f"'{plain if len(plain) <= length else plain[: length - 3] + '...'}'"
