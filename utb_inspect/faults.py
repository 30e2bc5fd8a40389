"""What is a provider's fault and not a model's decision (spec section 4, Errors)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import ModelOutput
from inspect_ai.model._model import ModelGenerateError, _model_event_sink, use_model_event_sink
from tenacity import RetryError

from utb_inspect.half_pairs import mend_output

_FILTERED = "the provider's content filter stopped the output"


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
            return _FILTERED
        case "model_length":
            return "the prompt overflowed the model's context"
        case "tool_calls" if not output.message.tool_calls:
            return "the provider says that the output calls tools, but none is in it: its parser may have lost one"
        case "unknown":
            return "the provider did not say that the output is whole: it may be half of one, or the context was full"
        case _:
            return None


class RawAnswer:
    """Looks at answers as they come: mends half surrogate pairs, and reads what Inspect leaves out of raw ones.

    Inspect cannot write a message that holds half a pair, and all samples end with the log.
    And it takes an answer of OpenAI Responses for whole whatever its `status`, and of one that has calls it leaves out
    the reason for its end. The log keeps the raw answers of a few calls alone, so that they are looked at here.
    """

    def __init__(self) -> None:
        self.cut = False
        """Whether the last output was cut at `max_tokens`."""

    def on_pending(self, event: ModelEvent) -> None:
        transcript()._event(event)

    def on_complete(self, event: ModelEvent) -> None:
        """Mend an answer and look at it.

        Raises:
            ProviderError: it is a fault that would be cached, or that Inspect's output does not tell. One that is
                raised here is not cached, so that a run that tries again does not get it again.
        """
        mend_output(event.output)  # a copy of the output, or where Inspect cannot make one, itself
        raw = None if event.call is None or event.call.error else event.call.response
        transcript()._event_updated(event)  # may drop the raw answer
        self.cut = False
        if (fault := provider_fault(event.output)) is not None:
            if event.cache == "write":
                raise ProviderError(fault)
        elif raw is not None and isinstance(raw.get("output"), list):
            self._look(raw.get("status"), raw.get("incomplete_details"))

    def _look(self, status: Any, details: Any) -> None:
        reason = details.get("reason") if isinstance(details, dict) else None
        match status, reason:
            case _, "content_filter":
                raise ProviderError(_FILTERED)
            case ("completed", _) | ("incomplete", "max_output_tokens"):
                self.cut = reason == "max_output_tokens"
            case _:
                told = f"{status!r} ({reason})" if reason else f"{status!r}"
                raise ProviderError(f"the provider does not say that the output is whole: its status is {told}")


@contextmanager
def raw_answers() -> Iterator[RawAnswer]:
    """Looks at the raw answers of the model calls within."""
    raw = RawAnswer()
    with use_model_event_sink(raw):
        yield raw


def watch_raw_answers() -> None:
    """Look at the raw answers of all model calls of this sample that follow, whoever makes them."""
    _model_event_sink.set(RawAnswer())  # a sample runs in a context of its own
