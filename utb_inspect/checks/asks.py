"""Lack-of-information turns: what is missing, how it is asked for, what history must not hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from utb_inspect.checks.finding import Finding, found
from utb_inspect.checks.values import view_at
from utb_inspect.datasets.dataset import Dataset, PlacedTurn
from utb_inspect.datasets.grounds import argument_values, ground_at
from utb_inspect.datasets.public_tools import name_words
from utb_inspect.schema import AskStep, CallStep, Path
from utb_inspect.trajectory.agreement import agree
from utb_inspect.trajectory.json_schema import SchemaView
from utb_inspect.trajectory.questions import is_question, on_target

SYNONYMS = (
    frozenset({"amount", "sum", "price", "budget", "fee", "cost", "limit"}),
    frozenset({"date", "day", "when"}),
    frozenset({"time", "hour", "start"}),
    frozenset({"minutes", "duration", "length", "hours"}),
    frozenset({"count", "quantity", "number", "places", "seats", "people", "guests", "party", "size", "adults"}),
    frozenset({"place", "area", "city", "location", "address", "postcode"}),
    frozenset({"origin", "from", "departure"}),
    frozenset({"destination", "to", "arrival"}),
    frozenset({"name", "title", "label"}),
    frozenset({"payee", "recipient", "contact"}),
)
"""Words of parameter names that mean the same."""


def questions_are_on_target(dataset: Dataset) -> Iterator[Finding]:
    """The recorded question of each ask is a question, has a cue of its item, and of nothing that is settled."""
    for turn in dataset.turns:
        for label, ask in _asks(turn):
            if not is_question(ask.message):
                yield found(turn, f"{label}step '{ask.id}': its message is not read as a question")
            elif not on_target(ask, ask.message):
                yield found(turn, f"{label}step '{ask.id}': its message is off target; see cues and settled")


def what_lacks_is_required(dataset: Dataset) -> Iterator[Finding]:
    """What is asked for is a required argument of a call that waits for it, and its value comes from a reply.

    A recoverable turn has a required argument that history or preference settles.
    """
    for turn in dataset.turns:
        if turn.task_type != "lack_of_information":
            continue
        path = turn.turn.paths[0]
        for ask in path.asks:
            for item in ask.ask:
                if not any(_asked_for(item, call, turn, dataset) for call in _waiting(ask, path)):
                    yield found(
                        turn,
                        f"step '{ask.id}' asks for '{item}', which is no required argument with basis reply of a call "
                        "that comes after it",
                    )
        if not path.asks and not any(_settled_by_history(call, turn, dataset) for call in path.calls):
            yield found(turn, "is recoverable, but no required argument has basis history or preference")


def _waiting(ask: AskStep, path: Path) -> list[CallStep]:
    """The calls that come after an ask, directly or through others."""
    return [call for call in path.calls if ask.id in path.before(call.id)]


def _asked_for(item: str, call: CallStep, turn: PlacedTurn, dataset: Dataset) -> bool:
    grounds = [ground_at(call.grounds, name) for name in argument_values(call.arguments, ()) if _is_of(item, name)]
    replied = any(ground is not None and ground.basis == "reply" for ground in grounds)
    return replied and _required(item, call, turn, dataset)


def _is_of(item: str, argument: str) -> bool:
    """Whether an argument is the item asked for, or lies within it."""
    return argument == item or argument.startswith((f"{item}.", f"{item}["))


def _settled_by_history(call: CallStep, turn: PlacedTurn, dataset: Dataset) -> bool:
    return any(
        ground.basis in ("history", "preference") and _required(argument, call, turn, dataset)
        for argument, ground in call.grounds.items()
    )


def _required(argument: str, call: CallStep, turn: PlacedTurn, dataset: Dataset) -> bool:
    """Whether a schema requires an argument: the inner one, of the object that holds it."""
    view: SchemaView = dataset.tools(turn.topic.toolset)[call.call].schema.view
    parent, _, own = argument.rpartition(".")
    return (view_at(view, parent) if parent else view).requires(own.rstrip("[]"))


def what_history_holds_is_settled(dataset: Dataset) -> Iterator[Finding]:
    """An ask lists as settled what history holds of the other arguments of the calls that wait for it.

    Identifiers are not asked: who says "the second one" has pointed at it, and no question would come back to it.
    """
    for turn in dataset.turns:
        for label, ask in _asks(turn):
            path = next(path for path in turn.turn.paths if any(step is ask for step in path.steps))
            listed = {_own_name(name) for name in ask.settled}
            for call in (call for call in path.calls if ask.id in call.after):
                for argument in argument_values(call.arguments, dataset.tools(turn.topic.toolset)[call.call].technical):
                    ground = ground_at(call.grounds, argument)
                    if ground is None or ground.basis not in ("history", "preference") or ground.from_ is not None:
                        continue
                    parts = {part.rstrip("[]") for part in argument.split(".")}
                    if "id" not in name_words(argument)[-1:] and parts.isdisjoint(listed | set(ask.ask)):
                        yield found(turn, f"{label}step '{ask.id}': history holds '{argument}'; list it as settled")


def unrecoverable_values_are_new(dataset: Dataset) -> Iterator[Finding]:
    """What a reply settles was given to no earlier call under that name, nor, in the same toolset, under a synonym."""
    for turns in dataset.by_profile.values():
        earlier: list[tuple[PlacedTurn, str, Any]] = []
        """Turn, argument and value of the calls so far."""
        for turn in turns:
            for item, value, view in _replied(turn, dataset):
                for where, argument, used in earlier:
                    same = _own_name(item) == _own_name(argument) or (
                        where.topic.toolset == turn.topic.toolset and same_parameter(item, argument)
                    )
                    if same and agree(value, used, view):
                        yield found(
                            turn,
                            f"the reply settles '{item}' as {value!r}, which {where.id} gave already as '{argument}'",
                        )
                        break
            technical = dataset.tools(turn.topic.toolset)
            for call in turn.turn.paths[0].calls:
                for argument, values in argument_values(call.arguments, technical[call.call].technical).items():
                    earlier.extend((turn, argument, value) for value in values)


def _replied(turn: PlacedTurn, dataset: Dataset) -> Iterator[tuple[str, Any, SchemaView]]:
    """The asked items of a turn with the values that the replies gave them."""
    path = turn.turn.paths[0]
    asked = {item for ask in path.asks for item in ask.ask}
    for call in path.calls:
        tool = dataset.tools(turn.topic.toolset)[call.call]
        for argument, values in argument_values(call.arguments, tool.technical).items():
            ground = ground_at(call.grounds, argument)
            if ground is not None and ground.basis == "reply" and any(_is_of(item, argument) for item in asked):
                for value in values:
                    yield argument, value, view_at(tool.schema.view, argument)


def same_parameter(one: str, other: str) -> bool:
    """Whether two parameter names mean the same: a name's words are among the other's, or are synonyms of them."""
    first, second = (set(name_words(_own_name(name))) for name in (one, other))
    if first and second and (first <= second or second <= first):
        return True
    return any(first & words and second & words for words in SYNONYMS)


def _own_name(argument: str) -> str:
    """The last part of a dotted argument."""
    return argument.rpartition(".")[2]


def _asks(turn: PlacedTurn) -> Iterator[tuple[str, AskStep]]:
    for i, path in enumerate(turn.turn.paths):
        for ask in path.asks:
            yield (f"alternative {i}, " if i else ""), ask
