"""A dataset in the public row format, so that the public evaluator can run it (spec section 2)."""

from __future__ import annotations

from collections import Counter
from typing import Any

from utb_inspect.datasets.dataset import Dataset, PlacedTurn
from utb_inspect.datasets.history import date_line
from utb_inspect.datasets.public_form import public_form
from utb_inspect.schema import AskStep, CallStep, DataError, Structure, Subtype, TaskType, Topic

_STRUCTURES: dict[Structure, str] = {"parallel": "Parallel", "sequential": "Sequential", "mixed": "Mixed"}
_TASK_TYPES: dict[TaskType, str] = {
    "lack_of_information": "Lack-of-Information",
    "single_tool": "Single-Tool",
    "multi_tool": "Multi-Tool",
    "chat": "Chat",
}
_SUBTYPES: dict[Subtype, str] = {
    "cross_topic": "Cross-Topic",
    "partial_information": "Partial Information",
    "long_range_dependency": "Long-Range Dependency",
    "coreferential_reference": "Coreferential Reference",
}


def public_rows(dataset: Dataset) -> list[dict[str, Any]]:
    """A row a topic, profile by profile in order of time.

    Ids are `<profile>_topic_<number from 1>`, since the public format tells a profile by them. Reading the rows back
    gives the same tools, requests, references and histories; `lost` tells what they do not hold.

    Raises:
        DataError: the dataset was read from public rows. Written anew, they would lose what was not read of them.
    """
    if dataset.public:
        raise DataError(f"{dataset.info.name} consists of public rows already; use its own file")
    return [
        _row(dataset, topic, turns, number)
        for placed in dataset.by_profile.values()
        for number, (topic, turns) in enumerate(_topics(placed), 1)
    ]


def lost(dataset: Dataset) -> dict[str, int]:
    """What of a dataset the public format cannot hold, and how often it occurs."""
    found: Counter[str] = Counter()
    for turn in dataset.turns:
        found["alternatives"] += len(turn.turn.alternatives)
        found["kinds of change"] += turn.turn.change is not None
        for step in turn.turn.paths[0].steps:
            if isinstance(step, CallStep):
                found["grounds of arguments"] += len(step.grounds)
            elif isinstance(step, AskStep):
                found["lists of cues"] += len(step.cues)
                found["lists of what is settled"] += len(step.settled)
    used = {topic.toolset for topic in dataset.topics}
    tools = [tool for name in used for tool in dataset.toolsets[name].tools]
    found["effects of tools"] = len(tools)
    found["technical arguments of tools"] = sum(len(tool.technical) for tool in tools)
    found["domains and descriptions of toolsets"] = len(used)
    found["profiles"] = len(dataset.profiles)
    found["time zones"] = sum(
        topic.environment.moment is not None and topic.environment.moment.tzinfo is not None for topic in dataset.topics
    )
    return {what: count for what, count in found.items() if count}


def _topics(placed: list[PlacedTurn]) -> list[tuple[Topic, list[PlacedTurn]]]:
    topics: dict[str, tuple[Topic, list[PlacedTurn]]] = {}
    for turn in placed:
        topics.setdefault(turn.topic.id, (turn.topic, []))[1].append(turn)
    return list(topics.values())


def _row(dataset: Dataset, topic: Topic, turns: list[PlacedTurn], number: int) -> dict[str, Any]:
    forms = [public_form(turn) for turn in turns]
    row: dict[str, Any] = {
        "id": f"{topic.profile}_topic_{number}",
        "env_info": date_line(topic.environment),
        "tools": forms[0].tools,
        "tasks": [turn.turn.request for turn in turns],
        "task_types": [_task_type(turn) for turn in turns],
        "turn_subtypes": [_SUBTYPES[turn.subtype] for turn in turns[1:]],
        "answer_list": [form.answer_list for form in forms],
    }
    return row if dataset.info.canary is None else {**row, "canary": dataset.info.canary}


def _task_type(turn: PlacedTurn) -> str:
    name = _TASK_TYPES[turn.task_type]
    return name if turn.turn.structure is None else f"{_STRUCTURES[turn.turn.structure]} {name}"
