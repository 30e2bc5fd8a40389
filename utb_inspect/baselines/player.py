"""What an offline model is: something that answers a conversation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from inspect_ai.model import ChatMessage, ChatMessageAssistant
from inspect_ai.model._call_tools import parse_tool_call
from inspect_ai.solver._task_state import sample_state
from inspect_ai.tool import ToolCall, ToolInfo

from utb_inspect.schema import DataError


@dataclass(frozen=True)
class Action:
    """A model's message: text, or calls as (tool, arguments)."""

    text: str = ""
    calls: Sequence[tuple[str, Mapping[str, Any] | str]] = field(default_factory=tuple)
    """Arguments as an object, or as the raw text of one that cannot be parsed."""


class Player(Protocol):
    """An offline model."""

    async def act(self, messages: list[ChatMessage], tools: list[ToolInfo]) -> Action:
        """The next message, from what a model sees: the conversation and the tools."""
        ...


class SampleKey(NamedTuple):
    """Which sample is being played, and in which epoch."""

    id: str
    epoch: int


def current_sample() -> SampleKey:
    """The sample that is being played.

    Raises:
        DataError: no sample is being played, such as when a model is called outside an evaluation.
    """
    state = sample_state()
    if state is None:
        raise DataError("this model answers samples of an evaluation; there is none here")
    return SampleKey(str(state.sample_id), state.epoch)


def rounds_played(messages: Sequence[ChatMessage]) -> int:
    """How many messages of a conversation the model itself has made; history that was put in front is none."""
    return sum(isinstance(m, ChatMessageAssistant) and m.source == "generate" for m in messages)


def to_message(action: Action, tools: list[ToolInfo], place: int) -> ChatMessageAssistant:
    """An action as an assistant message; arguments are parsed as Inspect parses a provider's.

    Args:
        action: What the model does.
        tools: The tools it was given.
        place: Place of the message in the conversation, from which its calls get ids: the same ones in each run.
    """
    calls: list[ToolCall] = []
    for i, (name, arguments) in enumerate(action.calls):
        text = arguments if isinstance(arguments, str) else json.dumps(dict(arguments), ensure_ascii=False)
        calls.append(parse_tool_call(f"c{place:04d}x{i:03d}", name, text, tools))
    return ChatMessageAssistant(content=action.text, tool_calls=calls or None, source="generate")
