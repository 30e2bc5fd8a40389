"""Reasoning that a server gave, and whether it comes back as providers ask: unchanged and in its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from wire.openai_responses import sent
from wire.request import Kind

Item = dict[str, Any]


class Given:
    """The items of a server's answers by id, or the blocks by signature."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self._outputs: dict[str, Sequence[Item]] = {}
        """Responses: item id to the output that the item is of."""
        self._calls: Counter[str] = Counter()
        """Responses: how often a call id was given."""
        self._thoughts: dict[str, Item] = {}
        """Anthropic: signature, or data, to the block."""
        self._before: dict[str, list[list[Item]]] = {}
        """Anthropic: call id to the blocks of thought before the call, in each message that has the id."""

    def keep(self, answer: Any) -> None:
        """Remember an answer's body."""
        match self.kind:
            case "responses":
                self._outputs.update({item["id"]: answer["output"] for item in answer["output"]})
                self._calls.update(item["call_id"] for item in answer["output"] if "call_id" in item)
            case "anthropic":
                thoughts = _thoughts(answer["content"])
                self._thoughts.update({_signature(block): block for block in thoughts})
                for call in _call_ids(answer["content"]):
                    self._before.setdefault(call, []).append(thoughts)

    def faults(self, body: Any) -> Iterator[str]:
        """What of a request's reasoning is not as it was given."""
        match self.kind:
            case "responses":
                items = sent(body)
                for place in range(len(items)):
                    yield from (f"item {place}: {fault}" for fault in self._item_faults(items, place))
            case "anthropic":
                for place, message in enumerate(body["messages"]):
                    if isinstance(message["content"], list):
                        yield from (f"message {place}: {fault}" for fault in self._block_faults(message["content"]))

    def _item_faults(self, items: Sequence[Item], place: int) -> Iterator[str]:
        item = items[place]
        is_reasoning = item.get("type") == "reasoning"
        if not item.get("id"):
            if is_reasoning:
                yield "reasoning without its id"
            return
        output = self._outputs.get(item["id"])
        if output is None:
            yield f"id {item['id']} was never given"
            return
        at = next(i for i, own in enumerate(output) if own["id"] == item["id"])
        if not is_reasoning:
            before = {sent_before.get("id") for sent_before in items[:place]}
            if any(own["type"] == "reasoning" and own["id"] not in before for own in output[:at]):
                yield "the reasoning before it is missing"
            return
        if item.get("encrypted_content") != output[at].get("encrypted_content"):
            yield "reasoning that was changed"
        following = items[place + 1] if place + 1 < len(items) else {}
        # A blank text between may be left out. And of calls with one id, Inspect keeps the last as it was given.
        has_twins = any(self._calls[own["call_id"]] > 1 for own in output if "call_id" in own)
        kept = following.get("id") in [own["id"] for own in output[at + 1 :]]
        if not kept and not (has_twins and _is_call_without_id(following)):
            yield "reasoning that is followed by another item than the one given"

    def _block_faults(self, blocks: Sequence[Item]) -> Iterator[str]:
        thoughts = _thoughts(blocks)
        if any(self._thoughts.get(_signature(block)) != block for block in thoughts):
            yield "thinking that was never given, or was changed"
        before = next((self._before[call] for call in _call_ids(blocks) if call in self._before), [thoughts])
        if thoughts not in before:
            yield "calls without the thinking before them"


def _is_call_without_id(item: Item) -> bool:
    return item.get("type") == "function_call" and not item.get("id")


def _thoughts(blocks: Sequence[Item]) -> list[Item]:
    return [block for block in blocks if block["type"] in ("thinking", "redacted_thinking")]


def _call_ids(blocks: Sequence[Item]) -> list[str]:
    return [block["id"] for block in blocks if block["type"] == "tool_use"]


def _signature(block: Item) -> str:
    return str(block["signature"] if block["type"] == "thinking" else block["data"])
