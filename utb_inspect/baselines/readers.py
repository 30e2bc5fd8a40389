"""Values that stand in a text, read for one parameter of a tool."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Any, Literal

from inspect_ai.tool import ToolInfo

from utb_inspect.baselines.guesses import value_type
from utb_inspect.trajectory.json_schema import MISSING, ArgumentSchema, SchemaView
from utb_inspect.trajectory.text import has_word, normalise, numbers, words

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_DATES = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?P<year>\d{4})-(?P<number>\d{2})-(?P<day>\d{2})\b",
        rf"\b{_DAY}(?: of)? {_MONTH}(?:,? (?P<year>\d{{4}}))?\b",
        rf"\b{_MONTH} {_DAY}(?:,? (?P<year>\d{{4}}))?\b",
        rf"\bthe (?P<day>\d{{1,2}})(?:st|nd|rd|th)\b(?! (?:of )?(?:{'|'.join(_MONTHS)}))",
        rf"\b(?P<word>today|tonight|tomorrow|{'|'.join(_WEEKDAYS)})\b(?!,? (?:the )?\d)",
    )
]
_CLOCK = re.compile(
    r"\b(?:(?P<hour>\d{1,2}):(?P<minute>\d{2})|(?P<h12>\d{1,2})(?:[:.](?P<m12>\d{2}))? ?(?P<half>[ap])\.?m\b)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"([^\"\n]+)\"|“([^”\n]+)”|(?<!\w)'([^'\n]+)'(?!\w)")
_IDENTIFIER = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[A-Z])[A-Z0-9][\w-]{2,}\b")
# A capitalised word that does not open a sentence, and those that follow it.
_NAME = re.compile(r"(?<=[\w,;:] )[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*")
Form = Literal["date-time", "date", "time", "identifier", "text"]
_IDENTIFIERS = {"id", "ids", "code", "number", "reference", "ref"}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a tool."""

    name: str
    view: SchemaView
    required: bool
    schema: ArgumentSchema
    """Of the tool, with nothing required."""

    @property
    def words(self) -> str:
        """Its name as words: `departureDate` and `departure_date` are `departure date`."""
        return split_name(self.name)

    @property
    def type(self) -> str | None:
        return value_type(self.view)

    @property
    def form(self) -> Form:
        """What its texts look like, by its description, format and name."""
        described = f"{self.view.description} {self.view.get('format') or ''}"
        name = self.words.split()
        if re.search(r"date-?time|THH:MM|DD HH:MM", described):
            return "date-time"
        if "YYYY" in described or "date" in described.split() or {"date", "day"} & set(name):
            return "date"
        if "HH:MM" in described or "time" in name:
            return "time"
        return "identifier" if name and name[-1] in _IDENTIFIERS else "text"

    def admits(self, value: Any) -> bool:
        """Whether a value is valid for it."""
        return self.schema.fault({self.name: value}) is None


def parameters(tool: ToolInfo) -> list[Parameter]:
    """The parameters of a tool, in the order of its schema."""
    return _parameters(tool.parameters.model_dump_json(by_alias=True, exclude_none=True))


@lru_cache(maxsize=1024)
def _parameters(text: str) -> list[Parameter]:
    declared = json.loads(text)
    required = frozenset(declared.pop("required", None) or ())
    schema = ArgumentSchema(declared)
    return [
        Parameter(name, schema.view.child(name), name in required, schema) for name in declared.get("properties") or {}
    ]


def split_name(name: str) -> str:
    """A camelCase or snake_case name as lower-case words."""
    return " ".join(re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_\W]+", " ", name).lower().split())


class Reader:
    """Reads a text for the parameters of one call; a name, number or date read for one is not read for the next."""

    def __init__(self, text: str, today: date | None) -> None:
        self.text = text
        self._dates = _unique(_dates(text, today))
        self._times = _unique(_times(text))
        # What is left of the text once dates and times are taken out: their digits are no numbers.
        bare = _CLOCK.sub(" ", text)
        for pattern in _DATES:
            bare = pattern.sub(" ", bare)
        self._numbers = [float(n) for n in numbers(bare)]
        self._numbers += [float(_NUMBER_WORDS.index(w)) for w in words(bare) if w in _NUMBER_WORDS]
        self._names = [next(filter(None, found)) for found in _QUOTED.findall(bare)]
        self._names += _unique(iter(_NAME.findall(bare)))
        self._identifiers = _unique(iter(_IDENTIFIER.findall(bare)))

    def read(self, parameter: Parameter) -> Any:
        """The value for a parameter, or MISSING."""
        if choices := parameter.view.get("enum"):
            return next(iter(self._choices(choices)), MISSING)
        match parameter.type:
            case "integer" | "number":
                whole = parameter.type == "integer"
                found = _take(self._numbers, lambda n: n.is_integer() or not whole)
                return int(found) if found is not MISSING and found.is_integer() else found
            case "array":
                return self._items(parameter)
            case "string" | None:
                return self._string(parameter)
            case _:
                return MISSING

    def _items(self, parameter: Parameter) -> Any:
        item = parameter.view.item()
        if choices := item.get("enum"):
            return self._choices(choices) or MISSING
        found = self._string(parameter) if item.get("type") == "string" else MISSING
        return MISSING if found is MISSING else [found]

    def _string(self, parameter: Parameter) -> Any:
        match parameter.form:
            case "date-time":
                return f"{self._dates[0]}T{self._times[0]}" if self._dates and self._times else MISSING
            case "date":
                return _take(self._dates)
            case "time":
                return _take(self._times)
            case "identifier":
                return _take(self._identifiers)
            case "text":
                return _take(self._names)

    def _choices(self, choices: list[Any]) -> list[Any]:
        """The values of an enum that stand in the text as words, in the order of the text."""
        plain = normalise(self.text)
        spelled = {choice: split_name(choice) for choice in choices if isinstance(choice, str)}
        found = [choice for choice, words_ in spelled.items() if has_word(words_, plain)]
        return sorted(found, key=lambda choice: plain.find(normalise(spelled[choice])))


def _take(values: list[Any], fits: Any = None) -> Any:
    for i, value in enumerate(values):
        if fits is None or fits(value):
            return values.pop(i)
    return MISSING


def _unique(values: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(values))


def _dates(text: str, today: date | None) -> Iterator[str]:
    """Dates in a text; one without a year is the next such day."""
    found = sorted((match for p in _DATES for match in p.finditer(text)), key=lambda match: match.start())
    for match in found:
        parts = match.groupdict()
        if word := (parts.get("word") or "").lower():
            if today is not None:
                yield (today + timedelta(days=_days_ahead(word, today))).isoformat()
            continue
        number = parts.get("number") or (_MONTHS.index(parts["month"][:3].lower()) + 1 if parts.get("month") else None)
        if (day := _next(parts.get("year"), number, int(parts["day"]), today)) is not None:
            yield day.isoformat()


def _days_ahead(word: str, today: date) -> int:
    if word in _WEEKDAYS:
        return (_WEEKDAYS.index(word) - today.weekday() - 1) % 7 + 1
    return int(word == "tomorrow")


def _next(year: str | None, month: str | int | None, day: int, today: date | None) -> date | None:
    """The date, or the next one that fits when year, or month and year, are not given."""
    if year and month:
        candidates = [(int(year), int(month))]
    elif today is None:
        return None
    elif month:
        candidates = [(today.year, int(month)), (today.year + 1, int(month))]
    else:
        candidates = [(today.year + (today.month - 1 + n) // 12, (today.month - 1 + n) % 12 + 1) for n in range(3)]
    for candidate in candidates:
        try:
            found = date(*candidate, day)
        except ValueError:
            continue
        if year or today is None or found >= today:
            return found
    return None


def _times(text: str) -> Iterator[str]:
    """Times of day in a text, as HH:MM."""
    for match in re.finditer(rf"{_CLOCK.pattern}|\b(?P<word>noon|midnight)\b", text, re.IGNORECASE):
        if match["word"]:
            yield "12:00" if match["word"].lower() == "noon" else "00:00"
            continue
        hour, minute = int(match["hour"] or match["h12"]), int(match["minute"] or match["m12"] or 0)
        if match["half"]:
            hour = hour % 12 + (12 if match["half"].lower() == "p" else 0)
        if hour < 24 and minute < 60:
            yield f"{hour:02}:{minute:02}"
