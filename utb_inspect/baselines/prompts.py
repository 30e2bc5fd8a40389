"""What a model sees, as JSON: the requests of `utb/mailbox` and the lines of `utb prompts export`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool
from inspect_ai.tool import ToolInfo

from utb_inspect.datasets.dataset import Dataset
from utb_inspect.datasets.history import Prompts, View
from utb_inspect.datasets.samples import to_samples
from utb_inspect.datasets.wire import tool_info
from utb_inspect.schema import DataError, TaskType


def prompt(sample_id: str, round_: int, messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]) -> dict[str, Any]:
    """A round's request: conversation and tools, whole, with nothing that a model would not see.

    The same prompt gives the same object: message ids, which Inspect draws at random, are left out.

    Args:
        sample_id: Id of the sample.
        round_: Which message of the model this asks for, from 1.
        messages: The conversation.
        tools: The tools, as a provider gets them.
    """
    return {
        "id": sample_id,
        "round": round_,
        "messages": [_message(message) for message in messages],
        "tools": [
            {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters.model_dump(mode="json", by_alias=True, exclude_none=True),
            }
            for tool in tools
        ],
    }


def _message(message: ChatMessage) -> dict[str, Any]:
    shown: dict[str, Any] = {"role": message.role, "content": message.text}
    match message:
        case ChatMessageAssistant(tool_calls=[_, *_] as calls):
            shown["tool_calls"] = [
                {"id": call.id, "name": call.function, "arguments": call.arguments} for call in calls
            ]
        case ChatMessageTool():
            if message.error is not None:  # which providers send in place of the content
                shown["content"] = message.error.message
            shown["tool_call_id"] = message.tool_call_id
    return shown


def first_prompts(
    dataset: Dataset,
    task_types: Collection[TaskType],
    profiles: Collection[str] | None = None,
    view: View | None = None,
    *,
    with_profile: bool = False,
) -> Iterator[dict[str, Any]]:
    """What a model would see in the first round of each turn, in the order in which the tasks run them.

    Args:
        dataset: The loaded dataset.
        task_types: Task types to take.
        profiles: Profiles to take; None for all.
        view: How much of the history is shown, and how; by default as the tasks show it.
        with_profile: Add the user's hidden profile as `profile`, which a turn of a sound dataset can do without.

    Raises:
        DataError: a profile that the dataset has not, or no turn is left; public rows have no profiles to add.
    """
    if with_profile and not dataset.profiles:
        raise DataError(f"{dataset.info.name} has no profiles to show; only native data has")
    prompts = Prompts(dataset, view or View())
    for sample in to_samples(dataset, task_types, profiles):
        turn = dataset.by_id[str(sample.id)]
        tools = [tool_info(tool) for tool in turn.toolset.tools]
        line = prompt(turn.id, 1, prompts.messages(turn), tools)
        yield {**line, "profile": dataset.profiles[turn.profile].fields} if with_profile else line
