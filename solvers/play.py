"""The main solver: the run of spec section 4."""

from __future__ import annotations

from collections import deque
from copy import copy

from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, execute_tools, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from utb_inspect.answers import start_run
from utb_inspect.datasets.record import TurnRecord, mark_cut, mark_error, mark_played
from utb_inspect.datasets.wire import tool_info
from utb_inspect.faults import ProviderError, provider_fault
from utb_inspect.schema import DataError
from utb_inspect.solvers.tools import queue_tool
from utb_inspect.trajectory.run import Reply, Result, content_text


@solver
def play() -> Solver:
    """Play a turn: native tools backed by recorded observations, recorded replies to questions.

    The run's rules (`off_path`, `max_rounds`, `verdict`) are those that the setup solver `show` was given.

    Raises:
        ProviderError: the output was filtered, overflowed the context, or is no output at all. The sample errors, can
            be retried, and is never scored.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        record = TurnRecord.load(state.store)
        if record is None:
            raise DataError("this sample has no turn; use the setup solver utb_inspect/show")
        mark_played(state.store)
        run = start_run(record)
        infos = [tool_info(tool) for tool in record.toolset.tools]
        model = get_model()
        while True:
            try:
                output = await model.generate(state.messages, tools=infos)
            except Exception as error:
                mark_error(state.store, f"{type(error).__name__}: {error}")
                if isinstance(error, TimeoutError):  # Inspect takes one for a limit of its own: no error, no retry
                    raise ProviderError("the provider timed out") from error
                raise
            state.output = output
            if (fault := provider_fault(output)) is not None:
                mark_error(state.store, fault)
                raise ProviderError(fault)
            if output.stop_reason == "max_tokens":
                mark_cut(state.store)
            reply = run.reply(record.message(output.message))
            message = _with_ids(output.message, reply.results)
            state.messages.append(message)
            if message.tool_calls:
                await _execute(state, message, reply)
            if reply.user is not None:
                state.messages.append(ChatMessageUser(content=reply.user, metadata={"utb": "recorded reply"}))
            if reply.ended is not None:
                state.completed = True
                return state

    return solve


def _with_ids(message: ChatMessageAssistant, results: tuple[Result, ...]) -> ChatMessageAssistant:
    """The message with each call under the id that it is answered under."""
    calls = message.tool_calls
    if not calls or all(c.id == r.call_id for c, r in zip(calls, results, strict=False)):
        return message
    renamed = []
    for call, result in zip(calls, results, strict=False):
        own = copy(call)
        own.id = result.call_id
        renamed.append(own)
    return message.model_copy(update={"tool_calls": [*renamed, *calls[len(results) :]]})


async def _execute(state: TaskState, message: ChatMessageAssistant, reply: Reply) -> None:
    """Log and answer each call of the message with its result, a broken or unknown one too."""
    calls = []
    for call in message.tool_calls or ():
        readable = copy(call)
        readable.parse_error = None  # Inspect would answer itself; the result says what was wrong
        calls.append(readable)
    results = deque(content_text(result.content) for result in reply.results)
    answered = message.model_copy(update={"tool_calls": calls[: len(results)]})
    tools = [queue_tool(name, results) for name in dict.fromkeys(c.function for c in calls)]
    executed = await execute_tools([answered], tools)
    state.messages.extend(executed.messages)
