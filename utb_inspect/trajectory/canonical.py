"""Values written in one way: equal texts for equal values."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


def canonical(value: Any, of_text: Callable[[str], str] = str) -> str:
    """A JSON value as a text, the same for values that are equal; numbers count by value, keys have no order.

    Args:
        value: What JSON can say.
        of_text: What a text counts as.
    """
    return json.dumps(_plain(value, of_text), sort_keys=True, ensure_ascii=False)


def _plain(value: Any, of_text: Callable[[str], str]) -> Any:
    match value:
        case str():
            return of_text(value)
        case float() if value.is_integer():
            return int(value)
        case list() | tuple():
            return [_plain(item, of_text) for item in value]
        case dict():
            return {str(key): _plain(item, of_text) for key, item in value.items()}
        case _:
            return value
