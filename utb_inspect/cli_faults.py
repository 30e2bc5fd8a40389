"""What all commands share: how a fault of the data is told."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from rich.console import Console

from utb_inspect.console import as_text
from utb_inspect.schema import DataError

P = ParamSpec("P")
R = TypeVar("R")

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
