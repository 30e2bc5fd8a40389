"""Why an argument agrees or differs, in a few words (spec section 3)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from utb_inspect.explain.markdown import clip
from utb_inspect.schema import AnyMatch, ContainsAllMatch, EqualMatch, Match, NumberMatch, TextMatch, TimeMatch
from utb_inspect.trajectory.agreement import FREE_TEXT_WORDS, MIN_ROUGE, STOP_WORDS, ArgumentCheck, agree
from utb_inspect.trajectory.json_schema import MISSING
from utb_inspect.trajectory.moments import read_moment
from utb_inspect.trajectory.text import has_word, normalise, rouge_l, word_count, words

_MOST = 4
"""Words or items that are named; more are counted."""
_LONGEST = 40
"""Characters of a word or item."""

Rule = Callable[[ArgumentCheck], str | None]
"""Gives a reason in a few words, not escaped; None when it is not the reason."""


def basis_words(check: ArgumentCheck) -> str:
    """Where the right value comes from: `history`, `observation of step a`; nothing for an added default."""
    if check.basis is None:
        return "" if check.agrees else "unsupported"
    source = check.ground.from_ if check.ground else None
    return f"{check.basis} of step {source}" if check.basis == "observation" and source else check.basis


def reason(check: ArgumentCheck) -> str:
    """Why a leaf agrees or differs: `another date or time`, `accepted as well`."""
    rules = _AGREES if check.agrees else _DIFFERS
    return next(found for rule in rules if (found := rule(check)) is not None)


SAME = "the same"
"""The reason that need not be told."""


# --- why it agrees -------------------------------------------------------------------------------------------


def _same(check: ArgumentCheck) -> str | None:
    same = check.made is not MISSING and check.reference is not MISSING and _text(check.made) == _text(check.reference)
    return SAME if same else None


def _accepted(check: ArgumentCheck) -> str | None:
    ground = check.ground
    if ground is None or not ground.accept or agree(check.reference, check.made, check.view, ground.match):
        return None
    return "may be left out" if check.made is MISSING else "accepted as well"


def _default(check: ArgumentCheck) -> str | None:
    return "its default" if check.made is MISSING or check.reference is MISSING else None


def _by_match(check: ArgumentCheck) -> str | None:
    match _match(check):
        case AnyMatch():
            return "any value will do"
        case ContainsAllMatch():
            return "holds every term asked for"
        case NumberMatch(tolerance=tolerance):
            return f"within {tolerance:g}"
        case TimeMatch(tolerance_minutes=minutes):
            return f"within {minutes:g} minutes"
        case TextMatch():
            return "the same in similar words"
        case _:
            return None


def _by_meaning(check: ArgumentCheck) -> str | None:
    made, reference = check.made, check.reference
    if isinstance(made, str) and isinstance(reference, str):
        if normalise(made) == normalise(reference):
            return "the same but for case or spaces"
        return "the same date or time" if read_moment(made) and read_moment(reference) else "the same in other words"
    return "the same items" if isinstance(made, list) else "the same value"


# --- why it differs ------------------------------------------------------------------------------------------


def _superseded(check: ArgumentCheck) -> str | None:
    return "does not hold here" if check.stale else None


def _left_out(check: ArgumentCheck) -> str | None:
    if check.made is not MISSING:
        return None
    default = check.view.default
    return "left out" if default is MISSING else f"its default is {clip(_text(default), longest=_LONGEST)}"


def _added(check: ArgumentCheck) -> str | None:
    if check.reference is not MISSING:
        return None
    accept = check.ground is not None and check.ground.accept
    return "added, with a value that is not accepted" if accept else "added by the model"


def _invented(check: ArgumentCheck) -> str | None:
    ground = check.ground
    if check.basis == "observation" and ground is not None and ground.basis != "observation":
        return f"step {ground.from_} did not return it"
    return None


def _lacking(check: ArgumentCheck) -> str | None:
    made, match = check.made, _match(check)
    texts = made if isinstance(made, list) else [made]
    if not isinstance(match, ContainsAllMatch) or not all(isinstance(text, str) for text in texts):
        return None
    lacking = [g[0] for g in match.terms if not any(has_word(term, text) for term in g for text in texts)]
    return f"lacks {_named(lacking)}"


def _other_number(check: ArgumentCheck) -> str | None:
    match = _match(check)
    if isinstance(match, NumberMatch) and _is_number(check.made) and _is_number(check.reference):
        return f"more than {match.tolerance:g} off"
    return "another number" if _type(check.made) == _type(check.reference) == "a number" else None


def _other_type(check: ArgumentCheck) -> str | None:
    made, right = _type(check.made), _type(check.reference)
    return None if made == right else f"{made}, not {right}"


def _other_items(check: ArgumentCheck) -> str | None:
    if not isinstance(check.made, list):
        return None
    adds = list(check.made)
    lacks = []
    for i, right in enumerate(check.reference):
        view = check.view.item(i)
        same = next((j for j, made in enumerate(adds) if agree(right, made, view, _match(check))), None)
        if same is None:
            lacks.append(right)
        else:
            adds.pop(same)
    return _lacks_and_adds(lacks, adds) or "in another order"


def _other_moment(check: ArgumentCheck) -> str | None:
    first, second = (read_moment(text) if isinstance(text, str) else None for text in (check.reference, check.made))
    if first is None or second is None:
        return None
    if first.distance(second) is None:
        return "another kind of date or time"
    match = _match(check)
    far = f"more than {match.tolerance_minutes:g} minutes off" if isinstance(match, TimeMatch) else None
    return far or "another date or time"


def _other_words(check: ArgumentCheck) -> str | None:
    made, right = check.made, check.reference
    if not isinstance(made, str) or min(word_count(made), word_count(right)) < FREE_TEXT_WORDS:
        return None
    first, second = words(right), words(made)
    if first == second:
        return "other punctuation"
    lenient = not isinstance(_match(check), EqualMatch | TimeMatch | TextMatch)
    if lenient and not check.view.has("enum", "const", "pattern", "format"):
        content = [[word for word in text if word not in STOP_WORDS] for text in (first, second)]
        if sorted(content[0]) == sorted(content[1]) and rouge_l(first, second) >= MIN_ROUGE:
            return "other words after from, to, before, after, not, without, never or except"
        first, second = content
    return _lacks_and_adds(_surplus(first, second), _surplus(second, first)) or "the words in another order"


def _other_value(check: ArgumentCheck) -> str | None:
    return "another choice" if check.view.has("enum") else "another value"


_AGREES: tuple[Rule, ...] = (_same, _accepted, _default, _by_match, _by_meaning)
_DIFFERS: tuple[Rule, ...] = (
    _superseded,
    _left_out,
    _added,
    _invented,
    _lacking,
    _other_number,
    _other_type,
    _other_items,
    _other_moment,
    _other_words,
    _other_value,
)


# --- words ---------------------------------------------------------------------------------------------------


def _match(check: ArgumentCheck) -> Match | None:
    return check.ground.match if check.ground else None


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _type(value: Any) -> str:
    match value:
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list():
            return "a list"
        case None:
            return "null"
        case _:
            return "an object"


def _is_number(value: Any) -> bool:
    """Whether a tolerance can be applied to a value: a number, or a text that is one."""
    try:
        return not isinstance(value, bool) and Decimal(str(value).strip()).is_finite()
    except InvalidOperation:
        return False


def _surplus(first: Iterable[str], second: Iterable[str]) -> list[str]:
    """What the first has more of than the second."""
    return list((Counter(first) - Counter(second)).elements())


def _lacks_and_adds(lacks: Sequence[Any], adds: Sequence[Any]) -> str:
    return ", ".join(f"{verb} {_named(found)}" for verb, found in (("lacks", lacks), ("adds", adds)) if found)


def _named(found: Sequence[Any]) -> str:
    each = [_text(item) for item in found[:_MOST]]
    shown = ", ".join(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…" for text in each)
    return shown if len(found) <= _MOST else f"{shown} and {len(found) - _MOST} more"
