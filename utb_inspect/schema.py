"""The data model of the benchmark: what a profile, a toolset, a topic and a turn are (spec section 2).

Every file of the native format is one of these models. They are strict: unknown fields, missing fields and
values of another type are faults. `parse` turns the faults of a file into messages that a person can act on,
all of them at once. What needs more than one file (is the tool known, does a quote stand in history) is
checked by `utb_inspect.datasets.validation`.
"""

from __future__ import annotations

import re
import reprlib
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cached_property
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    model_validator,
)

from utb_inspect.foreign_text import fault_line, one_line

TaskType = Literal["lack_of_information", "single_tool", "multi_tool", "chat"]
Subtype = Literal["cross_topic", "partial_information", "long_range_dependency", "coreferential_reference"]
Basis = Literal["request", "reply", "environment", "observation", "history", "preference"]
Change = Literal["update", "reversal", "exception", "context", "conflict"]
Effect = Literal["read", "write"]
Structure = Literal["parallel", "sequential", "mixed"]
Third = Literal["first", "middle", "last"]

TASK_TYPES: tuple[TaskType, ...] = get_args(TaskType)
AVERAGED: tuple[TaskType, ...] = ("single_tool", "multi_tool", "lack_of_information")
"""Task types whose unweighted mean is the paper's average."""

UNAMBIGUOUS: frozenset[Basis] = frozenset({"request", "reply", "environment", "observation", "history"})
"""The bases that settle a value; `preference` is the one that does not (spec section 2)."""


class DataError(Exception):
    """Data that cannot be used. The message names file, place, fault, and what to do, in lines of limited length."""

    def __init__(self, message: str) -> None:
        super().__init__("\n".join(map(fault_line, message.split("\n"))))


class Model(BaseModel):
    """A strict, immutable record."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=True)


# --- grounds -----------------------------------------------------------------------------------------------


class Evidence(Model):
    """Words of an earlier turn that show a value."""

    turn: str
    """Id of the earlier turn, `<topic id>.<index from 1>`."""
    quote: Annotated[str, Field(min_length=1)]
    """Stands word for word in what the model is shown of that turn."""


class Superseded(Evidence):
    """A value that later evidence replaced (dynamic split)."""

    value: Any


class EqualMatch(Model):
    """No free-text leniency; dates are still read."""

    kind: Literal["equal"]


class AnyMatch(Model):
    """Any value, but one must be given."""

    kind: Literal["any"]


class ContainsAllMatch(Model):
    """Each group of terms needs one of its spellings, as whole words."""

    kind: Literal["contains_all"]
    terms: Annotated[
        list[Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]], Field(min_length=1)
    ]


class NumberMatch(Model):
    """Numbers at most `tolerance` apart."""

    kind: Literal["number"]
    tolerance: Annotated[int | float, Field(ge=0, allow_inf_nan=False)]


class TimeMatch(Model):
    """Dates, times or date-times at most `tolerance_minutes` apart."""

    kind: Literal["time"]
    tolerance_minutes: Annotated[int | float, Field(ge=0, allow_inf_nan=False)]


class OrderedMatch(Model):
    """Lists compared position by position."""

    kind: Literal["ordered"]


class UnorderedMatch(Model):
    """Lists compared as multisets."""

    kind: Literal["unordered"]


class TextMatch(Model):
    """ROUGE-L F alone, with the same numbers in order and the same negation words."""

    kind: Literal["text"]
    min_rouge: Annotated[int | float, Field(ge=0, le=1)] = 0.7


Match = Annotated[
    EqualMatch | AnyMatch | ContainsAllMatch | NumberMatch | TimeMatch | OrderedMatch | UnorderedMatch | TextMatch,
    Discriminator("kind"),
]


class Ground(Model):
    """Where an argument's value comes from, and which other values are as right."""

    basis: Basis
    evidence: list[Evidence] = []
    accept: list[Any] = []
    """Further right values; null: the argument may be left out."""
    match: Match | None = None
    """Replaces the general rule of agreement."""
    from_: Annotated[str | None, Field(alias="from")] = None
    """The call step whose observation holds the value (or the candidates)."""
    superseded: list[Superseded] = []


# --- steps and turns ---------------------------------------------------------------------------------------


class CallStep(Model):
    """A tool call of the reference, with the observation recorded for it."""

    id: str
    call: str
    arguments: dict[str, Any]
    grounds: dict[str, Ground] = {}
    """Argument (nested ones as dotted paths, `filters.stars`, `stops[].name`) to its ground."""
    after: list[str] = []
    observation: Any


class AskStep(Model):
    """A clarifying question that is due, and the user's recorded reply."""

    id: str
    ask: Annotated[list[str], Field(min_length=1)]
    """The missing items; one in native data."""
    cues: dict[str, Annotated[list[str], Field(min_length=1)]]
    """Item to the words that show it is asked for."""
    settled: dict[str, list[str]] = {}
    """What a question should not ask for, since history holds it, to its cues."""
    message: str
    reply: str
    after: list[str] = []

    @model_validator(mode="after")
    def _each_item_has_cues(self) -> AskStep:
        if missing := [item for item in self.ask if item not in self.cues]:
            raise ValueError(f"no cues for {_names(missing)}; give each item the words a question would hold")
        return self


class AnswerStep(Model):
    """The final answer; the last step of a path."""

    id: str
    answer: str
    after: list[str] = []


def _step_kind(value: Any) -> str | None:
    keys = value if isinstance(value, Mapping) else getattr(value, "__dict__", ())
    kinds = [kind for kind in ("call", "ask", "answer") if kind in keys]
    return kinds[0] if len(kinds) == 1 else None


Step = Annotated[
    Annotated[CallStep, Tag("call")] | Annotated[AskStep, Tag("ask")] | Annotated[AnswerStep, Tag("answer")],
    Discriminator(
        _step_kind,
        custom_error_type="step",
        custom_error_message="a step has exactly one of 'call', 'ask' and 'answer'",
    ),
]


class Path:
    """A complete reference step list, with what follows from it. Step ids are local to a path.

    Raises:
        ValueError: two steps with one id, `after` or `from` naming no step, a cycle, or an answer step that is
            not the last and after all others. All faults are told at once.
    """

    def __init__(self, steps: Iterable[CallStep | AskStep | AnswerStep]) -> None:
        self.steps = list(steps)
        self.by_id = {step.id: step for step in self.steps}
        self.calls = [step for step in self.steps if isinstance(step, CallStep)]
        self.asks = [step for step in self.steps if isinstance(step, AskStep)]
        self._check()

    @property
    def answer(self) -> str:
        """The recorded final answer."""
        last = self.steps[-1]
        assert isinstance(last, AnswerStep)  # _check
        return last.answer

    def before(self, step_id: str) -> frozenset[str]:
        """All steps that must come before a step, directly or through others."""
        return self._closure[step_id]

    @cached_property
    def structure(self) -> Structure:
        """How the calls depend on each other (spec section 1); meant for two calls or more."""
        ids = [step.id for step in self.calls]
        comparable = [a in self.before(b) or b in self.before(a) for i, a in enumerate(ids) for b in ids[i + 1 :]]
        if not any(comparable):
            return "parallel"
        return "sequential" if all(comparable) else "mixed"

    def _check(self) -> None:
        faults = []
        if duplicates := sorted({s.id for s in self.steps if sum(t.id == s.id for t in self.steps) > 1}):
            faults.append(f"two steps have the id {_names(duplicates)}; ids are unique within a path")
        for step in self.steps:
            if unknown := [a for a in step.after if a not in self.by_id]:
                faults.append(f"step '{step.id}': 'after' names {_names(unknown)}, which is no step here")
        if faults:
            raise ValueError("; ".join(faults))

        self._closure = _reachable({step.id: step.after for step in self.steps})
        answers = [step for step in self.steps if isinstance(step, AnswerStep)]
        if len(answers) != 1 or self.steps[-1] is not answers[0]:
            faults.append("exactly one step is an 'answer', and it is the last")
        elif left := [s.id for s in self.steps[:-1] if s.id not in self._closure[answers[0].id]]:
            faults.append(f"the answer step must come after {_names(left)}, directly or through others")
        for call in self.calls:
            for argument, ground in call.grounds.items():
                source = ground.from_
                if source is not None and not (
                    source in self._closure[call.id] and isinstance(self.by_id[source], CallStep)
                ):
                    faults.append(
                        f"step '{call.id}', ground of '{argument}': 'from' names '{source}', which is not a "
                        "call that 'after' leads to"
                    )
        if faults:
            raise ValueError("; ".join(faults))


def _reachable(after: Mapping[str, list[str]]) -> dict[str, frozenset[str]]:
    """Transitive closure of `after`; raises ValueError with the steps of a cycle."""
    closure: dict[str, frozenset[str]] = {}
    remaining = dict(after)
    while remaining:
        ready = [step for step, before in remaining.items() if all(b in closure for b in before)]
        if not ready:
            raise ValueError(f"'after' runs in a cycle through the steps {_names(sorted(remaining))}")
        for step in ready:
            before = remaining.pop(step)
            closure[step] = frozenset(before).union(*(closure[b] for b in before))
    return closure


class Turn(Model):
    """One request of the user and the decision it calls for."""

    task_type: TaskType
    subtype: Subtype
    request: str
    reference: Annotated[list[Step], Field(min_length=1)]
    alternatives: list[Annotated[list[Step], Field(min_length=1)]] = []
    """Further complete step lists that are just as right."""
    change: Change | None = None
    """The kind of change the turn turns on (dynamic split)."""

    @model_validator(mode="after")
    def _paths_hold(self) -> Turn:
        faults = []
        for i, steps in enumerate([self.reference, *self.alternatives]):
            try:
                Path(steps)
            except ValueError as error:
                faults.append(f"{'reference' if i == 0 else f'alternative {i}'}: {error}")
        if faults:
            raise ValueError("; ".join(faults))
        return self

    @cached_property
    def paths(self) -> list[Path]:
        """The reference, then the alternatives."""
        return [Path(self.reference), *(Path(steps) for steps in self.alternatives)]

    @property
    def structure(self) -> Structure | None:
        """Structure of a multi-tool turn's reference; None for other turns."""
        return self.paths[0].structure if self.task_type == "multi_tool" else None

    @property
    def recoverable(self) -> bool | None:
        """Whether a lack-of-information turn can be decided without asking; None for other turns."""
        return not self.paths[0].asks if self.task_type == "lack_of_information" else None


# --- files -------------------------------------------------------------------------------------------------


def _is_moment(value: str) -> str:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        raise ValueError("give date and time as YYYY-MM-DDTHH:MM:SS+HH:MM") from None
    return value


class Environment(Model):
    """What is known of date, time and place when a topic starts."""

    now: Annotated[str, AfterValidator(_is_moment)] | None = None
    """ISO 8601 date-time, with its zone in native data. None: a public row without a readable date."""
    place: str | None = None
    info: str | None = None
    """`env_info` of a public row, as it stands."""

    @property
    def moment(self) -> datetime | None:
        return None if self.now is None else datetime.fromisoformat(self.now)


class Topic(Model):
    """Consecutive turns of one profile under one toolset."""

    id: Annotated[str, Field(pattern=r"^[^/\\\s]+$")]
    profile: str
    toolset: str
    environment: Environment
    turns: Annotated[list[Turn], Field(min_length=1)]
    canary: str | None = None

    def turn_id(self, index: int) -> str:
        """Id of the turn at `index`, counted from 0; in the id it counts from 1."""
        return f"{self.id}.{index + 1}"


class Function(Model):
    """Name, description and parameters of a tool as a provider is sent them."""

    name: Annotated[str, Field(min_length=1)]
    description: str = ""
    parameters: dict[str, Any] = {}
    """JSON Schema, 2020-12."""


class Tool(Model):
    """A tool, its effect on the world, and the arguments that carry no decision."""

    type: Literal["function"] = "function"
    function: Function
    effect: Effect
    technical: list[str] = []

    @property
    def name(self) -> str:
        return self.function.name


class Toolset(Model):
    """The tools that a topic's requests are to be served with."""

    id: str
    domain: str
    description: str
    tools: Annotated[list[Tool], Field(min_length=1)]
    canary: str | None = None

    @model_validator(mode="after")
    def _names_differ(self) -> Toolset:
        counts = Counter(tool.name for tool in self.tools)
        if duplicates := sorted(name for name, count in counts.items() if count > 1):
            raise ValueError(f"two tools are named {_names(duplicates)}")
        return self


class Profile(Model):
    """A user. Hidden: no field of it reaches a model under evaluation, a log or a report."""

    id: str
    fields: dict[str, Any]
    """The shared fields of spec section 2 and the profile's own; for a PersonaMem-v2 file, what it holds."""


class DatasetInfo(Model):
    """`dataset.json`: what the dataset is and how much of everything it must hold."""

    name: str
    version: str
    licence: str
    toolsets: str = "toolsets"
    """Folder of the toolsets, seen from the dataset's folder; another split's may be shared."""
    canary: str | None = None
    counts: dict[str, Any] = {}


# --- errors ------------------------------------------------------------------------------------------------

M = TypeVar("M", bound=BaseModel)


def parse(model: type[M], data: Any, source: str) -> M:
    """Validate `data` as `model`.

    Args:
        model: One of the models above.
        data: Decoded JSON.
        source: Name of the file (and line) for the message.

    Raises:
        DataError: with all faults of the data, a line each: place, fault and what was found.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        lines = [f"{place(data, e['loc'])}{_what(e)}" for e in error.errors(include_url=False)]
        raise DataError("\n".join(one_line(f"{source}: {line}") for line in dict.fromkeys(lines))) from None


def place(data: Any, loc: tuple[int | str, ...]) -> str:
    """Name a place in a file as a person would: turn, step, then the field's path, ending in ': '."""
    words: list[str] = []
    path: list[str] = []
    topic = data.get("id") if isinstance(data, Mapping) else None
    here = data
    for i, key in enumerate(loc):
        if key in ("call", "ask", "answer") and isinstance(here, Mapping) and i and isinstance(loc[i - 1], int):
            continue  # the tag of a step's kind, which is no key of the file
        here = _get(here, key)
        if isinstance(key, int) and path and path[-1] == "turns" and len(path) == 1:
            words.append(f"turn {topic or '?'}.{key + 1}")
            path = []
        elif isinstance(key, int) and isinstance(here, Mapping) and isinstance(here.get("id"), str):
            words.append(f"{'.'.join(path)} step '{here['id']}'" if path != ["reference"] else f"step '{here['id']}'")
            path = []
        elif isinstance(key, int) and path:
            path[-1] += f"[{key}]"
        else:
            path.append(str(key))
    if path:
        words.append(f"field '{'.'.join(path)}'")
    return ", ".join(words) + ": " if words else ""


def _get(data: Any, key: int | str) -> Any:
    try:
        return data[key]
    except (KeyError, IndexError, TypeError):
        return None


class _Brief(reprlib.Repr):
    """Never writes a whole value first: one of a few bytes can stand for billions, by aliases of YAML."""

    def repr_int(self, x: int, level: int) -> str:
        return super().repr_int(x, level) if x.bit_length() < 1000 else "a very large number"


_BRIEF = _Brief()
_BRIEF.maxlevel, _BRIEF.maxstring, _BRIEF.maxother = 3, 80, 80


def _what(error: Any) -> str:
    message = re.sub(r"^Value error, ", "", error["msg"])
    found = error["input"]
    if error["type"] == "missing":
        return "is missing"
    if error["type"] == "extra_forbidden":
        return "is not a field of the format; remove it or mend its name"
    if error["type"] in ("value_error", "step"):
        return message
    return f"{message[0].lower()}{message[1:]} (found {brief(found)})"


def brief(value: Any) -> str:
    """A value as a message shows it, cut to 80 characters."""
    shown = _BRIEF.repr(value)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
