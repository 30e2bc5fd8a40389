"""Anthropic messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from anthropic.types.message_create_params import (
    MessageCreateParamsNonStreaming,
    MessageCreateParamsStreaming,
)

from wire.answer import Answer
from wire.pieces import USED, called, event, pieces, sealed
from wire.reply import Reply, Stop
from wire.request import Item
from wire.rules import Made, Message, choice_faults, conversation_faults, tool_faults
from wire.sdk_types import type_faults

PATH = "/v1/messages"

_STOP: Mapping[Stop, str] = {
    "end": "end_turn",
    "calls": "tool_use",
    "length": "max_tokens",
    "filter": "refusal",
    "refusal": "refusal",
}
_MOST_CACHE_MARKS = 4


def problems(body: dict[str, Any]) -> list[str]:
    """What breaks the SDK's types or the provider's rules."""
    params = MessageCreateParamsStreaming if body.get("stream") else MessageCreateParamsNonStreaming
    if found := type_faults(params, body):
        return found
    tools = body.get("tools", [])
    return [
        *tool_faults([(tool["name"], tool.get("description", ""), tool["input_schema"]) for tool in tools]),
        *(f"tool {tool['name']} is strict" for tool in tools if tool.get("strict")),
        *_block_faults(body),
        *conversation_faults(list(_messages(body)), [tool["name"] for tool in tools]),
        *choice_faults(body, [tool["name"] for tool in tools]),
    ]


def _blocks(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _text(block: Any) -> str:
    """The text of a text block or of a result."""
    content = block["text"] if block["type"] == "text" else block.get("content", "")
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def _block_faults(body: Any) -> Iterator[str]:
    marked = [body, *_blocks(body.get("system", [])), *body.get("tools", [])]
    for place, message in enumerate(body["messages"]):
        blocks = _blocks(message["content"])
        marked.extend(blocks)
        kinds = [block["type"] for block in blocks]
        if sorted(kinds, key=lambda kind: kind != "tool_result") != kinds:
            yield f"message {place}: results that do not come first"
        if sorted(kinds, key=lambda kind: "thinking" not in kind) != kinds:
            yield f"message {place}: thinking that does not come first"
    if sum(bool(block.get("cache_control")) for block in marked) > _MOST_CACHE_MARKS:
        yield "too many cache marks"


def read(body: Any) -> list[Item]:
    """The conversation."""
    items = [Item("system", _text(block)) for block in _blocks(body.get("system", []))]
    for message in body["messages"]:
        for block in _blocks(message["content"]):
            match block["type"]:
                case "text":
                    items.append(Item(message["role"], block["text"]))
                case "tool_use":
                    items.append(Item("call", called(block["name"], block["input"])))
                case "tool_result":
                    items.append(Item("result", _text(block)))
    return items


def _messages(body: Any) -> Iterator[Message]:
    """Messages with results apart from what the user says beside them."""
    if system := _blocks(body.get("system", [])):
        yield Message("system", [_text(block) for block in system])
    for message in body["messages"]:
        blocks = _blocks(message["content"])
        answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        texts = [block["text"] for block in blocks if block["type"] == "text"]
        calls = [Made(b["id"], b["name"], b["input"]) for b in blocks if b["type"] == "tool_use"]
        if answered:
            yield Message("results", answered=answered)
        if texts or calls or not answered:
            yield Message(message["role"], texts, calls)


def answer(reply: Reply, body: Any, number: int) -> Answer:
    """A reply as a message and as its events."""
    content: list[dict[str, Any]] = []
    if reply.reasoning:
        seal = sealed(number, reply.reasoning)
        shown = {"type": "thinking", "thinking": reply.reasoning, "signature": seal}
        content.append({"type": "redacted_thinking", "data": seal} if reply.redacted else shown)
    if reply.text or reply.refusal:
        content.append({"type": "text", "text": reply.text or reply.refusal})
    for place, call in enumerate(reply.calls):
        own = call.id or f"toolu_{number:07d}x{place:03d}"
        content.append({"type": "tool_use", "id": own, "name": call.name, "input": call.object})
    stop = {"stop_reason": _STOP[reply.stops], "stop_sequence": None}
    usage = {"input_tokens": USED[0], "output_tokens": USED[1]}
    whole = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        **stop,
        "usage": usage,
    }
    begun = {**whole, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    data = [{"type": "message_start", "message": begun}]
    for place, block in enumerate(content):
        data.extend({**one, "index": place} for one in _block_events(block))
    data.append({"type": "message_delta", "delta": stop, "usage": {"output_tokens": USED[1]}})
    data.append({"type": "message_stop"})
    return Answer(whole, [event(one, str(one["type"])) for one in data], bool(body.get("stream")))


def _block_events(block: Any) -> Iterator[dict[str, Any]]:
    start: dict[str, dict[str, Any]] = {"text": {"text": ""}, "tool_use": {"input": {}}}
    start |= {"thinking": {"thinking": "", "signature": ""}, "redacted_thinking": {}}
    yield {"type": "content_block_start", "content_block": {**block, **start[block["type"]]}}
    deltas: list[dict[str, Any]] = []
    match block["type"]:
        case "text":
            deltas = [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
        case "thinking":
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces(block["thinking"])]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        case "tool_use":
            written = json.dumps(block["input"], ensure_ascii=False)
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces(written)]
    yield from ({"type": "content_block_delta", "delta": delta} for delta in deltas)
    yield {"type": "content_block_stop"}
