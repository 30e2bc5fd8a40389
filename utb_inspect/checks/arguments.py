"""Arguments: free text, values stated in the request, values that history holds."""

from __future__ import annotations

from collections.abc import Iterator

from utb_inspect.checks.finding import Finding, short
from utb_inspect.checks.shown import shown
from utb_inspect.checks.values import Value, reference_values
from utb_inspect.datasets.dataset import Dataset
from utb_inspect.schema import ContainsAllMatch
from utb_inspect.trajectory.agreement import FREE_TEXT_WORDS
from utb_inspect.trajectory.moments import read_moment
from utb_inspect.trajectory.text import stands, word_count, words


def long_strings_carry_a_match(dataset: Dataset) -> Iterator[Finding]:
    """A string of four words or more, which the schema does not fix, has a `match`."""
    for value in reference_values(dataset):
        if value.ground.match is None and not value.is_coded:
            for text in value.strings:
                if word_count(text) >= FREE_TEXT_WORDS and read_moment(text) is None:
                    yield value.found(f"{short(text)} is free text ({word_count(text)} words); give its ground a match")


def stated_strings_stand_in_the_request(dataset: Dataset) -> Iterator[Finding]:
    """A string with basis `request` stands in the request, or its ground has `accept` or `match`.

    Enums, dates and times are read off other words, and numbers off number words; they are not asked. A plural or a
    possessive of a word counts as the word.
    """
    for value in reference_values(dataset):
        ground = value.ground
        if ground.basis != "request" or ground.match or ground.accept or value.is_coded:
            continue
        request = value.place.turn.turn.request
        for text in value.strings:
            if text and read_moment(text) is None and not _is_said(text, request):
                yield value.found(
                    f"{short(text)} does not stand in the request; give its ground accept or match, or another basis"
                )


def history_values_stand_in_their_evidence(dataset: Dataset) -> Iterator[Finding]:
    """A string with basis `history` stands, or an accepted spelling does, in what is shown of its evidence turns.

    Of a `contains_all` each group has a spelling there. Enums, numbers, booleans, dates and times may be derived; they
    are not asked, nor is what another match frees.
    """
    for value in reference_values(dataset):
        ground = value.ground
        if ground.basis != "history" or ground.from_ is not None or value.is_coded:
            continue
        said = _said_in_evidence(value, dataset)
        if isinstance(ground.match, ContainsAllMatch):
            for terms in ground.match.terms:
                if not any(_is_said(term, text) for term in terms for text in said):
                    yield value.found(f"none of {', '.join(terms)} stands in its evidence turns")
        elif ground.match is None or ground.match.kind in ("equal", "ordered", "unordered"):
            accepted = [text for text in ground.accept if isinstance(text, str)]
            for text in value.strings:
                if read_moment(text) is None and not any(_is_said(t, s) for t in [text, *accepted] for s in said):
                    yield value.found(f"{short(text)} stands in none of its evidence turns")


def _said_in_evidence(value: Value, dataset: Dataset) -> list[str]:
    turns = dict.fromkeys(evidence.turn for evidence in value.ground.evidence)
    return [text.text for turn in turns for text in shown(dataset.by_id[turn].turn)]


def _is_said(text: str, source: str) -> bool:
    """Whether a text stands in another as whole words, plurals and possessives aside."""
    if stands(text, source):
        return True
    wanted, said = words(text), words(source)
    size = len(wanted)
    return size > 0 and any(
        all(_same_word(a, b) for a, b in zip(wanted, said[i : i + size], strict=True))
        for i in range(len(said) - size + 1)
    )


def _same_word(wanted: str, said: str) -> bool:
    return said in (wanted, f"{wanted}s", f"{wanted}'s", f"{wanted}s'") or wanted.rstrip(".") == said
