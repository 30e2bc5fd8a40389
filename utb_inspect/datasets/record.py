"""What a log keeps of a turn so that it can be scored from the log alone."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from inspect_ai.model import ChatMessage, ChatMessageAssistant
from inspect_ai.util import Store

from utb_inspect.datasets.dataset import PublicTurn
from utb_inspect.datasets.wire import tool_names
from utb_inspect.schema import Model, Toolset, Turn
from utb_inspect.trajectory.calls import Call, Message, Tools
from utb_inspect.trajectory.run import OffPath, Run

VerdictKind = Literal["spec", "upstream"]

_KEY = "utb"


class TurnRecord(Model):
    """The turn, its toolset and the run's rules; lies in the sample's store."""

    turn: Turn
    toolset: Toolset
    start: int
    """Messages that a model is shown before its first: system message, history, request."""
    verdict: VerdictKind = "spec"
    off_path: OffPath = "continue"
    max_rounds: int | None = None
    public: PublicTurn | None = None
    """Set for `verdict=upstream`."""

    def save(self, store: Store) -> None:
        store.set(_KEY, self.model_dump(mode="json", by_alias=True, exclude_defaults=True))

    @classmethod
    def load(cls, store: Store) -> TurnRecord | None:
        """The record of a sample; None when the sample is not one of this suite."""
        data = store.get(_KEY)
        return None if data is None else cls.model_validate(data)

    @property
    def tools(self) -> Tools:
        return _compiled(self.toolset.model_dump_json(by_alias=True, exclude_defaults=True))

    def run(self) -> Run:
        """A fresh run of the turn."""
        return Run(self.turn, self.tools, self.off_path, self.max_rounds)

    def message(self, message: ChatMessageAssistant) -> Message:
        """A model's message as the scoring core reads it, tools under their own names."""
        names = tool_names(self.toolset)
        return Message(
            message.text,
            tuple(
                Call(call.id, names.get(call.function, call.function), call.arguments, call.parse_error)
                for call in message.tool_calls or ()
            ),
        )

    def messages(self, conversation: Iterable[ChatMessage]) -> list[Message]:
        """The model's messages of the run, in order."""
        return [self.message(m) for m in list(conversation)[self.start :] if isinstance(m, ChatMessageAssistant)]


@lru_cache(maxsize=1024)
def _compiled(toolset: str) -> Tools:
    return Tools(Toolset.model_validate_json(toolset))


def mark_played(store: Store) -> None:
    """Note that the run is played by this suite's own solver, which ends runs as the spec says."""
    store.set("utb_played", True)


def marked_played(store: Store) -> bool:
    return "utb_played" in store


def mark_error(store: Store, error: str) -> None:
    """Note that the run ended in an error, so that no later scoring takes it for a decision."""
    store.set("utb_error", error)


def marked_error(store: Store) -> str | None:
    error = store.get("utb_error")
    return None if error is None else str(error)


def mark_cut(store: Store) -> None:
    """Note that an output was cut at `max_tokens`."""
    store.set("utb_cut", True)


def marked_cut(store: Store) -> bool:
    return "utb_cut" in store
