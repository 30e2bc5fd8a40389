"""What a model is shown: system message, history and request (spec section 4, Layout)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
)
from inspect_ai.tool import ToolCall

from utb_inspect.datasets.dataset import Dataset, Layout, PlacedTurn
from utb_inspect.datasets.wire import wire_call_id, wire_name
from utb_inspect.schema import AskStep, CallStep, DataError, Environment, Path
from utb_inspect.trajectory.run import content_text
from utb_inspect.upstream import play_order

SYSTEM_PROMPT = "You are the user's personal assistant."

_LAST = re.compile(r"last:(\d+)")


@dataclass(frozen=True)
class View:
    """How much of what came before a model is shown, and how.

    Attributes:
        history: `full`; `none`; `topic`, the earlier turns of the current topic; `last:N`, the N turns before.
        environment: `inline`, a line that opens the first message of every topic shown; `system`, a system
            message `Current Date: ...` for the current topic alone; None, as the dataset's format has it.
        system_prompt: The system message; by default `SYSTEM_PROMPT` with the inline layout, and no more than the
            date with the other.
    """

    history: str = "full"
    environment: Layout | None = None
    system_prompt: str | None = None

    def __post_init__(self) -> None:
        if self.history not in ("full", "none", "topic") and not _LAST.fullmatch(self.history):
            raise DataError(f"history={self.history}: give full, none, topic or last:N, such as last:20")
        if self.environment not in (None, "inline", "system"):
            raise DataError(f"environment={self.environment}: give inline or system")


def earlier_turns(dataset: Dataset, turn: PlacedTurn, history: str) -> Sequence[PlacedTurn]:
    """The turns before one that a model is shown, in order of time."""
    before = dataset.by_profile[turn.profile][: turn.position]
    if history == "full":
        return before
    if history == "none":
        return []
    if history == "topic":
        return [t for t in before if t.topic is turn.topic]
    found = _LAST.fullmatch(history)
    assert found is not None  # View
    count = int(found[1])
    return before[-count:] if count else []


class Prompts:
    """The messages of a dataset's turns, made once and shared by all samples that show them."""

    def __init__(self, dataset: Dataset, view: View) -> None:
        self.dataset = dataset
        self.view = view
        self.layout: Layout = view.environment or dataset.layout
        self._played: dict[tuple[str, bool], list[ChatMessage]] = {}

    def messages(self, turn: PlacedTurn) -> list[ChatMessage]:
        """System message, history and request of a turn, as a model under evaluation gets them."""
        shown = earlier_turns(self.dataset, turn, self.view.history)
        messages: list[ChatMessage] = [self._system(turn)]
        opened: set[str] = set()
        for earlier in shown:
            messages.extend(self._play(earlier, opens=earlier.topic.id not in opened))
            opened.add(earlier.topic.id)
        messages.append(self._request(turn, f"current request: {turn.id}", opens=turn.topic.id not in opened))
        return messages

    def _system(self, turn: PlacedTurn) -> ChatMessage:
        prompt = self.view.system_prompt
        if self.layout == "inline":
            text = SYSTEM_PROMPT if prompt is None else prompt
        else:
            date = f"Current Date: {date_line(turn.topic.environment)}"
            text = date if prompt is None else f"{prompt}\n\n{date}"
        return ChatMessageSystem(id=f"{turn.id}.system", content=text, source="input")

    def _request(self, turn: PlacedTurn, mark: str, opens: bool) -> ChatMessage:
        """A request; `mark` is for readers of the log and goes to no provider."""
        text = turn.turn.request
        if opens and self.layout == "inline" and (line := environment_line(turn.topic.environment)):
            text = f"{line}\n{text}"
        return ChatMessageUser(id=f"{turn.id}.request", content=text, source="input", metadata={"utb": mark})

    def _play(self, turn: PlacedTurn, opens: bool) -> list[ChatMessage]:
        key = (turn.id, opens)
        if key not in self._played:
            self._played[key] = [self._request(turn, f"history: {turn.id}", opens), *played(turn)]
        return self._played[key]


def played(turn: PlacedTurn) -> list[ChatMessage]:
    """A turn played with its reference steps, without the request."""
    messages: list[ChatMessage] = []
    path = turn.turn.paths[0]
    quoted = turn.public is not None  # the public layout writes every observation as JSON, texts too
    for round_ in play_rounds(path) if turn.public is None else _public_rounds(turn, path):
        calls = [step for step in round_ if isinstance(step, CallStep)]
        if calls:
            tool_calls = [
                ToolCall(wire_call_id(turn.id, step.id), wire_name(step.call), step.arguments) for step in calls
            ]
            messages.append(
                ChatMessageAssistant(id=f"{turn.id}.{calls[0].id}", content=[], tool_calls=tool_calls, source="input")
            )
            messages.extend(
                ChatMessageTool(
                    id=f"{turn.id}.{step.id}.observation",
                    content=_json(step.observation) if quoted else content_text(step.observation),
                    tool_call_id=call.id,
                    function=call.function,
                    source="input",
                )
                for step, call in zip(calls, tool_calls, strict=True)
            )
        for step in round_:
            if isinstance(step, AskStep):
                messages.append(_assistant(f"{turn.id}.{step.id}", step.message))
                messages.append(ChatMessageUser(id=f"{turn.id}.{step.id}.reply", content=step.reply, source="input"))
    messages.append(_assistant(f"{turn.id}.answer", path.answer))
    return messages


def _assistant(message_id: str, text: str) -> ChatMessageAssistant:
    return ChatMessageAssistant(id=message_id, content=text, source="input")


def play_rounds(path: Path) -> list[list[CallStep | AskStep]]:
    """The rounds in which a reference is played: due questions one by one, else all calls that are ready."""
    todo: list[CallStep | AskStep] = [s for s in path.steps if isinstance(s, CallStep | AskStep)]
    done: set[str] = set()
    rounds: list[list[CallStep | AskStep]] = []
    while todo:
        ready = [step for step in todo if done.issuperset(step.after)]
        asks = [step for step in ready if isinstance(step, AskStep)]
        round_: list[CallStep | AskStep] = [*asks[:1]] or ready
        rounds.append(round_)
        done.update(step.id for step in round_)
        todo = [step for step in todo if step.id not in done]
    return rounds


def _public_rounds(turn: PlacedTurn, path: Path) -> list[list[CallStep | AskStep]]:
    assert turn.public is not None
    steps = path.steps
    rounds = [[steps[i] for i in round_] for round_ in play_order(turn.public.answer_list)]
    return [kept for round_ in rounds if (kept := [s for s in round_ if isinstance(s, CallStep | AskStep)])]


def environment_line(environment: Environment) -> str:
    """`[Friday 2025-03-14 18:20, Utrecht, Netherlands]`; empty when nothing is known."""
    moment = environment.moment
    if environment.info is not None:  # a public row's, as it stands
        return f"[{environment.info}]" if environment.info.strip() else ""
    known = [f"{moment:%A %Y-%m-%d %H:%M}" if moment else None, environment.place]
    text = ", ".join(filter(None, known))
    return f"[{text}]" if text else ""


def date_line(environment: Environment) -> str:
    """`2025-03-14 18:20:00 Friday, Utrecht, Netherlands`, as the public format gives it; a row's own as it stands."""
    if environment.info is not None:
        return environment.info
    moment = environment.moment
    return ", ".join(filter(None, [f"{moment:%Y-%m-%d %H:%M:%S %A}" if moment else None, environment.place]))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
