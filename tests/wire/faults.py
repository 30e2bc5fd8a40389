"""Faults of networks, providers and models, for any server of `wire`.

One of a network or a provider is a layer (`PROVIDER`), which takes the place of an answer. One that comes as an output
is another reply than the policy's: what a provider did to it (`SPOILED`), and what a model does (`HARMLESS`, `MODEL`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import Receive, Scope, Send

from wire.answer import Answer, Layer, error, streamed
from wire.pieces import event
from wire.reply import Reply, ReplyCall
from wire.request import Kind, Request

CHAT: Sequence[Kind] = ("openai", "compatible")
ALL: Sequence[Kind] = ("openai", "responses", "compatible", "anthropic")

Change = Callable[[Request, Reply], Reply]


@dataclass(frozen=True)
class Fault:
    """A layer or another reply, and the clients that can meet it."""

    layer: Layer | None = None
    change: Change | None = None
    calls: bool = False
    """Whether a change is one of a reply that calls tools, or else of one that does not."""
    kinds: Sequence[Kind] = ALL
    forms: Sequence[bool] = (False, True)
    """Whether answers are streamed."""
    hangs: bool = False
    """Whether it ends by a time-out alone."""

    def meets(self, kind: Kind, streaming: bool) -> bool:
        return kind in self.kinds and streaming in self.forms


# --- answers that never come whole ---------------------------------------------------------------------------


class Reset(Response):
    """Drops the connection before a byte of an answer."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        receive.__self__.transport.abort()  # type: ignore[attr-defined]  # uvicorn's; ASGI has no other way


class Hang(Response):
    """Sends the events, then nothing. Ends when the client leaves."""

    def __init__(self, events: Sequence[str] = ()) -> None:
        super().__init__(media_type="text/event-stream")
        del self.headers["content-length"]
        self.events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.events:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            body = "".join(self.events).encode()
            await send({"type": "http.response.body", "body": body, "more_body": True})
        while (await receive())["type"] != "http.disconnect":
            pass


def _half(answer: Answer) -> Sequence[str]:
    """The first half of a stream, without what says that the output is whole."""
    return answer.events[: len(answer.events) // 2]


def _half_body(request: Request, answer: Answer) -> Response:
    """Half of a body, then the end of the connection."""
    whole = json.dumps(answer.body)
    response = streamed([whole[: len(whole) // 2]], breaks=True)
    response.headers["content-type"] = "application/json"
    return response


def _error_in_stream(request: Request, answer: Answer) -> Response:
    """An error as an event of a stream that began well."""
    match request.kind:
        case "responses":
            data: Any = {"type": "error", "code": "server_error", "message": "worker died", "sequence_number": 99}
            end = event(data, "error")
        case "anthropic":
            end = event(error("anthropic", 529, "overloaded"), "error")
        case kind:
            end = event(error(kind, 500, "worker died", "server_error"))
    return streamed([*_half(answer), end])


# --- errors in the provider's words --------------------------------------------------------------------------


def status(code: int, message: str, name: str | None = None, **headers: str) -> Layer:
    return lambda request, answer: JSONResponse(error(request.kind, code, message, name), code, headers=headers)


def _overloaded(request: Request, answer: Answer) -> Response:
    code = 529 if request.kind == "anthropic" else 503
    return JSONResponse(error(request.kind, code, "overloaded"), code)


def _overflow(request: Request, answer: Answer) -> Response:
    match request.kind:
        case "anthropic":
            body = error("anthropic", 400, "prompt is too long: 214087 tokens > 200000 maximum")
        case "compatible":  # as vLLM has it
            told = "This model's maximum context length is 8192 tokens. However, your request has 9001 input tokens."
            body = {"error": {"message": told, "type": "BadRequestError", "param": None, "code": 400}}
        case kind:
            told = "This model's maximum context length is 128000 tokens."
            body = error(kind, 400, told, "context_length_exceeded")
    return JSONResponse(body, 400)


def _filtered_prompt(request: Request, answer: Answer) -> Response:
    match request.kind:
        case "anthropic":
            body = error("anthropic", 400, "Output blocked by content filtering policy")
        case "responses":
            body = error("responses", 400, "Invalid prompt: it was flagged by our usage policy", "invalid_prompt")
        case kind:  # as Azure has it
            body = error(kind, 400, "The response was filtered", "content_filter")
    return JSONResponse(body, 400)


def _failed(request: Request, answer: Answer) -> Response:
    """A Responses object that says of itself that it failed."""
    failed = {"status": "failed", "output": [], "error": {"code": "server_error", "message": "worker died"}}
    body = {**answer.body, **failed}
    ends = [event({"type": "response.failed", "response": body, "sequence_number": 99}, "response.failed")]
    return streamed([*_half(answer), *ends]) if answer.stream else JSONResponse(body)


def _not_whole(status: str | None, reason: str | None = None, empty: bool = False) -> Layer:
    """A Responses object, half of its text there, that says of itself that it came to no good end."""

    def layer(request: Request, answer: Answer) -> Response:
        output = [] if empty else json.loads(json.dumps(answer.body["output"]))
        for part in (part for item in output for part in item.get("content", ())):
            part["text"] = part["text"][: len(part["text"]) // 2]
        body = {**answer.body, "status": status, "output": output}
        body["incomplete_details"] = {"reason": reason} if reason else None
        if not answer.stream:
            return JSONResponse(body)
        name = "response.incomplete" if status == "incomplete" else "response.completed"
        return streamed([*_half(answer), event({"type": name, "response": body, "sequence_number": 99}, name)])

    return layer


def _said(pattern: str, new: str) -> Layer:
    """The answer with a piece of its JSON replaced wherever it stands."""

    def layer(request: Request, answer: Answer) -> Response:
        body = json.loads(re.sub(pattern, new, json.dumps(answer.body)))
        return Answer(body, [re.sub(pattern, new, one) for one in answer.events], answer.stream).response()

    return layer


def _malformed(request: Request, answer: Answer) -> Response:
    """JSON that breaks off: the body, or the data of an event within a stream that goes on."""
    if not answer.stream:
        return Response(json.dumps(answer.body)[:-9], media_type="application/json")
    half = _half(answer)
    broken, *rest = answer.events[len(half) :]
    return streamed([*half, broken.removesuffix("}\n\n") + "\n\n", *rest])


def _no_choice(request: Request, answer: Answer) -> Response:
    if not answer.stream:
        return JSONResponse({**answer.body, "choices": []})
    first = json.loads(answer.events[0].removeprefix("data: "))
    return streamed([event({**first, "choices": []}), answer.events[-1]])


def _broken_arguments(request: Request, answer: Answer) -> Response:
    """Arguments that are no JSON, which this protocol can carry in a stream alone."""
    return streamed([one.replace('"partial_json": "{', '"partial_json": "{{') for one in answer.events])


def _cut_stream(request: Request, answer: Answer) -> Response:
    """Arguments without their last piece, which this protocol can carry in a stream alone."""
    *_, last = (i for i, one in enumerate(answer.events) if '"partial_json"' in one)
    return streamed([*answer.events[:last], *answer.events[last + 1 :]])


def _two_arguments(request: Request, reply: Reply) -> Reply:
    """What an output at the token limit would have said."""
    arguments = {"train_id": "L1", "note": "a seat in the quiet coach"}
    return replace(_each(arguments=arguments)(request, reply), stop="length")


_HALF = "\ue000"
"""Stands for half a surrogate pair in a reply: one character, so that no piece of a stream divides it."""
_MANY_DIGITS = {"train_id": 97}
"""Arguments with a short number, which no piece of a stream divides, in place of a long one."""


def _written(answer: Answer, old: str, new: str) -> Response:
    """The answer with another text of JSON, which need not be one that Python writes."""
    parts = answer.events if answer.stream else [json.dumps(answer.body, ensure_ascii=False)]
    assert any(old in part for part in parts)
    changed = [part.replace(old, new) for part in parts]
    return streamed(changed) if answer.stream else Response(changed[0], media_type="application/json")


def _halved(request: Request, answer: Answer) -> Response:
    return _written(answer, _HALF, r"\ud83d")


def _halved_arguments(request: Request, answer: Answer) -> Response:
    """Arguments with half a pair. But for Anthropic's in one piece they are text, which holds JSON in its turn."""
    is_object = request.kind == "anthropic" and not answer.stream
    return _written(answer, _HALF, r"\ud83d" if is_object else r"\\ud83d")


def _many_digits(request: Request, answer: Answer) -> Response:
    return _written(answer, " 97}", f" {'9' * 5000}}}")


PROVIDER: Mapping[str, Fault] = {
    "429 with `Retry-After`": Fault(status(429, "slow down", **{"retry-after": "1"})),
    "429": Fault(status(429, "slow down")),
    "429, quota used up": Fault(status(429, "You exceeded your current quota.", "insufficient_quota"), kinds=ALL[:3]),
    "500": Fault(status(500, "internal server error")),
    "503 (Anthropic: 529)": Fault(_overloaded),
    "time-out": Fault(lambda request, answer: Hang(), hangs=True),
    "connection reset": Fault(lambda request, answer: Reset()),
    "half a body": Fault(_half_body, forms=(False,)),
    "half a stream, connection dropped": Fault(lambda _, answer: streamed(_half(answer), breaks=True), forms=(True,)),
    "half a stream, ended as if whole": Fault(lambda _, answer: streamed(_half(answer)), forms=(True,)),
    "half a stream, then silence": Fault(lambda _, answer: Hang(_half(answer)), forms=(True,), hangs=True),
    "half a stream, then an error": Fault(_error_in_stream, forms=(True,)),
    "a stream without events": Fault(lambda _, answer: streamed([]), forms=(True,)),
    "200, malformed JSON": Fault(_malformed),
    "200, a page of HTML": Fault(lambda _, answer: HTMLResponse("<html>Please sign in.</html>")),
    "200, JSON of another kind": Fault(lambda _, answer: JSONResponse({"detail": "no upstream"})),
    "200, an error in words": Fault(lambda request, _: JSONResponse(error(request.kind, 502, "the provider is down"))),
    "200, empty choices": Fault(_no_choice, kinds=CHAT),
    "200, no finish reason": Fault(_said(r'"finish_reason": "\w+"', '"finish_reason": null'), kinds=CHAT),
    "200, `failed`": Fault(_failed, kinds=("responses",)),
    **{
        f"200, {name}": Fault(layer, calls=calls, kinds=("responses",))
        for name, layer, calls in (
            ("`failed` without an error", _not_whole("failed"), False),
            ("`cancelled`", _not_whole("cancelled"), False),
            ("`cancelled`, beside a call", _not_whole("cancelled"), True),
            ("`cancelled`, empty", _not_whole("cancelled", empty=True), False),
            ("`in_progress`", _not_whole("in_progress"), False),
            ("`queued`, empty", _not_whole("queued", empty=True), False),
            ("`incomplete` without a reason", _not_whole("incomplete"), False),
            ("`incomplete` for a new reason", _not_whole("incomplete", "server_shutdown"), False),
            ("no status", _not_whole(None), False),
        )
    },
    "prompt refused by the filter": Fault(_filtered_prompt),
    "prompt longer than the context": Fault(_overflow),
    "413": Fault(status(413, "request too large", "request_too_large")),
    "context full while answering": Fault(
        _said(r'"stop_reason": "\w+"', '"stop_reason": "model_context_window_exceeded"'), kinds=("anthropic",)
    ),
}
"""By name; met in place of a run's answer."""


# --- outputs -------------------------------------------------------------------------------------------------


def _with(**fields: Any) -> Change:
    return lambda request, reply: replace(reply, **fields)


def _more(*calls: ReplyCall) -> Change:
    return lambda request, reply: replace(reply, calls=[*reply.calls, *calls])


def _each(**fields: Any) -> Change:
    """Every call of the reply changed."""
    return lambda request, reply: replace(reply, calls=[replace(call, **fields) for call in reply.calls])


def _cut_arguments(**fields: Any) -> Change:
    def change(request: Request, reply: Reply) -> Reply:
        return replace(reply, calls=[replace(call, arguments=call.text[:-2]) for call in reply.calls], **fields)

    return change


def _one_id(request: Request, reply: Reply) -> Reply:
    """All calls under one id; a single call stays as it is."""
    return _each(id="call_same")(request, reply) if len(reply.calls) > 1 else reply


def _old_id(request: Request, reply: Reply) -> Reply:
    """The first call under the id of a call that the conversation holds; as it is where there is none."""
    found = re.search(rb'"(?:tool_call_id|tool_use_id|call_id)": ?"([^"]+)"', request.raw)
    if not found:
        return reply
    first, *others = reply.calls
    return replace(reply, calls=[replace(first, id=found[1].decode()), *others])


_THOUGHT = "Which day? Shall I ask for the day?"

SPOILED: Mapping[str, Fault] = {
    "filter, in an answer": Fault(change=_with(text="Train", stop="filter")),
    "filter, beside a call": Fault(change=_with(stop="filter"), calls=True),
    "ends with calls, holds none": Fault(
        change=_with(text='<tool_call>{"name": "bookTrain"', calls=(), stop="calls"),
        calls=True,
        kinds=("openai", "compatible", "anthropic"),
    ),
}
"""The provider's doing that comes as an output."""

HARMLESS: Mapping[str, Fault] = {
    "two calls with one id": Fault(change=_one_id, calls=True),
    "a call id of the history": Fault(change=_old_id, calls=True),
    "reasoning before an answer": Fault(change=_with(reasoning=_THOUGHT), kinds=ALL[1:]),
    "reasoning before a call": Fault(change=_with(reasoning=_THOUGHT), calls=True, kinds=ALL[1:]),
    "reasoning in tags before a call": Fault(change=_with(text=f"<think>{_THOUGHT}</think>"), calls=True, kinds=CHAT),
    "text beside a call": Fault(change=_with(text="One moment. Which day was it?"), calls=True),
    "half a surrogate pair beside a call": Fault(_halved, _with(text=f"One moment {_HALF}"), calls=True),
    "half a surrogate pair in an answer": Fault(_halved, lambda _, reply: replace(reply, text=f"{reply.text} {_HALF}")),
}
"""What a model may do without changing its decision."""

MODEL: Mapping[str, Fault] = {
    "refusal in words": Fault(change=_with(text="I cannot help with that.", calls=()), calls=True),
    "refusal in a field of its own": Fault(change=_with(refusal="I cannot help with that.", calls=()), calls=True),
    "no content": Fault(change=_with(text="")),
    "reasoning alone": Fault(change=_with(text="", reasoning=_THOUGHT), kinds=ALL[1:]),
    "output cut at `max_tokens`": Fault(change=_with(text="Train L1", stop="length")),
    "output cut at `max_tokens` behind a call": Fault(change=_with(stop="length"), calls=True),
    "arguments cut at `max_tokens`": Fault(change=_cut_arguments(stop="length"), calls=True, kinds=ALL[:3]),
    "arguments cut at `max_tokens`, streamed": Fault(
        _cut_stream, _with(stop="length"), calls=True, kinds=ALL[3:], forms=(True,)
    ),
    "arguments cut at `max_tokens` behind a whole one, streamed": Fault(
        _cut_stream, _two_arguments, calls=True, kinds=ALL[3:], forms=(True,)
    ),
    "arguments that are no JSON": Fault(change=_cut_arguments(), calls=True, kinds=ALL[:3]),
    "arguments that are no JSON, streamed": Fault(_broken_arguments, calls=True, kinds=ALL[3:], forms=(True,)),
    "arguments that are no object": Fault(change=_each(arguments='["L1"]'), calls=True, kinds=ALL[:3]),
    "arguments against the schema": Fault(change=_each(arguments={"train_id": 7}), calls=True),
    "half a surrogate pair in arguments": Fault(_halved_arguments, _each(arguments={"train_id": _HALF}), calls=True),
    "half a surrogate pair in a parameter's name": Fault(_halved_arguments, _each(arguments={_HALF: "L1"}), calls=True),
    "half a surrogate pair in a tool's name": Fault(_halved, _each(name=f"bookTrain{_HALF}"), calls=True),
    "a number of 5,000 digits": Fault(_many_digits, _each(arguments=_MANY_DIGITS), calls=True),
    "a broken call among others": Fault(change=_more(ReplyCall("findTrains", '{"origin": ')), calls=True),
    "a tool that does not exist": Fault(change=_more(ReplyCall("teleport", {"to": "Lille"})), calls=True),
    "200 kB of arguments": Fault(change=_each(arguments={"train_id": "L1" * 100_000}), calls=True),
}
"""What makes another decision."""
