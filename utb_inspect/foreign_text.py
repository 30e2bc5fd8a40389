"""How text from data and logs is shown, whoever wrote it."""

from __future__ import annotations

import re

from rich.markup import escape

# Control characters but tab and line feed, which steer a terminal, and what is no character and ends the drawing of
# pictures.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")


def printable(text: str) -> str:
    """Text from data or logs, with control characters spelled out as in JSON, so that JSON keeps its meaning."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def as_text(text: str) -> str:
    """Printable text for a console of `rich`, which reads markup."""
    return escape(printable(text))
