"""Answers made elsewhere, as JSON: what `utb/replay` and `utb/mailbox` read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspect_ai.tool import ToolInfo
from pydantic import model_validator

from utb_inspect.baselines.player import Action
from utb_inspect.datasets.wire import wire_name
from utb_inspect.schema import Model


class ResponseCall(Model):
    """A tool call of an answer."""

    name: str
    """The toolset's own name for the tool, or the one it has in the request."""
    arguments: dict[str, Any] | str
    """An object, or the JSON text of one, which need not be sound."""
    id: str | None = None
    """Not used: calls get ids of their own. Allowed since the calls in a request have one."""


class Response(Model):
    """One message of a model."""

    content: str | None = None
    tool_calls: list[ResponseCall] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Response:
        if not self.model_fields_set:
            raise ValueError("give 'content', 'tool_calls' or both; a blank message is {\"content\": \"\"}")
        return self

    def action(self, tools: Sequence[ToolInfo]) -> Action:
        """The message as an action, tools under the names that they have in the request."""
        known = {tool.name for tool in tools}
        calls = [
            (wire if (wire := wire_name(call.name)) in known else call.name, call.arguments)
            for call in self.tool_calls or ()
        ]
        return Action(self.content or "", calls)
