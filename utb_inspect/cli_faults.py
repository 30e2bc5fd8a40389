"""What all commands share: how a fault of the data is told, and how foreign text is printed."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from rich.console import Console
from rich.markup import escape

from utb_inspect.schema import DataError

P = ParamSpec("P")
R = TypeVar("R")

# Control characters but tab and line feed, which steer a terminal, and what is no character and ends the drawing of
# pictures.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")


def printable(text: str) -> str:
    """Text from data or logs, with control characters spelled out as in JSON, so that JSON keeps its meaning."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def as_text(text: str) -> str:
    """Printable text for a console of `rich`, which reads markup."""
    return escape(printable(text))


errors = Console(stderr=True, highlight=False, emoji=False, soft_wrap=True)


def tells_faults(command: Callable[P, R]) -> Callable[P, R]:
    """Show a `DataError` as its message alone, and exit with 2."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except DataError as error:
            errors.print(f"[bold red]Error[/]: {as_text(str(error))}")
            sys.exit(2)

    return run
