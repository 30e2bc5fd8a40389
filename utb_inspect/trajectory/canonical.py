"""Values written in one way: equal texts for equal values."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from itertools import groupby
from typing import Any


def canonical(value: Any, of_text: Callable[[str], str] = str) -> str:
    """A JSON value as a text, the same for values that are equal; numbers count by value, keys have no order.

    Args:
        value: What JSON can say.
        of_text: What a text counts as.
    """
    return json.dumps(_plain(value, of_text), sort_keys=True, ensure_ascii=False)


def composed(text: str) -> str:
    """A text in NFC: the same for texts that differ in Unicode form alone."""
    if text.isascii():
        return text
    # Unicode normalisation is quadratic in a run of combining marks that are not yet in order.
    runs = groupby(text, key=lambda character: unicodedata.combining(character) > 0)
    ordered = (sorted(run, key=unicodedata.combining) if marks else run for marks, run in runs)
    return unicodedata.normalize("NFC", "".join(character for run in ordered for character in run))


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
