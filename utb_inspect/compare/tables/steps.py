"""How far runs got, and in how many steps (spec section 5, Further per-turn figures)."""

from __future__ import annotations

from utb_inspect.compare.report import Column, Table
from utb_inspect.compare.tables.making import MODEL, TURNS, made, over_profiles, pooled
from utb_inspect.compare.tables.view import View


def steps_table(view: View) -> Table:
    """Progress, optimal paths, and means a turn of rounds, calls and questions."""
    right = view.by_system(view.right)
    rows = [
        {
            "model": system,
            "turns": len(turns),
            **{key: over_profiles(turns, key) for key in ("progress", "optimal")},
            **{f"{key}_pooled": pooled(turns, key) for key in ("progress", "optimal")},
            "optimal_of_exact": right[system]["optimal"].mean(),
            **{key: turns[key].mean() for key in ("rounds", "calls", "questions")},
        }
        for system, turns in view.turns_of.items()
    ]
    columns = [
        MODEL,
        TURNS,
        Column("progress", "Progress", interval=True),
        Column("optimal", "Optimal", interval=True),
        Column("progress_pooled", "Progress, pooled", interval=True),
        Column("optimal_pooled", "Optimal, pooled", interval=True),
        Column("optimal_of_exact", "Optimal of exact"),
        Column("rounds", "Rounds a turn", "number"),
        Column("calls", "Calls a turn", "number"),
        Column("questions", "Questions a turn", "number"),
    ]
    note = (
        "Progress: reference calls fully agreed with and questions met, of all of them. Optimal: exact, in the fewest "
        "possible rounds. Means over profiles, then pooled; rounds (model messages), calls and questions pooled. "
        "Of several epochs, a turn counts with its mean; of exact turns, with that over its exact epochs."
    )
    return made(view.signatures, "steps", "Progress and steps", columns, rows, note)
