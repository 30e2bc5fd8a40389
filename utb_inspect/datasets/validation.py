"""Checks that need more than one file: do topics, toolsets and profiles fit together (spec section 2).

What holds within one file is checked by `utb_inspect.schema`. How well a dataset is made (counts, quotes word for word,
leaks) is not asked when it is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from utb_inspect.datasets.grounds import argument_values, ground_at
from utb_inspect.schema import DataError, Path, Toolset, Topic, Turn
from utb_inspect.trajectory.calls import Call, CompiledTool, Tools

_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@dataclass(frozen=True)
class TopicFile:
    """A topic and the file it was read from."""

    source: str
    topic: Topic


def compile_toolset(source: str, toolset: Toolset, faults: list[str]) -> Tools | None:
    """Compile a native toolset, adding what is wrong with it to `faults`; None when a schema is no JSON Schema."""
    for tool in toolset.tools:
        if not _TOOL_NAME.fullmatch(tool.name):
            faults.append(
                f"{source}: tool '{tool.name}': providers take names of up to 64 letters, digits, '_' and '-'"
            )
        if not tool.function.description.strip():
            faults.append(f"{source}: tool '{tool.name}', field 'description': is missing; say what it does")
    try:
        tools = Tools(toolset)
    except DataError as error:
        faults.extend(f"{source}: {line}" for line in str(error).splitlines())
        return None
    for tool in toolset.tools:
        faults.extend(
            f"{source}: tool '{tool.name}', field 'technical': '{path}' is no argument of its schema"
            for path in tool.technical
            if not defines(tools[tool.name], path)
        )
    return tools


def check_topics(
    files: Sequence[TopicFile],
    tools: Mapping[str, Tools | None],
    profiles: Collection[str],
    unread: Collection[str] = (),
) -> Iterator[str]:
    """The faults of native topics, a line each.

    Args:
        files: All topics, in order of time within each profile.
        tools: Toolset id to the compiled toolset; None when it has faults of its own.
        profiles: Ids of the profiles.
        unread: Ids of topics that could not be read; what refers to them is not called unknown.
    """
    turns = _TurnOrder(files, unread)
    first: dict[str, str] = {}
    for file in files:
        topic = file.topic
        if topic.id in first:
            yield f"{file.source}: field 'id': {first[topic.id]} has the id '{topic.id}' too; ids are unique"
        first.setdefault(topic.id, file.source)
        if topic.profile not in profiles:
            yield f"{file.source}: field 'profile': there is no profile '{topic.profile}'"
        if topic.toolset not in tools:
            yield f"{file.source}: field 'toolset': there is no toolset '{topic.toolset}'"
        moment = topic.environment.moment
        if moment is None or moment.tzinfo is None:
            yield (
                f"{file.source}: field 'environment.now': give date, time and zone, such as 2025-03-14T18:20:00+01:00"
            )
        for index, turn in enumerate(topic.turns):
            where = f"{file.source}: turn {topic.turn_id(index)}"
            yield from (f"{where}, {fault}" for fault in _turn_faults(turn, is_first=index == 0))
            yield from (f"{where}, {fault}" for fault in turns.faults(topic, index))
            toolset = tools.get(topic.toolset)
            if toolset is not None:
                yield from (f"{where}, {fault}" for fault in call_faults(turn, toolset))
                yield from (f"{where}, {fault}" for fault in ground_faults(turn, toolset))


# --- one turn ------------------------------------------------------------------------------------------------


def _turn_faults(turn: Turn, *, is_first: bool) -> Iterator[str]:
    if is_first and turn.subtype != "cross_topic":
        yield f"field 'subtype': is '{turn.subtype}', but a topic's first turn is 'cross_topic'"
    if not is_first and turn.subtype == "cross_topic":
        yield "field 'subtype': is 'cross_topic', which only a topic's first turn is"
    if fault := task_type_fault(turn):
        yield f"field 'task_type': {fault}"
    for label, path in _labelled(turn):
        for ask in path.asks:
            if len(ask.ask) > 1:
                yield f"{label}step '{ask.id}', field 'ask': names {len(ask.ask)} items; give each a step of its own"


def task_type_fault(turn: Turn) -> str | None:
    """Why a turn's steps are not those of its task type; None when they are (spec section 1)."""
    calls = len(turn.paths[0].calls)
    match turn.task_type:
        case "chat" if any(path.calls for path in turn.paths):
            return "is 'chat', but there is a call; a chat turn has none"
        case "single_tool" if calls != 1:
            return f"is 'single_tool', but the reference has {calls} calls, not one"
        case "multi_tool" if calls < 2:
            return f"is 'multi_tool', but the reference has {calls} call{'s' * (calls != 1)}, not two or more"
    if turn.task_type != "lack_of_information" and any(path.asks for path in turn.paths):
        return f"is '{turn.task_type}', but there is an ask step; only 'lack_of_information' turns have one"
    return None


def call_faults(turn: Turn, tools: Tools) -> Iterator[str]:
    """Reference calls that a model could not make: unknown tool, arguments or grounds that the schema refuses."""
    for label, path in _labelled(turn):
        for step in path.calls:
            where = f"{label}step '{step.id}'"
            if step.call not in tools:
                yield f"{where}, field 'call': toolset '{tools.toolset.id}' has no tool '{step.call}'"
                continue
            read = tools.read(Call(step.id, step.call, step.arguments))
            if read.fault is not None:
                yield f"{where}, arguments of '{step.call}': {read.fault}"
            for path_name in step.grounds:
                if not defines(tools[step.call], path_name):
                    yield f"{where}, ground of '{path_name}': '{step.call}' has no such argument"


def ground_faults(turn: Turn, tools: Tools) -> Iterator[str]:
    """Arguments without a ground, and grounds that do not rest on what their basis asks for (native data)."""
    for label, path in _labelled(turn):
        for step in path.calls:
            where = f"{label}step '{step.id}'"
            for name, ground in step.grounds.items():
                if ground.basis in ("history", "preference") and not ground.evidence:
                    yield f"{where}, ground of '{name}': '{ground.basis}' rests on evidence; quote the earlier turn"
                if ground.basis == "observation" and ground.from_ is None:
                    yield f"{where}, ground of '{name}': 'observation' needs 'from', the call that returned the value"
            technical = tools[step.call].technical if step.call in tools else frozenset()
            for name in argument_values(step.arguments, technical):
                if ground_at(step.grounds, name) is None:
                    yield f"{where}, argument '{name}': has no ground; say where its value comes from"


def defines(tool: CompiledTool, path: str) -> bool:
    """Whether a tool's schema takes an argument at a dotted path (`filters.stars`, `stops[].name`)."""
    view = tool.schema.view
    if view.defines(path):
        return True
    for part in path.split("."):
        name = part.rstrip("[]")
        if not view.defines(name):
            return False
        view = view.child(name)
        for _ in range(part.count("[]")):
            view = view.item()
    return True


def _labelled(turn: Turn) -> Iterator[tuple[str, Path]]:
    """The paths of a turn, with what puts a step's name in its place."""
    for i, path in enumerate(turn.paths):
        yield ("" if i == 0 else f"alternative {i}, "), path


# --- evidence ------------------------------------------------------------------------------------------------


class _TurnOrder:
    """Which turn comes before which, for evidence that must lie in an earlier turn."""

    def __init__(self, files: Sequence[TopicFile], unread: Collection[str]) -> None:
        self._unread = unread
        self._places: dict[str, tuple[str, int]] = {}
        """Turn to its profile and its position there."""
        for file in files:
            for index in range(len(file.topic.turns)):
                self._places.setdefault(file.topic.turn_id(index), (file.topic.profile, len(self._places)))

    def faults(self, topic: Topic, index: int) -> Iterator[str]:
        for label, path in _labelled(topic.turns[index]):
            for step in path.calls:
                for argument, ground in step.grounds.items():
                    for kind, found in (("evidence", ground.evidence), ("superseded", ground.superseded)):
                        for evidence in found:
                            if fault := self._fault(evidence.turn, topic, index):
                                yield f"{label}step '{step.id}', argument '{argument}', {kind}: {fault}"

    def _fault(self, turn: str, topic: Topic, index: int) -> str | None:
        if turn not in self._places:
            if turn.rpartition(".")[0] in self._unread:
                return None
            return f"names turn '{turn}', which does not exist"
        profile, position = self._places[turn]
        if profile != topic.profile:
            return f"names turn '{turn}', which is one of profile '{profile}'"
        if position >= self._places[topic.turn_id(index)][1]:
            return f"names turn '{turn}', which is not earlier than this one"
        return None
