"""Half a surrogate pair in what a model writes: it has no UTF-8, so that neither log nor request can hold it."""

from __future__ import annotations

import re
from typing import Any

from inspect_ai.model import ModelOutput
from inspect_ai.tool import ToolCall
from pydantic import BaseModel

from utb_inspect.trajectory.calls import HALF_A_PAIR

_HALF = re.compile("[\ud800-\udfff]")


def mend_output(output: ModelOutput) -> None:
    """Put U+FFFD in place of each half, in the output itself. A call that had one can no longer be read."""
    output.completion = without_halves(output.completion)
    for choice in output.choices:
        choice.message.content = without_halves(choice.message.content)
        for call in choice.message.tool_calls or ():
            _mend_call(call)


def _mend_call(call: ToolCall) -> None:
    written = (call.function, call.arguments)
    call.function, call.arguments = mended = without_halves(written)
    call.id = without_halves(call.id)
    call.view = without_halves(call.view)
    call.parse_error = without_halves(call.parse_error) or (None if mended == written else HALF_A_PAIR)


def without_halves(value: Any) -> Any:
    """A value as JSON has it, or a model of such values, with U+FFFD in place of each half."""
    match value:
        case str():
            return _HALF.sub("\ufffd", value)
        case list() | tuple():
            return type(value)(map(without_halves, value))
        case dict():
            return {without_halves(key): without_halves(inner) for key, inner in value.items()}
        case BaseModel():
            return value.model_copy(update={name: without_halves(inner) for name, inner in value})
        case _:
            return value
