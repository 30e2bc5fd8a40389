"""The notation of planned calls: `ask day; (a + b) > c`.

`>` comes after, `+` is independent and binds closer, brackets group; `ask item;` stands before. A planned and a written
turn are both read as a `Decision`, so that they compare.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from utb_inspect.schema import Path, Structure

_TOKEN = re.compile(r"\s*([A-Za-z0-9_-]+|[()+>])")
_ASK = re.compile(r"ask\s+([\w.\[\]-]+)")


@dataclass(frozen=True)
class Decision:
    """What a turn asks and calls, and which call comes after which."""

    asks: tuple[str, ...]
    calls: tuple[str, ...]
    """Tool names, in the order in which they stand."""
    before: tuple[frozenset[int], ...]
    """For each call the indices of all that come before it."""

    @cached_property
    def structure(self) -> Structure | None:
        """How the calls depend on each other; None for fewer than two."""
        count = len(self.calls)
        pairs = [(i, j) for i in range(count) for j in range(i + 1, count)]
        if not pairs:
            return None
        comparable = [i in self.before[j] or j in self.before[i] for i, j in pairs]
        return "sequential" if all(comparable) else "mixed" if any(comparable) else "parallel"

    @property
    def shape(self) -> tuple[Counter[str], Counter[tuple[str, tuple[str, ...], tuple[str, ...]]]]:
        """Equal for decisions with the same questions and calls in the same order of dependence, however written."""
        after: list[set[int]] = [set() for _ in self.calls]
        for i, earlier in enumerate(self.before):
            for j in earlier:
                after[j].add(i)
        names = [
            (call, tuple(sorted(self.calls[j] for j in self.before[i])), tuple(sorted(self.calls[j] for j in after[i])))
            for i, call in enumerate(self.calls)
        ]
        return Counter(self.asks), Counter(names)

    def __str__(self) -> str:
        calls = ", ".join(
            f"{call} after {'+'.join(sorted(self.calls[j] for j in before))}" if before else call
            for call, before in zip(self.calls, self.before, strict=True)
        )
        return "; ".join([*(f"ask {item}" for item in self.asks), *([calls] if calls else [])]) or "no call"


def decision_of(path: Path) -> Decision:
    """What a written path asks and calls."""
    places = {step.id: i for i, step in enumerate(path.calls)}
    return Decision(
        tuple(item for ask in path.asks for item in ask.ask),
        tuple(step.call for step in path.calls),
        tuple(frozenset(places[b] for b in path.before(step.id) if b in places) for step in path.calls),
    )


def read_decision(text: str) -> Decision:
    """Read planned calls; nothing at all is a turn of talk.

    Raises:
        ValueError: what cannot be read.
    """
    *asks, calls = [part.strip() for part in text.split(";")]
    items = []
    for part in asks:
        match = _ASK.fullmatch(part)
        if match is None:
            raise ValueError(f"'{part}' is no 'ask item'")
        items.append(match[1])
    reader = _Reader(calls)
    return Decision(tuple(items), tuple(reader.calls), tuple(frozenset(earlier) for earlier in reader.before))


class _Reader:
    """Reads an expression; its calls are numbered as they stand."""

    def __init__(self, text: str) -> None:
        self.tokens = _TOKEN.findall(text)
        if "".join(self.tokens) != "".join(text.split()):
            raise ValueError(f"'{text}' holds more than names, '>', '+' and brackets")
        self.calls: list[str] = []
        self.before: list[set[int]] = []
        if self.tokens:
            self._sequence()
        if self.tokens:
            raise ValueError(f"'{text}' is not closed at '{self.tokens[0]}'")

    def _sequence(self) -> set[int]:
        """`a > b`: every call of a part comes after every call of the part before it."""
        whole = self._group()
        earlier = whole
        while self._takes(">"):
            part = self._group()
            for call in part:
                self.before[call] |= {*earlier, *(b for e in earlier for b in self.before[e])}
            whole, earlier = whole | part, part
        return whole

    def _group(self) -> set[int]:
        """`a + b`: independent parts."""
        calls = self._one()
        while self._takes("+"):
            calls |= self._one()
        return calls

    def _one(self) -> set[int]:
        if self._takes("("):
            calls = self._sequence()
            if not self._takes(")"):
                raise ValueError("a bracket is not closed")
            return calls
        if not self.tokens or self.tokens[0] in "()+>":
            raise ValueError(f"a name is missing before '{self.tokens[0] if self.tokens else 'the end'}'")
        self.calls.append(self.tokens.pop(0))
        self.before.append(set())
        return {len(self.calls) - 1}

    def _takes(self, token: str) -> bool:
        if self.tokens and self.tokens[0] == token:
            self.tokens.pop(0)
            return True
        return False
