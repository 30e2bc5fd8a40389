"""A turn in the form that the public evaluator reads."""

from __future__ import annotations

from typing import Any

from utb_inspect.datasets.dataset import PlacedTurn, PublicTurn
from utb_inspect.schema import AskStep, CallStep


def public_form(turn: PlacedTurn) -> PublicTurn:
    """Tools and `answer_list` of a turn: as read, or made from its reference for native data.

    The public format has no grounds, alternatives or effects, and one reply an ask.
    """
    if turn.public is not None:
        return turn.public
    path = turn.turn.paths[0]
    index = {step.id: i for i, step in enumerate(path.steps)}
    answers: list[dict[str, Any]] = []
    for step in path.steps:
        entry: dict[str, Any]
        match step:
            case CallStep():
                entry = {
                    "action": {"name": step.call, "arguments": step.arguments},
                    "observation": step.observation,
                }
            case AskStep():
                tool = next((c.call for c in path.calls if step.id in path.before(c.id)), "")
                missing = [{"tool_name": tool, "missing_required_parameters": step.ask}]
                entry = {
                    "action": {
                        "name": "ask_user_for_required_parameters",
                        "arguments": {"tool_list": missing},
                    },
                    "observation": step.message,
                    "user_input": step.reply,
                }
            case _:
                kind = "tool" if path.calls else "chat"
                entry = {
                    "action": {"name": "prepare_to_answer", "arguments": {"answer_type": kind}},
                    "observation": step.answer,
                }
        entry["dependency_list"] = [index[before] for before in step.after]
        answers.append(entry)
    tools = [{"type": "function", "function": tool.function.model_dump()} for tool in turn.toolset.tools]
    return PublicTurn(tools=tools, answer_list=answers)
