"""Answers of a server, and what a layer may make of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import JSONResponse, Response, StreamingResponse

from wire.request import Kind, Request


@dataclass(frozen=True)
class Answer:
    """The answer to a request in both forms that a provider has; `stream` tells which of them was asked for."""

    body: dict[str, Any]
    events: Sequence[str]
    """Server-sent events, each with its closing blank line."""
    stream: bool

    def response(self) -> Response:
        return streamed(self.events) if self.stream else JSONResponse(self.body)


Layer = Callable[[Request, Answer], Response | Awaitable[Response]]


def streamed(events: Sequence[str], breaks: bool = False) -> Response:
    """A response of server-sent events; with `breaks` the connection is dropped after the last, without an end."""

    async def send() -> AsyncIterator[str]:
        for event in events:
            yield event
        if breaks:
            raise ConnectionError("the stream breaks off")

    return StreamingResponse(send(), media_type="text/event-stream")


def error(kind: Kind, status: int, message: str, code: str | None = None) -> dict[str, Any]:
    """A provider's error body."""
    if kind == "anthropic":
        return {"type": "error", "error": {"type": code or _ANTHROPIC.get(status, "api_error"), "message": message}}
    type_ = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"message": message, "type": type_, "param": None, "code": code}}


_ANTHROPIC = {400: "invalid_request_error", 429: "rate_limit_error", 500: "api_error", 529: "overloaded_error"}
