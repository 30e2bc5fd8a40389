"""OpenAI chat completions as servers of local models speak it: with the reasoning in a field of its own."""

from __future__ import annotations

from typing import Any

from wire import openai_chat
from wire.openai_chat import PATH, answer, read

__all__ = ["PATH", "answer", "problems", "read"]


def problems(body: dict[str, Any]) -> list[str]:
    """What breaks the SDK's types, the reasoning sent back aside, or the provider's rules."""
    messages = [_without_reasoning(message) for message in body.get("messages", ())]
    return openai_chat.problems({**body, "messages": messages})


def _without_reasoning(message: dict[str, Any]) -> dict[str, Any]:
    """The SDK's types do not know the field; servers that send it take it back."""
    is_own = message.get("role") == "assistant"
    return {key: value for key, value in message.items() if not (is_own and key == "reasoning_content")}
