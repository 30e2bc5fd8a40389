"""A budget of work, so that no input makes a check hang. Counted, not timed: a verdict is the same on any machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class TooMuchWorkError(Exception):
    """The budget is spent."""


class _Budget:
    def __init__(self, steps: int) -> None:
        self.left = steps


_BUDGET: ContextVar[_Budget | None] = ContextVar("budget", default=None)


@contextmanager
def budget(steps: int) -> Iterator[None]:
    """Let what is done inside come to so many steps; inside another budget that one holds."""
    if _BUDGET.get() is not None:
        yield
        return
    token = _BUDGET.set(_Budget(steps))
    try:
        yield
    finally:
        _BUDGET.reset(token)


def spend(steps: int) -> None:
    """Take steps off the budget; without one nothing is counted.

    Raises:
        TooMuchWorkError: it has fewer left.
    """
    found = _BUDGET.get()
    if found is not None:
        found.left -= steps
        if found.left < 0:
            raise TooMuchWorkError


def affords(steps: int) -> bool:
    """Take steps off the budget if it has as many left; whether it had."""
    found = _BUDGET.get()
    if found is None:
        return True
    if found.left < steps:
        return False
    found.left -= steps
    return True
