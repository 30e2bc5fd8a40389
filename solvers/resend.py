"""A model's message as it is sent again with the next request: without what providers refuse to take."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

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
        calls.append(own)
    _mend_kept({call.id: own for call, own in zip(calls_of(message), calls, strict=True)})
    return message.model_copy(update={"content": _without_blanks(message), "tool_calls": calls}) if calls else message


def _without_blanks(message: ChatMessageAssistant) -> str | list[Content]:
    """What stands beside calls, without texts of mere white space."""
    if isinstance(message.content, str):
        return message.content if message.content.strip() else []
    return [part for part in message.content if not isinstance(part, ContentText) or part.text.strip()]


def _mend_kept(calls: Mapping[str, ToolCall]) -> None:
    """Mend the calls that Inspect keeps as OpenAI Responses returned them, and sends in place of a message's own.

    It keeps them by id: of two calls with one id the last, even in place of one in the history. And it keeps names and
    arguments as they were written; a provider that refuses them would refuse every request from then on.
    An item's own id stays: reasoning goes back with the item that followed it.

    Args:
        calls: Call id, as the provider returned it, to the last call that had it, as it is sent again.
    """
    from inspect_ai.model._openai_responses import assistant_internal  # slow; a run with a model has loaded it

    kept: dict[str, Any] = assistant_internal().tool_calls
    returned = {name: kept.pop(name) for name in calls if name in kept}
    for name, item in returned.items():
        call = calls[name]
        if item.get("type") == "function_call":
            is_read = call.parse_error is None and _is_object(item["arguments"])
            arguments = item["arguments"] if is_read else json.dumps(call.arguments)
            function = item["name"] if is_wire_name(item["name"]) else call.function
            kept[call.id] = {**item, "call_id": call.id, "name": function, "arguments": arguments}


def _is_object(text: object) -> bool:
    try:
        return isinstance(text, str) and isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
