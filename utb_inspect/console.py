"""Text on a console of `rich`."""

from __future__ import annotations

from rich.markup import escape

from utb_inspect.foreign_text import printable


def as_text(text: str) -> str:
    """A text as it is: what `rich` reads as markup is none, and control characters are spelled out."""
    return escape(printable(text))
