"""A run explained: what was right, what was made, and why that differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from utb_inspect.explain.faults import label_reasons, severity_reasons
from utb_inspect.explain.markdown import bullets, clip, escape, plain, series
from utb_inspect.explain.notes import evidence_notes, question_notes
from utb_inspect.explain.steps import argument_tables, steps_table
from utb_inspect.trajectory.calls import Message
from utb_inspect.trajectory.questions import is_question
from utb_inspect.trajectory.run import Run
from utb_inspect.trajectory.verdict import PathVerdict, Verdict

__all__ = ["FLAGS", "escape", "explain", "flags", "run_line"]


FLAGS = ("step cap", "output cut")
"""What a reader should know of how a decision came about: the step cap ended it, or `max_tokens` cut an output."""


_LONGEST_LINE = 500


def flags(run: Run, cut: bool) -> list[str]:
    """Those of `FLAGS` that a run has."""
    return [flag for flag, is_set in zip(FLAGS, (run.ended == "step_cap", cut), strict=True) if is_set]


def run_line(messages: Sequence[Message], ended: bool) -> str:
    """A run in one line: `searchTrains > bookTrain > answer`, calls of one round joined by `+`; a long one is cut."""
    words = []
    for i, message in enumerate(messages):
        if message.calls:
            words.append(" + ".join(call.name for call in message.calls))
        elif not message.text.strip():
            words.append("nothing")
        elif is_question(message.text):
            words.append("question")
        else:
            words.append("answer" if ended and i == len(messages) - 1 else "text")
    return plain(clip(" > ".join(words), longest=_LONGEST_LINE))


def explain(run: Run, verdict: Verdict, cut: bool = False) -> str:
    """A verdict in Markdown: a sentence, labels with reasons, the steps as made beside the reference's, and evidence.

    Args:
        run: The run.
        verdict: Its verdict.
        cut: Whether an output was cut at `max_tokens`.
    """
    return "\n\n".join(_sections(run, verdict, cut))


def _sections(run: Run, verdict: Verdict, cut: bool) -> Iterator[str]:
    against = verdict.against
    rounds = f"{verdict.rounds} round{'s' * (verdict.rounds != 1)}"
    yield f"The decision is {_verdict(verdict)}; {_end(against)} after {rounds}."
    if run.ended == "step_cap":
        yield f"**Flagged**: step cap. A run has {run.max_rounds} rounds at most; the decision counts as it stands."
    if cut:
        yield "**Flagged**: output cut. An output reached `max_tokens`; the decision counts as it stands."
    if len(run.paths) > 1:
        which = "the reference" if verdict.path == 0 else f"alternative {verdict.path}"
        yield f"Judged against {which}, the one of {len(run.paths)} right paths that comes out best."
    if labels := label_reasons(against):
        yield bullets(labels)
    yield steps_table(against)
    yield from argument_tables(against)
    if questions := question_notes(against):
        yield "Questions due:"
        yield bullets(questions)
    if evidence := evidence_notes(against):
        yield "Where it could be known:"
        yield bullets(evidence)


def _verdict(verdict: Verdict) -> str:
    if verdict.exact:
        return "**exact**"
    kind = "relaxed, not exact" if verdict.relaxed else "wrong"
    return f"**{kind}**, severity **{verdict.severity}** since {series(severity_reasons(verdict.against))}"


_ENDED = {
    "answer": "the run ended with an answer",
    "no_answer": "the run ended on an empty message",
    "off_path": "the run was stopped at a call off the reference path",
    "step_cap": "the step cap ended the run",
    None: "the run was not ended",
}


def _end(against: PathVerdict) -> str:
    needless = against.ended_on_question and against.missing
    return "the run ended on a question" if needless else _ENDED[against.run.ended]
