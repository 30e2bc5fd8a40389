"""The orderings of a reference that a run has left open, and the shortest of all."""

from collections.abc import Callable, Sequence

from .graph import Position, Round, StepGraph
from .reference import ReferenceStep, read_reference

SEARCH_LIMIT = 100_000
"""Selections tried in one search. The public evaluator needs far longer than it can run for a reference that
takes so many; what is not found by then counts as absent."""


class OpenOrderings:
    """The orderings that agree with the rounds played so far, never listed.

    A round of calls keeps the orderings that have exactly that round there. A met question keeps them all, also
    those that do something else in that round (a quirk). As long as no question was met while something else was
    open, all orderings share one position; after that, positions are searched in the evaluator's own order.

    Source: public evaluator, `tool_call_graph.py` and `base_handler.py`.
    """

    def __init__(self, steps: Sequence[ReferenceStep]) -> None:
        self.graph = StepGraph(steps)
        self._shared = Position()
        self._since: list[Round | None] = []
        """The rounds after the shared position, None for a met question."""

    def open_names(self) -> list[str]:
        """The names of the steps open in the first ordering, for explanations."""
        steps = self._first(self.graph.open_steps) or ()
        return sorted(self.graph.names[step] for step in steps)

    def talk_round(self) -> Round | None:
        """The ask or answer that the first ordering with either in the next round has there."""
        return self._first(self.graph.talk_round)

    def call_round(self, names: Sequence[str]) -> Round | None:
        """The next round of the first ordering whose next round has these names, or None."""
        return self._first(lambda position: self.graph.call_round(position, names))

    def has_ended_ordering(self) -> bool:
        """Whether an ordering that met questions have kept is over already.

        The public evaluator breaks down on the next round of calls then, as it reads that round of each.
        """
        return any(
            self._first(lambda position: () if self.graph.is_complete(position) else None, length) is not None
            for length in range(len(self._since) + 1)
            if self._since and not any(self._since[length:])
        )

    def play_calls(self, steps: Round) -> None:
        """Keep the orderings that have this round next."""
        if self._since:
            self._since.append(steps)
        else:
            self._shared = self.graph.advance(self._shared, steps)

    def play_question(self) -> None:
        """Keep all orderings; what each has next was taken as met."""
        open_steps = self.graph.open_steps(self._shared)
        if not self._since and len(open_steps) == 1:
            self._shared = self.graph.advance(self._shared, open_steps)
        else:
            self._since.append(None)

    def _first(self, choose: Callable[[Position], Round | None], length: int | None = None) -> Round | None:
        """What `choose` finds at the first position that open orderings reach, after all rounds or `length`."""
        if not self.graph.has_orderings:
            return None
        rounds = self._since[:length]
        barren: set[tuple[int, Position]] = set()
        tried = 0

        def search(depth: int, position: Position) -> Round | None:
            nonlocal tried
            if depth == len(rounds):
                return choose(position)
            if (depth, position) in barren:
                return None
            played = rounds[depth]
            for steps in self.graph.selections(position) if played is None else (played,):
                tried += 1
                if tried > SEARCH_LIMIT:
                    return None
                if self.graph.is_round(position, steps):
                    found = search(depth + 1, self.graph.advance(position, steps))
                    if found is not None:
                        return found
            barren.add((depth, position))
            return None

        return search(0, self._shared)


def play_order(answer_list: Sequence[dict[str, object]]) -> list[list[int]]:
    """The rounds in which the public layout plays a reference in history.

    It is the first of the shortest orderings in the public evaluator's own order. In each round it holds the steps
    that begin a longest chain, and of the rounds that do so it is the one with fewest steps, then the one with the
    earliest. So a call that can wait, waits.

    Args:
        answer_list: The reference of one turn, as a public row has it.

    Raises:
        ValueError: The reference cannot be read, or its dependencies form a circle.

    Source: public evaluator, `base_handler.py` and `tool_call_graph.py`.
    """
    graph = StepGraph(read_reference(answer_list))
    if not graph.has_orderings:
        raise ValueError("The dependencies of the reference form a circle.")
    position = Position()
    rounds = []
    while not graph.is_complete(position):
        steps = graph.smallest_round(position)
        rounds.append(list(steps))
        position = graph.advance(position, steps)
    return rounds
