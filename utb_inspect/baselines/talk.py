"""A conversation as a cheap model reads it: what is asked for now, and what was called before."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, ChatMessageUser

_ASKING = "Could you tell me the "
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_ENVIRONMENT_LINE = re.compile(r"\A\[[^\]\n]*\]\n")


def question(things: Sequence[str]) -> str:
    """`Could you tell me the day, the area and the trade?`; for nothing in particular, the details."""
    *first, last = things or ["details"]
    return f"{_ASKING}{', the '.join(first)}{' and the ' if first else ''}{last}?"


@dataclass(frozen=True)
class Talk:
    """What a conversation holds, seen from its end."""

    request: str
    """The current request, without the line that tells date and place."""
    replies: list[str]
    """What the user has replied to questions of `question` since."""
    past: list[Mapping[str, Any]]
    """Arguments of the calls before the current request, oldest first."""
    made: list[str]
    """Tools called since."""
    observations: list[Any]
    """What all calls returned, decoded where it is JSON, oldest first."""
    today: date | None
    """The latest date that the conversation was given with its place."""

    @classmethod
    def of(cls, messages: Sequence[ChatMessage]) -> Talk:
        users = [i for i, m in enumerate(messages) if isinstance(m, ChatMessageUser)]
        start = users[-1] if users else 0
        replies: list[str] = []
        while start and _asks(messages[start - 1]) and (before := [i for i in users if i < start]):
            replies.insert(0, messages[start].text)
            start = before[-1]
        return cls(
            request=_ENVIRONMENT_LINE.sub("", messages[start].text) if messages else "",
            replies=replies,
            past=[call.arguments for call in _tool_calls(messages[:start])],
            made=[call.function for call in _tool_calls(messages[start:])],
            observations=[_decoded(m.text) for m in messages if isinstance(m, ChatMessageTool)],
            today=_today(messages),
        )


def _asks(message: ChatMessage) -> bool:
    return isinstance(message, ChatMessageAssistant) and message.text.startswith(_ASKING)


def _tool_calls(messages: Sequence[ChatMessage]) -> list[Any]:
    return [c for m in messages if isinstance(m, ChatMessageAssistant) for c in m.tool_calls or ()]


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _today(messages: Sequence[ChatMessage]) -> date | None:
    for message in reversed(messages):
        line = message.text if message.role == "system" else ""
        if isinstance(message, ChatMessageUser) and (opening := _ENVIRONMENT_LINE.match(message.text)):
            line = opening[0]
        if found := _DATE.search(line):
            try:
                return date.fromisoformat(found[0])
            except ValueError:
                continue
    return None
