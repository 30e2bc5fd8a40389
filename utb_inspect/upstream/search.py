"""The first ordering that fits the rounds played, where met questions have left rounds to choose."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from .graph import Position, Round, StepGraph

LIMIT = 50_000
"""Rounds tried in one search. A reference that takes more has more orderings than the public evaluator can list,
so that no public verdict depends on it; what is not found by then counts as absent."""


@dataclass(frozen=True)
class Find:
    """What a search found at the first position that has it."""

    steps: Round
    chosen: tuple[Round, ...] = ()
    """The rounds chosen for met questions on the way."""

    @property
    def place(self) -> list[tuple[int, Round]]:
        """Where the ordering stands among others: fewer steps come first, then earlier ones, round by round."""
        return [(len(steps), steps) for steps in self.chosen]


class Search:
    """A search through the positions that orderings reach in some rounds, in the public evaluator's own order.

    The rounds of calls are fixed. In the round of a met question the orderings may do anything; the search only
    tries what leaves the fixed steps to their rounds and takes what they wait for in time. So where each name
    occurs once it hardly ever tries in vain, and orderings are never listed.
    """

    def __init__(
        self,
        graph: StepGraph,
        rounds: Sequence[Round | None],
        next_steps: Collection[int] = (),
        complete: bool = False,
    ) -> None:
        """Prepare a search.

        Args:
            graph: The reference; it has orderings.
            rounds: The rounds to go, None for a met question.
            next_steps: Steps known to be open after them at each position looked for.
            complete: Whether nothing is left after them at each position looked for.
        """
        self._graph = graph
        self._rounds = rounds
        self._complete = complete
        self._fixed = {step: number for number, steps in enumerate(rounds) for step in steps or ()}
        self._fixed.update(dict.fromkeys(next_steps, len(rounds)))
        self._latest: dict[int, int] = {}
        self._barren: set[tuple[int, Position]] = set()
        self._tried = 0

    def first(self, start: Position, choose: Callable[[Position], Round | None]) -> Find | None:
        """What `choose` finds at the first position reached at which it finds something."""
        latest = self._latest_rounds(start)
        if latest is None:
            return None
        self._latest = latest
        return self._go(0, start, choose)

    def _go(self, number: int, position: Position, choose: Callable[[Position], Round | None]) -> Find | None:
        if number == len(self._rounds):
            found = choose(position)
            return None if found is None else Find(found)
        if (number, position) in self._barren:
            return None
        played = self._rounds[number]
        due = [step for step, last in self._latest.items() if last == number and step not in position.done]
        for steps in [played] if played else self._graph.selections(position, due, self._fixed):
            self._tried += 1
            if self._tried > LIMIT:
                return None
            if self._graph.is_round(position, steps):
                find = self._go(number + 1, self._graph.advance(position, steps), choose)
                if find:
                    return find if played else Find(find.steps, (steps, *find.chosen))
        self._barren.add((number, position))
        return None

    def _latest_rounds(self, start: Position) -> dict[int, int] | None:
        """The last round in which a step can be taken for what follows it to be in time; None if it cannot be.

        A step that is not fixed needs the round of a met question. Steps that nothing waits for are left out.
        """
        free = [number for number, steps in enumerate(self._rounds) if steps is None]
        unplayed = set(range(len(self._graph.names))) - start.done
        latest: dict[int, int] = {}
        for step in sorted(unplayed, key=self._graph.heights.__getitem__):
            bounds = [latest[later] for later in self._graph.followers[step] if later in latest]
            if self._complete:
                bounds.append(len(self._rounds))
            in_time = [number for number in free if all(number < bound for bound in bounds)]
            if step in self._fixed:
                latest[step] = self._fixed[step]
                if any(bound <= latest[step] for bound in bounds):
                    return None
            elif bounds and not in_time:
                return None
            elif bounds:
                latest[step] = in_time[-1]
        return latest
