"""Dates: weekdays, arguments and the order of topics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

from utb_inspect.checks.finding import Finding, call_steps, found, profile_file, short, topic_file
from utb_inspect.checks.shown import all_shown
from utb_inspect.checks.values import reference_values
from utb_inspect.datasets.dataset import Dataset
from utb_inspect.datasets.files import natural_key
from utb_inspect.schema import Topic
from utb_inspect.trajectory.moments import read_moment

LONGEST_SPAN_DAYS = 125
"""About four months: the time from a profile's first topic to its last."""

WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
MONTHS = "january february march april may june july august september october november december".split()

_WEEKDAY = r"""(?P<weekday>mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?
    |sat(?:urday)?|sun(?:day)?)\b\.?""".replace("\n    ", "")
_MONTH = f"(?P<month>{'|'.join(f'{month[:3]}(?:{month[3:]})?' for month in MONTHS)}|sept)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s+(?P<year>20\d\d)\b)?"
_DATED = re.compile(rf"\b{_WEEKDAY},?\s+(?:the\s+)?{_DAY}\s+(?:of\s+)?{_MONTH}\b{_YEAR}", re.IGNORECASE)
_DATED_MONTH_FIRST = re.compile(rf"\b{_WEEKDAY},?\s+{_MONTH}\.?\s+(?:the\s+)?{_DAY}\b(?![:.]\d){_YEAR}", re.IGNORECASE)
_DATED_BEFORE = re.compile(
    rf"\b(?:the\s+)?{_DAY}\s+(?:of\s+)?{_MONTH}{_YEAR}(?:,?\s+\(|,\s+(?:an?\s+)?|\s+is\s+an?\s+){_WEEKDAY}",
    re.IGNORECASE,
)
_DATED_BEFORE_MONTH_FIRST = re.compile(
    rf"\b{_MONTH}\.?\s+(?:the\s+)?{_DAY}\b(?![:.]\d){_YEAR}(?:,?\s+\(|,\s+an?\s+|\s+is\s+an?\s+){_WEEKDAY}",
    re.IGNORECASE,
)
_DATED_ISO = re.compile(rf"\b{_WEEKDAY},?\s+(?P<iso>20\d\d-\d\d-\d\d)\b", re.IGNORECASE)
_DAY_ONLY = re.compile(rf"\b{_WEEKDAY},?\s+the\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)\b", re.IGNORECASE)
_DAY_ONLY_BEFORE = re.compile(
    rf"\bthe\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)(?:\s+\(|,\s+an?\s+|\s+is\s+an?\s+){_WEEKDAY}", re.IGNORECASE
)
_DAY_OF_MONTH = re.compile(rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}\b{_YEAR}", re.IGNORECASE)
_ANY_MONTH = re.compile(rf"\b{_MONTH}\b", re.IGNORECASE)
_OTHER_YEAR = re.compile(r"\blast year\b|\bnext year\b|\byears? ago\b|\b(?:in|of) (?:19|20)\d\d\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?\n;]+")
_ISO = re.compile(r"(?<![\w-])(\d{4})-(\d\d)-(\d\d)(?!\d)")


# --- weekdays ------------------------------------------------------------------------------------------------


def weekdays_hold(dataset: Dataset) -> Iterator[Finding]:
    """A weekday said with a date is that date's; a year not given is the one that puts the date nearest to now.

    "Friday the 4th" holds when a fourth of the months about now, or of a month that the sentence names, is a Friday.
    """
    for turn in dataset.turns:
        moment = turn.topic.environment.moment
        if moment is None:
            continue
        for text in all_shown(turn.turn):
            for reason in date_faults(text.text, moment.date()):
                yield found(turn, f"{text.kind}: {reason}")


def date_faults(text: str, now: date) -> Iterator[str]:
    """What is wrong with the dates that a text says."""
    for part in _SENTENCE.finditer(text):
        sentence = part[0]
        other_year = _OTHER_YEAR.search(sentence) is not None
        for pattern in (_DATED, _DATED_MONTH_FIRST, _DATED_BEFORE, _DATED_BEFORE_MONTH_FIRST):
            for match in pattern.finditer(sentence):
                weekday = _weekday(match["weekday"])
                candidates = _dates(match, now)
                if candidates and not (other_year and match["year"] is None) and candidates[0].weekday() != weekday:
                    yield f"{short(match[0])}: {_said(candidates[0])} {candidates[0].year} is a {candidates[0]:%A}"
        for match in _DATED_ISO.finditer(sentence):
            day = _iso(match["iso"])
            if day is not None and day.weekday() != _weekday(match["weekday"]):
                yield f"{short(match[0])}: {day} is a {day:%A}"
        for match in (*_DAY_ONLY.finditer(sentence), *_DAY_ONLY_BEFORE.finditer(sentence)):
            if _DATED.match(sentence, match.start()):
                continue
            near = _near(int(match["day"]), now, sentence)
            if near and not other_year and all(day.weekday() != _weekday(match["weekday"]) for day in near):
                yield f"{short(match[0])}: {', '.join(f'{_said(day)} is a {day:%A}' for day in near)}"
        for match in _DAY_OF_MONTH.finditer(sentence):
            if not _dates(match, now):
                yield f"{short(match[0])} is no date"
    for match in _ISO.finditer(text):
        if _iso(match[0]) is None:
            yield f"{match[0]} is no date"


def _said(day: date) -> str:
    return f"{day.day} {day:%B}"


def _weekday(name: str) -> int:
    return [day[:3] for day in WEEKDAYS].index(name[:3].lower())


def _dates(match: re.Match[str], now: date) -> list[date]:
    """The dates that a day and month may mean, the nearest first; the given year's alone."""
    month = _month(match["month"])
    years = [int(match["year"])] if match["year"] else [now.year - 1, now.year, now.year + 1]
    found_ = [day for year in years if (day := _date(year, month, int(match["day"]))) is not None]
    if not found_ and not match["year"] and _date(2024, month, int(match["day"])) is not None:
        found_ = [date(2024, month, int(match["day"]))]  # the 29th of February
    return sorted(found_, key=lambda day: abs(day - now))


def _near(number: int, now: date, sentence: str) -> list[date]:
    """The days of a number in the months about now and in those that the sentence names."""
    months = {((now.replace(day=1) + timedelta(days=31 * i)).replace(day=1)) for i in (0, 1)}
    months.add((now.replace(day=1) - timedelta(days=1)).replace(day=1))
    for match in _ANY_MONTH.finditer(sentence):
        months.update(date(year, _month(match["month"]), 1) for year in (now.year - 1, now.year, now.year + 1))
    days = [day for first in months if (day := _date(first.year, first.month, number)) is not None]
    return sorted(days, key=lambda day: abs(day - now))


def _month(name: str) -> int:
    return [month[:3] for month in MONTHS].index(name[:3].lower()) + 1


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _iso(text: str) -> date | None:
    year, month, day = map(int, text.split("-"))
    return _date(year, month, day)


# --- arguments -----------------------------------------------------------------------------------------------


def date_arguments_are_dates(dataset: Dataset) -> Iterator[Finding]:
    """An argument that its schema calls a date, date-time or time reads as one."""
    for value in reference_values(dataset):
        inner = value.view.item() if isinstance(value.value, list) else value.view
        wanted = None if inner.has("enum", "const") else _wanted(inner.get("format"), inner.description)
        for text in value.strings:
            moment = read_moment(text)
            if wanted is not None and (moment is None or moment.dated != (wanted == "date")):
                yield value.found(f"'{text}' is no {wanted}, which its schema asks for")


def _wanted(declared: Any, description: str) -> str | None:
    if declared in ("date", "date-time") or "YYYY-MM-DD" in description:
        return "date"
    return "time" if declared == "time" or "HH:MM" in description else None


# --- topics --------------------------------------------------------------------------------------------------


def time_runs_forward(dataset: Dataset) -> Iterator[Finding]:
    """A profile's topics, in order of their ids, start one after another, and span about four months at most."""
    for profile, topics in _topics(dataset).items():
        ordered = sorted(topics, key=lambda topic: natural_key(topic.id))
        for before, topic in pairwise(ordered):
            if _at(topic) <= _at(before):
                yield Finding(
                    topic_file(topic),
                    None,
                    f"starts {topic.environment.now}, which is not after {before.id} ({before.environment.now})",
                )
        days = (max(map(_at, topics)) - min(map(_at, topics))) / 86_400
        if days > LONGEST_SPAN_DAYS:
            yield Finding(profile_file(profile), None, f"its topics span {days:.0f} days; at most {LONGEST_SPAN_DAYS}")


def _topics(dataset: Dataset) -> dict[str, list[Topic]]:
    topics: dict[str, list[Topic]] = {}
    for topic in dataset.topics:
        topics.setdefault(topic.profile, []).append(topic)
    return topics


def _at(topic: Topic) -> float:
    moment = topic.environment.moment
    return 0.0 if moment is None else moment.timestamp()


def observed_weekdays_hold(dataset: Dataset) -> Iterator[Finding]:
    """In an observation, a weekday beside a date is that date's."""
    for turn in dataset.turns:
        for place in call_steps(turn):
            for weekday, day in _beside(place.step.observation):
                if day.weekday() != _weekday(weekday):
                    yield place.found("observation", f"{day} is a {day:%A}, not a {weekday}")


def _beside(value: Any) -> Iterator[tuple[str, date]]:
    if isinstance(value, list):
        for item in value:
            yield from _beside(item)
    if not isinstance(value, dict):
        return
    for item in value.values():
        yield from _beside(item)
    weekdays = [value[key] for key in ("weekday", "day", "day_of_week") if _is_weekday(value.get(key))]
    days = [
        day
        for text in value.values()
        if isinstance(text, str) and (match := _ISO.match(text)) and (day := _iso(match[0])) is not None
    ]
    if len(set(days)) == 1:
        yield from ((weekday, days[0]) for weekday in weekdays)


def _is_weekday(value: Any) -> bool:
    return isinstance(value, str) and value.lower() in (*WEEKDAYS, *(day[:3] for day in WEEKDAYS))
