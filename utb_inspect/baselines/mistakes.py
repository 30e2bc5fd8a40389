"""Mistakes that can be planned: each takes the plan of a right run and yields plans that go wrong in one way.

What a plan is in truth labelled with, the scoring core says (`utb_inspect.baselines.noisy`); a mistake may yield plans
that a turn's grounds allow after all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from utb_inspect.baselines.guesses import guess, other_values
from utb_inspect.baselines.oracle import Plan, Round
from utb_inspect.baselines.player import Action
from utb_inspect.datasets.wire import wire_name
from utb_inspect.schema import AskStep, Basis, CallStep, Effect, Ground
from utb_inspect.trajectory.calls import Call, Tools
from utb_inspect.trajectory.verdict import Label

Mistake = Callable[[Plan, Tools], Iterator[Plan]]


def extra_read(plan: Plan, tools: Tools) -> Iterator[Plan]:
    """One read too many."""
    return _extra(plan, tools, "read")


def extra_write(plan: Plan, tools: Tools) -> Iterator[Plan]:
    """One write too many."""
    return _extra(plan, tools, "write")


def _extra(plan: Plan, tools: Tools, effect: Effect) -> Iterator[Plan]:
    used = {step.call for _, _, step in _calls(plan)}
    for tool in tools.toolset.tools:
        arguments = guess(tools[tool.name].schema.view)
        if tool.effect == effect and tool.name not in used and _is_valid(tools, tool.name, arguments):
            yield _insert(plan, len(plan) - 1, Action(calls=[(wire_name(tool.name), arguments)]))


def drop_call(plan: Plan, tools: Tools) -> Iterator[Plan]:
    """One call not made."""
    for i, j, _ in reversed(list(_calls(plan))):
        calls = [*plan[i].action.calls[:j], *plan[i].action.calls[j + 1 :]]
        yield _replace(plan, i, *([Action(calls=calls)] if calls else []))


def alter_stated(plan: Plan, tools: Tools) -> Iterator[Plan]:
    """A value that request, reply, environment or history settles, set to something else."""
    return _alter(plan, tools, {"request", "reply", "environment", "history"})


def alter_preferred(plan: Plan, tools: Tools) -> Iterator[Plan]:
    """A preferred value set to something else: another candidate where there are candidates."""
    for i, j, step in _calls(plan):
        for name in _grounded(step, {"preference"}):
            yield _with_arguments(plan, i, j, {k: v for k, v in step.arguments.items() if k != name})
            source = next((g.from_ for g in _grounds(step, name) if g.from_ is not None), None)
            for value in _candidates(plan, source, step.arguments[name]):
                yield _with_arguments(plan, i, j, {**step.arguments, name: value})
    yield from _alter(plan, tools, {"preference"})


def alter_returned(plan: Plan, tools: Tools) -> Iterator[Plan]:
    """A value that an observation holds, made up."""
    return _alter(plan, tools, {"observation"})


def call_at_once(plan: Plan, tools: Tools) -> Iterator[Plan]:
    """Two rounds of calls, the later of which needs the earlier, made in one."""
    for i, (first, second) in enumerate(pairwise(plan)):
        if first.action.calls and second.action.calls:
            merged = Action(calls=[*first.action.calls, *second.action.calls])
            yield (*plan[:i], Round(merged), *plan[i + 2 :])


def act_unasked(plan: Plan, tools: Tools) -> Iterator[Plan]:
    """No question put."""
    if any(_is_ask(round_) for round_ in plan):
        yield tuple(round_ for round_ in plan if not _is_ask(round_))


def ask_the_known(plan: Plan, tools: Tools) -> Iterator[Plan]:
    """A question after what could be known."""
    asked = {item for round_ in plan for step in round_.steps if isinstance(step, AskStep) for item in step.ask}
    for _, _, step in _calls(plan):
        for name in step.arguments:
            if name not in asked:
                yield _insert(plan, 0, Action(f"Could you tell me the {name.replace('_', ' ')}?"))


def unparseable(plan: Plan, tools: Tools) -> Iterator[Plan]:
    """Arguments cut off in the middle, then the call as it should be."""
    for i, name, arguments in _models_of_calls(plan, tools):
        yield _insert(plan, i, Action(calls=[(name, json.dumps({**arguments}, ensure_ascii=False)[:-1])]))


def unknown_tool(plan: Plan, tools: Tools) -> Iterator[Plan]:
    """A tool that is not there, then the call as it should be."""
    for i, name, arguments in _models_of_calls(plan, tools):
        if (unknown := f"{name[:61]}_v2") not in tools:
            yield _insert(plan, i, Action(calls=[(unknown, arguments)]))


def wrong_type(plan: Plan, tools: Tools) -> Iterator[Plan]:
    """An argument of another type, then the call as it should be."""
    for i, name, arguments in _models_of_calls(plan, tools):
        for key, value in arguments.items():
            wrong = str(value) if isinstance(value, list) else [value]
            yield _insert(plan, i, Action(calls=[(name, {**arguments, key: wrong})]))


def blank_answer(plan: Plan, tools: Tools) -> Iterator[Plan]:
    """The answer left blank."""
    yield _replace(plan, len(plan) - 1, Action(""))


def use_superseded(plan: Plan, tools: Tools) -> Iterator[Plan]:
    """A value that later evidence has replaced."""
    for i, j, step in _calls(plan):
        for path, ground in step.grounds.items():
            for old in ground.superseded:
                yield _with_arguments(plan, i, j, _put(step.arguments, path.split("."), old.value))


MISTAKES: Mapping[Label, tuple[Mistake, ...]] = {
    "wrong_tool": (extra_read, extra_write),
    "missing_tool": (drop_call,),
    "user_constraint": (alter_stated,),
    "implicit_preference": (alter_preferred,),
    "sequence_dependency": (call_at_once, alter_returned),
    "clarification": (act_unasked, ask_the_known),
    "malformed_call": (unparseable, unknown_tool, wrong_type),
    "no_answer": (blank_answer,),
    "stale_preference": (use_superseded,),
}
"""Label to the mistakes that earn it."""


def _calls(plan: Plan) -> Iterator[tuple[int, int, CallStep]]:
    """The reference calls of a plan: round, place in the round, step."""
    for i, round_ in enumerate(plan):
        for j, step in enumerate(round_.steps):
            if isinstance(step, CallStep):
                yield i, j, step


def _models_of_calls(plan: Plan, tools: Tools) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """Calls to make badly, and the round to do so before: the reference's, or in mere talk the first tool's."""
    for i, _, step in _calls(plan):
        yield i, wire_name(step.call), step.arguments
    first = tools.toolset.tools[0].name
    yield len(plan) - 1, wire_name(first), guess(tools[first].schema.view)


def _is_ask(round_: Round) -> bool:
    return any(isinstance(step, AskStep) for step in round_.steps)


def _is_valid(tools: Tools, name: str, arguments: Mapping[str, Any]) -> bool:
    return tools.read(Call("", name, arguments)).fault is None


def _grounds(step: CallStep, name: str) -> list[Ground]:
    """The grounds of an argument and of the places inside it."""
    return [g for path, g in step.grounds.items() if path.replace("[]", "").split(".")[0] == name]


def _grounded(step: CallStep, bases: set[Basis]) -> list[str]:
    return [name for name in step.arguments if any(g.basis in bases for g in _grounds(step, name))]


def _alter(plan: Plan, tools: Tools, bases: set[Basis]) -> Iterator[Plan]:
    for i, j, step in _calls(plan):
        for name in _grounded(step, bases):
            for value in other_values(step.arguments[name], tools[step.call].schema.view.child(name)):
                arguments = {**step.arguments, name: value}
                if _is_valid(tools, step.call, arguments):
                    yield _with_arguments(plan, i, j, arguments)


def _candidates(plan: Plan, source: str | None, value: Any) -> Iterator[Any]:
    """Values that stand beside a chosen one in the observation it was chosen from."""
    pending = [step.observation for _, _, step in _calls(plan) if step.id == source]
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            records = [record for record in item if isinstance(record, dict)]
            keys = {key for record in records for key, held in record.items() if held == value}
            yield from (r[key] for r in records for key in sorted(keys & r.keys()) if r[key] != value)
            pending.extend(item)
        elif isinstance(item, dict):
            pending.extend(item.values())


def _put(value: Any, path: list[str], new: Any) -> Any:
    """A copy of an object with a value set at a dotted path; in lists, in the first item."""
    key = path[0].removesuffix("[]")
    inner = value.get(key) if isinstance(value, dict) else None
    if path[0].endswith("[]"):
        items = inner if isinstance(inner, list) else []
        return {**value, key: [_put(items[0], path[1:], new) if path[1:] and items else new, *items[1:]]}
    return {**(value or {}), key: _put(inner, path[1:], new) if path[1:] else new}


def _with_arguments(plan: Plan, i: int, j: int, arguments: Mapping[str, Any]) -> Plan:
    calls = list(plan[i].action.calls)
    calls[j] = (calls[j][0], arguments)
    return _replace(plan, i, Action(calls=calls))


def _replace(plan: Plan, i: int, *actions: Action) -> Plan:
    return (*plan[:i], *map(Round, actions), *plan[i + 1 :])


def _insert(plan: Plan, i: int, action: Action) -> Plan:
    return (*plan[:i], Round(action), *plan[i:])
