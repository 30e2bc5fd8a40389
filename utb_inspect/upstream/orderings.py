"""The orderings of a reference that a run has left open, and the one that is played in history."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from .graph import Position, Round, StepGraph
from .reference import TALK, ReferenceStep, read_reference
from .search import Find, Search


class OpenOrderings:
    """The orderings that agree with the rounds played so far, never listed.

    A round of calls keeps the orderings that have exactly that round there. A met question keeps them all, also
    those that do something else in that round (a quirk). As long as no question was met while something else
    was open, all orderings share one position; after that, positions are searched.

    Source: public evaluator, `tool_call_graph.py` and `base_handler.py`.
    """

    def __init__(self, steps: Sequence[ReferenceStep]) -> None:
        self.graph = StepGraph(steps)
        self._shared = Position()
        self._since: list[Round | None] = []
        """The rounds after the shared position, None for a met question."""

    def open_names(self) -> list[str]:
        """The names of the steps open in the first ordering, for explanations."""
        find = self._search().first(self._shared, self.graph.open_steps) if self.graph.has_orderings else None
        return sorted(self.graph.names[step] for step in find.steps) if find else []

    def talk_round(self) -> Round | None:
        """The ask or answer that the first ordering with either in the next round has there."""
        finds = [self._talk_with(step) for step in self._left() if self.graph.names[step] in TALK]
        first = min((find for find in finds if find), key=lambda find: find.place, default=None)
        return first.steps if first else None

    def call_round(self, names: Sequence[str]) -> Round | None:
        """The next round of the first ordering whose next round has these names, or None."""
        wanted = Counter(names)
        left = {name: [step for step in self._left() if self.graph.names[step] == name] for name in wanted}
        if any(len(left[name]) < count for name, count in wanted.items()):
            return None
        certain = {step for name, steps in left.items() if len(steps) == wanted[name] for step in steps}
        find = self._search(certain).first(self._shared, lambda position: self.graph.call_round(position, names))
        return find.steps if find else None

    def has_ended_ordering(self) -> bool:
        """Whether an ordering that met questions have kept is over already.

        The public evaluator breaks down on the next round of calls then, as it reads that round of each.
        """
        lengths = [length for length in range(len(self._since) + 1) if not any(self._since[length:])]
        searches = [Search(self.graph, self._since[:length], complete=True) for length in lengths]
        return any(
            search.first(self._shared, lambda position: () if self.graph.is_complete(position) else None)
            for search in searches
        )

    def play_calls(self, steps: Round) -> None:
        """Keep the orderings that have this round next."""
        if self._since:
            self._since.append(steps)
        else:
            self._shared = self.graph.advance(self._shared, steps)

    def play_question(self) -> None:
        """Keep all orderings, whatever they have next."""
        open_steps = self.graph.open_steps(self._shared)
        if not self._since and len(open_steps) == 1:
            self._shared = self.graph.advance(self._shared, open_steps)
        else:
            self._since.append(None)

    def _search(self, next_steps: Collection[int] = ()) -> Search:
        return Search(self.graph, self._since, next_steps)

    def _left(self) -> list[int]:
        """The steps that no round of calls has taken since the shared position; none if there are no orderings."""
        if not self.graph.has_orderings:
            return []
        taken = self._shared.done.difference(self._shared.forced).union(*filter(None, self._since))
        return [step for step in range(len(self.graph.names)) if step not in taken]

    def _talk_with(self, step: int) -> Find | None:
        def choose(position: Position) -> Round | None:
            return self.graph.talk_round(position) if step in self.graph.open_steps(position) else None

        return self._search([step]).first(self._shared, choose)


def play_order(answer_list: Sequence[dict[str, Any]]) -> list[list[int]]:
    """The rounds in which the public layout plays a reference in history.

    It is the first of the shortest orderings in the public evaluator's own order. In each round it holds the
    steps that begin a longest chain, and of the rounds that do so it is the one with the fewest steps, then the
    one with the earliest. So a call that can wait, waits.

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
