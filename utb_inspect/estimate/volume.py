"""How much a run sends and gets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from utb_inspect.estimate.prefix import SCOPES, Scope, repeated_tokens
from utb_inspect.estimate.requests import Request
from utb_inspect.estimate.tokens import framed, tokens


@dataclass(frozen=True)
class Volume:
    """Samples, model calls and tokens of a run."""

    samples: int
    calls: int
    input_tokens: float
    """Of all calls, whether they are read from a cache or not."""
    output_tokens: float
    longest_request: float
    """Input tokens of the longest call: what a model's context must hold, beside its answer."""
    repeated: Mapping[Scope, float]
    """Input tokens that repeat the beginning of a request that was answered before, by scope."""

    def scaled(self, times: float = 1, ratio: float = 1) -> Volume:
        """The volume of so many runs, for a tokenizer that makes `ratio` tokens of one."""
        return Volume(
            samples=round(self.samples * times),
            calls=round(self.calls * times),
            input_tokens=self.input_tokens * times * ratio,
            output_tokens=self.output_tokens * times * ratio,
            longest_request=self.longest_request * ratio,
            repeated={scope: count * times * ratio for scope, count in self.repeated.items()},
        )


def measure(requests: Iterable[Request], connections: int = 1) -> Volume:
    """The volume of one epoch's requests, of which so many are sent at one time."""
    sent = list(requests)
    sizes = [sum(framed(piece.text) for piece in request.pieces) for request in sent]
    return Volume(
        samples=len({request.turn.id for request in sent}),
        calls=len(sent),
        input_tokens=sum(sizes),
        output_tokens=sum(tokens(request.answer) for request in sent),
        longest_request=max(sizes, default=0),
        repeated=repeated_tokens(sent, connections),
    )


def total(volumes: Iterable[Volume]) -> Volume:
    """Several runs as one."""
    runs = list(volumes)
    return Volume(
        samples=sum(run.samples for run in runs),
        calls=sum(run.calls for run in runs),
        input_tokens=sum(run.input_tokens for run in runs),
        output_tokens=sum(run.output_tokens for run in runs),
        longest_request=max((run.longest_request for run in runs), default=0),
        repeated={scope: sum(run.repeated[scope] for run in runs) for scope in SCOPES},
    )
