"""The assignment is the best one by the spec's criteria, in their order."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from utb_inspect.trajectory.assignment import Fit, assign

fits = st.builds(
    lambda full, unambiguous, in_order, disagreements: Fit(
        full, full or unambiguous, in_order, 0 if full else 1 + disagreements
    ),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.integers(0, 3),
)
tables = st.tuples(st.integers(1, 5), st.integers(1, 4)).flatmap(
    lambda size: st.lists(st.lists(fits, min_size=size[1], max_size=size[1]), min_size=size[0], max_size=size[0])
)


def quality(table, pairs):
    """Spec section 5, Assignment: full, unambiguous, assigned, in order, then the earliest calls."""
    chosen = [table[i][j] for i, j in pairs]
    return (
        sum(fit.full for fit in chosen),
        sum(fit.unambiguous for fit in chosen),
        len(chosen),
        sum(fit.in_order for fit in chosen),
        -sum(i for i, _ in pairs),
    )


def every_assignment(made, reference):
    size = min(made, reference)
    for calls in permutations(range(made), size):
        for steps in permutations(range(reference), size):
            yield list(zip(calls, steps, strict=True))


@given(tables)
@settings(max_examples=150, deadline=None)
def test_no_assignment_is_better(table):
    best = max(quality(table, pairs) for pairs in every_assignment(len(table), len(table[0])))
    found = assign(table)
    assert len(set(found.values())) == len(found)
    assert quality(table, list(found.items())) == best


def test_ties_go_to_calls_and_steps_in_the_same_order():
    same = Fit(full=False, unambiguous=True, in_order=True, disagreements=1)
    assert assign([[same, same], [same, same], [same, same]]) == {0: 0, 1: 1}


def test_fewer_disagreements_win_where_the_criteria_tie():
    far = Fit(full=False, unambiguous=False, in_order=True, disagreements=3)
    near = Fit(full=False, unambiguous=False, in_order=True, disagreements=1)
    assert assign([[far, near], [near, far]]) == {0: 1, 1: 0}


def test_nothing_to_assign():
    assert assign([]) == {}
    assert assign([[]]) == {}
