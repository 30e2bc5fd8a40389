"""Scorers: the verdicts of spec section 5, from the log alone."""

from utb_inspect.scorers.exact import utb_exact
from utb_inspect.scorers.labels import utb_labels
from utb_inspect.scorers.progress import utb_progress
from utb_inspect.scorers.relaxed import utb_relaxed
from utb_inspect.scorers.severity import utb_severity
from utb_inspect.scorers.upstream import utb_upstream

__all__ = ["utb_exact", "utb_labels", "utb_progress", "utb_relaxed", "utb_severity", "utb_upstream"]
