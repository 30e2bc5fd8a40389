"""Lack of information: whether a model asks where it must and knows where it can (spec section 5)."""

from __future__ import annotations

from utb_inspect.compare.report import Column, Table
from utb_inspect.compare.tables.making import MODEL, made, ratio
from utb_inspect.compare.tables.view import View


def asking_table(view: View) -> Table:
    """Precision and recall of asking over lack-of-information turns, and question sentences a question."""
    rows = []
    for system, scored in view.scored_of.items():
        turns = scored[scored["recoverable"].notna() & scored["asked"].notna()]
        needed = turns[~turns["recoverable"].astype(bool)]
        asked = int(turns["asked"].sum())
        right = int(needed["asked"].sum())
        questions = scored["questions"].sum()
        rows.append(
            {
                "model": system,
                "turns": len(turns),
                "needed": len(needed),
                "asked": asked,
                "asked_and_needed": right,
                "precision": ratio(right, asked),
                "recall": ratio(right, len(needed)),
                "questions": int(questions),
                "sentences": ratio(scored["question_sentences"].sum(), questions),
            }
        )
    columns = [
        MODEL,
        Column("turns", "LOI turns", "count"),
        Column("needed", "Unrecoverable", "count"),
        Column("asked", "Asked", "count"),
        Column("asked_and_needed", "Asked and unrecoverable", "count"),
        Column("precision", "Precision"),
        Column("recall", "Recall"),
        Column("questions", "Questions, all turns", "count"),
        Column("sentences", "Question sentences a question", "number"),
    ]
    note = (
        "Asked: a question anywhere in the run. Precision: of the lack-of-information turns in which the model asked, "
        "those that history does not settle. Recall: of those that history does not settle, those in which it asked. "
        "Questions are counted over turns of all task types. Epochs of a turn count apart."
    )
    return made(view.signatures, "asking", "Asking", columns, rows, note)
