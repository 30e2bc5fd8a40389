"""Regular expressions of schemas: read as ECMA-262 has them, searched with bounded work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from jsonschema_rs import (
    Draft202012Validator,
    FancyRegexOptions,
    RegexOptions,
    ValidationError,
    ValidationErrorKind,
)

from utb_inspect.trajectory.work import CHECKING, TooMuchWorkError

_BACKTRACKS = 10_000
_SIZES = tuple(2**power for power in range(10, 25))
_BYTES_IN_A_STEP = 200_000
"""Bytes of a compiled pattern that a search passes through in one step of work, one for each character at worst."""
_TOKEN = re.compile(r"\\.|\[\^?(?:\\.|[^\]\\])+\]|[()|]", re.DOTALL)
_AHEAD = re.compile(r"\(\?([=!])")


class Pattern:
    """A pattern, compiled.

    Raises:
        ValueError: it is no regular expression.
    """

    def __init__(self, pattern: str) -> None:
        alone = _compile(pattern, backtracks=False)
        pieces = [_Piece(*alone, wanted=True, tried=False)] if alone else _pieces(pattern)
        if not pieces:
            tried = _compile(pattern, backtracks=True)
            if tried is None:
                raise ValueError(f"{pattern!r} is no regular expression")
            pieces = [_Piece(*tried, wanted=True, tried=True)]
        self._pieces = pieces

    def found_in(self, text: str) -> bool:
        """Whether it is found anywhere in a text.

        Raises:
            TooMuchWorkError: to find out.
            UnicodeEncodeError: the text holds half a surrogate pair.
        """
        return all(piece.found_in(text) == piece.wanted for piece in self._pieces)


class _Piece:
    """An expression that is to be found, or not to be found."""

    def __init__(self, validator: Draft202012Validator, size: int, *, wanted: bool, tried: bool) -> None:
        self._validator = validator
        self._size = size
        self.wanted = wanted
        self._tried = tried

    def found_in(self, text: str) -> bool:
        # What is searched by trying starts anew at each character, and tries many ways from there.
        again = max(len(text), 100) if self._tried else 1
        CHECKING.spend(1 + self._size * len(text) * again // _BYTES_IN_A_STEP)
        if not self._tried:
            return self._validator.is_valid(text)
        try:
            self._validator.validate(text)
        except ValidationError as error:
            if isinstance(error.kind, ValidationErrorKind.BacktrackLimitExceeded):
                raise TooMuchWorkError from None
            return False
        return True


def _compile(pattern: str, *, backtracks: bool) -> tuple[Draft202012Validator, int] | None:
    """A searcher, and about how many bytes it takes; None when the engine does not take the pattern."""
    for size in _SIZES:
        options = (
            FancyRegexOptions(size_limit=size, backtrack_limit=_BACKTRACKS)
            if backtracks
            else RegexOptions(size_limit=size)
        )
        try:
            return Draft202012Validator({"pattern": pattern}, pattern_options=options), size
        except ValidationError:
            continue
    return None


def _pieces(pattern: str) -> list[_Piece]:
    """`^(?=a)(?!b)c` as `^(?:a)`, which is wanted, `^(?:b)`, which is not, and `^(?:c)`: each takes linear time.

    Empty when a pattern is not made like that.
    """
    pieces = []
    for wanted, part in _split(pattern):
        compiled = _compile(f"^(?:{part})", backtracks=False)
        if compiled is None:
            return []
        pieces.append(_Piece(*compiled, wanted=wanted, tried=False))
    return pieces


def _split(pattern: str) -> Iterator[tuple[bool, str]]:
    """Looks ahead that a pattern opens with, and what comes after them; nothing when there are none."""
    if not pattern.startswith("^") or "[]" in pattern or "[^]" in pattern:
        return
    start, parts = 1, []
    while ahead := _AHEAD.match(pattern, start):
        end = _closing(pattern, ahead.end())
        if end is None:
            return
        parts.append((ahead[1] == "=", pattern[ahead.end() : end]))
        start = end + 1
    rest = pattern[start:]
    if parts and not rest.startswith(("*", "+", "?", "{")) and not _has_alternatives(rest):
        yield from parts
        yield True, rest


def _closing(pattern: str, start: int) -> int | None:
    """Where the group ends that is open at a place."""
    depth = 0
    for token in _TOKEN.finditer(pattern, start):
        if token[0] == ")" and depth == 0:
            return token.start()
        depth += (token[0] == "(") - (token[0] == ")")
    return None


def _has_alternatives(pattern: str) -> bool:
    depth = 0
    for token in _TOKEN.finditer(pattern):
        if token[0] == "|" and depth == 0:
            return True
        depth += (token[0] == "(") - (token[0] == ")")
    return False


compiled = lru_cache(maxsize=1024)(Pattern)


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern is found in a text; not when it is none.

    Raises:
        TooMuchWorkError: to find out.
    """
    try:
        return compiled(pattern).found_in(text)
    except ValueError:
        return False
