"""Refusing what cannot be run, in one message and without a traceback."""

from __future__ import annotations

import re

from inspect_ai._util.error import PrerequisiteError
from rich.emoji import Emoji
from rich.markup import escape

_CODE = re.compile(r":\S*?:")
_ZERO_WIDTH_SPACE = "\u200b"


def refusal(message: str) -> PrerequisiteError:
    """An error that Inspect shows as its message alone.

    Inspect prints it as rich markup, in which `[hf]` would vanish and `last:x:` become a cross.
    """
    return PrerequisiteError(_CODE.sub(_spelled_out, escape(message)))


def _spelled_out(code: re.Match[str]) -> str:
    text = code[0]
    return text if Emoji.replace(text) == text else f"{text[:-1]}{_ZERO_WIDTH_SPACE}:"
