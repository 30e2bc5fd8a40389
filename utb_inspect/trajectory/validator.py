"""JSON Schema 2020-12 in bounded time: no schema and no arguments make a validation hang (spec section 3)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jsonschema_rs import Draft202012Validator, FancyRegexOptions, RegexOptions, ValidationError

LONGEST = 500_000
"""Characters that arguments may have, names and texts together: more than a model writes in one message."""
LONGEST_TRIED = 10_000
"""The same for a tool with look-around or back references in a pattern, which no engine searches in linear time."""
_BACKTRACKS = 100_000


class Validator:
    """A schema, compiled.

    Regular expressions are read as JSON Schema has them (ECMA-262) and searched in linear time where that can be.

    Raises:
        ValueError: it is no JSON Schema, or refers to what it does not hold; says where.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.longest = LONGEST
        """Characters that the values it is given may have."""
        try:
            self._validator = _compile(schema, RegexOptions())
        except ValueError:
            self._validator = _compile(schema, FancyRegexOptions(backtrack_limit=_BACKTRACKS))
            self.longest = LONGEST_TRIED

    def fault(self, value: Any) -> str | None:
        """The first reason why a value is not valid, with its place; None when it is."""
        try:
            self._validator.validate(value)
        except ValidationError as error:
            place = ".".join(map(str, error.instance_path))
            return f"{place}: {error.message}" if place else error.message
        except ValueError as error:  # half a surrogate pair, a key that is no text
            return f"cannot be checked ({error})"
        return None


def _compile(schema: Mapping[str, Any], patterns: RegexOptions | FancyRegexOptions) -> Draft202012Validator:
    try:
        return Draft202012Validator(dict(schema), pattern_options=patterns, retriever=_refuse)
    except ValidationError as error:
        place = "/".join(map(str, error.instance_path))
        raise ValueError(f"at {place or 'its top'}, {error.message}") from None


def _refuse(address: str) -> Any:
    """A reference to elsewhere is an error, never a download."""
    raise LookupError(address)


@lru_cache(maxsize=1024)
def _pattern(pattern: str) -> Validator | None:
    try:
        return Validator({"pattern": pattern})
    except ValueError:
        return None


def matches(pattern: str, text: str) -> bool:
    """Whether a schema's regular expression is found in a text."""
    validator = _pattern(pattern)
    return validator is not None and len(text) <= validator.longest and validator.fault(text) is None
