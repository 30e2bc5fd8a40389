"""JSON Schema 2020-12 in bounded work: no schema and no arguments make a validation hang (spec section 3).

The package `jsonschema` validates, with its keywords replaced where they search patterns or look at pairs of items.
Each keyword of a schema meets a value once, however many branches and references lead there: else a schema that comes
back to itself by several branches takes exponential time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import best_match
from jsonschema.validators import extend
from jsonschema_rs import ValidationError as SchemaFault
from jsonschema_rs import meta
from referencing import Registry

from utb_inspect.trajectory.patterns import compiled
from utb_inspect.trajectory.references import check_circles, resolve, schemas_of
from utb_inspect.trajectory.validation_keywords import CHECK, KEYWORDS, Check
from utb_inspect.trajectory.work import CHECKING, TooMuchWorkError

MOST_STEPS = 100_000
"""Times that a keyword may meet a value in one validation; what takes long counts more often. About a second."""
MOST_LEVELS = 200
"""Keywords that may lie around one another, references followed: Python's stack bears no more."""
TOO_MUCH_WORK = "the arguments are too much work to be checked"
TOO_DEEP = "the arguments are nested too deeply to be checked"

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_LONGEST_MESSAGE = 1_000
_MOST_ERRORS = 10
"""Errors of one keyword that are looked at; they double with each level of a schema that refers to itself twice."""
_ENTRIES_IN_A_STEP = 32
_LETTERS_IN_A_STEP = 1_000


class Validator:
    """A schema, compiled.

    Args:
        schema: As `normalise_schema` gives it.

    Raises:
        ValueError: it is no JSON Schema; says where.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        _check_schema((), schema)
        checked = {id(schema)}
        for keys, part in schemas_of(schema):
            # What lies beside all keywords is a schema only since it is referred to.
            if "$ref" in part and id(target := resolve(schema, part["$ref"])) not in checked:
                checked.add(id(target))
                _check_schema(tuple(part["$ref"].split("/")[1:]), target)
            patterns = [part["pattern"]] if "pattern" in part else []
            for pattern in (*patterns, *part.get("patternProperties", ())):
                _check_pattern(keys, pattern)
        check_circles(schema)
        self._validator = _Validator(schema, registry=Registry())
        self._schema = schema

    def fault(self, value: Any) -> str | None:
        """The reason why a value is not valid; None when it is. Takes `MOST_STEPS`, or what the open budget has."""
        token = CHECK.set(Check(self._schema))
        try:
            with CHECKING.budget(MOST_STEPS):
                error = best_match(self._validator.iter_errors(value))
        except TooMuchWorkError:
            return TOO_MUCH_WORK
        except RecursionError:
            return TOO_DEEP
        except (ValueError, ArithmeticError) as problem:
            return f"the arguments cannot be checked: {problem}"
        finally:
            CHECK.reset(token)
        if error is None:
            return None
        place = ".".join(map(str, error.absolute_path))
        return f"{place}: {error.message}" if place else error.message


def _check_schema(keys: tuple[str, ...], schema: Any) -> None:
    try:
        meta.validate({**schema, "$schema": _DIALECT} if isinstance(schema, Mapping) else schema)
    except SchemaFault as fault:
        place = "/".join(map(str, (*keys, *fault.instance_path)))
        raise ValueError(f"at {place or 'its top'}, {fault.message}") from None


def _check_pattern(keys: tuple[str, ...], pattern: str) -> None:
    try:
        compiled(pattern)
    except ValueError as error:
        raise ValueError(f"at {'/'.join(keys) or 'its top'}, {error}") from None


_Keyword = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]


def _counted(keyword: str, function: _Keyword) -> _Keyword:
    """A keyword that counts as work, and finds out about a value once."""

    def check(validator: Any, held: Any, value: Any, schema: Any) -> Iterable[ValidationError]:
        current = CHECK.get()
        CHECKING.spend(1 + len(held) // _ENTRIES_IN_A_STEP if isinstance(held, dict | list) else 1)
        key = (keyword, id(schema), id(value))
        if key in current.found:
            return map(_copy, current.found[key])
        current.levels += 1
        if current.levels > MOST_LEVELS:
            raise RecursionError
        found = list(islice(function(validator, held, value, schema) or (), _MOST_ERRORS))
        current.levels -= 1
        for error in found:
            CHECKING.spend(2 + len(error.message) // _LETTERS_IN_A_STEP)
            error.message = error.message[:_LONGEST_MESSAGE]
        current.found[key] = [_copy(error) for error in found]
        return found

    return check


def _copy(error: ValidationError) -> ValidationError:
    """An error as it is so far: each that hands it on adds to its path."""
    return ValidationError(error.message, validator=error.validator, path=error.relative_path)


_Validator: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {name: _counted(name, f) for name, f in {**Draft202012Validator.VALIDATORS, **KEYWORDS}.items()},
)
