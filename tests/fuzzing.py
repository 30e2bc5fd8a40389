"""What the fuzz tests share: JSON of every kind, data with a few things wrong with it, and targets to feed them to."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from utb_inspect.schema import Function, Tool, Toolset
from utb_inspect.trajectory.calls import Call, Tools

EXAMPLES = 150
"""Inputs a target gets in the test suite; `benchmarks/fuzz.py` gives it millions."""

AWKWARD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 1.0, 10**30, -(10**400), 1e308, 5e-324, float("nan"), float("inf"), "", " ", "\n", "0",
    "10", "10.0", "true", "null", "NaN", "a b c d", "No tea, not coffee, please!", "2025-03-14", "14 March 2025",
    "Friday 14 March 2025 at 7 pm", "7.30pm", "19:30Z", "2025-03-14T18:20:00+14:59", "9999-12-31", "0000-00-00",
    "Which day?", "Could you tell me:\n- the day\n- the place", "Anything else?", "```x?```", "e.g. this?",
    "请问几点？", "https://a.b/c?d=e", "é", "e\u0301", "\u0301" * 40, "ﷺ" * 20, "\x00", "\u2028", "\ud83d", "🦊",
    "İ", "ß", "ﬁ", "１２", "[" * 500, "](", "**", "{}", "[]", '{"a": 1}', "-" * 200, "x" * 5000, "x " * 2500, "?" * 500,
    "(a+)+$", "default: [",
    [], {}, [None], [[]], [{}], {"": None}, {"a": {"b": [1, "x"]}}, [1, 1.0, True], ["a", "A", "ａ"],
)  # fmt: skip


def tools(parameters: Any) -> Tools:
    """A toolset of one tool, `t`."""
    tool = Tool(function=Function(name="t", parameters=parameters), effect="read")
    return Tools(Toolset(id="s", domain="d", description="", tools=[tool]))


def fault(parameters: Any, arguments: Any) -> str | None:
    """Why a call of that tool is not valid."""
    return tools(parameters).read(Call("c", "t", arguments)).fault


def nested(levels: int, innermost: Any, key: str = "a") -> Any:
    """An object in an object, and so on."""
    value = innermost
    for _ in range(levels):
        value = {key: value}
    return value


def texts() -> SearchStrategy[str]:
    return st.sampled_from([value for value in AWKWARD if isinstance(value, str)]) | st.text(max_size=20)


def scalars() -> SearchStrategy[Any]:
    # Copies, since `damaged` changes what it is given, and would put one of these into itself.
    return st.sampled_from(AWKWARD).map(deepcopy) | st.integers() | st.floats() | texts()


def json_values(names: SearchStrategy[str] | None = None, leaves: int = 12) -> SearchStrategy[Any]:
    """Whatever JSON can say, and NaN, infinities and half surrogate pairs, which Python's reader takes too."""
    names = st.sampled_from("abcd") | texts() if names is None else names
    return st.recursive(
        scalars(), lambda v: st.lists(v, max_size=4) | st.dictionaries(names, v, max_size=4), max_leaves=leaves
    )


@st.composite
def damaged(draw: Any, whole: SearchStrategy[Any]) -> Any:
    """Data with one to three places replaced, removed, doubled, renamed, or swapped for another part of it."""
    value = deepcopy(draw(whole))
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(value))
        if not places:
            return draw(json_values())
        holder, key = draw(st.sampled_from(places))
        match draw(st.integers(0, 4)):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.insert(key, deepcopy(holder[key]))
            case 1:
                holder[draw(texts())] = holder.pop(key)
            case 2:
                other, place = draw(st.sampled_from(places))
                holder[key] = deepcopy(other[place]) if _has(other, place) else None
            case _:
                holder[key] = draw(json_values())
    return value


def _places(value: Any) -> Any:
    pending = [value]
    while pending:
        holder = pending.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder)) if isinstance(holder, list) else ()
        for key in keys:
            yield holder, key
            pending.append(holder[key])


def _has(holder: Any, key: Any) -> bool:
    return key in holder if isinstance(holder, dict) else key < len(holder)


@dataclass(frozen=True)
class Target:
    """Something that must hold for all inputs of a kind."""

    inputs: SearchStrategy[Any]
    check: Callable[[Any], None]

    def fuzz(self, examples: int = EXAMPLES, start: int | None = None, shrink: bool = True) -> None:
        """Check generated inputs; raises what the check raises, on the smallest input that makes it raise.

        Args:
            examples: How many inputs.
            start: Seed of the inputs; by default hypothesis' own, and faults found before come first.
            shrink: Look for the smallest such input; else the first is good enough.
        """
        options: dict[str, Any] = {} if start is None else {"database": None}
        if not shrink:
            options |= {"phases": (Phase.generate,), "report_multiple_bugs": False}

        @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), **options)
        @given(self.inputs)
        def each(value: Any) -> None:
            self.check(value)

        (each if start is None else seed(start)(each))()
