"""Which made call stands for which reference call (spec section 5, Assignment)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Fit:
    """How well a made call fits a reference call of the same tool."""

    full: bool
    """Every argument agrees, and none is unsupported."""
    unambiguous: bool
    """Every unambiguous argument agrees."""
    in_order: bool
    """The reference call's `after` calls were done in earlier rounds."""
    disagreements: int


def assign(fits: Sequence[Sequence[Fit]]) -> dict[int, int]:
    """The best assignment of made calls to the reference calls of one tool.

    Most calls in full agreement; then most agreeing on all unambiguous arguments; then most assigned; then most in
    order; then the earliest calls. What ties beyond that goes to fewest disagreements, then to calls and reference
    calls in the same order. Criteria add up over tools, so tools can be assigned one by one.

    Args:
        fits: `fits[i][j]` is the fit of made call `i` (in the order made) to reference call `j`.

    Returns:
        Made call to reference call; `min(calls, reference calls)` entries. O(r^2 m) for r of the fewer, m of the more.
    """
    if not fits or not fits[0]:
        return {}
    made, reference = len(fits), len(fits[0])
    size = min(made, reference)
    worst = 1 + max(fit.disagreements for row in fits for fit in row)
    # One integer holds the criteria, each more than all that follow it can add up to.
    radixes = (size + 1, size + 1, size + 1, size * made + 1, size * worst + 1, size * made * reference + 1)

    def cost(i: int, j: int) -> int:
        fit = fits[i][j]
        digits = (
            not fit.full,
            not fit.unambiguous,
            not fit.in_order,
            i,
            fit.disagreements,
            (made - 1 - i) * j + i * (reference - 1 - j),
        )
        total = 0
        for radix, digit in zip(radixes, digits, strict=True):
            total = total * radix + int(digit)
        return total

    if made <= reference:
        return dict(enumerate(_hungarian([[cost(i, j) for j in range(reference)] for i in range(made)])))
    columns = _hungarian([[cost(i, j) for i in range(made)] for j in range(reference)])
    return {i: j for j, i in enumerate(columns)}


def _hungarian(cost: list[list[int]]) -> list[int]:
    """Column of each row in a cheapest assignment of all rows; at least as many columns as rows.

    The shortest augmenting path method. On integers of any size, since the lexicographic costs above outgrow the
    doubles that `scipy.optimize.linear_sum_assignment` works in.
    """
    rows, columns = len(cost), len(cost[0])
    row_potential = [0] * rows
    column_potential = [0] * columns
    row_of: list[int | None] = [None] * columns
    for start in range(rows):
        slack: list[int | None] = [None] * columns
        previous: list[int | None] = [None] * columns
        visited: list[int] = []
        seen = [False] * columns
        row, column = start, None
        while True:
            delta: int | None = None
            nearest = -1
            for j in range(columns):
                if seen[j]:
                    continue
                reduced = cost[row][j] - row_potential[row] - column_potential[j]
                known = slack[j]
                if known is None or reduced < known:
                    slack[j] = known = reduced
                    previous[j] = column
                if delta is None or known < delta:
                    delta, nearest = known, j
            assert delta is not None
            row_potential[start] += delta
            for j in visited:
                matched = row_of[j]
                assert matched is not None
                row_potential[matched] += delta
                column_potential[j] -= delta
            for j in range(columns):
                remaining = slack[j]
                if not seen[j] and remaining is not None:
                    slack[j] = remaining - delta
            seen[nearest] = True
            visited.append(nearest)
            column = nearest
            owner = row_of[nearest]
            if owner is None:
                break
            row = owner
        while column is not None:
            before = previous[column]
            row_of[column] = start if before is None else row_of[before]
            column = before
    result = [0] * rows
    for j, owner in enumerate(row_of):
        if owner is not None:
            result[owner] = j
    return result
