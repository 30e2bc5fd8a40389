"""A value written in another way: dates and times otherwise, numbers as texts, texts reworded, items moved."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime
from typing import Any

from hypothesis import strategies as st

DATES = ("%Y-%m-%d", "%Y/%m/%d", "%d %B %Y", "%d %b %Y", "%B %d, %Y", "%A, %d %B %Y", "%Y年%m月%d日")
TIMES = ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I.%M%p")
SMALL_WORDS = ("the", "a", "please", "with", "and")
FREE_TEXTS = (
    "a quiet table by the window", "no nuts and no gluten for the child", "from Utrecht to Lyon without a change",
    "meet me at the café after the talk", "please call before you come to the house", "需要一个安静的靠窗座位",
)  # fmt: skip


@st.composite
def moment_pairs(draw: Any) -> tuple[str, str]:
    """The same date, time of day or date-time, written in two ways; or, now and then, two neighbouring ones."""
    first = draw(st.datetimes(datetime(2024, 1, 1), datetime(2026, 12, 31))).replace(second=0, microsecond=0)
    second = draw(st.sampled_from((first, first, first.replace(minute=30), first.replace(day=1))))
    kinds = draw(st.sampled_from(("date", "time", "both")))

    def written(moment: datetime) -> str:
        day, clock = (moment.strftime(draw(st.sampled_from(forms))) for forms in (DATES, TIMES))
        joint, zone = draw(st.sampled_from((" ", ", ", " at "))), draw(st.sampled_from(("", "", "Z", "+02:00")))
        return {"date": day, "time": clock, "both": f"{day}{joint}{clock}{zone}"}[kinds]

    return written(first), written(second)


@st.composite
def form_pairs(draw: Any, values: st.SearchStrategy[Any], rewrites: tuple[Callable[[str], str], ...]) -> Any:
    """A value, and the same or nearly the same in another form."""
    leaves = st.sampled_from((*FREE_TEXTS, 1, 2.0, "2025-03-14"))
    lists, objects = (
        st.lists(leaves, min_size=1, max_size=3),
        st.dictionaries(st.sampled_from("ab"), leaves, min_size=1),
    )
    first = draw(values | leaves | lists | objects | st.lists(objects, min_size=1, max_size=2))
    chance = random.Random(draw(st.integers(0, 2**32)))
    return first, other_form(first, chance, rewrites)


def other_form(value: Any, chance: random.Random, rewrites: tuple[Callable[[str], str], ...]) -> Any:
    match value:
        case bool():
            return value
        case int() | float():
            return chance.choice((str(value), float(value))) if -1e300 < value < 1e300 else value
        case str():
            return reworded(value, chance) if chance.random() < 0.5 else chance.choice((*rewrites, str.upper))(value)
        case list():
            return [other_form(item, chance, rewrites) for item in chance.sample(value, len(value))]
        case dict():
            return {name: other_form(value[name], chance, rewrites) for name in chance.sample(list(value), len(value))}
    return value


def reworded(text: str, chance: random.Random) -> str:
    """A small word more, or two neighbouring words in the other order, or a full stop."""
    words = text.split()
    at = chance.randint(0, len(words))
    match chance.randrange(3):
        case 0:
            words.insert(at, chance.choice(SMALL_WORDS))
        case 1:
            words[at : at + 2] = reversed(words[at : at + 2])
        case _:
            words.append(".")
    return " ".join(words)
