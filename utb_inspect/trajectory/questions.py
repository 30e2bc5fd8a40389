"""What counts as a question, and what it asks for (spec section 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from utb_inspect.schema import AskStep
from utb_inspect.trajectory.text import has_word_start, normalise

_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|(?<!`)(`{1,2})(?!`)[^\n]*?(?<!`)\1(?!`)", re.DOTALL)
_ADDRESS = re.compile(
    r"(?:https?://|ftp://|www\.)[^\s<>]*[^\s<>.,;:!?)\]}'\"*_]|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    re.IGNORECASE,
)
_CLOSERS = r"[\"'”’»）」』)\]*_]*"
# Where a sentence ends: at a question mark or a CJK stop; at another stop before white space, an ellipsis only before
# a capital. Quotes and brackets that close it belong to it. A run of stops is read from its first only: from each, it
# would take quadratic time.
_END = re.compile(
    rf"(?:(?<![.!…])[.!…]+)?[?？؟][.!?？…]*{_CLOSERS}|[。！]+{_CLOSERS}|(?<!\.)\.(?!\.){_CLOSERS}(?=\s|$)"
    rf"|(?<!!)!+(?!!){_CLOSERS}(?=\s|$)|(?:…|(?<!\.)\.{{2,}}(?!\.)){_CLOSERS}(?=\s+[^\W\d_a-z]|\s*$)"
)
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|approx|mr|mrs|ms|dr|st|incl|cf|[a-z]\.[a-z])\.$", re.IGNORECASE)
_LONGEST_ABBREVIATION = 12
_LIST_ITEM = re.compile(r"^\s*(?:[-*•–+]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+", re.IGNORECASE)
_MARKUP = re.compile(r"^(?:[\s#>*_\-•–+\"'“‘«(（「\[]+|\d{1,2}[.)]\s+)+")
_QUESTION_MARK = re.compile(rf"[?؟][!?.…]*{_CLOSERS}\s*$")
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
    if _CLOSING_OFFER.search(sentence.partition(_LIST_MARK)[0]):
        return False
    return _QUESTION_MARK.search(sentence) is not None or _opens_as_question(sentence)


def _opens_as_question(sentence: str) -> bool:
    return _OPENING.match(_MARKUP.sub("", normalise(sentence))) is not None


_LIST_MARK = " \u2063 "
"""Stands between a demand and the list of what it asks for; an invisible separator, which no word holds."""


def _sentences(text: str) -> Iterator[str]:
    """Sentences outside code and addresses.

    A line break ends a sentence, unless the next line goes on in lower case. The list under "Could you tell me:" is
    what that line asks for, and belongs to it.
    """
    plain = _ADDRESS.sub(" ", _CODE.sub(" ", text))
    lead, after_blank = "", False
    for line in _lines(plain):
        if not line:
            after_blank = True
            continue
        if lead and _belongs(lead, line, after_blank):
            lead += (" " if _LIST_MARK in lead else _LIST_MARK) + line.strip()
            continue
        after_blank = False
        if lead:
            yield lead
            lead = ""
        pieces = list(_split(line))
        if pieces and not _END.search(pieces[-1]) and _opens_as_question(pieces[-1]):
            lead = pieces.pop()
        yield from pieces
    if lead:
        yield lead


def _lines(text: str) -> Iterator[str]:
    """Lines of a text, hard-wrapped ones joined, blank ones empty."""
    current = ""
    for line in map(str.strip, text.splitlines()):
        ended = current.endswith((":", "：")) or _END.search(current[-2:]) is not None
        if current and not ended and line[:1].islower() and not _LIST_ITEM.match(line):
            current += " " + line
        else:
            yield current
            current = line
    yield current


def _belongs(lead: str, line: str, after_blank: bool) -> bool:
    """Whether a line is an item of what an unfinished demand asks for: bulleted, or bare right under a colon."""
    if _LIST_ITEM.match(line):
        return True
    under_colon = lead.partition(_LIST_MARK)[0].rstrip("*_ ").endswith((":", "："))
    return under_colon and not after_blank and not _END.search(line)


def _split(line: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(line):
        if end[0].startswith("."):
            near = line[max(start, end.start() - _LONGEST_ABBREVIATION) : end.end()]
            if _ABBREVIATION.search(near) or _LIST_ITEM.fullmatch(line[start : end.end()] + " "):
                continue
        yield line[start : end.end()]
        start = end.end()
    if line[start:].strip():
        yield line[start:]
