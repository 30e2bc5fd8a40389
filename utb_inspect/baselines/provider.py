"""The provider `utb`: offline models by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.model._call_tools import parse_tool_call
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo
from rich.text import Text

from utb_inspect.baselines.oracle import Oracle
from utb_inspect.baselines.player import Action, Player

MODELS: dict[str, Callable[..., Player]] = {"oracle": Oracle}
"""Name to the class of the model; its arguments are given as `-M name=value`."""


class OfflineModel(ModelAPI):
    """A model that needs no network; usage is counted in characters over four."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        if model_name not in MODELS:
            raise PrerequisiteError(Text(f"there is no model utb/{model_name}; there are {', '.join(MODELS)}"))
        try:
            self.player = MODELS[model_name](**model_args)
        except (TypeError, ValueError) as error:
            raise PrerequisiteError(Text(f"utb/{model_name}: {error}")) from None

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


def to_message(action: Action, tools: list[ToolInfo], round_: int) -> ChatMessageAssistant:
    """An action as an assistant message; arguments are parsed as Inspect parses a provider's."""
    calls: list[ToolCall] = []
    for i, (name, arguments) in enumerate(action.calls):
        text = arguments if isinstance(arguments, str) else json.dumps(dict(arguments), ensure_ascii=False)
        calls.append(parse_tool_call(f"c{round_:04d}x{i:03d}", name, text, tools))
    return ChatMessageAssistant(content=action.text, tool_calls=calls or None, source="generate")


@modelapi(name="utb")
def utb() -> type[ModelAPI]:
    """Offline models, `--model utb/oracle` and the like; see `utb_inspect.baselines`."""
    return OfflineModel
