"""The request types of the SDKs, made strict: keys that a type does not have are errors, lists are checked at once."""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Annotated, Any, NotRequired, Required, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from typing_extensions import TypedDict, is_typeddict

_TOLD = 3
"""Faults of one request that are told: a union has one for each of its branches."""


@cache
def adapter(params: Any) -> TypeAdapter[Any]:
    """A validator of a request type, a TypedDict of an SDK."""
    return TypeAdapter(_closed(params, ()))


def type_faults(params: Any, body: Any) -> list[str]:
    """What in a request is not of its SDK's type."""
    try:
        adapter(params).validate_python(body, strict=True)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
        branches = Counter(fault["loc"][:-1] for fault in faults)
        # The branch that fits best comes first: deepest, with the fewest faults.
        faults.sort(key=lambda fault: (-len(fault["loc"]), branches[fault["loc"][:-1]]))
        return [f"{_place(fault['loc'])}: {fault['msg']}" for fault in faults[:_TOLD]]
    return []


def _place(parts: Sequence[int | str]) -> str:
    """Where a fault is, without the names of the unions on the way."""
    return ".".join(str(part) for part in parts if "[" not in str(part))


class _NoJson:
    """Stands for the SDK's response objects, which its types take back, any key in them: JSON is none."""


def _closed(hint: Any, within: tuple[Any, ...]) -> Any:
    """A type with closed TypedDicts and lists in place of iterables; one within itself stays as it is."""
    if is_typeddict(hint):
        return hint if hint in within else _closed_dict(hint, (*within, hint))
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Annotated, Required, NotRequired):
        return _closed(args[0], within)
    if origin in (Union, types.UnionType):
        return Union[tuple(_closed(arg, within) for arg in args)]  # noqa: UP007
    if origin is Iterable or origin is list or getattr(origin, "__name__", "") == "SequenceNotStr":
        return list[_closed(args[0], within)]  # type: ignore[misc]
    return _NoJson if isinstance(hint, type) and issubclass(hint, BaseModel) else hint


def _closed_dict(hint: Any, within: tuple[Any, ...]) -> Any:
    fields = {}
    for name, kind in get_type_hints(hint, include_extras=True).items():
        # The marks stand in annotations that were strings when the class was made, so it does not know of them.
        plain = Required if name in hint.__required_keys__ else NotRequired
        mark = get_origin(kind) if get_origin(kind) in (Required, NotRequired) else plain
        fields[name] = mark[_closed(kind, within)]  # type: ignore[index]
    closed = TypedDict(hint.__name__, fields)  # type: ignore[operator]
    closed.__pydantic_config__ = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
    return closed
