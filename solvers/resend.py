"""A model's message as it is sent again with the next request: without what providers refuse to take."""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import copy

from inspect_ai.model import ChatMessage, ChatMessageAssistant, Content, ContentText
from inspect_ai.tool import ToolCall

from utb_inspect.datasets.wire import is_wire_name, wire_name
from utb_inspect.trajectory.run import own_id


def calls_of(message: ChatMessage) -> Sequence[ToolCall]:
    """The calls that a message makes."""
    return (message.tool_calls or ()) if isinstance(message, ChatMessageAssistant) else ()


def fit_to_resend(message: ChatMessageAssistant, taken: set[str]) -> ChatMessageAssistant:
    """The message with new ids for calls whose ids are taken, names that providers take, no blank text beside calls.

    Args:
        message: A model's message, as its provider returned it.
        taken: Ids of all calls of the conversation, history too; those of the message are added.
    """
    calls = []
    for call in calls_of(message):
        own = copy(call)
        own.id = own_id(call.id, taken)
        own.function = call.function if is_wire_name(call.function) else wire_name(call.function)
        _forget_unfit(call.id, renamed=(own.id, own.function) != (call.id, call.function))
        calls.append(own)
    return message.model_copy(update={"content": _without_blanks(message), "tool_calls": calls}) if calls else message


def _without_blanks(message: ChatMessageAssistant) -> str | list[Content]:
    """What stands beside calls, without texts of mere white space."""
    if isinstance(message.content, str):
        return message.content if message.content.strip() else []
    return [part for part in message.content if not isinstance(part, ContentText) or part.text.strip()]


def _forget_unfit(call_id: str, renamed: bool) -> None:
    """Keep Inspect from sending a call as OpenAI Responses returned it, when that is unfit.

    It keeps such calls by id: the second of one id in place of the first, even of one in the history. And it keeps
    arguments as they were written; a provider that refuses them would refuse every request from then on.
    """
    from inspect_ai.model._openai_responses import assistant_internal  # slow; a run with a model has loaded it

    kept = assistant_internal().tool_calls
    if call_id in kept and (renamed or not _is_object(kept[call_id].get("arguments"))):
        del kept[call_id]


def _is_object(text: object) -> bool:
    try:
        return isinstance(text, str) and isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
