"""Dates and times as argument values write them (spec section 3).

Two strings that both read as a moment agree when they denote the same one. The grammar is deliberately narrow:
whatever could be read in two ways, or is something else (`14/03/2025`, `19.30`, a version, a bare number,
`tomorrow`), is not a moment and is compared as a string.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from utb_inspect.trajectory.text import normalise

_MONTHS = ("january february march april may june july august september october november december").split()
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()


def _names(full: list[str]) -> str:
    return "|".join(f"{name[:3]}(?:{name[3:]})?" for name in full)


_DATE = rf"""
    (?:(?P<weekday>{_names(_WEEKDAYS)})(?:,\ ?|\ ))?
    (?:
        (?P<y1>\d{{4}})(?P<sep>[-/])(?P<m1>\d{{1,2}})(?P=sep)(?P<d1>\d{{1,2}})
      | (?P<y2>\d{{4}})年(?P<m2>\d{{1,2}})月(?P<d2>\d{{1,2}})日
      | (?P<y3>\d{{4}})[ ,-]\ ?(?P<m3>{_names(_MONTHS)})[ -](?P<d3>\d{{1,2}})
      | (?P<d4>\d{{1,2}})(?:st|nd|rd|th)?(?:\ of)?[ -]?(?P<m4>{_names(_MONTHS)})[ ,-]\ ?(?P<y4>\d{{4}})
      | (?P<m5>{_names(_MONTHS)})[ -](?P<d5>\d{{1,2}})(?:st|nd|rd|th)?[ ,-]\ ?(?P<y5>\d{{4}})
    )
"""
_TIME = r"""
    (?:
        (?P<h12>\d{1,2})(?:[:.](?P<min12>\d{2})(?::(?P<s12>\d{2}))?)?\ ?(?P<half>[ap])(?:m|\.m\.)
      | (?P<h24>\d{1,2}):(?P<min24>\d{2})(?::(?P<s24>\d{2})(?P<fraction>\.\d+)?)?
    )
"""
_ZONE = r"(?:\ ?(?P<zone>z|utc|gmt|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?))?"
_DATE_ONLY = re.compile(_DATE, re.VERBOSE)
_TIME_ONLY = re.compile(_TIME, re.VERBOSE)
_DATE_TIME = re.compile(rf"{_DATE}(?:t|,?\ (?:at\ )?)(?:{_TIME}){_ZONE}", re.VERBOSE)
_LONGEST = 60
_MICRO = 1_000_000
_DAY = 86_400 * _MICRO


@dataclass(frozen=True)
class Moment:
    """A date-time (a date is its midnight) or, when not `dated`, a time of day."""

    microseconds: int
    """Since the start of year 1, as the clock on the wall shows it, or since midnight."""
    dated: bool
    offset: int | None = None
    """Zone, microseconds ahead of UTC; None when none is given."""

    def distance(self, other: Moment) -> int | None:
        """Microseconds between two moments; None between a time of day and a date-time.

        A zone given on one side only is ignored.
        """
        if self.dated != other.dated:
            return None
        gap = self.microseconds - other.microseconds
        if self.offset is not None and other.offset is not None:
            gap -= self.offset - other.offset
        return abs(gap)


def read_moment(text: str) -> Moment | None:
    """Read a date, a time of day or a date-time; None when the text is none of them."""
    plain = normalise(text)
    return _read(plain) if len(plain) <= _LONGEST else None


@lru_cache(maxsize=16384)
def _read(plain: str) -> Moment | None:
    if found := _DATE_ONLY.fullmatch(plain):
        day = _read_date(found)
        return None if day is None else Moment(day, dated=True)
    if found := _TIME_ONLY.fullmatch(plain):
        clock = None if found["fraction"] else _read_time(found)
        return None if clock is None else Moment(clock, dated=False)
    if found := _DATE_TIME.fullmatch(plain):
        day, clock = _read_date(found), _read_time(found)
        if day is not None and clock is not None:
            return Moment(day + clock, dated=True, offset=_read_zone(found["zone"]))
    return None


def _read_date(found: re.Match[str]) -> int | None:
    form = next(i for i in "12345" if found[f"y{i}"])
    year, month, day = found[f"y{form}"], found[f"m{form}"], found[f"d{form}"]
    number = int(month) if month.isdigit() else [m[:3] for m in _MONTHS].index(month[:3]) + 1
    try:
        read = date(int(year), number, int(day))
    except ValueError:
        return None
    if found["weekday"] and _WEEKDAYS[read.weekday()][:3] != found["weekday"][:3]:
        return None
    return read.toordinal() * _DAY


def _read_time(found: re.Match[str]) -> int | None:
    if found["half"]:
        hour = int(found["h12"])
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found["half"] == "p" else 0)
        minute, second = int(found["min12"] or 0), int(found["s12"] or 0)
    else:
        hour, minute, second = int(found["h24"]), int(found["min24"]), int(found["s24"] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    fraction = int((found["fraction"] or ".0")[1:7].ljust(6, "0"))
    return ((hour * 60 + minute) * 60 + second) * _MICRO + fraction


def _read_zone(zone: str | None) -> int | None:
    if zone is None:
        return None
    if zone in ("z", "utc", "gmt"):
        return 0
    digits = zone[1:].replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:] or 0)
    return (-minutes if zone[0] == "-" else minutes) * 60 * _MICRO
