"""JSON Schema 2020-12 in bounded time: no schema and no arguments make a validation hang (spec section 3)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jsonschema_rs import Draft202012Validator, FancyRegexOptions, RegexOptions, ValidationError, meta

from utb_inspect.trajectory.schema_work import SchemaWork

LONGEST = 500_000
"""Characters that arguments may have, names and texts together: more than a model writes in one message."""
LONGEST_TRIED = 10_000
"""The same for a tool with look-around or back references in a pattern, which no engine searches in linear time."""
MOST_WORK = 10_000_000
"""What a validation may come to, as `SchemaWork` counts: less than half a second."""
_BACKTRACKS = 100_000


class Validator:
    """A schema, compiled.

    Regular expressions are read as JSON Schema has them (ECMA-262) and searched in linear time where that can be.

    Raises:
        ValueError: it is no JSON Schema, or refers to what it does not hold; says where.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        try:
            meta.validate(dict(schema, **{"$schema": "https://json-schema.org/draft/2020-12/schema"}))
            self._work = SchemaWork(schema)
            self._validator, self.longest = _compile(schema)
        except ValidationError as error:
            place = "/".join(map(str, error.instance_path))
            raise ValueError(f"at {place or 'its top'}, {error.message}") from None

    def fault(self, value: Any) -> str | None:
        """The first reason why a value of at most `longest` characters is not valid; None when it is."""
        try:
            if self._work.of(value) > MOST_WORK:
                raise RecursionError
            self._validator.validate(value)
        except RecursionError:
            return "the arguments are nested too deeply to be checked"
        except ValidationError as error:
            place = ".".join(map(str, error.instance_path))
            return f"{place}: {error.message}" if place else error.message
        except ValueError as error:  # half a surrogate pair
            return f"the arguments cannot be checked: {error}"
        return None


def _compile(schema: Mapping[str, Any]) -> tuple[Draft202012Validator, int]:
    """A validator, and how many characters it is to be given."""
    try:
        return Draft202012Validator(dict(schema), pattern_options=RegexOptions(), retriever=_refuse), LONGEST
    except ValidationError:
        options = FancyRegexOptions(backtrack_limit=_BACKTRACKS)
        return Draft202012Validator(dict(schema), pattern_options=options, retriever=_refuse), LONGEST_TRIED


def _refuse(address: str) -> Any:
    """Nothing is ever downloaded."""
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
