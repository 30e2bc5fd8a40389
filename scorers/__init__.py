"""Scorers: the verdicts of spec section 5, from the log alone."""

from collections.abc import Callable
from functools import wraps

from inspect_ai._util.registry import RegistryInfo, registry_add, registry_info
from inspect_ai.scorer import Scorer

from utb_inspect.scorers.exact import utb_exact
from utb_inspect.scorers.labels import utb_labels
from utb_inspect.scorers.progress import utb_progress
from utb_inspect.scorers.relaxed import utb_relaxed
from utb_inspect.scorers.severity import utb_severity
from utb_inspect.scorers.turn import utb_turn
from utb_inspect.scorers.upstream import utb_upstream

_FACTORIES = (utb_exact, utb_labels, utb_progress, utb_relaxed, utb_severity, utb_turn, utb_upstream)

__all__ = ["utb_exact", "utb_labels", "utb_progress", "utb_relaxed", "utb_severity", "utb_turn", "utb_upstream"]


def _register_bare_names() -> None:
    """Let a log be scored again without naming a scorer: Inspect logs scorers without their package."""
    for factory in _FACTORIES:

        @wraps(factory)
        def make(factory: Callable[[], Scorer] = factory) -> Scorer:
            return factory()

        metadata = registry_info(factory).metadata
        registry_add(make, RegistryInfo(type="scorer", name=factory.__name__, metadata=metadata))


_register_bare_names()
