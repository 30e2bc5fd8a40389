"""Observations: values that come from them, choices among candidates, times that run forward."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from utb_inspect.checks.finding import Finding, call_steps, profile_file
from utb_inspect.checks.values import Value, is_in, reference_values
from utb_inspect.datasets.dataset import Dataset
from utb_inspect.schema import AnyMatch, ContainsAllMatch
from utb_inspect.trajectory.moments import Moment, read_moment
from utb_inspect.trajectory.text import normalise, stands

FIRST_AT_MOST = 0.6
"""Share of a profile's choices that may fall on the first candidate."""
CHOICES_TO_JUDGE = 10

_HOUR = 3_600_000_000
_TRIP, _STRETCH, _DATED_ONLY = 14 * _HOUR, 20 * _HOUR, 24 * _HOUR
"""Longest stretch past midnight that two times of day without a date may span."""
_PAIRS = {
    ("depart", "arrive"): _TRIP,
    ("departs", "arrives"): _TRIP,
    ("departure", "arrival"): _TRIP,
    ("start", "end"): _STRETCH,
    ("starts", "ends"): _STRETCH,
    ("begin", "end"): _STRETCH,
    ("begins", "ends"): _STRETCH,
    ("from", "to"): _STRETCH,
    ("check_in", "check_out"): _DATED_ONLY,
    ("pick_up", "drop_off"): _DATED_ONLY,
}
"""Words of keys: the first is never later than the second."""


def observed_values_stand_in_their_observation(dataset: Dataset) -> Iterator[Finding]:
    """A value taken from an observation, or chosen among its candidates, stands there.

    An item of a nested list may come from any observation that `after` leads to; so may all values then.
    """
    for value in reference_values(dataset):
        ground = value.ground
        if ground.from_ is None or ground.basis not in ("observation", "history", "preference"):
            continue
        if isinstance(ground.match, AnyMatch):
            continue
        path = value.place.path
        before = path.before(value.place.step.id)
        observed = [step.observation for step in path.calls if step.id in before]
        if isinstance(ground.match, ContainsAllMatch):
            held = all(any(stands(term, observed) for term in terms) for terms in ground.match.terms)
        else:
            held = any(is_in(spelling, observed) for spelling in value.spellings)
        if not held:
            yield value.found(f"{value.value!r} stands in no observation of an earlier step")


def a_choice_has_two_candidates(dataset: Dataset) -> Iterator[Finding]:
    """A value chosen by history or preference has another beside it in the observation that it is chosen from."""
    for value, candidates, _ in _choices(dataset):
        if value.ground.basis in ("history", "preference") and len(candidates) < 2:
            yield value.found(f"{value.value!r} is the only candidate of step '{value.ground.from_}'")


def the_choice_is_not_always_first(dataset: Dataset) -> Iterator[Finding]:
    """Of a profile's choices among listed candidates, at most 60 % fall on the first."""
    places: dict[str, list[int]] = {}
    for value, candidates, place in _choices(dataset):
        if len(candidates) > 1 and not value.place.label:
            places.setdefault(value.place.turn.profile, []).append(place)
    for profile, chosen in places.items():
        first = chosen.count(0)
        if len(chosen) >= CHOICES_TO_JUDGE and first > FIRST_AT_MOST * len(chosen):
            yield Finding(
                profile_file(profile),
                None,
                f"{first} of {len(chosen)} choices fall on the first candidate; at most {FIRST_AT_MOST:.0%} should",
            )


def _choices(dataset: Dataset) -> Iterator[tuple[Value, list[Any], int]]:
    """Values taken from a call's observation, with the candidates there and the value's place among them."""
    for value in reference_values(dataset):
        source = value.ground.from_
        if source is None or not isinstance(value.value, str):
            continue
        step = next(step for step in value.place.path.calls if step.id == source)
        lists = [values for values in _under_one_key(step.observation).values() if value.value in values]
        if lists:
            candidates = max(lists, key=len)
            yield value, candidates, candidates.index(value.value)


def _under_one_key(observation: Any) -> dict[str, list[Any]]:
    """The distinct scalars that stand under each key, wherever it stands, in order."""
    found: dict[str, list[Any]] = {}

    def visit(key: str, value: Any) -> None:
        match value:
            case dict():
                for name, inner in value.items():
                    visit(name, inner)
            case list():
                for inner in value:
                    visit(key, inner)
            case _:
                values = found.setdefault(key, [])
                if value not in values:
                    values.append(value)

    visit("", observation)
    return found


def observed_times_run_forward(dataset: Dataset) -> Iterator[Finding]:
    """Nothing arrives before it departs or ends before it starts, where keys say so.

    Two times of day without a date may run past midnight: a trip by up to 14 hours, anything else by up to 20. Local
    times of flights, which cross zones, are not asked.
    """
    for turn in dataset.turns:
        for place in call_steps(turn):
            if "flight" in f"{place.step.call} {json.dumps(place.step.observation)}".casefold():
                continue
            for first, second in _backward(place.step.observation):
                yield place.found("observation", f"{first} is later than {second}")


def _backward(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for item in value:
            yield from _backward(item)
    if not isinstance(value, dict):
        return
    for item in value.values():
        yield from _backward(item)
    times = {key: moment for key, text in value.items() if isinstance(text, str) and (moment := read_moment(text))}
    for key, moment in times.items():
        for (opening, closing), longest in _PAIRS.items():
            other = _paired(key, opening, closing)
            if other in times and _runs_backward(moment, times[other], longest):
                yield f"{key} ({value[key]})", f"{other} ({value[other]})"


def _paired(key: str, opening: str, closing: str) -> str | None:
    """`departure_time` and `arrival_time`, `start` and `end`: the other key of a pair."""
    plain = normalise(key)
    if plain == opening:
        return closing
    if plain.startswith(f"{opening}_"):
        return closing + key[len(opening) :]
    if plain.endswith(f"_{opening}"):
        return key[: -len(opening)] + closing
    return None


def _runs_backward(first: Moment, second: Moment, longest: int) -> bool:
    if first.dated != second.dated:
        return False
    gap = second.microseconds - first.microseconds
    if first.offset is not None and second.offset is not None:
        gap -= second.offset - first.offset
    return gap < 0 and (first.dated or gap + 24 * _HOUR > longest)
