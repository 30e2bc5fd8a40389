"""How much of what is sent was sent before: what prompt caching can save.

Providers cache prefixes. A request can be read from the cache as far as an earlier one began in the same way: the same
tools, then the same messages.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
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

    def repeated(self, pieces: Sequence[Hashable]) -> int:
        """How many leading pieces of a request an earlier one began with."""
        return next((count for count, known in enumerate(_prefixes(pieces)) if known not in self._sent), len(pieces))

    def add(self, pieces: Sequence[Hashable]) -> None:
        """Note a request."""
        self._sent.update(_prefixes(pieces))


def _prefixes(pieces: Iterable[Hashable]) -> Iterator[int]:
    """A number for each beginning, the shortest first."""
    prefix = 0
    for piece in pieces:
        prefix = hash((prefix, piece))
        yield prefix


def waves(requests: Iterable[Request], connections: int) -> Iterator[list[Request]]:
    """The requests that are sent at one time, if all are answered after the same time.

    Args:
        requests: Those of a run, sample by sample, round by round.
        connections: How many samples run at one time.
    """
    waiting = (deque(rounds) for _, rounds in groupby(requests, key=lambda request: request.turn.id))
    running = list(islice(waiting, connections))
    while running:
        yield [rounds.popleft() for rounds in running]
        running = [rounds for rounds in running if rounds]
        running += islice(waiting, connections - len(running))


def repeated_tokens(requests: Iterable[Request], connections: int = 1) -> dict[Scope, float]:
    """Tokens that repeat the beginning of a request of the same scope that was answered before.

    Args:
        requests: Those of a run, in the order in which samples start.
        connections: How many samples run at one time; of requests that are sent together none serves another.
    """
    seen: dict[Scope, defaultdict[str, Prefixes]] = {scope: defaultdict(Prefixes) for scope in SCOPES}
    repeated: dict[Scope, float] = dict.fromkeys(SCOPES, 0.0)
    for wave in waves(requests, connections):
        for request in wave:
            sizes = [framed(piece.text) for piece in request.pieces]
            for scope, key in _KEYS.items():
                repeated[scope] += sum(sizes[: seen[scope][key(request)].repeated(request.pieces)])
        for request in wave:
            for scope, key in _KEYS.items():
                seen[scope][key(request)].add(request.pieces)
    return repeated
