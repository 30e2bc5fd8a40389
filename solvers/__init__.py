"""Solvers: what puts a turn before a model, and what answers it."""

from utb_inspect.solvers.play import play
from utb_inspect.solvers.show import show

__all__ = ["play", "show"]
