"""Policies that play a dataset: which turn a request belongs to is read from its conversation, as a provider could."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, Model, ModelOutput
from support import Seen, record, scripted

from utb_inspect.baselines.guesses import guess
from utb_inspect.baselines.noisy import Noisy
from utb_inspect.baselines.oracle import Plan, Round, reference_plan
from utb_inspect.baselines.player import Action, SampleKey
from utb_inspect.datasets.dataset import Dataset, PlacedTurn
from utb_inspect.datasets.history import Prompts, View
from utb_inspect.datasets.wire import tool_info, wire_name
from utb_inspect.trajectory.calls import Tools
from wire.pieces import called
from wire.reply import Reply
from wire.request import Item, Request


class Turns:
    """Knows the turn of a request by its conversation."""

    def __init__(self, dataset: Dataset, view: View | None = None) -> None:
        self.dataset = dataset
        prompts = Prompts(dataset, view or View())
        self._turns: dict[bytes, PlacedTurn] = {}
        for turn in dataset.turns:
            *_, (_, digest) = prefixes(items_of(prompts.messages(turn)))
            assert digest not in self._turns, f"{turn.id} and {self._turns[digest].id} are asked the same way"
            self._turns[digest] = turn

    def of(self, request: Request) -> tuple[PlacedTurn, int]:
        """The turn, and how many rounds of it have been played."""
        known = [(n, self._turns[digest]) for n, digest in prefixes(request.items) if digest in self._turns]
        length, turn = known[-1]
        return turn, rounds(request.items[length:])


def prefixes(items: Iterable[Item]) -> Iterator[tuple[int, bytes]]:
    """Length and digest of each beginning of a conversation."""
    digest = sha256()
    for length, item in enumerate(items, 1):
        digest.update(f"{item.role}\0{item.text}\0".encode())
        yield length, digest.digest()


def rounds(items: Sequence[Item]) -> int:
    """How many messages of the assistant a conversation has."""
    own = [item.role in ("assistant", "call") for item in items]
    return sum(now and not before for before, now in zip([False, *own], own, strict=False))


def items_of(messages: Sequence[ChatMessage]) -> list[Item]:
    """Inspect's messages as a request's items."""
    items = []
    for message in messages:
        if isinstance(message, ChatMessageTool):
            items.append(Item("result", message.text))
            continue
        if message.text:
            items.append(Item(message.role, message.text))
        if isinstance(message, ChatMessageAssistant):
            items.extend(Item("call", called(call.function, call.arguments)) for call in message.tool_calls or ())
    return items


class Planned:
    """Plays a plan for each turn; past its end, its last message again."""

    def __init__(self, turns: Turns, plans: Mapping[str, Plan], reasoning: str = "") -> None:
        self.turns = turns
        self.plans = plans
        self.reasoning = reasoning
        """Goes before each message, save in chat completions of OpenAI's own, which show none."""

    def __call__(self, request: Request) -> Reply:
        turn, played = self.turns.of(request)
        plan = self.plans[turn.id]
        reasoning = "" if request.kind == "openai" else self.reasoning
        return replace(Reply.of(plan[min(played, len(plan) - 1)].action), reasoning=reasoning)


def offline_model(plans: Mapping[str, Plan]) -> Model:
    """The plans, as a model plays them that has no wire."""

    def script(seen: Seen) -> ModelOutput:
        plan = plans[seen.sample]
        action = plan[min(seen.round, len(plan) - 1)].action
        return seen.call(*action.calls, text=action.text, stop="tool_calls" if action.calls else "stop")

    return scripted(script)


def reference_plans(dataset: Dataset) -> dict[str, Plan]:
    """What `utb/oracle` plays on each turn."""
    return {turn.id: reference_plan(record(turn)) for turn in dataset.turns}


def clumsy_plans(dataset: Dataset) -> dict[str, Plan]:
    """On each turn a mistake of `utb/noisy`, after a message of calls that go wrong in all ways; a call made again."""
    noisy = Noisy(error_rate=1.0)
    plans = {}
    for turn in dataset.turns:
        own = record(turn)
        plan, _ = noisy.plan(own, [tool_info(tool) for tool in turn.toolset.tools], SampleKey(turn.id, 1))
        again = next((round_ for round_ in plan if round_.action.calls), None)
        plans[turn.id] = (_bad_calls(own.tools), *([Round(Action(BLANK, again.action.calls))] if again else []), *plan)
    return plans


BLANK = "\n\n"
"""What some models write beside their calls."""


def _bad_calls(tools: Tools) -> Round:
    """Text, and in parallel: a read off the path, tools that are not there, bad arguments, the read again."""
    tool = next((tool for tool in tools.toolset.tools if tool.effect == "read"), tools.toolset.tools[0])
    name, right = wire_name(tool.name), guess(tools[tool.name].schema.view)
    calls = [
        (name, right),
        ("no_such_tool", right),
        ("functions.no/such tool", right),
        (name, {**right, "no_such_argument": 1}),
        (name, '{"cut": "off'),
        (name, right),
    ]
    return Round(Action("One moment.", calls))
