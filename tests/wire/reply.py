"""What a model does, in a form that each provider's protocol can carry."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from utb_inspect.baselines.player import Action

Stop = Literal["end", "calls", "length", "filter", "refusal"]
"""Why an output ended: of itself, with calls, at the token limit, by the content filter, by the model's refusal."""


@dataclass(frozen=True)
class ReplyCall:
    """A tool call."""

    name: str
    arguments: Mapping[str, Any] | str
    """An object, or raw text that need not be one."""
    id: str | None = None
    """By default one made from the request's number and the place of the call."""

    @property
    def text(self) -> str:
        """The arguments as JSON text."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments, ensure_ascii=False)

    @property
    def object(self) -> Any:
        """The arguments as an object, for a protocol that carries no other; text that is none stands under a key."""
        try:
            found = json.loads(self.text)
        except ValueError:
            found = None
        return found if isinstance(found, dict) else {"unparsed": self.text}


@dataclass(frozen=True)
class Reply:
    """A model's message; what is empty is not sent."""

    text: str = ""
    calls: Sequence[ReplyCall] = ()
    reasoning: str = ""
    redacted: bool = False
    """Whether the reasoning is encrypted and no more (OpenAI Responses, Anthropic)."""
    refusal: str = ""
    """Text of a refusal (OpenAI's have a field of their own; Anthropic's are text)."""
    stop: Stop | None = None
    """By default `calls` when there are calls, `refusal` when there is a refusal, else `end`."""

    @property
    def stops(self) -> Stop:
        return self.stop or ("calls" if self.calls else "refusal" if self.refusal else "end")

    @classmethod
    def of(cls, action: Action) -> Reply:
        """An offline model's action."""
        return cls(action.text, [ReplyCall(name, arguments) for name, arguments in action.calls])
