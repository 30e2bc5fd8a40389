"""Looks through all that is sent for what a model may not see: profiles, and steps that the run has not come to.

What may be shown is worked out from the dataset alone, not by the code that makes the prompts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

from support import record

from utb_inspect.baselines.oracle import Plan
from utb_inspect.baselines.player import Action, to_message
from utb_inspect.datasets.dataset import Dataset, PlacedTurn
from utb_inspect.datasets.wire import tool_info, wire_name
from utb_inspect.schema import AskStep, CallStep, Environment
from utb_inspect.trajectory.run import NO_DATA, content_text, replay
from wire.pieces import called
from wire.policy import Turns
from wire.reply import Reply
from wire.request import Policy, Request

_WORD = re.compile(r"\w+")

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
        self._headers: dict[str, str] = {}
        """Those of the first request; all others have the same, so that they can tell nothing of a turn."""
        self._phrases = profile_phrases(dataset)
        self._sizes = sorted({len(phrase) for phrase in self._phrases})
        self._without: set[str] = set()
        """Texts that hold nothing of a profile."""
        self._profiles = dataset.by_profile
        self._first: dict[str, dict[str, int]] = {}

    def look(self, request: Request) -> None:
        """Read all of a request."""
        turn, played = self.turns.of(request)
        texts = {*leaves(request.body), *(item.text for item in request.items)}
        headers = {name: value for name, value in request.headers.items() if name not in _OWN_HEADERS}
        self._headers = self._headers or headers
        self.found += [
            Leak(turn.id, f"header: {name}", value) for name, value in headers.items() - self._headers.items()
        ]
        self.looked += len(texts)
        for text in (texts | set(headers.values())) - self._without:
            self._look_for_profiles(turn, text)
        if turn.profile not in self._first:
            self._first[turn.profile] = _first_said(self._profiles[turn.profile])
        first = self._first[turn.profile]
        said = {item.text for item in request.items} | set(leaves(request.body.get("tools", [])))
        texts = said | {text for text in texts if _is_phrase(text)}
        self._look_for_steps(turn, played, {text for text in texts if first.get(text, turn.position) >= turn.position})

    def _look_for_profiles(self, turn: PlacedTurn, text: str) -> None:
        split = tuple(words(text).split())
        runs = (split[i : i + size] for size in self._sizes for i in range(len(split) - size + 1))
        phrase = next((run for run in runs if run in self._phrases), None)
        if phrase is None:
            self._without.add(text)
        else:
            self.found.append(Leak(turn.id, f"profile: {' '.join(phrase)}", text))

    def _look_for_steps(self, turn: PlacedTurn, played: int, texts: Iterable[str]) -> None:
        """Look through texts that no earlier turn holds as they are."""
        coming, held = self._to_come(turn, played)
        first = self._first[turn.profile]
        for text in texts:
            sent = words(text)
            leaked = {value for value in coming if value in sent}
            if first.get(text, turn.position) > turn.position and sent not in held:  # a later turn's
                leaked.add(sent)
            self.found += [Leak(turn.id, f"step, after {played} rounds: {value.strip()}", text) for value in leaked]

    def _to_come(self, turn: PlacedTurn, played: int) -> tuple[set[str], str]:
        """Values of the steps to come that neither history nor the run holds, and the words that these hold."""
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
            *map(_turn_texts, self._profiles[turn.profile][: turn.position]),
            (turn.turn.request, *_environment_texts(turn.topic.environment)),
            *(leaves(tool.function.model_dump()) for tool in turn.toolset.tools),
            given,
            *map(_action_texts, actions),
            leaves(NO_DATA),
        )
        shown = "|".join(map(words, held))
        return {value for value in map(words, coming) if value.strip() and value not in shown}, shown


def watched(watch: Watch, policy: Policy) -> Policy:
    """A policy that has each request looked at first."""

    def look_and_play(request: Request) -> Reply:
        watch.look(request)
        return policy(request)

    return look_and_play


def _is_phrase(text: str) -> bool:
    """More than a word: words alone, outside what is said and the tools, are the protocol's own, such as `summary`."""
    return " " in words(text).strip()


@cache
def words(text: str) -> str:
    """The words of a text, each between blanks."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def leaves(value: Any, keys: bool = True) -> Iterator[str]:
    """The texts in a JSON value; what is JSON again within a text is read on."""
    match value:
        case dict():
            for key, inner in value.items():
                if keys:
                    yield key
                yield from leaves(inner, keys)
        case list() | tuple():
            for inner in value:
                yield from leaves(inner, keys)
        case str():
            yield value
            if value.startswith(("{", "[")):
                yield from leaves(_read(value), keys)
        case None | bool():
            pass
        case _:
            yield json.dumps(value)


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def profile_phrases(dataset: Dataset) -> set[tuple[str, ...]]:
    """What of profiles may stand nowhere: texts of three and four words, each five words of longer ones, and ids.

    A word or two ("Austrian") may well be said in a conversation, and so may a name that is a key.
    """
    found = {tuple(words(turn.topic.id).split()) for turn in dataset.turns}
    for profile in dataset.profiles.values():
        found.update((name.casefold(),) for name in profile.fields if "_" in name)
        for text in leaves(profile.fields, keys=False):
            split = tuple(words(text).split())
            size = min(5, len(split))
            found.update(split[i : i + size] for i in range(len(split) - size + 1) if size > 2)
    return found


def _action_texts(action: Action) -> Iterator[str]:
    """What the model says itself."""
    yield action.text
    for name, arguments in action.calls:
        yield called(name, arguments)
        yield from leaves(arguments)


def _decided_texts(step: Any) -> Iterator[str]:
    """What the assistant says or calls in a step."""
    match step:
        case CallStep():
            yield called(wire_name(step.call), step.arguments)
            yield from leaves(step.arguments)
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
