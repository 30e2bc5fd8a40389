"""What assistants say: nothing that hands the preference over."""

from __future__ import annotations

import re
from collections.abc import Iterator

from utb_inspect.checks.finding import Finding, found, grounds
from utb_inspect.checks.shown import SAID_BY_ASSISTANT, all_shown
from utb_inspect.datasets.dataset import Dataset
from utb_inspect.trajectory.text import words

QUOTED_WORDS = 5
"""Words in a row of a preference's evidence that an answer must not repeat."""

_HANDED_OVER = re.compile(
    r"\b(?:(?:as|how|the way|just as) you (?:like|prefer)|since you (?:prefer|like)|because you (?:prefer|like)"
    r"|as usual for you|your usual|as always|you always|like last time|as you usually|you usually)\b",
    re.IGNORECASE,
)


def answers_hand_over_no_preference(dataset: Dataset) -> Iterator[Finding]:
    """No question or answer says what the user likes, nor repeats five words of a preference's evidence."""
    for turn in dataset.turns:
        quoted: dict[tuple[str, ...], str] = {}
        for _, argument, ground in grounds(turn):
            if ground.basis == "preference":
                for evidence in ground.evidence:
                    for run in _runs(evidence.quote):
                        quoted.setdefault(run, argument)
        for text in all_shown(turn.turn):
            if text.kind not in SAID_BY_ASSISTANT:
                continue
            if match := _HANDED_OVER.search(text.text.replace("\u2019", "'")):
                yield found(turn, f"{text.kind}: '{match[0]}' hands the preference over")
            run_ = next((run for run in _runs(text.text) if run in quoted), None)
            if run_ is not None:
                yield found(turn, f"{text.kind}: repeats the evidence of '{quoted[run_]}': '{' '.join(run_)}'")


def _runs(text: str) -> list[tuple[str, ...]]:
    said = words(text)
    return [tuple(said[i : i + QUOTED_WORDS]) for i in range(len(said) - QUOTED_WORDS + 1)]
