"""The steps of a public row's `answer_list`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from utb_inspect.datasets.cues import cues_of_ask
from utb_inspect.schema import AnswerStep, AskStep, CallStep
from utb_inspect.trajectory.calls import Tools, parse_arguments

ASK = "ask_user_for_required_parameters"
ANSWER = "prepare_to_answer"

Steps = list[CallStep | AskStep | AnswerStep]


def read_steps(entries: Sequence[Any], tools: Tools) -> tuple[Steps, list[str]]:
    """Read the `answer_list` of a turn.

    A step's id is its index. Two orders that rows take for granted are written out: a question comes after the
    questions before it, since each had its reply, and the answer comes after all other steps.

    Returns:
        The steps, and what is wrong with the list; the steps are complete only when nothing is.
    """
    steps: Steps = []
    faults: list[str] = []
    asked: list[str] = []
    for i, entry in enumerate(entries):
        try:
            step = _read_step(i, entry, tools)
        except ValueError as error:
            faults.append(f"step '{i}'{error}")
            continue
        if isinstance(step, AskStep):
            step = step.model_copy(update={"after": list(dict.fromkeys([*step.after, *asked[-1:]]))})
            asked.append(step.id)
        steps.append(step)
    if not faults:
        faults.extend(_finish(steps))
    return steps, faults


def _finish(steps: Steps) -> list[str]:
    answers = [step.id for step in steps if isinstance(step, AnswerStep)]
    if len(answers) != 1 or answers[0] != steps[-1].id:
        return [f"field 'answer_list': has {len(answers)} {ANSWER} steps; it ends with one and has no other"]
    needed = {before for step in steps for before in step.after}
    left = [step.id for step in steps[:-1] if step.id not in needed]
    steps[-1] = steps[-1].model_copy(update={"after": [*steps[-1].after, *left]})
    return []


def _read_step(i: int, entry: Any, tools: Tools) -> CallStep | AskStep | AnswerStep:
    """Read a step; raises ValueError with field and fault."""
    action = entry.get("action") if isinstance(entry, Mapping) else None
    name = action.get("name") if isinstance(action, Mapping) else None
    if not isinstance(action, Mapping) or not isinstance(name, str):
        raise ValueError(", field 'action': is no object with name and arguments")
    after = _after(i, entry)
    try:
        arguments = parse_arguments(action.get("arguments"))
    except ValueError as error:
        raise ValueError(f", field 'action.arguments': {error} (found {_short(action['arguments'])})") from None
    if "observation" not in entry:
        raise ValueError(", field 'observation': is missing")
    observation = entry["observation"]
    if name == ANSWER:
        return AnswerStep(id=str(i), answer=_text(observation), after=after)
    if name == ASK:
        reply = entry.get("user_input")
        if not isinstance(reply, str):
            raise ValueError(", field 'user_input': is missing; it holds the user's reply")
        question = _text(observation)
        cues = cues_of_ask(arguments, question, tools)
        return AskStep(id=str(i), ask=list(cues), cues=cues, message=question, reply=reply, after=after)
    if name not in tools:
        known = ", ".join(tool.name for tool in tools.toolset.tools)
        raise ValueError(f", field 'action.name': '{name}' is none of the row's tools ({known})")
    return CallStep(id=str(i), call=name, arguments=arguments, after=after, observation=observation)


def _after(i: int, entry: Mapping[str, Any]) -> list[str]:
    listed = entry.get("dependency_list")
    if not isinstance(listed, list) or not all(type(before) is int for before in listed):
        raise ValueError(", field 'dependency_list': is missing or no list of step numbers")
    if wrong := [before for before in listed if not 0 <= before < i]:
        raise ValueError(
            f", field 'dependency_list': names {', '.join(map(str, wrong))}, which is no step before it "
            "(steps count from 0)"
        )
    return [str(before) for before in dict.fromkeys(listed)]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
