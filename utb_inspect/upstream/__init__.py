"""The public UserToolBench evaluator's verdicts, its quirks included, without listing orderings."""

from .orderings import play_order
from .run import UpstreamCall, UpstreamReply, UpstreamRun, UpstreamVerdict, judge
from .tools import shown_tools
from .verify import verify_case

__all__ = [
    "UpstreamCall",
    "UpstreamReply",
    "UpstreamRun",
    "UpstreamVerdict",
    "judge",
    "play_order",
    "shown_tools",
    "verify_case",
]
