"""Several runs of the same turns: pass@k and pass^k."""

from __future__ import annotations

import pandas as pd

from utb_inspect.compare.epochs import pass_at_k, pass_hat_k
from utb_inspect.compare.report import Column, Table
from utb_inspect.compare.tables.making import MODEL, made, over_profiles
from utb_inspect.compare.tables.view import View

_WAYS = {"pass_at": ("pass@k", pass_at_k), "pass_hat": ("pass^k", pass_hat_k)}


def epoch_tables(view: View) -> list[Table]:
    """Pass@k and pass^k for each k, by each verdict; none where no run has more than one epoch."""
    return [_table(view, measure.key, measure.label) for measure in view.measures] if view.epochs > 1 else []


def _table(view: View, key: str, label: str) -> Table:
    rows = []
    for system, scored in view.scored_of.items():
        turns = scored.groupby("sample", sort=False).agg(
            profile=("profile", "first"), scored=(key, "count"), right=(key, "sum")
        )
        for k in range(1, view.epochs + 1):
            chances = turns.assign(
                **{name: chance(turns["scored"], turns["right"], k) for name, (_, chance) in _WAYS.items()}
            )
            enough = turns["scored"] >= k
            rows.append({"model": system, "k": k, "turns": int(enough.sum()), **_figures(chances[enough])})
    columns = [
        MODEL,
        Column("k", "k", "count"),
        Column("turns", "Turns", "count"),
        *(Column(name, heading, interval=True) for name, (heading, _) in _WAYS.items()),
        *(Column(f"{name}_pooled", f"{heading}, pooled") for name, (heading, _) in _WAYS.items()),
    ]
    note = (
        "Pass@k: chance that at least one of k runs drawn from a turn's scored epochs is right; pass^k: that all of "
        "them are. Over the turns with at least k scored epochs. Means over profiles, beside them pooled."
    )
    return made(view.signatures, f"epochs_{key}", f"Several epochs, {label.lower()}", columns, rows, note)


def _figures(chances: pd.DataFrame) -> dict[str, object]:
    figures: dict[str, object] = {name: over_profiles(chances, name) for name in _WAYS}
    return figures | {f"{name}_pooled": chances[name].mean() for name in _WAYS}
