"""What counts as a question, and what it asks for (spec section 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from utb_inspect.schema import AskStep
from utb_inspect.trajectory.text import has_word_start, normalise

_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`", re.DOTALL)
_ADDRESS = re.compile(
    r"(?:https?://|ftp://|www\.)[^\s<>]*[^\s<>.,;:!?)\]}'\"*_]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.IGNORECASE
)
# Where a sentence ends: a stop before white space (a CJK stop anywhere), with the quotes and brackets that close it.
_END = re.compile(r"""[.!?…]+["'”’»)\]*_]*(?=\s|$)|[。！？]+["'”’»）」』)\]*_]*""")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|approx|mr|mrs|ms|dr|st|incl|cf|[a-z]\.[a-z])\.$", re.IGNORECASE)
_LIST_ITEM = re.compile(r"^\s*(?:[-*•–+]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+", re.IGNORECASE)
_MARKUP = re.compile(r"^(?:[\s#>*_\-•–+\"'“‘«(「\[]+|\d{1,2}[.)]\s+)+")
_QUESTION_MARK = re.compile(r"[?؟][!?.]*[\"'”’»)」』\]*_ ]*$")
_OPENING = re.compile(
    r"""please\ (?:tell|give|share|confirm|specify|provide|send)\b
      | tell\ me\b
      | let\ me\ know\b(?!\s+if\b)
      | i\ need\ (?:to\ know|the|your)\b
      | (?:could|can|would)\ you\b
      | 请问|请提供|请告诉""",
    re.VERBOSE,
)
_CLOSING_OFFER = re.compile(r"\b(?:anything else|something else|let me know if)\b")


def question_sentences(text: str) -> list[str]:
    """The sentences of a text that ask, normalised; closing offers ("anything else?") do not."""
    return [sentence for sentence in map(normalise, _sentences(text)) if _asks(sentence)]


def is_question(text: str) -> bool:
    """Whether a text without calls is a question."""
    return bool(question_sentences(text))


def on_target(step: AskStep, text: str) -> bool:
    """Whether a question has a cue of each item of an ask step, and of nothing it lists as settled."""
    asked = question_sentences(text)
    return all(_cued(step.cues[item], asked) for item in step.ask) and not any(
        _cued(cues, asked) for cues in step.settled.values()
    )


def _cued(cues: list[str], sentences: list[str]) -> bool:
    return any(has_word_start(cue, sentence) for cue in cues for sentence in sentences)


def _asks(sentence: str) -> bool:
    if _CLOSING_OFFER.search(sentence):
        return False
    return _QUESTION_MARK.search(sentence) is not None or _opens_as_question(sentence)


def _opens_as_question(sentence: str) -> bool:
    return _OPENING.match(_MARKUP.sub("", normalise(sentence))) is not None


def _sentences(text: str) -> Iterator[str]:
    """Sentences outside code and addresses.

    A line break ends a sentence. But the list under "Could you tell me:" is what that line asks for, and belongs
    to it.
    """
    plain = _ADDRESS.sub(" ", _CODE.sub(" ", text))
    lead = ""
    for line in plain.splitlines():
        if not line.strip():
            continue
        if lead and _LIST_ITEM.match(line):
            lead += " " + line.strip()
            continue
        if lead:
            yield lead
            lead = ""
        pieces = list(_split(line))
        if pieces and pieces[-1].rstrip("*_ ").endswith((":", "：")) and _opens_as_question(pieces[-1]):
            lead = pieces.pop()
        yield from pieces
    if lead:
        yield lead


def _split(line: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(line):
        sentence = line[start : end.end()]
        if end[0].startswith(".") and (_ABBREVIATION.search(sentence) or _LIST_ITEM.fullmatch(sentence + " ")):
            continue
        yield sentence
        start = end.end()
    if line[start:].strip():
        yield line[start:]
