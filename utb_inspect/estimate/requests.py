"""What a model is sent in each round of a run in which it plays the reference."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, ChatMessageUser
from inspect_ai.tool import ToolInfo

from utb_inspect.answers import start_run
from utb_inspect.baselines.oracle import planned, reference_plan
from utb_inspect.baselines.player import to_message
from utb_inspect.datasets.dataset import PlacedTurn
from utb_inspect.datasets.history import Prompts, View
from utb_inspect.datasets.public_form import public_form
from utb_inspect.datasets.record import TurnRecord
from utb_inspect.datasets.wire import tool_info
from utb_inspect.estimate.planned import PlannedTask
from utb_inspect.trajectory.run import content_text


class Piece(NamedTuple):
    """A part of a request that providers read as one: the tools, or a message."""

    text: str
    made: bool = False
    """Made by the model in this run, and so in words that no other run begins with."""


@dataclass(frozen=True)
class Request:
    """One call of a model."""

    turn: PlacedTurn
    pieces: Sequence[Piece]
    """What is sent, in the order in which providers read it: the tools, then the messages."""
    answer: str
    """What the reference answers."""


def requests(task: PlannedTask) -> Iterator[Request]:
    """The requests of a run, sample by sample in the order of the task, round by round.

    They are those that `utb/oracle` gets. A model that asks more, errs or takes another path makes others.
    """
    rules = dict(task.rules)
    view = View(**{key: rules.pop(key) for key in ("history", "environment", "system_prompt") if key in rules})
    prompts = Prompts(task.dataset, view)
    for turn in task.turns:
        shown = prompts.messages(turn)
        public = public_form(turn) if rules.get("verdict") == "upstream" else None
        record = TurnRecord(turn=turn.turn, toolset=turn.toolset, start=len(shown), public=public, **rules)
        tools = tools_text([tool_info(tool) for tool in turn.toolset.tools])
        pieces = [Piece(tools), *(Piece(message_text(message)) for message in shown)]
        for answer, replies in _rounds(record):
            yield Request(turn, tuple(pieces), body_text(answer))
            pieces.append(Piece(message_text(answer), made=True))
            pieces.extend(Piece(message_text(reply)) for reply in replies)


def _rounds(record: TurnRecord) -> Iterator[tuple[ChatMessage, list[ChatMessage]]]:
    """The reference's messages, each with what follows it."""
    plan = reference_plan(record)
    run = start_run(record)
    made: list[ChatMessage] = []
    while run.ended is None:
        message = to_message(planned(plan, made), [], len(made))
        reply = run.reply(record.message(message))
        replies: list[ChatMessage] = [ChatMessageTool(content=content_text(r.content)) for r in reply.results]
        if reply.user is not None:
            replies.append(ChatMessageUser(content=reply.user))
        yield message, replies
        made += [message, *replies]


def message_text(message: ChatMessage) -> str:
    """Role and body. Call ids are left out, as most chat templates leave them out."""
    return f"{message.role}\n{body_text(message)}"


def body_text(message: ChatMessage) -> str:
    """Content and calls."""
    calls = message.tool_calls or () if isinstance(message, ChatMessageAssistant) else ()
    return "\n".join(filter(None, [message.text, *(f"{call.function} {_json(call.arguments)}" for call in calls)]))


def tools_text(tools: Sequence[ToolInfo]) -> str:
    """Name, description and schema, a line a tool."""
    return "\n".join(
        f"{tool.name} {tool.description} {_json(tool.parameters.model_dump(mode='json', by_alias=True))}"
        for tool in tools
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
