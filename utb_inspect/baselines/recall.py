"""Recall: the tool by BM25, its arguments from the request and the latest values in history."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import ChatMessage
from inspect_ai.tool import ToolInfo
from rank_bm25 import BM25Plus

from utb_inspect.baselines.player import Action
from utb_inspect.baselines.readers import Parameter, Reader, parameters, split_name
from utb_inspect.baselines.talk import Talk, question
from utb_inspect.trajectory.json_schema import MISSING
from utb_inspect.trajectory.text import words

_STOP_WORDS = frozenset(
    """a an the of in on at to for from by with and or but if so as is are be been was were am do does did have has had
    it its this that these those there here what which who when where how i me my you your we us our he him his she her
    they them their not no can could would will shall should may might must just please one some any all""".split()
)
_ENDING = re.compile(r"(?:ings?|ers?|ed|es|s)$")
_ALSO = 0.5
"""Share of the best tool's score from which a request counts as asking for another tool too."""

Source = Callable[[Parameter, Talk, Reader], Any]
"""Where a value may come from: gives it, or MISSING."""


def stems(text: str) -> list[str]:
    """Words that say something, without a usual ending and cut to six letters."""
    return [(_ENDING.sub("", word) if len(word) > 4 else word)[:6] for word in words(text) if word not in _STOP_WORDS]


# --- which tool ---------------------------------------------------------------------------------------------


def matching(talk: Talk, tools: list[ToolInfo]) -> list[ToolInfo]:
    """Tools that the request matches, best first: by BM25 over name, description and parameters.

    The best one, and those that score at least half as much; none when no word is shared.
    """
    if not tools:
        return []
    # `BM25Plus` without its plus is BM25 with a weight above 0 for each word, also in a toolset of two.
    scores = BM25Plus([_document(tool) for tool in tools], delta=0).get_scores(stems(talk.request))
    order = sorted(range(len(tools)), key=lambda i: (-scores[i], i))
    return [tools[i] for i in order if scores[i] > 0 and scores[i] >= _ALSO * scores[order[0]]]


def _document(tool: ToolInfo) -> list[str]:
    described = [f"{p.words} {p.view.description} {_choices(p)}" for p in parameters(tool)]
    # A tool without a word would make the mean length 0 where it is the only one.
    return stems(" ".join([split_name(tool.name), tool.description, *described])) or [tool.name]


def _choices(parameter: Parameter) -> str:
    values = parameter.view.get("enum") or parameter.view.item().get("enum") or ()
    return " ".join(split_name(value) for value in values if isinstance(value, str))


# --- where values come from ---------------------------------------------------------------------------------


def in_request(parameter: Parameter, talk: Talk, reader: Reader) -> Any:
    """What the request, or a reply, states in the parameter's form."""
    return reader.read(parameter)


def in_reply(parameter: Parameter, talk: Talk, reader: Reader) -> Any:
    """A text parameter that was asked for: the reply, as it is."""
    return talk.replies[-1].strip().rstrip(".") if talk.replies and parameter.form == "text" else MISSING


def last_in_history(parameter: Parameter, talk: Talk, reader: Reader) -> Any:
    """The last value that calls gave for an argument of this name."""
    return next(reversed(in_history(parameter, talk)), MISSING)


def in_history(parameter: Parameter, talk: Talk) -> list[Any]:
    """The values that calls gave for an argument of this name, of whichever tool, oldest first."""
    values = [arguments.get(parameter.name, MISSING) for arguments in talk.past]
    return [value for value in values if value is not MISSING and parameter.admits(value)]


def in_observation(parameter: Parameter, talk: Talk, reader: Reader) -> Any:
    """What the newest observation that has it holds under this name, or under `id` for an identifier."""
    names = [parameter.name, *(["id"] if parameter.form == "identifier" else [])]
    values = (_held(observation, name) for observation in reversed(talk.observations) for name in names)
    return next((value for value in values if value is not MISSING and parameter.admits(value)), MISSING)


def _held(value: Any, name: str) -> Any:
    """The first value under a key, at whatever depth."""
    if isinstance(value, dict):
        if name in value:
            return value[name]
        value = list(value.values())
    if isinstance(value, list):
        return next((found for item in value if (found := _held(item, name)) is not MISSING), MISSING)
    return MISSING


def returned_identifier(parameter: Parameter, talk: Talk, reader: Reader) -> Any:
    """An identifier from the newest observation: the latest value, where calls gave those of their own time."""
    return in_observation(parameter, talk, reader) if parameter.form == "identifier" else MISSING


def named_in_request(parameter: Parameter, talk: Talk, reader: Reader) -> Any:
    """What the request states for a parameter that it names, or a value of its enum."""
    named = set(stems(parameter.words)) & set(stems(reader.text))
    if parameter.type == "boolean":
        denied = re.search(rf"\b(?:no|not|without) {re.escape(parameter.words)}", reader.text, re.IGNORECASE)
        return MISSING if not named else denied is None
    if named or parameter.view.has("enum") or parameter.view.item().has("enum"):
        return reader.read(parameter)
    return MISSING


def choice_in_history(parameter: Parameter, talk: Talk, reader: Reader) -> Any:
    """The last value in history for an enum or a boolean."""
    is_choice = parameter.view.has("enum") or parameter.type == "boolean"
    return last_in_history(parameter, talk, reader) if is_choice else MISSING


def first_of(*sources: Source) -> Source:
    """The value of the first source that has a valid one."""

    def source(parameter: Parameter, talk: Talk, reader: Reader) -> Any:
        values = (each(parameter, talk, reader) for each in sources)
        return next((value for value in values if value is not MISSING and parameter.admits(value)), MISSING)

    return source


def nowhere(parameter: Parameter, talk: Talk, reader: Reader) -> Any:
    """No value."""
    return MISSING


def unknown(parameter: Parameter) -> Any:
    """No guess."""
    return MISSING


# --- the model ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Caller:
    """Calls the tool that is picked, then others that are picked too and can be filled, then answers.

    It asks once, for all required arguments of its first call that are not to be found.
    """

    pick: Callable[[Talk, list[ToolInfo]], list[ToolInfo]]
    """The tools to call, first to last."""
    required: Source
    optional: Source
    otherwise: Callable[[Parameter], Any] = unknown
    """Value of a required argument of the first call that is not to be found; MISSING to ask for it."""

    async def act(self, messages: list[ChatMessage], tools: list[ToolInfo]) -> Action:
        talk = Talk.of(messages)
        picked = [tool for tool in self.pick(talk, tools) if tool.name not in talk.made]
        if not talk.made:
            return self._first(picked[0], talk) if picked else Action("I see.")
        for tool in picked:
            filled, missing = self._fill(tool, talk)
            if not missing:
                return Action(calls=[(tool.name, filled)])
        return Action("Done.")

    def _first(self, tool: ToolInfo, talk: Talk) -> Action:
        filled, missing = self._fill(tool, talk)
        guesses = {p.name: self.otherwise(p) for p in missing}
        filled |= {name: value for name, value in guesses.items() if value is not MISSING}
        missing = [p for p in missing if p.name not in filled]
        if not missing:
            return Action(calls=[(tool.name, filled)])
        return Action("That is more than I can do." if talk.replies else question([p.words for p in missing]))

    def _fill(self, tool: ToolInfo, talk: Talk) -> tuple[dict[str, Any], list[Parameter]]:
        """The arguments that are found, and the required parameters without one."""
        reader = Reader("\n".join([*reversed(talk.replies), talk.request]), talk.today)
        filled: dict[str, Any] = {}
        missing = []
        for parameter in parameters(tool):
            value = (self.required if parameter.required else self.optional)(parameter, talk, reader)
            if value is not MISSING:
                filled[parameter.name] = value
            elif parameter.required:
                missing.append(parameter)
        return filled, missing


found_for_required = first_of(in_request, returned_identifier, last_in_history, in_observation, in_reply)
found_for_optional = first_of(named_in_request, choice_in_history)


def recall() -> Caller:
    """Sees what a model sees, understands nothing of it, and remembers the last value of everything."""
    return Caller(matching, found_for_required, found_for_optional)
