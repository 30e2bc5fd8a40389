"""Words: normalisation, tokens, whole-word search and ROUGE-L (spec section 3)."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from itertools import chain, groupby
from typing import Any, Literal

from rapidfuzz.distance import LCSseq

# Han, kana and Hangul: scripts in which a character counts as a word.
_CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
CJK = re.compile(f"[{_CJK}]")
_CJK_OR_RUN = re.compile(f"[{_CJK}]|[^{_CJK}]+")
# A character that continues a word: a CJK character never does, it is a word of its own.
_WORD_CHARACTER = re.compile(f"[^\\W{_CJK}]")
_NUMBER = re.compile(rf"(?<![^\W{_CJK}])(?<!\.)[-+]?\d+(?:,\d{{3}})*(?:\.\d+)?(?![^\W{_CJK}]|\.\d)")


Form = Literal["NFC", "NFKC"]
LONGEST_KEPT = 2_000
"""Characters up to which a text is kept in a cache."""


def in_form(form: Form, text: str) -> str:
    """A text in a Unicode form, in about linear time."""
    if len(text) <= LONGEST_KEPT or text.isascii():
        return unicodedata.normalize(form, text)
    # `normalize` sorts combining marks, which is quadratic in a run of them that is not in order. So they are sorted
    # before, which takes what each character stands for: some that are no marks stand for several.
    taken_apart = "".join(unicodedata.normalize("NFKD" if form == "NFKC" else "NFD", each) for each in text)
    runs = groupby(taken_apart, key=lambda character: unicodedata.combining(character) > 0)
    ordered = (sorted(run, key=unicodedata.combining) if marks else run for marks, run in runs)
    return unicodedata.normalize(form, "".join(chain.from_iterable(ordered)))


def normalise(text: str) -> str:
    """NFKC, case folded, trimmed, white space collapsed to single spaces."""
    return _normalise_cached(text) if len(text) <= LONGEST_KEPT else _normalise(text)


def _normalise(text: str) -> str:
    return " ".join(in_form("NFKC", in_form("NFKC", text).casefold()).split())


_normalise_cached = lru_cache(maxsize=65536)(_normalise)


def word_count(text: str) -> int:
    """Words of a text, split at white space; a CJK character is a word."""
    count = 0
    for chunk in normalise(text).split():
        if not CJK.search(chunk):
            count += 1
        else:
            count += sum(any(c.isalnum() for c in piece) for piece in _CJK_OR_RUN.findall(chunk))
    return count


def words(text: str) -> list[str]:
    """Normalised words of a text with the punctuation around them stripped; a CJK character is a word."""
    plain = normalise(text).replace("\u2019", "'").replace("\u2018", "'")
    pieces = (piece for chunk in plain.split() for piece in _CJK_OR_RUN.findall(chunk))
    return [word for word in map(_strip_punctuation, pieces) if word]


def _strip_punctuation(word: str) -> str:
    start, end = 0, len(word)
    while start < end and unicodedata.category(word[start]).startswith("P"):
        # A sign before a digit is part of the number, not punctuation.
        if word[start] == "-" and word[start + 1 : start + 2].isdigit():
            break
        start += 1
    while end > start and unicodedata.category(word[end - 1]).startswith("P"):
        end -= 1
    return word[start:end]


def has_word(term: str, text: str) -> bool:
    """Whether a term stands in a text as whole words, both normalised."""
    return _finds(normalise(term), normalise(text), whole=True)


def has_word_start(term: str, text: str) -> bool:
    """Whether a term stands in a text at the start of a word; CJK terms stand anywhere."""
    return _finds(normalise(term), normalise(text), whole=False)


def _finds(term: str, text: str, *, whole: bool) -> bool:
    # Scanned by hand: a pattern for each term takes longer to compile than the search.
    if not term:
        return False
    opens = _WORD_CHARACTER.match(term) is not None
    closes = whole and _WORD_CHARACTER.match(term[-1]) is not None
    start = text.find(term)
    while start >= 0:
        end = start + len(term)
        in_word = opens and start > 0 and _WORD_CHARACTER.match(text[start - 1])
        goes_on = closes and end < len(text) and _WORD_CHARACTER.match(text[end])
        if not in_word and not goes_on:
            return True
        start = text.find(term, start + 1)
    return False


def numbers(text: str) -> list[Decimal]:
    """Numbers in a text, in order."""
    return [Decimal(found.replace(",", "")) for found in _NUMBER.findall(normalise(text))]


def stands(value: Any, source: Any) -> bool:
    """Whether a value stands in a text or in decoded JSON (spec section 2).

    Strings stand word-bounded after normalisation, numbers by value, a list when each item does (an object when
    each of its values does); a boolean or null never does.
    """
    match value:
        case None | bool():
            return False
        case str() if not value.strip():
            return False
        case str() | int() | float():
            return any(_stands_in_leaf(value, leaf) for leaf in leaves(source))
        case list() | tuple():
            return bool(value) and all(stands(item, source) for item in value)
        case dict():
            return bool(value) and all(stands(item, source) for item in value.values())
        case _:
            return False


def _stands_in_leaf(value: str | int | float, leaf: str | int | float) -> bool:
    if isinstance(value, str):
        return has_word(value, leaf if isinstance(leaf, str) else str(leaf))
    if isinstance(leaf, str):
        try:
            return Decimal(str(value)) in numbers(leaf)
        except InvalidOperation:
            return False
    return value == leaf


def leaves(source: Any) -> list[str | int | float]:
    """Strings, keys and numbers of decoded JSON."""
    found: list[str | int | float] = []
    pending = [source]
    while pending:
        item = pending.pop()
        match item:
            case None | bool():
                continue
            case str() | int() | float():
                found.append(item)
            case list() | tuple():
                pending.extend(item)
            case dict():
                found.extend(item)
                pending.extend(item.values())
    return found


def rouge_l(first: list[str], second: list[str]) -> float:
    """ROUGE-L F (beta 1) of two word lists; 0 when they share nothing, 1 when both are empty."""
    if not first and not second:
        return 1.0
    return 2 * LCSseq.similarity(first, second) / (len(first) + len(second))
