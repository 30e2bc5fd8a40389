"""What a model is shown of a turn, text by text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from utb_inspect.schema import AskStep, CallStep, Path, Turn
from utb_inspect.trajectory.run import content_text

Kind = Literal["request", "arguments", "observation", "question", "reply", "answer"]
SAID_BY_ASSISTANT: frozenset[Kind] = frozenset({"question", "answer"})


@dataclass(frozen=True)
class Shown:
    """A text that a model is shown."""

    kind: Kind
    text: str


def shown(turn: Turn) -> list[Shown]:
    """What is shown of an earlier turn: request, and the reference as played."""
    return [Shown("request", turn.request), *_played(turn.paths[0])]


def all_shown(turn: Turn) -> list[Shown]:
    """What may be shown of a turn, along its alternatives too; each text once."""
    texts = shown(turn)
    for path in turn.paths[1:]:
        texts.extend(_played(path))
    return list(dict.fromkeys(texts))


def _played(path: Path) -> Iterator[Shown]:
    for step in path.steps:
        match step:
            case CallStep():
                yield Shown("arguments", json.dumps(step.arguments, ensure_ascii=False))
                yield Shown("observation", content_text(step.observation))
            case AskStep():
                yield Shown("question", step.message)
                yield Shown("reply", step.reply)
            case _:
                yield Shown("answer", step.answer)
