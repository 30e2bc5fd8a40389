"""A request as a server saw it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from wire.reply import Reply

Kind = Literal["openai", "responses", "compatible", "anthropic"]


class Item(NamedTuple):
    """A piece of a conversation, the same whatever protocol carried it; call ids are left out."""

    role: Literal["system", "user", "assistant", "call", "result"]
    text: str
    """What was said; of a call the tool's name and its arguments as JSON with sorted keys."""


@dataclass(frozen=True)
class Request:
    """A request to a server."""

    kind: Kind
    number: int
    """From 0, in order of arrival."""
    raw: bytes
    """The body as it was sent."""
    body: dict[str, Any]
    items: Sequence[Item]
    """The conversation; empty when the request breaks the protocol."""
    problems: Sequence[str]
    """What breaks the provider's rules."""
    attempts: int
    """How often the same conversation was sent before."""
    headers: dict[str, str]
    query: Sequence[tuple[str, str]]
    """Names and values behind the path."""

    @property
    def stream(self) -> bool:
        return bool(self.body.get("stream"))


Policy = Callable[[Request], Reply]
"""What the model does; asked again for an attempt that repeats a request."""
