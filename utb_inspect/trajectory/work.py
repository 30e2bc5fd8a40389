"""Budgets of work, so that no input makes a check hang. Counted, not timed: a verdict is the same on any machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class TooMuchWorkError(Exception):
    """The budget is spent."""


class Work:
    """Work of one kind, in steps; without a budget none is counted."""

    def __init__(self, name: str) -> None:
        self._left: ContextVar[int | None] = ContextVar(name, default=None)

    @contextmanager
    def budget(self, steps: int) -> Iterator[None]:
        """Let what is done inside come to so many steps; inside another budget that one holds."""
        if self._left.get() is not None:
            yield
            return
        token = self._left.set(steps)
        try:
            yield
        finally:
            self._left.reset(token)

    def spend(self, steps: int) -> None:
        """Take steps off the budget.

        Raises:
            TooMuchWorkError: it has fewer left; then it has none.
        """
        if not self.affords(steps):
            self._left.set(0)
            raise TooMuchWorkError

    def affords(self, steps: int) -> bool:
        """Take steps off the budget if it has as many left; whether it had."""
        left = self._left.get()
        if left is None:
            return True
        if left < steps:
            return False
        self._left.set(left - steps)
        return True


CHECKING = Work("checking")
"""Seeing whether values fit schemas."""
PAIRING = Work("pairing")
"""Finding which items of two lists stand for one another."""
