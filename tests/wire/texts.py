"""Texts of JSON and their words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from unicodedata import normalize

_WIDE = "\u2e80-\u2fdf\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese and Japanese characters; these languages write no blanks, so that each counts as a word."""
_WORD = re.compile(rf"[{_WIDE}]|[^\W{_WIDE}]+")
_CHARACTER = re.compile(f"[{_WIDE}]")


@cache
def words(text: str) -> str:
    """The words of a text, each between blanks."""
    return f" {' '.join(_WORD.findall(normalize('NFKC', text).casefold()))} "


def phrases(text: str) -> Iterator[tuple[str, ...]]:
    """Runs of five words, or a shorter text of three or four; two Chinese characters count as a word."""
    split = tuple(words(text).split())
    size = min(_sized(text, 5), len(split))
    if not is_short(text):
        yield from (split[i : i + size] for i in range(len(split) - size + 1))


def is_short(text: str) -> bool:
    """Whether a text has two words at most."""
    return words(text).count(" ") - 1 <= _sized(text, 2)


def _sized(text: str, count: int) -> int:
    """So many words of a text, in characters where it is written in them."""
    return 2 * count if _CHARACTER.search(text) else count


def leaves(value: Any, keys: bool = True) -> Iterator[str]:
    """The texts in a JSON value; what is JSON again within a text is read on, keys that stand twice included."""
    match value:
        case dict():
            for key, inner in value.items():
                if keys:
                    yield key
                yield from leaves(inner, keys)
        case list() | tuple():
            for inner in value:
                yield from leaves(inner, keys)
        case str():
            yield value
            if value.startswith(("{", "[")):
                yield from leaves(_read(value, list if keys else dict), keys)
        case None | bool():
            pass
        case _:
            yield json.dumps(value)


def _read(text: str, pairs: type) -> Any:
    try:
        return json.loads(text, object_pairs_hook=pairs)
    except ValueError:
        return None


def json_texts(raw: bytes) -> Iterator[str]:
    """The texts of JSON, also of keys that stand twice in an object, of which a reader takes the last."""
    return leaves(json.loads(raw, object_pairs_hook=list))
