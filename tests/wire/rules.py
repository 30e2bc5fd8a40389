"""Rules that providers document for names, ids and schemas of tools, and for the order of a conversation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from jsonschema_rs import Draft202012Validator, ValidationError

from utb_inspect.trajectory.references import schemas_of

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_ID = re.compile(r"[a-zA-Z0-9_-]{1,40}")
_NOT_AT_THE_TOP = ("oneOf", "anyOf", "allOf", "enum", "not")
_LONGEST_DESCRIPTION = 1024
_MOST_TOOLS = 128


class Made(NamedTuple):
    """A call in a conversation."""

    id: str
    name: str
    arguments: Any
    """An object, or the text that is to be one."""


class Message(NamedTuple):
    """A message as the rules see it; results of calls are one message, whatever carries them."""

    role: str
    """`system`, `user`, `assistant` or `results`."""
    texts: Sequence[str] = ()
    calls: Sequence[Made] = ()
    answered: Sequence[str] = ()
    """Of results: the ids that they answer."""


def conversation_faults(messages: Sequence[Message], declared: Sequence[str]) -> Iterator[str]:
    """What no provider takes, or not every one: order, ids, names, empty text."""
    talk = messages[1:] if messages and messages[0].role == "system" else messages
    if len(talk) < len(messages) and not any(text.strip() for text in messages[0].texts):
        yield "an empty system message"
    if not talk or talk[0].role != "user":
        yield "the first message after the system message is not the user's"
    elif talk[-1].role == "assistant":
        yield "the last message is the assistant's own"
    for place, message in enumerate(talk):
        if message.role == "system":
            yield f"message {place}: a system message in the middle"
        if any(not text.strip() for text in message.texts) or not (message.texts or message.calls or message.answered):
            yield f"message {place}: empty content of the {message.role}"
        yield from (f"message {place}: {fault}" for call in message.calls for fault in _call_faults(call))
    for place, (before, after) in enumerate(pairwise(talk), 1):
        if before.role == after.role:
            yield f"message {place}: two messages of the {after.role} in a row"
        if before.calls and after.role != "results":
            yield f"message {place}: calls that are not followed by their results"
        if after.role == "results" and sorted(after.answered) != sorted(call.id for call in before.calls):
            yield f"message {place}: results that are not those of the calls right before"
        if before.role == "results" and after.role != "assistant":
            yield f"message {place}: results that are followed by the {after.role}"
    ids = [call.id for message in talk for call in message.calls]
    yield from (f"call id {name} is used twice" for name in sorted({name for name in ids if ids.count(name) > 1}))
    if ids and not declared:
        yield "calls in the conversation, but no tools"


def _call_faults(call: Made) -> Iterator[str]:
    if not _ID.fullmatch(call.id):
        yield f"call id {call.id!r}"
    if not _NAME.fullmatch(call.name):
        yield f"name of a called tool {call.name!r}"
    try:
        arguments = json.loads(call.arguments) if isinstance(call.arguments, str) else call.arguments
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        yield f"arguments that are no object: {call.arguments!r}"


def tool_faults(tools: Sequence[tuple[str, str, Any]]) -> Iterator[str]:
    """What no provider takes, or not every one, in tools: (name, description, parameters)."""
    names = [name for name, _, _ in tools]
    yield from (f"two tools called {name}" for name in sorted({name for name in names if names.count(name) > 1}))
    if len(tools) > _MOST_TOOLS:
        yield f"{len(tools)} tools"
    for name, description, parameters in tools:
        if not _NAME.fullmatch(name):
            yield f"tool name {name!r}"
        if len(description) > _LONGEST_DESCRIPTION:
            yield f"{name}: a description of {len(description)} characters"
        yield from (f"{name}: {fault}" for fault in _schema_faults(parameters))


def choice_faults(body: Mapping[str, Any], names: Sequence[str]) -> Iterator[str]:
    """What no provider takes, or not every one, in a request's choice among its tools.

    Args:
        body: The request.
        names: Of the tools that it declares.
    """
    if "tools" in body and not names:
        yield "tools is an empty list"
    for field in ("tool_choice", "parallel_tool_calls"):
        if body.get(field) is not None and not names:
            yield f"{field} without tools"
    choice = body.get("tool_choice")
    if isinstance(choice, Mapping):
        name = choice.get("function", choice).get("name")
        if name is not None and name not in names:
            yield f"tool_choice of {name!r}, which is no tool of the request"


def _schema_faults(parameters: Any) -> Iterator[str]:
    if not isinstance(parameters, dict) or parameters.get("type") != "object" or "properties" not in parameters:
        yield "parameters that are no object schema with properties"
        return
    try:
        Draft202012Validator(parameters, retriever=_refuse)
    except ValidationError as error:
        yield f"no JSON Schema: {error.message}"
        return
    yield from (f"{keyword} at the top" for keyword in _NOT_AT_THE_TOP if keyword in parameters)
    for keys, schema in schemas_of(parameters):
        where = ".".join(keys) or "top"
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if "array" in kinds and "items" not in schema:
            yield f"{where}: an array without items"
        names = schema.get("properties", {})
        yield from (f"{where}: property name {name!r}" for name in names if not _PROPERTY.fullmatch(name))


def _refuse(uri: str) -> Any:
    raise ValueError(f"{uri} is not fetched")
