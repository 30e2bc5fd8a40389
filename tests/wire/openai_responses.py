"""OpenAI Responses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from openai.types.responses.response_create_params import (
    ResponseCreateParamsNonStreaming,
    ResponseCreateParamsStreaming,
)

from wire.answer import Answer
from wire.pieces import USED, called, event, pieces, sealed
from wire.reply import Reply
from wire.request import Item
from wire.rules import Made, Message, choice_faults, conversation_faults, tool_faults
from wire.sdk_types import type_faults

PATH = "/v1/responses"

_ENCRYPTED = "reasoning.encrypted_content"
_PREFIXES = {"message": "msg_", "function_call": "fc_", "reasoning": "rs_"}


def problems(body: dict[str, Any]) -> list[str]:
    """What breaks the SDK's types or the provider's rules."""
    params = ResponseCreateParamsStreaming if body.get("stream") else ResponseCreateParamsNonStreaming
    if found := type_faults(params, {**body, "input": [_with_id(item) for item in sent(body)]}):
        return found
    tools = body.get("tools", [])
    return [
        *tool_faults([(tool["name"], tool.get("description") or "", tool["parameters"]) for tool in tools]),
        # Left out, it counts as true, and a strict schema may hold few of the keywords.
        *(f"tool {tool['name']} is strict" for tool in tools if tool.get("strict") is not False),
        *_item_faults(sent(body)),
        *conversation_faults(list(_messages(sent(body))), [tool["name"] for tool in tools]),
        *choice_faults(body, [tool["name"] for tool in tools]),
    ]


def sent(body: Any) -> list[Any]:
    """The items of a request; a text alone is the user's."""
    given = body.get("input")
    return given if isinstance(given, list) else [{"role": "user", "content": given}]


def _with_id(item: Any) -> Any:
    """An output message that no model made has no id; the SDK's type asks for one, the provider does not."""
    made_up = isinstance(item, dict) and item.get("type") == "message" and item.get("role") == "assistant"
    return {"id": "msg_none", **item} if made_up else item


def _item_faults(items: Any) -> Iterator[str]:
    ids = [item["id"] for item in items if item.get("id")]
    yield from (f"item id {name} is used twice" for name in sorted({name for name in ids if ids.count(name) > 1}))
    for place, item in enumerate(items):
        prefix = _PREFIXES.get(item.get("type", "message"), "")
        if item.get("id") and not item["id"].startswith(prefix):
            yield f"item {place}: id {item['id']!r} does not begin with {prefix}"
        following = items[place + 1 :][:1]
        if item.get("type") == "reasoning" and not (following and _role(following[0]) in ("assistant", "call")):
            yield f"item {place}: reasoning without the item that followed it"


def _role(item: Any) -> str:
    match item.get("type", "message"):
        case "message":
            return "system" if item["role"] == "developer" else str(item["role"])
        case "function_call":
            return "call"
        case "function_call_output":
            return "result"
        case other:
            return str(other)


def _texts(item: Any) -> list[str]:
    content = item["output"] if item.get("type") == "function_call_output" else item["content"]
    if isinstance(content, str):
        return [content]
    return [part["refusal"] if part["type"] == "refusal" else part["text"] for part in content]


def read(body: Any) -> list[Item]:
    """The conversation."""
    items = []
    for item in sent(body):
        role: Any = _role(item)
        if role == "call":
            items.append(Item("call", called(item["name"], item["arguments"])))
        elif role != "reasoning":
            items.extend(Item(role, text) for text in _texts(item))
    return items


def _messages(items: Any) -> Iterator[Message]:
    """Items put together: what the assistant says and calls in one go is one message, results in a row are one."""
    role, texts, calls, answered = "", [], [], []  # type: ignore[var-annotated]
    for item in items:
        own = {"call": "assistant", "reasoning": "assistant", "result": "results"}.get(_role(item), _role(item))
        apart = own == "user" or (_role(item) == "assistant" and texts)
        if role and (own != role or apart):
            yield Message(role, texts, calls, answered)
            texts, calls, answered = [], [], []
        role = own
        match _role(item):
            case "call":
                calls.append(Made(item["call_id"], item["name"], item["arguments"]))
            case "result":
                answered.append(item["call_id"])
            case "reasoning":
                pass
            case _:
                texts.extend(_texts(item))
    if role:
        yield Message(role, texts, calls, answered)


def answer(reply: Reply, body: Any, number: int) -> Answer:
    """A reply as a response and as its events."""
    output = list(_output(reply, number, encrypted=_ENCRYPTED in (body.get("include") or ())))
    reason = {"length": "max_output_tokens", "filter": "content_filter"}.get(reply.stops)
    details = {"input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0}}
    details |= {"output_tokens_details": {"reasoning_tokens": 0}}
    whole = {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1700000000,
        "model": body["model"],
        "status": "incomplete" if reason else "completed",
        "incomplete_details": {"reason": reason} if reason else None,
        "error": None,
        "instructions": None,
        "metadata": {},
        "output": output,
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": {"input_tokens": USED[0], "output_tokens": USED[1], "total_tokens": sum(USED), **details},
    }
    begun = {**whole, "status": "in_progress", "incomplete_details": None, "output": [], "usage": None}
    data = [{"type": "response.created", "response": begun}, {"type": "response.in_progress", "response": begun}]
    for place, item in enumerate(output):
        data.extend({**one, "output_index": place} for one in _item_events(item))
    data.append({"type": f"response.{whole['status']}", "response": whole})
    events = [event({**one, "sequence_number": i}, str(one["type"])) for i, one in enumerate(data)]
    return Answer(whole, events, bool(body.get("stream")))


def _output(reply: Reply, number: int, encrypted: bool) -> Iterator[dict[str, Any]]:
    if reply.reasoning:
        yield {
            "type": "reasoning",
            "id": f"rs_{number}",
            "summary": [] if reply.redacted else [{"type": "summary_text", "text": reply.reasoning}],
            **({"encrypted_content": sealed(number, reply.reasoning)} if encrypted else {}),
        }
    if reply.text or reply.refusal:
        content: list[dict[str, Any]] = []
        content += [{"type": "output_text", "text": reply.text, "annotations": []}] if reply.text else []
        content += [{"type": "refusal", "refusal": reply.refusal}] if reply.refusal else []
        yield {
            "type": "message",
            "id": f"msg_{number}",
            "role": "assistant",
            "status": "completed",
            "content": content,
        }
    for place, call in enumerate(reply.calls):
        yield {
            "type": "function_call",
            "id": f"fc_{number}_{place}",
            "call_id": call.id or f"call_{number:07d}x{place:03d}",
            "name": call.name,
            "arguments": call.text,
            "status": "completed",
        }


def _item_events(item: Any) -> Iterator[dict[str, Any]]:
    empty = {"message": {"content": [], "status": "in_progress"}, "reasoning": {"summary": []}}
    empty |= {"function_call": {"arguments": "", "status": "in_progress"}}
    yield {"type": "response.output_item.added", "item": {**item, **empty[item["type"]]}}
    own = {"item_id": item["id"]}
    match item["type"]:
        case "message":
            for place, part in enumerate(item["content"]):
                yield from _part_events(part, {**own, "content_index": place})
        case "reasoning":
            for place, part in enumerate(item["summary"]):
                at = {**own, "summary_index": place}
                yield {"type": "response.reasoning_summary_part.added", **at, "part": {**part, "text": ""}}
                for piece in pieces(part["text"]):
                    yield {"type": "response.reasoning_summary_text.delta", **at, "delta": piece}
                yield {"type": "response.reasoning_summary_text.done", **at, "text": part["text"]}
                yield {"type": "response.reasoning_summary_part.done", **at, "part": part}
        case _:
            for piece in pieces(item["arguments"]):
                yield {"type": "response.function_call_arguments.delta", **own, "delta": piece}
            done = {"name": item["name"], "arguments": item["arguments"]}
            yield {"type": "response.function_call_arguments.done", **own, **done}
    yield {"type": "response.output_item.done", "item": item}


def _part_events(part: Any, at: dict[str, Any]) -> Iterator[dict[str, Any]]:
    field = "refusal" if part["type"] == "refusal" else "text"
    more = {} if field == "refusal" else {"logprobs": []}
    yield {"type": "response.content_part.added", **at, "part": {**part, field: ""}}
    for piece in pieces(part[field]):
        yield {"type": f"response.{part['type']}.delta", **at, "delta": piece, **more}
    yield {"type": f"response.{part['type']}.done", **at, field: part[field], **more}
    yield {"type": "response.content_part.done", **at, "part": part}
