"""The reference of a public row: the `answer_list` of one turn, read into steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

ASK = "ask_user_for_required_parameters"
ANSWER = "prepare_to_answer"
TALK = frozenset({ASK, ANSWER})
"""The steps that a text message meets; every other step is a call of a tool."""


@dataclass(frozen=True)
class ReferenceStep:
    """One action of the reference, with what the world said to it.

    Source: public evaluator, `tool_call_graph.py`.
    """

    name: str
    """The tool to call, or one of the two names in `TALK`."""
    arguments: Any
    observation: Any
    """A call's recorded result; the recorded question of an ask; the recorded answer."""
    user_input: str
    """The user's recorded reply to an ask, else empty."""
    after: frozenset[int]
    """Positions of the steps that come first."""


def read_reference(answer_list: Sequence[dict[str, Any]]) -> tuple[ReferenceStep, ...]:
    """Read an `answer_list`.

    Raises:
        ValueError: A step lacks a field, or depends on a step that does not exist.
    """
    return tuple(_read_step(index, answer_list) for index in range(len(answer_list)))


def _read_step(index: int, answer_list: Sequence[dict[str, Any]]) -> ReferenceStep:
    raw = answer_list[index]
    try:
        action = raw["action"]
        step = ReferenceStep(
            name=action["name"],
            arguments=action.get("arguments", {}),
            observation=raw["observation"],
            user_input=raw.get("user_input") or "",
            after=frozenset(raw["dependency_list"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"Reference step {index} cannot be read: {error!r}") from error
    if not isinstance(step.name, str):
        raise ValueError(f"Reference step {index} has a name that is no text: {step.name!r}")
    unknown = [before for before in step.after if before not in range(len(answer_list))]
    if unknown:
        raise ValueError(f"Reference step {index} depends on steps that do not exist: {unknown}")
    return step
