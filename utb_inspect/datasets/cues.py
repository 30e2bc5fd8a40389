"""Cues of a public ask: the words by which a question shows what it asks for (spec section 2).

They are the words of the missing parameters' names, of their descriptions and of the recorded question. No part
of speech is told: of descriptions and questions all words count but those of a stop list, which holds function
words, verbs of asking and words of schemas. Of Chinese, Japanese and Korean text, where a cue counts anywhere, each
two neighbouring characters are a cue, stop characters aside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from utb_inspect.datasets.public_tools import name_words
from utb_inspect.trajectory.calls import Tools
from utb_inspect.trajectory.questions import question_sentences
from utb_inspect.trajectory.text import CJK, normalise

UNNAMED = "information"
"""The item of an ask that names no parameter; its cues are the words of the recorded question."""

_STOP_WORDS = frozenset(
    """a about above again agent all also am an and another any anything are as assistant at available based be
    because been before being below between both but by can case certain confirm could default defaults describe
    description detail details did do does doing done each either else empty enter etc every example examples field
    fill first following for format from further get give given go good have having hello help here hi how however
    i if in include included including information input into is it its just kind know let like list made make may
    me mean might more must my need needed needs no not note of ok okay on one only optional options or order other
    our out parameter parameters perform please possible prefer process provide provided query question ready request
    required same see send set shall share should since some something specific specified specify string such support
    supported supports sure tell than thank thanks that the their them then there these they thing things this those
    to together too unit up us use used user uses using value values very want was we well were what when where
    whether which while who whose will wish with within without would yes you your yours yyyy""".split()
)
_WORD = re.compile(r"[^\W\d_]+")
_STOP_CHARACTERS = (
    "的了吗呢吧啊请您你我他她它们是在有和或与及等这那哪什么怎个些为以要需想会能可"
    "告诉提供知道一下帮给把被对于就都也还更先再"
)
_CJK_RUN = re.compile(rf"[^\W\d_{_STOP_CHARACTERS}]+")


def cues_of_ask(arguments: Mapping[str, Any], question: str, tools: Tools) -> dict[str, list[str]]:
    """The missing items of a public ask, each with its cues."""
    asked = _cues([" ".join(question_sentences(question)) or question])
    items: dict[str, list[str]] = {}
    for tool, item in _missing(arguments):
        cues = items.setdefault(item, [])
        cues.extend([*_name_cues(item), *_cues(_descriptions(tools, tool, item)), *asked])
    if not items:
        items[UNNAMED] = asked or [UNNAMED]
    return {item: list(dict.fromkeys(cues)) for item, cues in items.items()}


def _missing(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Tool and parameter of each missing item, however the row nests them."""
    listed = arguments.get("tool_list")
    for entry in listed if isinstance(listed, list) else [listed]:
        if not isinstance(entry, Mapping):
            continue
        missing = entry.get("missing_required_parameters")
        for item in missing if isinstance(missing, list) else [missing]:
            if isinstance(item, str) and item.strip():
                yield str(entry.get("tool_name")), item.strip()


def _descriptions(tools: Tools, tool: str, item: str) -> Iterator[str]:
    if tool in tools:
        view = tools[tool].schema.view
        for part in item.split("."):
            view = view.child(part)
            yield view.description


def _name_cues(item: str) -> list[str]:
    """The words of a name; the whole name when it has none but stop words."""
    own = [word for word in name_words(item) if word not in _STOP_WORDS]
    return own or name_words(item) or [item]


def _cues(texts: Iterable[str]) -> list[str]:
    cues: list[str] = []
    for text in texts:
        cues.extend(
            word
            for word in _WORD.findall(normalise(text))
            if len(word) > 2 and word not in _STOP_WORDS and not CJK.search(word)
        )
        for run in _CJK_RUN.findall(text):
            cues.extend(run[i : i + 2] for i in range(len(run) - 1) if CJK.match(run[i]) and CJK.match(run[i + 1]))
    return list(dict.fromkeys(cues))
