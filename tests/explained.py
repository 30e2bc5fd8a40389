"""Explanations as a reader of Markdown sees them, a turn to explain, and values that are awkward to show."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from support import TOOLSETS, answer_step, basis, call_step

from utb_inspect.explain import explain
from utb_inspect.schema import Toolset, Turn
from utb_inspect.trajectory.calls import Call, Message, Tools
from utb_inspect.trajectory.run import Run, replay
from utb_inspect.trajectory.verdict import Verdict, judge

# --- a reader ------------------------------------------------------------------------------------------------


def _reader(*, html_: bool) -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": html_, "breaks": True}).enable(["table", "strikethrough"])


READERS: dict[str, Callable[[str], list[Token]]] = {
    "without HTML": _reader(html_=False).parse,
    "with HTML": _reader(html_=True).parse,
    # Inspect View escapes HTML before it reads Markdown, so that a backslash in front of `<` would be shown.
    "as Inspect View": lambda text: _reader(html_=True).parse(html.escape(text)),
}
OURS = {"paragraph", "bullet_list", "list_item", "table", "thead", "tbody", "tr", "th", "td", "strong", "code_inline"}
"""Elements that explanations are made of."""


@dataclass
class Read:
    """What stands in an explanation, as plain text without the invisible word joiners."""

    paragraphs: list[str] = field(default_factory=list)
    bullets: list[str] = field(default_factory=list)
    tables: list[list[list[str]]] = field(default_factory=list)
    """Each with its head; rows of cells."""
    elements: set[str] = field(default_factory=set)

    @property
    def text(self) -> str:
        cells = [cell for table in self.tables for row in table for cell in row]
        return "\n".join([*self.paragraphs, *self.bullets, *cells])


def read(text: str, reader: str = "with HTML") -> Read:
    """Read an explanation."""
    found, stack = Read(), [""]
    for token in READERS[reader](text):
        if token.type == "inline":
            children = token.children or []
            found.elements |= {_element(child) for child in children if child.type not in ("text", "text_special")}
            words = "".join(child.content for child in children).replace("\u2060", "")
            match stack:
                case [*_, "th" | "td"]:
                    found.tables[-1][-1].append(words)
                case [*_, "list_item", "paragraph"]:
                    found.bullets.append(words)
                case _:
                    found.paragraphs.append(words)
            continue
        found.elements.add(_element(token))
        if token.nesting == -1:
            stack.pop()
        elif token.nesting == 1:
            stack.append(_element(token))
            if token.type == "table_open":
                found.tables.append([])
            elif token.type == "tr_open":
                found.tables[-1].append([])
    return found


def _element(token: Token) -> str:
    return token.type.removesuffix("_open").removesuffix("_close")


# --- a turn --------------------------------------------------------------------------------------------------

LYON = {"origin": "Utrecht", "destination": "Lyon", "day": "2025-03-15", "seat": "window"}
ASK: dict[str, Any] = {
    "id": "q",
    "ask": ["day"],
    "cues": {"day": ["day", "when"]},
    "settled": {"origin": ["station", "where from"]},
    "message": "Which day?",
    "reply": "Saturday.",
    "after": [],
}


def turn(task_type: str = "multi_tool", ask: bool = False, alternatives: Any = (), seat: Any = None) -> Turn:
    """Find trains, then book the one found; with `ask`, the day is to be asked for first."""
    first = call_step(
        "a",
        "findTrains",
        LYON,
        {
            "origin": basis("history", ("t1.1", "from Utrecht | as always")),
            "destination": "request",
            "day": "reply" if ask else "request",
            "seat": seat
            or {
                **basis("preference", ("t1.2", "by the <b>window</b>")),
                "superseded": [{"value": "aisle", "turn": "t1.1", "quote": "on the aisle"}],
            },
        },
        {"trains": ["T1"]},
        after=["q"] if ask else [],
    )
    second = call_step(
        "b", "bookTrain", {"train_id": "T1"}, {"train_id": basis("observation", source="a")}, {"booking": 1}, ["a"]
    )
    reference = [*([ASK] if ask else []), first, second, answer_step("Booked.", "a", "b")]
    return Turn.model_validate(
        {
            "task_type": task_type,
            "subtype": "cross_topic",
            "request": "Go.",
            "reference": reference,
            "alternatives": list(alternatives),
        }
    )


ASKING = turn("lack_of_information", ask=True)


def call(name: str, arguments: Any, **changed: Any) -> Call:
    return Call("", name, {**arguments, **changed} if isinstance(arguments, dict) else arguments)


FIND = call("findTrains", LYON)
BOOK = call("bookTrain", {"train_id": "T1"})


def judged(messages: list[Any], turn_: Turn | None = None) -> tuple[Run, Verdict]:
    """A run of messages, each a text or a list of calls."""
    run = Run(turn_ or turn(), Tools(Toolset.model_validate(TOOLSETS["rail"])))
    replay(run, (Message(m) if isinstance(m, str) else Message(calls=tuple(m)) for m in messages))
    return run, judge(run)


def explained(messages: list[Any], turn_: Turn | None = None, cut: bool = False) -> Read:
    return read(explain(*judged(messages, turn_), cut=cut))


# --- values --------------------------------------------------------------------------------------------------

AWKWARD = [
    "a | b || c",
    "line one\nline two\r\n| new | row |",
    "`code` ``` fence",
    "<script>alert(1)</script><!-- hidden -->",
    "<img src=x onerror=alert(1)>",
    "<sup>2</sup> <https://a.b> <?php ?>",
    "&lt; &#60; &amp;amp;",
    "**bold** _it_ ~~gone~~ # head [link](http://x.y) ![img](z)",
    "[a](b) [a][b] [a]: b [x]",
    "https://a.b www.a.b me@a.b",
    "\\| back\\slash \\",
    "\\(x\\) \\[x\\] \\\\(x\\\\)",
    "$math$ {x} $$y$$ $\\dots$",
    "\u2028 separator \x0b tab\t \x00\x07\x1b",
    "\u202eright to left\u202c \u200fשלום\u200e",
    "half of a pair \ud83d, and whole \U0001f600 \U0001f468\u200d\U0001f469\u200d\U0001f467",
    "- item\n1. item\n> quote\n# head\n---\n    code",
    "a) letter list",
    "",
    " ",
    '"',
    "\u2060",
]
