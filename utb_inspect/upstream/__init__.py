"""The public UserToolBench evaluator's verdicts, its quirks included, without listing orderings."""

from .orderings import play_order
from .run import UpstreamCall, UpstreamReply, UpstreamRun, UpstreamVerdict, judge
from .tools import shown_tools
from .verify import verify_case

UPSTREAM_VERSION = "upstream"
"""Version of these verdicts, which signatures carry; a change of them would make it `upstream-2`."""

__all__ = [
    "UPSTREAM_VERSION",
    "UpstreamCall",
    "UpstreamReply",
    "UpstreamRun",
    "UpstreamVerdict",
    "judge",
    "play_order",
    "shown_tools",
    "verify_case",
]
