"""What the protocols share: ids, pieces of a stream, arguments in one form."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

USED = (10, 5)
"""Tokens of prompt and output that every answer reports."""


def pieces(text: str) -> Iterator[str]:
    """A text in up to four pieces, as a stream brings it."""
    size = max(1, -(-len(text) // 4))
    yield from (text[i : i + size] for i in range(0, len(text), size))


def sealed(number: int, thought: str) -> str:
    """A thought as providers sign or encrypt it: text that says nothing, another for each answer."""
    return b64encode(f"{number} {thought}".encode()).decode()


def event(data: Any, name: str | None = None) -> str:
    """A server-sent event."""
    line = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return f"event: {name}\ndata: {line}\n\n" if name else f"data: {line}\n\n"


def called(name: str, arguments: Any) -> str:
    """A call as an item's text: the name and the arguments with sorted keys."""
    try:
        read = json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        return f"{name} {arguments}"
    return f"{name} {json.dumps(read, ensure_ascii=False, sort_keys=True)}"
