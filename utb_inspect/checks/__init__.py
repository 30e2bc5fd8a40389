"""The checks of `utb dataset check`: every rule of the dataset guide that a program can tell."""

from utb_inspect.checks.finding import Finding
from utb_inspect.checks.run import Report, check

__all__ = ["Finding", "Report", "check"]
