"""Evidence: what history and preference rest on."""

from __future__ import annotations

from collections.abc import Iterator

from rapidfuzz import fuzz

from utb_inspect.checks.finding import Finding, found, grounds, short
from utb_inspect.checks.shown import shown
from utb_inspect.datasets.dataset import Dataset

FAR_BACK = 15
"""Turns between a long-range turn and the evidence that it turns on, at least."""
PREFERENCE_TURNS = 2


def quotes_stand_word_for_word(dataset: Dataset) -> Iterator[Finding]:
    """Each quote, superseded ones too, stands in one text that a model is shown of the turn it names."""
    texts = {turn.id: [text.text for text in shown(turn.turn)] for turn in dataset.turns}
    for turn in dataset.turns:
        for place, argument, ground in grounds(turn):
            for evidence in [*ground.evidence, *ground.superseded]:
                there = texts[evidence.turn]
                if not any(evidence.quote in text for text in there):
                    near = _nearest(evidence.quote, there)
                    yield place.found(
                        argument, f"{evidence.turn} does not say {short(evidence.quote)}; nearest is {short(near)}"
                    )


def _nearest(quote: str, texts: list[str]) -> str:
    best, score = "", -1.0
    for text in texts:
        found_ = fuzz.partial_ratio_alignment(quote, text)
        if found_ is not None and found_.score > score:
            best, score = text[found_.dest_start : found_.dest_end], found_.score
    return best


def preferences_rest_on_two_turns(dataset: Dataset) -> Iterator[Finding]:
    """What only choices show is shown in two different earlier turns or more."""
    for turn in dataset.turns:
        for place, argument, ground in grounds(turn):
            turns = sorted({evidence.turn for evidence in ground.evidence})
            if ground.basis == "preference" and len(turns) < PREFERENCE_TURNS:
                where = turns[0] if turns else "no turn"
                yield place.found(argument, f"a preference rests on two different turns; this one on {where} alone")


def long_range_evidence_lies_far_back(dataset: Dataset) -> Iterator[Finding]:
    """A long-range turn has evidence in another topic, 15 turns back or more. Chat turns have no grounds: exempt."""
    for turn in dataset.turns:
        if turn.subtype != "long_range_dependency" or turn.task_type == "chat":
            continue
        back = {
            evidence.turn: turn.position - dataset.by_id[evidence.turn].position
            for step in turn.turn.paths[0].calls
            for ground in step.grounds.values()
            for evidence in ground.evidence
            if dataset.by_id[evidence.turn].topic is not turn.topic
        }
        if not any(distance >= FAR_BACK for distance in back.values()):
            furthest = max(back.items(), key=lambda item: item[1], default=None)
            has = f"the furthest is {furthest[0]}, {furthest[1]} back" if furthest else "it has none there"
            yield found(turn, f"is long range, but no evidence lies {FAR_BACK} turns back in another topic; {has}")
