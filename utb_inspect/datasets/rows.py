"""One row of the public format: a topic, still without grounds and place in time (spec section 2)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from utb_inspect.datasets.dataset import PublicTurn
from utb_inspect.datasets.files import Row
from utb_inspect.datasets.labels import SUBTYPES, TASK_TYPES, label_key
from utb_inspect.datasets.language import Language, choose, is_given, language_of
from utb_inspect.datasets.public_steps import read_steps
from utb_inspect.datasets.public_tools import PublicToolsets
from utb_inspect.files import decode_json
from utb_inspect.schema import AnswerStep, AskStep, CallStep, DataError, Environment, Subtype, TaskType
from utb_inspect.trajectory.calls import Tools

_DATE = re.compile(
    r"(?<!\d)(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})(?!\d)日?(?:[T,\s]*(\d{1,2}):(\d{2})(?::(\d{2}))?(?!\d))?"
)


@dataclass(frozen=True)
class DraftTurn:
    """A turn before its grounds are told."""

    task_type: TaskType
    subtype: Subtype
    request: str
    steps: list[CallStep | AskStep | AnswerStep]
    public: PublicTurn


@dataclass(frozen=True)
class DraftTopic:
    """A row, read."""

    source: str
    """Where the row stands, and its id, for messages."""
    id: str
    profile: str
    environment: Environment
    tools: Tools
    turns: list[DraftTurn]


@dataclass
class RowReader:
    """Reads rows, collecting what is wrong with them."""

    language: Language | None
    toolsets: PublicToolsets = field(default_factory=PublicToolsets)
    faults: list[str] = field(default_factory=list)
    other_language: list[str] = field(default_factory=list)
    """Rows that are not in the language asked for."""

    def read(self, row: Row) -> DraftTopic | None:
        """Read a row; None, with all its faults noted, when it cannot be used."""
        before = len(self.faults)
        if not isinstance(row.data, Mapping):
            self.faults.append(f"{row.source}: is no JSON object; a row is a topic with its tasks and tools")
            return None
        data = {key: _decoded(value) for key, value in row.data.items()}
        if "tasks" not in data and "turns" in data:
            self.faults.append(f"{row.source}: is a native topic; give the folder that holds its dataset.json")
            return None
        given = data.get("id")
        topic_id = str(given).strip() if is_given(given) else ""
        topic_id = re.sub(r"[\s/\\]+", "_", topic_id or f"{row.stem}_topic_{row.index}")
        source = f"{row.source}, topic {topic_id}"
        tools = self._tools(data, source)
        turns = self._turns(data, source, topic_id, tools)
        if len(self.faults) > before or tools is None:
            return None
        if self.language and not self._is_in_language(turns):
            self.other_language.append(topic_id)
        profile, found, _ = topic_id.rpartition("_topic_")
        environment = read_environment(choose(data, "env_info", self.language))
        return DraftTopic(source, topic_id, profile if found and profile else row.stem, environment, tools, turns)

    def _tools(self, data: Mapping[str, Any], source: str) -> Tools | None:
        try:
            return self.toolsets.read(choose(data, "tools", self.language), source)
        except DataError as error:
            self.faults.extend(f"{source}: {line}" for line in str(error).splitlines())
            return None

    def _turns(self, data: Mapping[str, Any], source: str, topic_id: str, tools: Tools | None) -> list[DraftTurn]:
        lists = {name: self._list(data, name, source) for name in ("tasks", "answer_list", "task_types")}
        count = len(lists["tasks"])
        for name, values in lists.items():
            if values and count and len(values) != count:
                self.faults.append(f"{source}: field '{name}': has {len(values)} entries for {count} tasks")
        subtypes = self._subtypes(data, source, topic_id, count)
        if any(len(values) != count for values in (*lists.values(), subtypes)):
            return []
        turns = []
        raw_tools = choose(data, "tools", self.language)
        for i, (request, answers, label) in enumerate(zip(*lists.values(), strict=True)):
            where = f"{source}: turn {topic_id}.{i + 1}"
            task_type = TASK_TYPES.get(label_key(label))
            if task_type is None:
                self.faults.append(f"{where}, field 'task_types[{i}]': {label!r} is no known task type")
            if not isinstance(request, str) or not request.strip():
                self.faults.append(f"{where}, field 'tasks[{i}]': is no text")
            if not isinstance(answers, list):
                self.faults.append(f"{where}, field 'answer_list[{i}]': is no list of steps")
            elif tools is not None:
                steps, faults = read_steps(answers, tools)
                self.faults.extend(f"{where}, {fault}" for fault in faults)
                if task_type is not None and not faults and isinstance(request, str):
                    public = PublicTurn(tools=raw_tools, answer_list=answers)
                    turns.append(DraftTurn(task_type, subtypes[i], request, steps, public))
        return turns

    def _list(self, data: Mapping[str, Any], name: str, source: str) -> list[Any]:
        value = choose(data, name, self.language)
        if isinstance(value, list) and value:
            return value
        self.faults.append(f"{source}: field '{name}': is missing; give a list with an entry for each turn")
        return []

    def _subtypes(self, data: Mapping[str, Any], source: str, topic_id: str, count: int) -> list[Subtype]:
        """A subtype for each turn: the first is always `cross_topic`, whether or not the row lists it."""
        labels = choose(data, "turn_subtypes", self.language) or []
        if not isinstance(labels, list) or (count and len(labels) not in (count - 1, count)):
            found = f"has {len(labels)} entries" if isinstance(labels, list) else "is no list"
            self.faults.append(
                f"{source}: field 'turn_subtypes': {found} for {count} tasks; give one for each turn after the first"
            )
            return []
        subtypes: list[Subtype] = ["cross_topic"]
        skipped = len(labels) - (count - 1)
        for i, label in enumerate(labels[skipped:], skipped):
            subtype = SUBTYPES.get(label_key(label))
            if subtype is None or subtype == "cross_topic":
                turn = f"turn {topic_id}.{i + 2 - skipped}"
                self.faults.append(
                    f"{source}: {turn}, field 'turn_subtypes[{i}]': {label!r} is no known subtype of a later turn"
                )
            subtypes.append(subtype or "partial_information")
        return subtypes

    def _is_in_language(self, turns: list[DraftTurn]) -> bool:
        requests = [turn.request for turn in turns]
        answers = [step.answer for turn in turns for step in turn.steps if isinstance(step, AnswerStep)]
        return {language_of(requests), language_of(answers)} <= {self.language, None}


def read_environment(info: Any) -> Environment:
    """`env_info` as it stands, with the date-time in it when there is a readable one."""
    if not is_given(info):
        return Environment()
    text = info if isinstance(info, str) else json.dumps(info, ensure_ascii=False)
    return Environment(now=_read_date(text), info=text)


def _read_date(text: str) -> str | None:
    """The first date of a text in ISO 8601 without a zone; without a time of day when the text has none."""
    for found in _DATE.finditer(text):
        year, month, day, hour, minute, second = (int(part or 0) for part in found.groups())
        try:
            moment = datetime(year, month, day, hour, minute, second)
        except ValueError:
            continue
        return moment.isoformat() if found[4] else moment.date().isoformat()
    return None


def _decoded(value: Any) -> Any:
    """A list that a row holds as JSON text, as tables do that cannot nest; anything else as it is."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            return decode_json(value)
        except ValueError:
            return value
    return value
