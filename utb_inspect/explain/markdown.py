"""Markdown that no value can break: escaped, cut with care, in tables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from utb_inspect.trajectory.json_schema import MISSING

LONGEST = 48
"""Characters of a value in a table. Inspect View squeezes wide tables until words break."""
LONGEST_NAME = 64
LONGEST_CALL = 64
"""Characters of all arguments of a call."""
LONGEST_QUOTE = 240
MOST_ROWS = 40
"""Rows of a table; more are counted. A model may make any number of calls, of any number of arguments."""
_MOST = 8
"""Things that are named in a sentence; more are counted."""
_LEAD = 12
"""Characters that are kept in front of the place where two long values part."""

_UNSEEN = re.compile("[\x00-\x08\x0e-\x1b\x7f\ud800-\udfff]")  # not white space; half a surrogate pair has no UTF-8
_MARKUP = re.compile(r"([\\`*_|~$])")
# Links, HTML, entities and `\dots` are taken apart by a word joiner: Inspect View shows backslashes in front of `<` and
# `&`, reads escaped brackets as formulas, and rewrites `[a]: b` and `\dots` before it reads any Markdown.
_JOINED = re.compile(r"(?<=\])(?=[(\[:])|(?<=<)(?=[a-zA-Z/!?])|(?<=&)(?=[#a-zA-Z])|(?<=\\)(?=dots)")

Row = tuple[str, str, str, str]


def plain(text: str) -> str:
    """Text on one line that can be encoded."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", " ".join(text.split()))


def escape(text: str) -> str:
    """Text on one line, without any markup of its own."""
    return _JOINED.sub("\u2060", _MARKUP.sub(r"\\\1", plain(text)))


def name(text: str) -> str:
    """The name of a tool, step or argument, cut and escaped. A model may make up any."""
    return escape(clip(text, longest=LONGEST_NAME))


def quote(text: str, longest: int = LONGEST_QUOTE) -> str:
    """Somebody's words, cut and escaped, in quotation marks."""
    return f"“{escape(clip(' '.join(text.split()), longest=longest))}”"


def value(given: Any, longest: int = LONGEST) -> str:
    """A value as JSON, cut and escaped."""
    return escape(clip(_json(given), longest=longest))


def values(reference: Any, made: Any) -> tuple[str, str]:
    """Two values to be set beside each other; long ones are cut so that the place where they part is seen."""
    texts = _json(reference), _json(made)
    shared = next((i for i, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), min(map(len, texts)))
    start = shared - _LEAD if shared > LONGEST - _LEAD and texts[0] != texts[1] else 0
    return escape(clip(texts[0], start)), escape(clip(texts[1], start))


def clip(text: str, start: int = 0, longest: int = LONGEST) -> str:
    """A text from `start`, cut to so many characters, with the number of those it has in all."""
    lead = "… " if start else ""
    if len(text) - start <= longest:
        return lead + text[start:]
    return f"{lead}{text[start : start + longest]}… ({len(text):,} characters)"


def series(items: Iterable[str], comma: str = ", ", last: str = " and ") -> str:
    """`a, b and c`; the first of many, and how many more there are."""
    each = list(items)
    if len(each) > _MOST:
        each = [*each[:_MOST], f"{len(each) - _MOST} more"]
    return last.join(filter(None, (comma.join(each[:-1]), each[-1]))) if each else ""


def table(head: Row, rows: Iterable[Row]) -> str:
    """A table of cells that are escaped already."""
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ("---",) * len(head), *rows))


def first(rows: Sequence[Row]) -> list[Row]:
    """Rows; of many the first, and a row that says how many more there are."""
    more = len(rows) - MOST_ROWS
    return [*rows[:MOST_ROWS], ("", f"… and {more:,} more", "", "")] if more > 0 else list(rows)


def bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _json(given: Any) -> str:
    return "(left out)" if given is MISSING else json.dumps(given, ensure_ascii=False)
