"""What is a provider's fault and not a model's decision (spec section 4, Errors)."""

from __future__ import annotations

from inspect_ai.model import ModelOutput


class ProviderError(Exception):
    """A provider's fault that came back as an output: an error of the run, never a wrong decision."""


def provider_fault(output: ModelOutput) -> str | None:
    """What makes an output an error of the run; None when it is a decision."""
    if output.error:
        return f"the provider reported an error: {output.error}"
    if not output.choices:
        return "the provider returned no choice"
    match output.stop_reason:
        case "content_filter":
            return "the provider's content filter stopped the output"
        case "model_length":
            return "the prompt overflowed the model's context"
        case _:
            return None
