"""Which language a dataset's texts are in, and which of a row's two languages is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from utb_inspect.trajectory.text import CJK, words

Language = Literal["en", "zh"]
NAMES: dict[Language, str] = {"en": "English", "zh": "Chinese"}


def language_of(texts: Iterable[str]) -> Language | None:
    """`zh` when the texts have at least as many Chinese characters as other words; None without any word."""
    counts = {True: 0, False: 0}
    for text in texts:
        for word in words(text):
            counts[CJK.match(word) is not None] += 1
    if not any(counts.values()):
        return None
    return "zh" if counts[True] >= counts[False] else "en"


def choose(row: Mapping[str, Any], field: str, language: Language | None) -> Any:
    """A field of a public row, `field` or `english_<field>`: the one of the language, else the one that is given.

    Without a language the English one is preferred.
    """
    first, second = row.get(f"english_{field}"), row.get(field)
    if language == "zh":
        first, second = second, first
    return first if is_given(first) or second is None else second


def is_given(value: Any) -> bool:
    """Whether a value says anything: null, blank text, and lists of nothing else do not."""
    if isinstance(value, list):
        return any(map(is_given, value))
    return bool(value.strip()) if isinstance(value, str) else value is not None and value != {}
