"""The fuzz tests of verdicts reach what they are about, and find verdicts that are broken."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import test_fuzz_schemas
from fuzzing import Target, tools
from hypothesis.strategies import SearchStrategy
from near_runs import Given, near_runs
from test_fuzz_values import PAIRS
from test_fuzz_verdicts import TARGETS, independent_rounds

from utb_inspect.schema import DataError
from utb_inspect.trajectory import calls
from utb_inspect.trajectory.agreement import agree
from utb_inspect.trajectory.canonical import canonical
from utb_inspect.trajectory.moments import read_moment
from utb_inspect.trajectory.run import Run, replay
from utb_inspect.trajectory.verdict import PathVerdict, judge

INPUTS = 300
"""Enough for shares that keep well above their floors; the same ones at each run."""


def shares(inputs: SearchStrategy[Any], traits: Callable[[Any], dict[str, bool]]) -> dict[str, float]:
    """Of inputs, the same at each run, the share that has each trait."""
    found: Counter[str] = Counter()
    Target(inputs, lambda given: found.update(traits(given))).fuzz(INPUTS, start=0)
    return {trait: count / INPUTS for trait, count in found.items()}


def of_run(given: Given) -> dict[str, bool]:
    turn, tools, messages = given
    run = Run(turn, tools)
    kinds = {result.kind for reply in replay(run, messages) for result in reply.results}
    verdict = judge(run)
    return {
        "exact, with calls": verdict.exact and bool(run.calls),
        "exact, with two calls or more": verdict.exact and len(run.calls) > 1,
        "relaxed, not exact": verdict.relaxed and not verdict.exact,
        "slight": verdict.severity == "slight",
        "major": verdict.severity == "major",
        "a read repeated": "repeat" in kinds,
        "wrong, with independent rounds": not verdict.exact and bool(independent_rounds(given)),
    }


def of_pair(given: tuple[Any, Any]) -> dict[str, bool]:
    first, second = given
    texts = isinstance(first, str) and isinstance(second, str)
    return {
        "two moments": texts and read_moment(first) is not None and read_moment(second) is not None,
        "agree, unequal": first != second and agree(first, second),
        "agree, unequal lists or objects": isinstance(first, list | dict) and first != second and agree(first, second),
    }


def test_runs_near_the_reference_come_out_in_every_way() -> None:
    found = shares(near_runs(), of_run)
    floors = {
        "exact, with calls": 0.2,
        "exact, with two calls or more": 0.1,
        "relaxed, not exact": 0.03,
        "slight": 0.03,
        "major": 0.1,
        "a read repeated": 0.01,
        "wrong, with independent rounds": 0.01,
    }
    assert {trait: found[trait] for trait, floor in floors.items() if found[trait] < floor} == {}


def test_pairs_of_values_often_agree() -> None:
    found = shares(PAIRS, of_pair)
    floors = {"two moments": 0.1, "agree, unequal": 0.1, "agree, unequal lists or objects": 0.02}
    assert {trait: found[trait] for trait, floor in floors.items() if found[trait] < floor} == {}


def of_call(given: tuple[Any, ...]) -> dict[str, bool]:
    parameters, arguments, *_ = given
    try:
        compiled = tools(parameters)
    except DataError:
        return {}
    valid = compiled.read(calls.Call("c", "t", arguments)).fault is None
    return {
        "compiled": True,
        "valid": valid,
        "invalid": not valid,
        "valid, neither empty": valid and bool(parameters) and bool(arguments),
    }


@pytest.mark.parametrize("target", ["calls", "validity", "large arguments"])
def test_many_schemas_compile_and_many_arguments_are_valid(target: str) -> None:
    found = shares(test_fuzz_schemas.TARGETS[target].inputs, of_call)
    floors = {"compiled": 0.4, "valid": 0.1, "invalid": 0.2, "valid, neither empty": 0.01}
    assert {trait: found[trait] for trait, floor in floors.items() if found[trait] < floor} == {}


# --- rules broken on purpose ---------------------------------------------------------------------------------


def exact_when(holds: Callable[[PathVerdict], bool]) -> Callable[[PathVerdict], bool]:
    return lambda verdict: verdict.exact and holds(verdict)


waits = exact_when(lambda verdict: any(step.after for step in verdict.assigned.values()))
several_calls = exact_when(lambda verdict: len(verdict.run.calls) > 1)
asks = exact_when(lambda verdict: bool(verdict.state.path.asks))
superseded = exact_when(
    lambda verdict: any(
        check.ground and check.ground.superseded for checks in verdict.checks.values() for check in checks
    )
)


@pytest.mark.parametrize(
    ("figure", "case", "wrong"),
    [
        ("relaxed", waits, False),
        ("severity", several_calls, "slight"),
        ("labels", asks, frozenset({"clarification"})),
        ("labels", superseded, frozenset({"stale_preference"})),
    ],
    ids=["relaxed", "severity", "label of asks", "label of superseded values"],
)
def test_a_broken_verdict_is_found(
    monkeypatch: pytest.MonkeyPatch, figure: str, case: Callable[[PathVerdict], bool], wrong: Any
) -> None:
    right = getattr(PathVerdict, figure).func
    monkeypatch.setattr(PathVerdict, figure, property(lambda verdict: wrong if case(verdict) else right(verdict)))
    with pytest.raises(AssertionError):
        TARGETS["any run"].fuzz(start=0, shrink=False)


@pytest.mark.parametrize(
    ("key", "target"),
    [
        (lambda value, of_text: canonical(value), "Unicode form of texts"),
        (lambda value, of_text: json.dumps(value), "order of keys"),
    ],
    ids=["code points", "order of keys"],
)
def test_a_broken_key_of_repeats_is_found(monkeypatch: pytest.MonkeyPatch, key: Any, target: str) -> None:
    monkeypatch.setattr(calls, "canonical", key)
    with pytest.raises(AssertionError):
        TARGETS[target].fuzz(start=0, shrink=False)
