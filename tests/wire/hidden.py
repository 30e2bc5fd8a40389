"""Looks through all that is sent for what a model may not see: profiles, labels, and steps yet to come.

What may be shown is worked out from the dataset, not by the code that makes the prompts; how far a run has come, by the
core that judges it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from support import record

from utb_inspect.baselines.oracle import Plan
from utb_inspect.baselines.player import Action, to_message
from utb_inspect.datasets.dataset import Dataset, PlacedTurn
from utb_inspect.datasets.wire import tool_info, wire_name
from utb_inspect.schema import AskStep, CallStep, Environment, Profile
from utb_inspect.trajectory.run import NO_DATA, content_text, replay
from wire.pieces import called
from wire.policy import Turns
from wire.reply import Reply
from wire.request import Policy, Request
from wire.texts import is_short, json_texts, leaves, phrases, words

_OWN_HEADERS = {"content-length", "x-irid", "x-stainless-retry-count"}
"""Headers that each request has for itself."""


class Leak(NamedTuple):
    """Something that was sent and should not have been."""

    turn: str
    what: str
    where: str


class Watch:
    """Looks at requests; `found` has the leaks, `looked` counts the texts that were read."""

    def __init__(self, dataset: Dataset, turns: Turns, plans: Mapping[str, Plan]) -> None:
        """Set up.

        Args:
            dataset: Whose profiles and turns are looked for.
            turns: Knows the turn of a request.
            plans: What the model plays, from which follows how far a run has come.
        """
        self.turns = turns
        self.plans = plans
        self.found: list[Leak] = []
        self.looked = 0
        self._around: dict[str, str] = {}
        """What the first request holds around its conversation; all others hold the same, which can tell nothing."""
        self._phrases = profile_phrases(dataset)
        self._sizes = sorted({len(phrase) for phrase in self._phrases})
        self._without: set[str] = set()
        """Texts that hold nothing of a profile."""
        self._turns = dataset.by_profile
        self._first: dict[str, dict[str, int]] = {}
        self._short = set().union(*map(short_texts, dataset.profiles.values()))
        self._short_within: dict[str, set[str]] = {}
        """Short texts of profiles that a text holds."""

    def look(self, request: Request) -> None:
        """Read all of a request."""
        turn, played = self.turns.of(request)
        texts = {*json_texts(request.raw), *(item.text for item in request.items), *chain(*request.query)}
        around = dict(_around(request))
        self._around = self._around or around
        self.found += [Leak(turn.id, place, value) for place, value in around.items() - self._around.items()]
        self.looked += len(texts)
        for text in (texts | set(around.values())) - self._without:
            self._look_for_profiles(turn, text)
        if turn.profile not in self._first:
            self._first[turn.profile] = _first_said(self._turns[turn.profile])
        first = self._first[turn.profile]
        said = {item.text for item in request.items} | set(leaves(request.body.get("tools", [])))
        texts = said | {text for text in texts if _is_phrase(text)}
        coming, held = self._to_come(turn, played)
        for text in texts:
            # What is a step's to come is found as such.
            hidden = {short for short in self._short_texts(text) - coming if short not in held}
            self.found += [Leak(turn.id, f"profile: {short.strip()}", text) for short in hidden]
            labels = {label for label in _labels(turn) if label in words(text) and label not in held}
            self.found += [Leak(turn.id, f"label: {label.strip()}", text) for label in labels]
        # An earlier turn holds the others as they are.
        for text in (text for text in texts if first.get(text, turn.position) >= turn.position):
            sent = words(text)
            leaked = {value for value in coming if value in sent}
            if first.get(text, turn.position) > turn.position and sent not in held:  # a later turn's
                leaked.add(sent)
            self.found += [Leak(turn.id, f"step, after {played} rounds: {value.strip()}", text) for value in leaked]

    def _look_for_profiles(self, turn: PlacedTurn, text: str) -> None:
        split = tuple(words(text).split())
        runs = (split[i : i + size] for size in self._sizes for i in range(len(split) - size + 1))
        phrase = next((run for run in runs if run in self._phrases), None)
        if phrase is None:
            self._without.add(text)
        else:
            self.found.append(Leak(turn.id, f"profile: {' '.join(phrase)}", text))

    def _short_texts(self, text: str) -> set[str]:
        """The short texts of profiles that a text holds."""
        if text not in self._short_within:
            self._short_within[text] = {short for short in self._short if short in words(text)}
        return self._short_within[text]

    def _to_come(self, turn: PlacedTurn, played: int) -> tuple[set[str], str]:
        """Values and phrases of the steps to come that neither history nor the run holds; the words that these hold."""
        own = record(turn)
        run = own.run()
        infos = [tool_info(tool) for tool in turn.toolset.tools]
        actions = [round_.action for round_ in self.plans[turn.id][:played]]
        replay(run, [own.message(to_message(action, infos, i)) for i, action in enumerate(actions)])
        steps = [(step, step.id in state.returned) for state in run.paths for step in state.path.steps]
        given = [text for step, reached in steps if reached for text in _returned_texts(step)]
        # What is right to call stays hidden when the model has called something else.
        coming = [text for step, reached in steps for text in (_decided_texts if reached else _step_texts)(step)]
        held = chain(
            *map(_turn_texts, self._turns[turn.profile][: turn.position]),
            (turn.turn.request, *_environment_texts(turn.topic.environment)),
            *(leaves(tool.function.model_dump()) for tool in turn.toolset.tools),
            given,
            *map(_action_texts, actions),
            leaves(NO_DATA),
        )
        shown = "|".join(map(words, held))
        pieces = chain(map(words, coming), (f" {' '.join(phrase)} " for text in coming for phrase in phrases(text)))
        return {piece for piece in pieces if piece.strip() and piece not in shown}, shown


def watched(watch: Watch, policy: Policy) -> Policy:
    """A policy that has each request looked at first."""

    def look_and_play(request: Request) -> Reply:
        watch.look(request)
        return policy(request)

    return look_and_play


_TALK = ("messages", "input", "system", "tools")


def _around(request: Request) -> Iterator[tuple[str, str]]:
    """What a request holds beside its conversation and tools, by place."""
    for name, value in request.headers.items():
        if name not in _OWN_HEADERS:
            yield f"header: {name}", value
    for name, value in request.query:
        yield f"query: {name}", value
    for name, value in request.body.items():
        if name not in _TALK:
            yield f"field: {name}", json.dumps(value)


def _labels(turn: PlacedTurn) -> set[str]:
    """What the turn is, which tells what to do."""
    return {words(label) for label in (turn.turn.task_type, turn.turn.subtype) if label}


def _is_phrase(text: str) -> bool:
    """More than a word: words alone, outside what is said and the tools, are the protocol's own, such as `summary`."""
    return " " in words(text).strip()


def profile_phrases(dataset: Dataset) -> set[tuple[str, ...]]:
    """What of profiles may stand nowhere: the phrases of their texts, ids, and names of fields that have two words."""
    found = {tuple(words(turn.topic.id).split()) for turn in dataset.turns}
    for profile in dataset.profiles.values():
        found.update((name.casefold(),) for name in profile.fields if "_" in name)
        found.update(chain.from_iterable(map(phrases, leaves(profile.fields, keys=False))))
    return found


def short_texts(profile: Profile) -> set[str]:
    """Short texts and names of a profile ("Austrian"), which may stand where the run or history has said them."""
    return {words(text) for text in leaves(profile.fields) if is_short(text) and words(text).strip()}


def _action_texts(action: Action) -> Iterator[str]:
    """What the model says itself."""
    yield action.text
    for name, arguments in action.calls:
        yield from _call_texts(name, arguments)


def _call_texts(name: str, arguments: Mapping[str, Any]) -> Iterator[str]:
    """A call with its keys sorted and as it is sent, and each of its values."""
    yield called(name, arguments)
    yield json.dumps(arguments, ensure_ascii=False)
    yield from leaves(arguments)


def _decided_texts(step: Any) -> Iterator[str]:
    """What the assistant says or calls in a step."""
    match step:
        case CallStep():
            yield from _call_texts(wire_name(step.call), step.arguments)
        case AskStep():
            yield step.message
        case _:
            yield step.answer


def _returned_texts(step: Any) -> Iterator[str]:
    """What a step returns."""
    if isinstance(step, CallStep):
        yield content_text(step.observation)
        yield from leaves(step.observation)
    elif isinstance(step, AskStep):
        yield step.reply


def _step_texts(step: Any) -> Iterator[str]:
    yield from _decided_texts(step)
    yield from _returned_texts(step)


def _turn_texts(turn: PlacedTurn) -> Iterator[str]:
    """All that history holds of a turn, and of its place and time."""
    yield turn.turn.request
    yield from _environment_texts(turn.topic.environment)
    for step in turn.turn.paths[0].steps:
        yield from _step_texts(step)


def _environment_texts(environment: Environment) -> Iterator[str]:
    """Date and place, also as a topic opens with them."""
    yield from leaves(environment.model_dump(mode="json"))
    if environment.moment is not None:
        yield f"{environment.moment:%A %Y-%m-%d %H:%M}"


def _first_said(turns: Iterable[PlacedTurn]) -> dict[str, int]:
    """Text to the position of the turn of a profile in which it is first said."""
    first: dict[str, int] = {}
    for turn in turns:
        for text in _turn_texts(turn):
            first.setdefault(text, turn.position)
    return first
