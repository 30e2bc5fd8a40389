"""How text from data and logs is shown, whoever wrote it."""

from __future__ import annotations

import json
import re

_TURNING = "\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Marks that turn the direction of text, so that a line reads as what it is not."""
# Control characters but tab and line feed, which steer a terminal, and what is no character and ends the drawing of
# pictures.
_CONTROL = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_TURNING}\ufffe\uffff]")
MISLEADING = re.compile(f"[\x00-\x1f\x7f-\x9f{_TURNING}\u2028\u2029\ud800-\udfff]")
"""What belongs in no line or name: control characters, turning marks, breaks, and halves of surrogate pairs."""

_LONGEST_LINE, _LONGEST_WORD = 800, 300
"""Characters of a fault, and of a word in it, such as an id or a path."""
_LONG_WORD = re.compile(rf"\S{{{_LONGEST_WORD + 1},}}")


def printable(text: str) -> str:
    """Text from data or logs; what steers a terminal is spelled out as in JSON, so that JSON keeps its meaning."""
    return _CONTROL.sub(_spelled_out, text)


def one_line(text: str) -> str:
    """A fault as one line that can be printed, whatever the data it quotes holds."""
    return MISLEADING.sub(_spelled_out, text)


def fault_line(text: str) -> str:
    """A fault as one line that can be printed and read, whatever it quotes: what is too long lacks its middle."""
    line = _LONG_WORD.sub(lambda found: _without_middle(found[0], _LONGEST_WORD), one_line(text))
    return _without_middle(line, _LONGEST_LINE)


def _spelled_out(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]


def _without_middle(text: str, length: int) -> str:
    half = (length - 3) // 2
    return text if len(text) <= length else f"{text[:half]}...{text[-half:]}"
