"""How long a run takes at a rate limit."""

from __future__ import annotations

from dataclasses import dataclass

from utb_inspect.estimate.volume import Volume
from utb_inspect.schema import DataError


@dataclass(frozen=True)
class Limits:
    """What holds a run up; None: not known, and left out.

    Attributes:
        rpm: Requests a minute.
        tpm: Tokens a minute, input and output, cached ones too.
        seconds_per_call: Seconds that a call takes.
        connections: Calls at the same time.
    """

    rpm: float | None = None
    tpm: float | None = None
    seconds_per_call: float | None = None
    connections: int = 10

    def __post_init__(self) -> None:
        for name in ("rpm", "tpm", "seconds_per_call", "connections"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise DataError(f"{name}={value:g}: give a number above 0")


@dataclass(frozen=True)
class Duration:
    """Minutes that a run takes at least, and the limit that makes it so."""

    minutes: float
    limit: str


def duration(volume: Volume, limits: Limits) -> Duration | None:
    """The longest time that one of the limits asks for; None when there is none."""
    found = []
    if limits.rpm is not None:
        found.append(Duration(volume.calls / limits.rpm, "rpm"))
    if limits.tpm is not None:
        found.append(Duration((volume.input_tokens + volume.output_tokens) / limits.tpm, "tpm"))
    if limits.seconds_per_call is not None:
        found.append(Duration(volume.calls * limits.seconds_per_call / limits.connections / 60, "connections"))
    return max(found, key=lambda duration: duration.minutes, default=None)
