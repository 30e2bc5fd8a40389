"""What an offline model is: something that answers a conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from inspect_ai.model import ChatMessage
from inspect_ai.tool import ToolInfo


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
