"""Which items of two lists of one length stand for one another, where order does not count (spec section 3).

Agreement is not transitive (tolerances, zones), so items are paired rather than counted. That takes quadratic work or
more: where the budget has not as much, equal items are taken for one another first, and then the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from utb_inspect.trajectory.assignment import Fit, assign
from utb_inspect.trajectory.canonical import canonical
from utb_inspect.trajectory.text import normalise
from utb_inspect.trajectory.work import PAIRING

_LETTERS_IN_A_STEP = 200
_STEPS_OF_A_FIT = 3
_ROUNDS_IN_A_STEP = 20


def can_be_paired(left: Sequence[Any], right: Sequence[Any], agrees: Callable[[int, int], bool]) -> bool:
    """Whether each item can be paired with one of its own that it agrees with.

    Args:
        left: The items of one list.
        right: As many of the other.
        agrees: Whether the items at two places agree; equal ones do.
    """
    equal, letters = _equal(left, right)
    rows, columns = _rest(equal, len(left))
    if all(agrees(i, j) for i, j in zip(rows, columns, strict=True)):
        return True
    if PAIRING.affords(_comparing(len(left), letters)):
        rows = columns = range(len(left))
    elif not PAIRING.affords(_comparing(len(rows), letters)):
        return False
    pairs = []
    for i in rows:
        pairs.append([agrees(i, j) for j in columns])
        if not any(pairs[-1]):
            return False
    graph = csr_array(np.array(pairs, dtype=np.int8))
    return bool((maximum_bipartite_matching(graph, perm_type="column") >= 0).all())


def best_pairing(left: Sequence[Any], right: Sequence[Any], fit: Callable[[Any, Any], Fit]) -> list[int]:
    """The place in `right` of what stands for each item of `left`: the pairing that fits best."""
    equal, letters = _equal(left, right)
    rows, columns = _rest(equal, len(left))
    if not rows:
        return [equal[i] for i in range(len(left))]
    if PAIRING.affords(_fitting(len(left), letters)):
        equal, rows, columns = {}, range(len(left)), range(len(left))
    elif not PAIRING.affords(_fitting(len(rows), letters)):
        found = equal | dict(zip(rows, columns, strict=True))
        return [found[i] for i in range(len(left))]
    best = assign([[fit(left[i], right[j]) for i in rows] for j in columns])
    found = equal | {rows[i]: columns[j] for j, i in best.items()}
    return [found[i] for i in range(len(left))]


def _equal(left: Sequence[Any], right: Sequence[Any]) -> tuple[dict[int, int], int]:
    """Places of equal items, texts normalised, each with one of its own; and how long all items are."""
    texts, others = ([canonical(item, normalise) for item in items] for items in (left, right))
    places: dict[str, list[int]] = {}
    for j in reversed(range(len(right))):
        places.setdefault(others[j], []).append(j)
    pairs = {i: places[text].pop() for i, text in enumerate(texts) if places.get(text)}
    return pairs, sum(map(len, texts)) + sum(map(len, others))


def _rest(pairs: dict[int, int], size: int) -> tuple[Sequence[int], Sequence[int]]:
    taken = set(pairs.values())
    return [i for i in range(size) if i not in pairs], [j for j in range(size) if j not in taken]


def _comparing(items: int, letters: int) -> int:
    """Steps it takes to compare each item with each."""
    return items * items + items * letters // _LETTERS_IN_A_STEP


def _fitting(items: int, letters: int) -> int:
    """Steps it takes to find the best pairing."""
    return _STEPS_OF_A_FIT * _comparing(items, letters) + items**3 // _ROUNDS_IN_A_STEP
