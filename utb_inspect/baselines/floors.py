"""Cheap answers: strategies that know nothing of the user. A score means something above theirs."""

from __future__ import annotations

from typing import Any

from inspect_ai.model import ChatMessage
from inspect_ai.tool import ToolInfo

from utb_inspect.baselines.guesses import guess
from utb_inspect.baselines.player import Action
from utb_inspect.baselines.readers import Parameter, Reader, parameters
from utb_inspect.baselines.recall import (
    Caller,
    found_for_optional,
    found_for_required,
    in_history,
    last_in_history,
    matching,
    nowhere,
    recall,
)
from utb_inspect.baselines.talk import Talk, question
from utb_inspect.trajectory.json_schema import MISSING


class AlwaysAsk:
    """Asks first, in one question, for every parameter of the toolset; then acts as recall."""

    def __init__(self) -> None:
        self._then = recall()

    async def act(self, messages: list[ChatMessage], tools: list[ToolInfo]) -> Action:
        talk = Talk.of(messages)
        if talk.replies or talk.made:
            return await self._then.act(messages, tools)
        return Action(question(list(dict.fromkeys(p.words for tool in tools for p in parameters(tool)))))


def never_ask() -> Caller:
    """Recall that guesses a required argument which is not to be found."""
    return Caller(matching, found_for_required, found_for_optional, otherwise=guessed)


def copy_last() -> Caller:
    """The tool of recall; for each argument the last value that history's calls gave, whatever the request says."""
    return Caller(matching, last_in_history, last_in_history, otherwise=guessed)


def copy_first() -> Caller:
    """The tool of recall; for each argument the first value that history's calls gave."""
    return Caller(matching, first_in_history, first_in_history, otherwise=guessed)


def first_tool() -> Caller:
    """The first tool of the toolset, with defaults, or guesses where there are none."""
    return Caller(lambda talk, tools: tools[:1], nowhere, nowhere, otherwise=guessed)


def first_in_history(parameter: Parameter, talk: Talk, reader: Reader) -> Any:
    """The first value that calls gave for an argument of this name."""
    return next(iter(in_history(parameter, talk)), MISSING)


def guessed(parameter: Parameter) -> Any:
    """A default, the first of an enum, or a value of the parameter's type."""
    return guess(parameter.view)
