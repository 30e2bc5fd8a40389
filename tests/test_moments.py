"""Dates and times as values write them (spec section 3)."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utb_inspect.trajectory.moments import read_moment

SAME = [
    ("2025-03-14", "2025/3/14"),
    ("2025-03-14", "14 March 2025"),
    ("2025-03-14", "14 Mar 2025"),
    ("2025-03-14", "March 14, 2025"),
    ("2025-03-14", "Mar 14 2025"),
    ("2025-03-14", "Friday 14 March 2025"),
    ("2025-03-14", "Fri, 2025-03-14"),
    ("2025-03-14", "2025-03-14T00:00:00"),
    ("2025-03-14", "2025年3月14日"),
    ("2025-03-14T18:20", "2025-03-14 18:20:00"),
    ("2025-03-14T18:20", "14 March 2025, 6:20 pm"),
    ("2025-03-14T18:20:00+01:00", "2025-03-14T17:20:00Z"),
    ("2025-03-14T00:30:00+01:00", "2025-03-13T23:30:00+00:00"),
    ("2025-03-14T18:20:00+01:00", "2025-03-14T18:20:00"),
    ("19:30", "7:30 PM"),
    ("19:30", "7.30pm"),
    ("9:00", "09:00:00"),
    ("00:00", "12 am"),
    ("12:00", "12pm"),
    ("19:00", "7 p.m."),
]
DIFFERENT = [
    ("2025-03-14", "2025-03-15"),
    ("2025-03-14T18:20", "2025-03-14"),
    ("09:00", "9 pm"),
    ("2025-03-14T18:20:00+01:00", "2025-03-14T18:20:00Z"),
    ("2025-03-14T09:00", "09:00"),  # a time of day is never a date-time
    ("00:00", "2025-03-14"),
]
NONE = [
    "14/03/2025",
    "03-14-2025",
    "20250314",
    "2025",
    "2025-03",
    "14 March",
    "March 2025",
    "2025-02-30",
    "Monday 14 March 2025",
    "tomorrow",
    "noon",
    "19.30",
    "1.2.3",
    "2025.3.14",
    "192.168.1.11",
    "24:00",
    "12:60",
    "13 pm",
    "0 am",
    "7",
    "10-12",
    "",
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_the_same_moment(first, second):
    a, b = read_moment(first), read_moment(second)
    assert a is not None
    assert b is not None
    assert a.distance(b) == 0 == b.distance(a)


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_different_moments(first, second):
    a, b = read_moment(first), read_moment(second)
    assert a is not None
    assert b is not None
    assert a.distance(b) != 0


@pytest.mark.parametrize("text", NONE)
def test_no_moment(text):
    assert read_moment(text) is None


@given(st.dates())
def test_a_date_in_words_is_the_date_in_figures(day: date):
    words = read_moment(f"{day:%A} {day.day} {day:%B} {day.year:04d}")
    assert words is not None
    assert words.distance(read_moment(day.isoformat())) == 0


@given(st.datetimes(min_value=datetime(1000, 1, 1)), st.integers(-1439, 1439))
def test_distance_is_the_time_between(moment: datetime, minutes: int):
    moment = moment.replace(microsecond=0)
    try:
        other = moment + timedelta(minutes=minutes)
    except OverflowError:
        return
    a, b = read_moment(moment.isoformat()), read_moment(other.isoformat(sep=" "))
    assert a is not None
    assert a.distance(b) == abs(minutes) * 60_000_000


@given(st.text(max_size=80))
def test_any_text_is_read(text):
    read_moment(text)
