"""Lists whose order does not count: paired exactly, and in bounded work however long they are."""

from __future__ import annotations

import random
from itertools import permutations
from typing import Any

import pytest
from fuzzing import tools
from hypothesis import given
from hypothesis import strategies as st

from utb_inspect.schema import CallStep, Ground, Match, NumberMatch, TextMatch, UnorderedMatch
from utb_inspect.trajectory.agreement import agree, check_arguments
from utb_inspect.trajectory.assignment import Fit
from utb_inspect.trajectory.calls import Call
from utb_inspect.trajectory.pairing import best_pairing, can_be_paired
from utb_inspect.trajectory.validator import TOO_MUCH_WORK
from utb_inspect.trajectory.work import PAIRING

UNORDERED = UnorderedMatch(kind="unordered")
NEAR = NumberMatch(kind="number", tolerance=1)


def shuffled(items: list[Any]) -> list[Any]:
    return random.Random(7).sample(items, len(items))


LONG: dict[str, tuple[list[Any], Match | None]] = {
    "texts": ([f"item {i}" for i in range(1_500)], None),
    "objects": ([{"x": i, "y": str(i)} for i in range(1_500)], UNORDERED),
    "lists": ([[i] for i in range(1_500)], UNORDERED),
    "numbers": (list(range(15_000)), None),
    "texts under a rule": ([f"item number {i} of many" for i in range(1_500)], TextMatch(kind="text")),
}


@pytest.mark.parametrize("kind", LONG)
def test_long_lists_agree_in_any_order(kind: str) -> None:
    items, match = LONG[kind]
    other = shuffled(items)
    assert agree(items, other, match=match)
    assert not agree(items, [*other[:-1], other[0]], match=match)
    assert not agree(items, other[:-1], match=match)


def test_equal_is_what_agrees_but_for_spelling_and_keys_in_another_order() -> None:
    items = [{"name": f"Item {i}", "n": i} for i in range(1_500)]
    made = [{"n": float(i), "name": f" ITEM  {i}"} for i in range(1_500)]
    assert agree(items, shuffled(made), match=UNORDERED)


def test_a_few_that_differ_among_many_are_compared_with_one_another() -> None:
    items = [f"item {i}" for i in range(5_000)]
    made = [*items[:-3], "2025-03-14", "7 pm", "14 March 2025"]
    assert agree([*items[:-3], "14 March 2025", "2025-03-14", "19:00"], shuffled(made))
    assert not agree([*items[:-3], "14 March 2025", "2025-03-14", "18:00"], shuffled(made))


def test_equal_items_are_not_taken_for_one_another_where_that_is_wrong() -> None:
    """2 stands for 1 and 3 for 2; to pair 2 with 2 leaves 1 and 3, which are too far apart."""
    assert agree([1, 2], [2, 3], match=NEAR)
    assert agree([*range(1, 201)], [*range(2, 202)], match=NEAR)
    assert not agree([1, 2], [2, 4], match=NEAR)


@given(st.lists(st.integers(0, 6), max_size=5), st.lists(st.integers(0, 6), max_size=5))
def test_pairing_is_that_of_all_orders(left: list[int], right: list[int]) -> None:
    expected = len(left) == len(right) and any(
        all(abs(a - b) <= 1 for a, b in zip(left, order, strict=True)) for order in permutations(right)
    )
    assert agree(left, right, match=NEAR) == expected


def test_beyond_the_budget_equal_items_go_first_and_then_the_rest_by_position() -> None:
    """By hand: 2 pairs off with 2, so that 1 and 3 are left, which do not agree, and nothing else is tried."""

    def near(left: list[int], right: list[int], steps: int) -> bool:
        with PAIRING.budget(steps):
            return can_be_paired(left, right, lambda i, j: abs(left[i] - right[j]) <= 1)

    assert near([1, 2], [2, 3], 100)
    assert not near([1, 2], [2, 3], 0)
    assert near([5, 1, 2], [2, 6, 1], 0)


def test_objects_beyond_the_budget_are_paired_off_when_equal() -> None:
    def fit(left: int, right: int) -> Fit:
        return Fit(full=left == right, unambiguous=True, in_order=True, disagreements=abs(left - right))

    with PAIRING.budget(0):
        assert best_pairing([5, 1, 2], [2, 7, 5], fit) == [2, 1, 0]
    assert best_pairing([5, 1, 2], [2, 7, 5], fit) == [2, 1, 0]
    assert best_pairing([1, 4, 9], [8, 5, 2], fit) == [2, 1, 0]
    with PAIRING.budget(0):
        assert best_pairing([1, 4, 9], [8, 5, 2], fit) == [0, 1, 2]


@pytest.mark.parametrize("size", [3, 130, 1_000])
@pytest.mark.parametrize("pattern", ["^k", "^(k|(?:k+)+x)"])
def test_objects_whose_keys_are_named_by_patterns(size: int, pattern: str) -> None:
    """A key at its default may be left out, which takes the pattern to know, for each pair of objects that is tried."""
    inner = {"type": "object", "patternProperties": {pattern: {"type": "integer", "default": 0}}}
    compiled = tools({"type": "object", "properties": {"v": {"type": "array", "items": inner}}})
    reference = [{f"k{i}": i + 1, "ka": 1, "kb": 2} for i in range(size)]
    rule = Ground(basis="request", match=UNORDERED)
    step = CallStep(id="a", call="t", arguments={"v": reference}, grounds={"v": rule}, observation={})
    for last, agrees in [({}, True), ({"kc": 0}, True), ({"ka": 2}, False)]:
        made = [dict(item) for item in reference]
        made[-1] |= last
        read = compiled.read(Call("c", "t", {"v": list(reversed(made))}))
        assert read.fault is None
        checks = check_arguments(compiled["t"], step, read.arguments, {})
        assert all(check.agrees for check in checks) == agrees


def test_what_takes_too_much_work_to_be_found_in_a_schema_is_left_aside() -> None:
    """A pattern that gives up on a key, in the reference and in what is made; public rows only warn of the former."""
    pattern = r"^(a|aa)+\1$"
    compiled = tools({"type": "object", "patternProperties": {pattern: {"type": "integer"}}})
    key = "a" * 4_000 + "!"
    step = CallStep(id="a", call="t", arguments={key: 1}, observation={})
    assert compiled.read(Call("c", "t", {key: 1})).fault == TOO_MUCH_WORK
    for value in (1, 2):
        (check,) = check_arguments(compiled["t"], step, {key: value}, {})
        assert check.agrees == (value == 1)


@pytest.mark.parametrize("size", [3, 60, 1_500])
def test_what_differs_in_one_of_many_objects_is_told(size: int) -> None:
    reference = [{"id": i, "name": f"n {i}"} for i in range(size)]
    made = shuffled(reference)
    made[1] = {**made[1], "name": "other"}
    step = CallStep(
        id="a",
        call="t",
        arguments={"a": reference},
        grounds={"a": Ground(basis="request", match=UNORDERED)},
        observation={},
    )
    checks = check_arguments(tools({"additionalProperties": True})["t"], step, {"a": made}, {})
    assert len(checks) == 2 * size
    (wrong,) = [check for check in checks if not check.agrees]
    assert (wrong.made, wrong.reference) == ("other", f"n {made[1]['id']}")


def test_lists_within_long_lists() -> None:
    items = [[f"a{i}.{j}" for j in range(90)] for i in range(200)]
    made = [shuffled(inner) for inner in shuffled(items)]
    assert not agree(items, [[f"b{i}.{j}" for j in range(90)] for i in range(200)], match=UNORDERED)
    assert agree(items, shuffled(items), match=UNORDERED)
    assert agree(items[:10], [inner for inner in made if any(inner[0] in item for item in items[:10])], match=UNORDERED)
