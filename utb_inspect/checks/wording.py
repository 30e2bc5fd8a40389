"""Requests that are too much alike: near-duplicates, and one sentence with other nouns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_array, triu

from utb_inspect.checks.finding import Finding, found, short
from utb_inspect.datasets.dataset import Dataset
from utb_inspect.trajectory.text import words

ALIKE = 0.8
"""Token similarity from which two requests are near-duplicates."""
SHINGLE = 5
SHARED_AT_MOST = 0.01
"""Share of the requests that may have a skeleton in common."""
ALWAYS_ALLOWED = 3
"""Requests that may, however few there are."""
LEAST_KEPT = 4
"""Words of a shingle that are not masked; with fewer it is grammar, no sentence."""
LEAST_TELLING = 2
"""Words of a shingle that are neither masked nor articles, prepositions and the like."""

GLUE = frozenset(
    """a about after all an and any around as at before by down each every for from if in into its my of off on one or
    our out over so some than that the their then these this those through till to under until up when which while
    with without your""".split()
)
"""Articles, prepositions, conjunctions and the like, which stand in any sentence."""
TELLING = frozenset(
    """again already also always am another anything are ask back be because been being best better book bring but buy
    can cancel change check come could did do does doing done either else enough even ever everything find first get
    give go going good got had has have he help her here hers him his how i instead is it just keep kind know last
    late later least leave less let like list little long look lot make many may me might mine more most move much
    must need never new next no not nothing now once only open order other ours own pay please put rather right run
    same say see send set shall she should show since something soon still such sure take tell thank thanks them
    there they thing today tomorrow tonight too try turn us use used very want was way we well were what where
    whether who whose why will would yes yet you yours""".split()
)
"""Pronouns, verbs and adverbs that any request may hold. All other words count as nouns and are masked."""
_NOUN, _NUMBER = "_", "#"

Shingle = tuple[str, ...]


def requests_are_no_near_duplicates(dataset: Dataset) -> Iterator[Finding]:
    """No two requests share 0.8 or more of their words: token Jaccard, each word once, case and punctuation aside."""
    turns = dataset.turns
    places: dict[str, int] = {}
    rows: list[int] = []
    columns: list[int] = []
    for i, turn in enumerate(turns):
        own = {places.setdefault(word, len(places)) for word in words(turn.turn.request)}
        rows += [i] * len(own)
        columns += own
    holds: Any = csr_array((np.ones(len(rows), dtype=np.int64), (rows, columns)), shape=(len(turns), len(places)))
    sizes = holds.sum(axis=1).tolist()
    shared = triu(holds @ holds.T, k=1).tocoo()
    for i, j, common in zip(shared.row.tolist(), shared.col.tolist(), shared.data.tolist(), strict=True):
        alike = common / (sizes[i] + sizes[j] - common)
        if alike >= ALIKE:
            yield found(turns[j], f"its request shares {alike:.0%} of its words with that of {turns[i].id}")


def skeletons_are_not_shared(dataset: Dataset) -> Iterator[Finding]:
    """No five words in a row, nouns and numbers masked, stand in more than 1 % of the requests; in three they may."""
    turns = dataset.turns
    most = max(ALWAYS_ALLOWED, SHARED_AT_MOST * len(turns))
    sharing: dict[Shingle, list[int]] = {}
    for i, turn in enumerate(turns):
        for shingle in dict.fromkeys(_shingles(turn.turn.request)):
            sharing.setdefault(shingle, []).append(i)
    shared = [(shingle, places) for shingle, places in sharing.items() if len(places) > most]
    told: list[set[int]] = []
    for shingle, places in sorted(shared, key=lambda item: (-len(item[1]), _masks(item[0]), item[0])):
        if any(set(places) <= others for others in told):
            continue  # the same requests, a word further on
        told.append(set(places))
        also = ", ".join(turns[i].id for i in places[1:6])
        more = ", ..." if len(places) > 6 else ""
        yield found(
            turns[places[0]],
            f"{short(' '.join(shingle))} stands in {len(places)} requests (at most {most:g}): also in {also}{more}",
        )


def _masks(shingle: Shingle) -> int:
    return sum(word in (_NOUN, _NUMBER) for word in shingle)


def _shingles(request: str) -> Iterator[Shingle]:
    masked = [_mask(word) for word in words(request)]
    for i in range(len(masked) - SHINGLE + 1):
        shingle = tuple(masked[i : i + SHINGLE])
        telling = sum(word.partition("'")[0] in TELLING for word in shingle)
        if SHINGLE - _masks(shingle) >= LEAST_KEPT and telling >= LEAST_TELLING:
            yield shingle


def _mask(word: str) -> str:
    if any(character.isdigit() for character in word):
        return _NUMBER
    return word if word.partition("'")[0] in GLUE | TELLING else _NOUN
