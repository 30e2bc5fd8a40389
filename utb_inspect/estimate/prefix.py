"""How much of what is sent was sent before: what prompt caching can save.

Providers cache prefixes. A request can be read from the cache as far as an earlier one began in the same way: the same
tools, then the same messages.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Literal, get_args

from utb_inspect.estimate.requests import Request
from utb_inspect.estimate.tokens import framed

Scope = Literal["sample", "topic", "profile"]
"""Among which requests a prefix is looked for: a sample's own rounds, all samples of the topic, or of the profile."""
SCOPES: tuple[Scope, ...] = get_args(Scope)

_KEYS: Mapping[Scope, Callable[[Request], str]] = {
    "sample": lambda request: request.turn.id,
    "topic": lambda request: request.turn.topic.id,
    "profile": lambda request: request.turn.profile,
}


class Prefixes:
    """The beginnings of all requests that were sent."""

    def __init__(self) -> None:
        self._sent: set[int] = set()

    def add(self, pieces: Sequence[Hashable]) -> int:
        """Note a request.

        Returns:
            How many of its leading pieces an earlier request began with.
        """
        repeated, prefix = 0, 0
        for number, piece in enumerate(pieces, 1):
            prefix = hash((prefix, piece))
            if prefix in self._sent:
                repeated = number
            self._sent.add(prefix)
        return repeated


def repeated_tokens(requests: Iterable[Request]) -> dict[Scope, float]:
    """Tokens that repeat the beginning of an earlier request of the same scope, in the order in which they are sent."""
    seen: dict[Scope, defaultdict[str, Prefixes]] = {scope: defaultdict(Prefixes) for scope in SCOPES}
    repeated: dict[Scope, float] = dict.fromkeys(SCOPES, 0.0)
    for request in requests:
        for scope, key in _KEYS.items():
            count = seen[scope][key(request)].add(request.pieces)
            repeated[scope] += sum(framed(piece.text) for piece in request.pieces[:count])
    return repeated
