"""When two argument values agree (spec section 3).

`agree` compares two values; `check_arguments` compares a made call with a reference call, leaf by leaf, each under
its own ground.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

from utb_inspect.schema import (
    UNAMBIGUOUS,
    AnyMatch,
    Basis,
    CallStep,
    ContainsAllMatch,
    EqualMatch,
    Ground,
    Match,
    NumberMatch,
    OrderedMatch,
    TextMatch,
    TimeMatch,
    UnorderedMatch,
)
from utb_inspect.trajectory.assignment import Fit
from utb_inspect.trajectory.calls import CompiledTool
from utb_inspect.trajectory.json_schema import MISSING, SchemaView
from utb_inspect.trajectory.moments import read_moment
from utb_inspect.trajectory.pairing import best_pairing, can_be_paired
from utb_inspect.trajectory.text import LONGEST_KEPT, has_word, normalise, rouge_l, stands, word_count, words
from utb_inspect.trajectory.validator import MOST_STEPS
from utb_inspect.trajectory.work import CHECKING, PAIRING

MIN_ROUGE = 0.7
"""ROUGE-L F from which free texts may agree."""
FREE_TEXT_WORDS = 4
"""Words from which a string is free text."""
MOST_COMPARISONS = 200_000
"""Comparisons that go into pairing the items of lists in one call; `pairing` says what comes then."""

STOP_WORDS = frozenset(
    """a an the of in on at to for from by with and or but is are be as it its this that these those into over under
    up down out please my me i you your we our us he she they him his her them their included including near""".split()
)
"""Words that carry no content of their own (spec section 3, free text)."""
_ARTICLES = frozenset(("a", "an", "the"))
_MARKERS = frozenset(("from", "to", "before", "after", "not", "without", "never", "except"))
_NEGATIONS = frozenset("not no never without don't dont cannot can't".split())
_DIGITS = re.compile(r"(?:(?<!\w)-)?\d+(?:,\d{3})*(?:\.\d+)?")
_IN_ORDER = re.compile(r"\bin order\b(?! to\b)|\bin the order \w|\bordered\b|\bsequence\b", re.IGNORECASE)
_MINUTE = 60_000_000
_NO_SCHEMA = SchemaView({}, {})


def agree(reference: Any, made: Any, view: SchemaView = _NO_SCHEMA, match: Match | None = None) -> bool:
    """Whether a made value agrees with a reference value.

    Args:
        reference: The right value; MISSING when the reference leaves the argument out.
        made: The model's value; MISSING when it leaves the argument out.
        view: The argument's place in the tool's schema.
        match: The ground's rule, which replaces the general one.
    """
    with _bounded():
        return _agree(reference, made, view, match)


@contextmanager
def _bounded() -> Iterator[None]:
    """Compare in bounded work. What a schema says of a value is left aside where it takes too much to find."""
    with PAIRING.budget(MOST_COMPARISONS), CHECKING.budget(MOST_STEPS):
        yield


def _agree(reference: Any, made: Any, view: SchemaView, match: Match | None) -> bool:
    if isinstance(match, AnyMatch):
        return made is not MISSING
    reference = view.default if reference is MISSING else reference
    made = view.default if made is MISSING else made
    if isinstance(match, ContainsAllMatch):
        return _contains_all(made, match)
    # An object whose every field is left out or at its default is the same as no object.
    if isinstance(reference, dict) and made is MISSING:
        made = {}
    elif isinstance(made, dict) and reference is MISSING:
        reference = {}
    if reference is MISSING or made is MISSING:
        return reference is made
    if isinstance(reference, dict) and isinstance(made, dict):
        return all(
            _agree(reference.get(key, MISSING), made.get(key, MISSING), view.child(key), match)
            for key in dict.fromkeys([*reference, *made])
        )
    if isinstance(reference, list) and isinstance(made, list):
        return _lists_agree(reference, made, view, match)
    return _scalars_agree(reference, made, view, match)


def _lists_agree(reference: list[Any], made: list[Any], view: SchemaView, match: Match | None) -> bool:
    if len(reference) != len(made):
        return False
    inner = None if isinstance(match, OrderedMatch | UnorderedMatch) else match
    items = [view.item(i) for i in range(len(reference))]
    if is_ordered([*reference, *made], view, match):
        return all(_agree(r, m, item, inner) for r, m, item in zip(reference, made, items, strict=True))
    return can_be_paired(reference, made, lambda i, j: _agree(reference[i], made[j], items[i], inner))


def is_ordered(items: Sequence[Any], view: SchemaView, match: Match | None) -> bool:
    """Whether a list is compared position by position: scalars are not, unless ground or description say so."""
    if isinstance(match, OrderedMatch | UnorderedMatch):
        return isinstance(match, OrderedMatch)
    return _IN_ORDER.search(view.description) is not None or any(isinstance(item, dict | list) for item in items)


def _scalars_agree(reference: Any, made: Any, view: SchemaView, match: Match | None) -> bool:
    if isinstance(match, NumberMatch) and (difference := _number_gap(reference, made)) is not None:
        return difference <= Decimal(str(match.tolerance))
    if isinstance(reference, bool) or isinstance(made, bool) or reference is None or made is None:
        return reference is made
    if isinstance(reference, int | float) and isinstance(made, int | float):
        return reference == made
    if not (isinstance(reference, str) and isinstance(made, str)):
        return False
    if isinstance(match, TextMatch):
        return _same_wording(reference, made, float(match.min_rouge))
    first, second = read_moment(reference), read_moment(made)
    if first is not None and second is not None:
        gap = first.distance(second)
        allowed = match.tolerance_minutes * _MINUTE if isinstance(match, TimeMatch) else 0
        return gap is not None and gap <= allowed
    if normalise(reference) == normalise(made):
        return True
    if isinstance(match, EqualMatch | TimeMatch) or view.has("enum", "const", "pattern", "format"):
        return False
    if word_count(reference) < FREE_TEXT_WORDS or word_count(made) < FREE_TEXT_WORDS:
        return False
    return _same_free_text(reference, made)


def _number_gap(reference: Any, made: Any) -> Decimal | None:
    """Distance of two numbers, or strings that are numbers; exact, so that 0.30 and 0.29 are 0.01 apart."""
    if isinstance(reference, bool) or isinstance(made, bool):
        return None
    try:
        gap = abs(Decimal(normalise(str(reference))) - Decimal(normalise(str(made))))
    except ArithmeticError:  # no number, or beyond what decimals hold
        return None
    return gap if gap.is_finite() else None


def _content(text: str) -> tuple[list[str], list[str], dict[str, list[str]]]:
    """Words of a text, those of content in order of the alphabet, and those after markers."""
    return _content_cached(text) if len(text) <= LONGEST_KEPT else _content_of(text)


def _content_of(text: str) -> tuple[list[str], list[str], dict[str, list[str]]]:
    tokens = words(text)
    return tokens, sorted(word for word in tokens if word not in STOP_WORDS), _marked(tokens)


_content_cached = lru_cache(maxsize=4096)(_content_of)


def _same_free_text(reference: str, made: str) -> bool:
    (first, content, marked), (second, other_content, other_marked) = _content(reference), _content(made)
    return content == other_content and marked == other_marked and rouge_l(first, second) >= MIN_ROUGE


def _marked(tokens: list[str]) -> dict[str, list[str]]:
    """The words after each marker, last first, articles skipped: what a text goes from, to, before or without."""
    marked: dict[str, list[str]] = {}
    following = ""
    for token in reversed(tokens):
        if token in _MARKERS:
            marked.setdefault(token, []).append(following)
        if token not in _ARTICLES:
            following = token
    return marked


def _same_wording(reference: str, made: str, min_rouge: float) -> bool:
    first, second = words(reference), words(made)
    return (
        rouge_l(first, second) >= min_rouge
        and _digits(reference) == _digits(made)
        and Counter(w for w in first if w in _NEGATIONS) == Counter(w for w in second if w in _NEGATIONS)
    )


def _digits(text: str) -> list[Decimal]:
    return [Decimal(found.replace(",", "")) for found in _DIGITS.findall(normalise(text))]


def _contains_all(made: Any, match: ContainsAllMatch) -> bool:
    texts = made if isinstance(made, list) else [made]
    if not all(isinstance(text, str) for text in texts):
        return False
    whole = " | ".join(texts)  # no term runs from one item into the next
    return all(any(has_word(spelling, whole) for spelling in group) for group in match.terms)


# --- a made call against a reference call --------------------------------------------------------------------


@dataclass(frozen=True)
class ArgumentCheck:
    """One leaf of a made call beside the reference call's."""

    path: str
    """Dotted: `filters.stars`, `stops[0].name`."""
    reference: Any
    """MISSING when the reference leaves it out."""
    made: Any
    """MISSING when the model left it out."""
    agrees: bool
    basis: Basis | None
    """The basis under which the leaf counts; None: added without any ground, an unsupported constraint."""
    ground: Ground | None = None
    stale: bool = False
    """The made value is one that the ground lists as superseded."""
    view: SchemaView = _NO_SCHEMA
    """The argument's place in the tool's schema."""

    @property
    def unsupported(self) -> bool:
        return not self.agrees and self.basis is None

    @property
    def misses_unambiguous(self) -> bool:
        return not self.agrees and self.basis in UNAMBIGUOUS

    @property
    def misses_preference(self) -> bool:
        return not self.agrees and self.basis == "preference"


def check_arguments(
    tool: CompiledTool, step: CallStep, arguments: Mapping[str, Any], observations: Mapping[str, Any]
) -> list[ArgumentCheck]:
    """Compare the arguments of a valid call with a reference call of the same tool.

    Args:
        tool: The tool of both.
        step: The reference call.
        arguments: What the model gave, nulls for optional arguments dropped.
        observations: Recorded observation of each call step of the path, for values chosen among candidates.

    Returns:
        A check for each decision-relevant leaf that either of them gives; technical arguments have none.
    """
    checker = _Checker(tool, step, observations)
    with _bounded():
        reference = tool.schema.drop_nulls(step.arguments)
        for name in dict.fromkeys([*reference, *arguments]):
            checker.visit(
                name,
                name,
                reference.get(name, MISSING),
                arguments.get(name, MISSING),
                tool.schema.view.child(name),
            )
    return checker.checks


def fit_of(checks: Sequence[ArgumentCheck], in_order: bool = True) -> Fit:
    """How well compared arguments fit."""
    return Fit(
        full=all(check.agrees for check in checks),
        unambiguous=not any(check.misses_unambiguous for check in checks),
        in_order=in_order,
        disagreements=sum(not check.agrees for check in checks),
    )


class _Checker:
    def __init__(self, tool: CompiledTool, step: CallStep, observations: Mapping[str, Any]) -> None:
        self.tool = tool
        self.step = step
        self.technical = tool.technical
        self.grounds = step.grounds
        self.observations = observations
        self.checks: list[ArgumentCheck] = []

    def visit(
        self,
        path: str,
        key: str,
        reference: Any,
        made: Any,
        view: SchemaView,
        inherited: Ground | None = None,
        stale: bool = False,
    ) -> None:
        """Check the value at a place: `path` as shown, `key` as grounds name it (`stops[].name`)."""
        if key in self.technical:
            return
        own = self.grounds.get(key)
        ground = own or inherited
        match = ground.match if ground else None
        if own and own.accept and self._accepted(own, made, view):
            return self._add(path, reference, made, True, ground, view)
        stale = stale or (own is not None and any(agree(old.value, made, view) for old in own.superseded))

        if not isinstance(match, AnyMatch | ContainsAllMatch) or self._inner(key):
            left, right = (view.default if side is MISSING else side for side in (reference, made))
            if self._open_object(left, right):
                left, right = ({} if side is MISSING else side for side in (left, right))
                for name in dict.fromkeys([*left, *right]):
                    self.visit(
                        f"{path}.{name}",
                        f"{key}.{name}",
                        left.get(name, MISSING),
                        right.get(name, MISSING),
                        view.child(name),
                        ground,
                        stale,
                    )
                return
            if self._lists_of_objects(left, right):
                ordered = is_ordered([*left, *right], view, match)
                made_at = range(len(right)) if ordered else self._pairing(path, key, left, right, view, ground)
                for i, j in enumerate(made_at):
                    self.visit(f"{path}[{i}]", f"{key}[]", left[i], right[j], view.item(i), ground, stale)
                return
        self._add(path, reference, made, agree(reference, made, view, match), ground or self._inner(key), view, stale)

    def _accepted(self, ground: Ground, made: Any, view: SchemaView) -> bool:
        # Accepted values are compared like the value itself, but for rules that do not look at a reference value.
        match = None if isinstance(ground.match, AnyMatch | ContainsAllMatch) else ground.match
        return any(
            made is MISSING or made is None if value is None else agree(value, made, view, match)
            for value in ground.accept
        )

    @staticmethod
    def _open_object(left: Any, right: Any) -> bool:
        sides = [side for side in (left, right) if side is not MISSING]
        return bool(sides) and all(isinstance(side, dict) for side in sides)

    @staticmethod
    def _lists_of_objects(left: Any, right: Any) -> bool:
        """Lists of as many objects, which can be compared pair by pair."""
        return (
            isinstance(left, list)
            and isinstance(right, list)
            and len(left) == len(right)
            and all(isinstance(item, dict) for item in [*left, *right])
        )

    def _pairing(
        self, path: str, key: str, left: list[Any], right: list[Any], view: SchemaView, ground: Ground | None
    ) -> list[int]:
        """Index in `right` of the object that stands for each in `left`: the pairing that agrees best."""

        def fit(reference: Any, made: Any) -> Fit:
            trial = _Checker(self.tool, self.step, self.observations)
            trial.visit(path, f"{key}[]", reference, made, view.item(), ground)
            return fit_of(trial.checks)

        return best_pairing(left, right, fit)

    def _inner(self, key: str) -> Ground | None:
        """The ground for a place that only has grounds inside it: an unambiguous one if there is any."""
        inside = [g for path, g in self.grounds.items() if path.startswith((f"{key}.", f"{key}[]"))]
        return next((g for g in inside if g.basis != "preference"), inside[0] if inside else None)

    def _add(
        self,
        path: str,
        reference: Any,
        made: Any,
        agrees: bool,
        ground: Ground | None,
        view: SchemaView,
        stale: bool = False,
    ) -> None:
        basis: Basis | None
        if ground is None:
            # A value of the reference without a ground counts as stated; one that the model added is unsupported.
            basis = None if reference is MISSING else "request"
        else:
            basis = ground.basis
            if not agrees and self._invented(ground, made):
                basis = "observation"
        self.checks.append(ArgumentCheck(path, reference, made, agrees, basis, ground, stale and not agrees, view))

    def _invented(self, ground: Ground, made: Any) -> bool:
        """Whether a value to be chosen among candidates is none of them."""
        return (
            ground.from_ is not None
            and ground.basis in ("preference", "history")
            and made is not MISSING
            and not stands(made, self.observations.get(ground.from_))
        )
