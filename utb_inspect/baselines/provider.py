"""The provider `utb`: offline models by name."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from utb_inspect.baselines.floors import AlwaysAsk, copy_first, copy_last, first_tool, never_ask
from utb_inspect.baselines.mailbox import MANY, Mailbox
from utb_inspect.baselines.noisy import Noisy
from utb_inspect.baselines.oracle import Oracle
from utb_inspect.baselines.player import Player, to_message
from utb_inspect.baselines.recall import recall
from utb_inspect.baselines.replay import Replay
from utb_inspect.refusal import refusal
from utb_inspect.schema import DataError

MODELS: dict[str, Callable[..., Player]] = {
    "oracle": Oracle,
    "recall": recall,
    "always_ask": AlwaysAsk,
    "never_ask": never_ask,
    "copy_last": copy_last,
    "copy_first": copy_first,
    "first_tool": first_tool,
    "noisy": Noisy,
    "replay": Replay,
    "mailbox": Mailbox,
}
"""Name to what makes the model; its arguments are given as `-M name=value`."""


class OfflineModel(ModelAPI):
    """A model that needs no network; usage is counted in characters over four."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **model_args: Any,
    ) -> None:
        config = config or GenerateConfig()
        # Inspect's cache knows a model by name, address and prompt. What these models answer also hangs on their
        # arguments, on files and on the reference; an address of its own keeps an instance from old answers.
        super().__init__(model_name, base_url or f"utb:{uuid4().hex}", api_key, [], config)
        self.player = _player(model_name, model_args)
        if isinstance(self.player, Mailbox) and config.max_connections is None and config.adaptive_connections is None:
            config.max_connections = MANY  # the model's own config, which what is given for a run overrides

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        action = await self.player.act(input, tools)
        message = to_message(action, tools, len(input))
        written = message.text + "".join(json.dumps(call.arguments) for call in message.tool_calls or ())
        read = sum(len(m.text) for m in input)
        usage = ModelUsage(
            input_tokens=read // 4, output_tokens=len(written) // 4, total_tokens=read // 4 + len(written) // 4
        )
        stop = "tool_calls" if message.tool_calls else "stop"
        return ModelOutput(
            model=self.model_name, choices=[ChatCompletionChoice(message=message, stop_reason=stop)], usage=usage
        )

    def max_connections(self) -> int:
        return MANY if isinstance(self.player, Mailbox) else super().max_connections()


def _player(name: str, arguments: dict[str, Any]) -> Player:
    """The model of a name.

    Raises:
        PrerequisiteError: there is none, or its arguments make no sense; shown as one message.
    """
    if name not in MODELS:
        raise refusal(f"there is no model utb/{name}; there are {', '.join(MODELS)}")
    takes = inspect.signature(MODELS[name])
    try:
        takes.bind(**arguments)
    except TypeError as error:
        known = ", ".join(f"-M {parameter}=..." for parameter in takes.parameters) or "no argument"
        raise refusal(f"utb/{name}: {error}; it takes {known}") from None
    try:
        return MODELS[name](**arguments)
    except (DataError, ValueError) as error:
        raise refusal(f"utb/{name}: {error}") from None


@modelapi(name="utb")
def utb() -> type[ModelAPI]:
    """Offline models, `--model utb/oracle` and the like; see `utb_inspect.baselines`."""
    return OfflineModel
