"""The fewest rounds in which a path can be played (spec section 5, optimal)."""

from __future__ import annotations

from utb_inspect.schema import Path


def fewest_rounds(path: Path) -> int:
    """Fewest model messages for a path: a round makes calls or asks questions, never both; the answer is the last.

    Each round does all that can be done of its kind; which kind comes next is searched breadth first, keeping only
    states that no other state contains.
    """
    asks = frozenset(step.id for step in path.asks)
    todo = {step.id: frozenset(step.after) for step in path.steps[:-1]}
    frontier: set[frozenset[str]] = {frozenset()}
    rounds = 0
    while not any(len(done) == len(todo) for done in frontier):
        reached = set()
        for done in frontier:
            ready = {step for step, before in todo.items() if step not in done and before <= done}
            for batch in (ready & asks, ready - asks):
                if batch:
                    reached.add(done | batch)
        frontier = {state for state in reached if not any(state < other for other in reached)}
        rounds += 1
    return rounds + 1
