"""Which rounds may come next when a reference is played: the public evaluator's rule, one position at a time.

The public evaluator lists every ordering of the reference and looks messages up in that list. An ordering is a
list of rounds, and a round the steps taken in one message. The list is exponential; the rule that makes it is
local.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, takewhile

from .reference import TALK, ReferenceStep

Round = tuple[int, ...]
"""The steps taken in one message, in reference order."""


@dataclass(frozen=True)
class Position:
    """How far an ordering has come."""

    done: frozenset[int] = frozenset()
    """The steps taken, and those that `forced` holds."""
    forced: Round = ()
    """The rest of a block that was begun with a single step: it follows step by step."""


class StepGraph:
    """The steps of a reference and the rounds that the public evaluator allows.

    A round takes open steps (not done, and all they depend on done) such that:

    - for its sequence of names, in reference order, it takes the earliest steps there are, since the evaluator
      keeps one round for each sequence of names;
    - if its first step begins a *block*, two or more open steps of one name with no other open step between
      them, it holds the whole block, or else that step alone. Then the rest of the block follows one step a
      round, before anything else.

    A reference whose dependencies form a circle has no ordering, so that every message is wrong.
    (Names with a `|`, which no provider allows, are not told apart by the evaluator; here they are.)

    Source: public evaluator, `tool_call_graph.py`.
    """

    def __init__(self, steps: Sequence[ReferenceStep]) -> None:
        self.names = tuple(step.name for step in steps)
        self.after = tuple(step.after for step in steps)
        self.followers: tuple[set[int], ...] = tuple(set() for _ in steps)
        for step, before in enumerate(self.after):
            for earlier in before:
                self.followers[earlier].add(step)
        self.heights = self._heights()

    @property
    def has_orderings(self) -> bool:
        """Whether the reference can be played at all; an empty one can, in no rounds."""
        return len(self.heights) == len(self.names)

    @property
    def shortest(self) -> int:
        """The rounds of the shortest ordering: as many as the longest chain has, since all that is open may go
        together."""
        return max(self.heights.values(), default=0)

    def is_complete(self, position: Position) -> bool:
        """Whether every step was taken."""
        return len(position.done) == len(self.names) and not position.forced

    def open_steps(self, position: Position) -> Round:
        """The steps that may be taken now, in reference order."""
        if position.forced:
            return position.forced[:1]
        return tuple(
            step for step, before in enumerate(self.after) if step not in position.done and before <= position.done
        )

    def is_round(self, position: Position, steps: Round) -> bool:
        """Whether some ordering takes exactly these steps in one round at this position."""
        open_steps = self.open_steps(position)
        if steps != self._earliest(open_steps, [self.names[step] for step in steps]):
            return False
        block = self._block(open_steps, steps[0])
        return len(steps) == 1 or steps[: len(block)] == block

    def advance(self, position: Position, steps: Round) -> Position:
        """The position after a round."""
        if position.forced:
            return Position(position.done, position.forced[1:])
        if len(steps) > 1:
            return Position(position.done.union(steps))
        block = self._block(self.open_steps(position), steps[0])
        return Position(position.done.union(block), block[1:])

    def selections(self, position: Position, required: Collection[int], barred: Collection[int]) -> Iterator[Round]:
        """The selections of open steps with all those required and none barred, in the evaluator's own order.

        Fewer steps come first, then earlier ones. Not every selection is a round.
        """
        open_steps = self.open_steps(position)
        if not set(required) <= set(open_steps):
            return
        choice = [step for step in open_steps if step not in required and step not in barred]
        for size in range(0 if required else 1, len(choice) + 1):
            for steps in combinations(choice, size):
                yield tuple(sorted((*required, *steps)))

    def talk_round(self, position: Position) -> Round | None:
        """The first round with an ask or an answer in it: always that step alone, as single steps come first."""
        return next(((step,) for step in self.open_steps(position) if self.names[step] in TALK), None)

    def call_round(self, position: Position, names: Sequence[str]) -> Round | None:
        """The first round whose steps have these names, in whatever order, or None."""
        open_steps = self.open_steps(position)
        for start in range(len(open_steps)):
            steps = self._take(open_steps[start:], names)
            if steps is not None and self.is_round(position, steps):
                return steps
        return None

    def smallest_round(self, position: Position) -> Round:
        """The first round, by size and then by steps, with every open step that begins a longest chain.

        After any smaller round the rest would take as many rounds as before it.
        """
        open_steps = self.open_steps(position)
        highest = max(self.heights[step] for step in open_steps)
        due = [step for step in open_steps if self.heights[step] == highest]
        ways = self._ways_on(open_steps, due)
        blocks = [self._block(open_steps, step) for step in open_steps if step <= due[0]]
        rounds = [
            block + ways[block[-1]]
            for block in blocks
            if block[-1] in ways and block == self._earliest(open_steps, [self.names[step] for step in block])
        ]
        return min(rounds, key=lambda steps: (len(steps), steps))

    def _ways_on(self, open_steps: Round, due: Sequence[int]) -> dict[int, Round]:
        """For each open step the smallest and then earliest way to go on after it to the last step due.

        A way on takes each step due that is still ahead, and takes a step only if it passed none of its name.
        """
        ways: dict[int, Round] = {}
        for start in reversed(range(len(open_steps))):
            found = [] if any(step > open_steps[start] for step in due) else [Round()]
            passed: set[str] = set()
            for step in open_steps[start + 1 :]:
                if self.names[step] not in passed and step in ways:
                    found.append((step, *ways[step]))
                if step in due:
                    break
                passed.add(self.names[step])
            if found:
                ways[open_steps[start]] = min(found, key=lambda steps: (len(steps), steps))
        return ways

    def _take(self, open_steps: Round, names: Sequence[str]) -> Round | None:
        """The first steps that have these names, beginning with the first step of all."""
        wanted = Counter(names)
        steps = []
        for step in open_steps:
            if wanted[self.names[step]]:
                wanted[self.names[step]] -= 1
                steps.append(step)
            elif not steps:
                return None
        return tuple(steps) if not wanted.total() else None

    def _earliest(self, open_steps: Round, names: Sequence[str]) -> Round:
        """The earliest steps that have these names in this sequence; too few where there are not enough."""
        rest = iter(open_steps)
        found = (next((step for step in rest if self.names[step] == name), None) for name in names)
        return tuple(step for step in found if step is not None)

    def _block(self, open_steps: Round, first: int) -> Round:
        """The open steps from `first` on that have its name, up to the first that has another."""
        rest = open_steps[open_steps.index(first) :]
        return tuple(takewhile(lambda step: self.names[step] == self.names[first], rest))

    def _heights(self) -> dict[int, int]:
        """For each step the length of the longest chain that it begins; steps that lead into a circle have none."""
        heights: dict[int, int] = {}
        waiting = [len(later) for later in self.followers]
        ready = [step for step, count in enumerate(waiting) if not count]
        while ready:
            step = ready.pop()
            heights[step] = 1 + max((heights[later] for later in self.followers[step]), default=0)
            for earlier in self.after[step]:
                waiting[earlier] -= 1
                if not waiting[earlier]:
                    ready.append(earlier)
        return heights
