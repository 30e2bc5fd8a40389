"""OpenAI chat completions, of OpenAI and of servers compatible with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming,
    CompletionCreateParamsStreaming,
)

from wire.answer import Answer
from wire.pieces import USED, called, event, pieces
from wire.reply import Reply, Stop
from wire.request import Item
from wire.rules import Made, Message, choice_faults, conversation_faults, tool_faults
from wire.sdk_types import type_faults

PATH = "/v1/chat/completions"

_FINISH: Mapping[Stop, str] = {
    "end": "stop",
    "calls": "tool_calls",
    "length": "length",
    "filter": "content_filter",
    "refusal": "stop",
}


def problems(body: dict[str, Any]) -> list[str]:
    """What breaks the SDK's types or the provider's rules."""
    params = CompletionCreateParamsStreaming if body.get("stream") else CompletionCreateParamsNonStreaming
    if found := type_faults(params, body):
        return found
    tools = [tool["function"] for tool in body.get("tools", ())]
    return [
        *tool_faults([(tool["name"], tool.get("description", ""), tool.get("parameters")) for tool in tools]),
        *(f"tool {tool['name']} is strict" for tool in tools if tool.get("strict")),
        *conversation_faults(list(_messages(body["messages"])), [tool["name"] for tool in tools]),
        *choice_faults(body, [tool["name"] for tool in tools]),
    ]


def read(body: Any) -> list[Item]:
    """The conversation."""
    items = []
    for message in body["messages"]:
        role = {"tool": "result", "developer": "system"}.get(message["role"], message["role"])
        items.extend(Item(role, text) for text in _texts(message, empty=role == "result"))
        calls = [call["function"] for call in message.get("tool_calls", ())]
        items.extend(Item("call", called(call["name"], call["arguments"])) for call in calls)
    return items


def _texts(message: Any, empty: bool = False) -> list[str]:
    """The texts of a message; calls may stand beside an empty one."""
    content = message.get("content")
    if isinstance(content, list):
        return [part["text"] for part in content]
    return [content] if content or (content is not None and (empty or not message.get("tool_calls"))) else []


def _messages(messages: Any) -> Iterator[Message]:
    results: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            results.append(message["tool_call_id"])
            continue
        if results:
            yield Message("results", answered=results)
            results = []
        calls = [
            Made(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in message.get("tool_calls", ())
        ]
        role = "system" if message["role"] == "developer" else message["role"]
        yield Message(role, _texts(message), calls)
    if results:
        yield Message("results", answered=results)


def answer(reply: Reply, body: Any, number: int) -> Answer:
    """A reply as a completion and as its chunks."""
    calls = [
        {
            "id": call.id or f"call_{number:07d}x{place:03d}",
            "type": "function",
            "function": {"name": call.name, "arguments": call.text},
        }
        for place, call in enumerate(reply.calls)
    ]
    message = {"role": "assistant", "content": reply.text or (None if calls or reply.refusal else "")}
    message |= {"refusal": reply.refusal or None}
    message |= {"tool_calls": calls} if calls else {}
    message |= {"reasoning_content": reply.reasoning} if reply.reasoning else {}
    finish = _FINISH[reply.stops]
    usage = {"prompt_tokens": USED[0], "completion_tokens": USED[1], "total_tokens": sum(USED)}
    head = {"id": f"chatcmpl-{number}", "created": 1700000000, "model": body["model"]}
    choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
    whole = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}

    def chunk(delta: Any, finish: str | None = None) -> str:
        choices = [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}]
        return event({**head, "object": "chat.completion.chunk", "choices": choices})

    events = [chunk({"role": "assistant", "content": None if calls or reply.refusal else ""})]
    for field in ("reasoning_content", "content", "refusal"):
        events += [chunk({field: piece}) for piece in pieces(message.get(field) or "")]
    for place, call in enumerate(calls):
        function = {"name": call["function"]["name"], "arguments": ""}
        events.append(chunk({"tool_calls": [{**call, "index": place, "function": function}]}))
        for piece in pieces(call["function"]["arguments"]):
            events.append(chunk({"tool_calls": [{"index": place, "function": {"arguments": piece}}]}))
    events.append(chunk({}, finish))
    if (body.get("stream_options") or {}).get("include_usage"):
        events.append(event({**head, "object": "chat.completion.chunk", "choices": [], "usage": usage}))
    return Answer(whole, [*events, event("[DONE]")], bool(body.get("stream")))
