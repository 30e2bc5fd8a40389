"""Entry point for Inspect: everything that can be named on its command line."""

import utb_inspect.start  # noqa: F401  # notes the working folder before task files change it
from utb_inspect.baselines.provider import utb
from utb_inspect.scorers import (
    utb_exact,
    utb_labels,
    utb_progress,
    utb_relaxed,
    utb_severity,
    utb_turn,
    utb_upstream,
)
from utb_inspect.solvers import play, show
from utb_inspect.tasks import (
    chat,
    dynamic_preference,
    lack_of_information,
    multi_tool,
    single_tool,
    user_tool_bench,
)

__all__ = [
    "chat",
    "dynamic_preference",
    "lack_of_information",
    "multi_tool",
    "play",
    "show",
    "single_tool",
    "user_tool_bench",
    "utb",
    "utb_exact",
    "utb_labels",
    "utb_progress",
    "utb_relaxed",
    "utb_severity",
    "utb_turn",
    "utb_upstream",
]
