"""What is a provider's fault and not a model's decision (spec section 4, Errors)."""

from __future__ import annotations

from inspect_ai.model import ModelOutput
from inspect_ai.model._model import ModelGenerateError
from tenacity import RetryError


class ProviderError(Exception):
    """A provider's fault: an error of the run, never a wrong decision."""


def provider_error(error: Exception) -> Exception:
    """What to raise for an error of a model call: one that tells the cause in a line, or else the error itself."""
    match error:
        case RetryError():
            last = error.last_attempt
            return ProviderError(f"{error_line(last.exception())} (attempt {last.attempt_number}, the last)")
        case ModelGenerateError():  # its own message holds the request
            return ProviderError(error_line(error.__cause__))
        case TimeoutError():  # Inspect takes one for a limit of its own: no error, no retry
            return ProviderError("the provider timed out")
        case _:
            return error


def error_line(error: BaseException | None) -> str:
    """An error as a log tells it."""
    return str(error) if isinstance(error, ProviderError) else f"{type(error).__name__}: {error}"


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
        case "unknown":
            return "the provider did not say that the output is whole: it may be half of one, or the context was full"
        case _:
            return None
