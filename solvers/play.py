"""The main solver: the run of spec section 4."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from copy import copy

from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, execute_tools, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolCallContent

from utb_inspect.answers import start_run
from utb_inspect.datasets.record import TurnRecord, mark_cut, mark_error, mark_played
from utb_inspect.datasets.wire import tool_info
from utb_inspect.faults import ProviderError, error_line, provider_error, provider_fault, raw_answers
from utb_inspect.half_pairs import mend_output
from utb_inspect.schema import DataError
from utb_inspect.solvers.resend import calls_of, fit_to_resend
from utb_inspect.solvers.tools import queue_tool
from utb_inspect.trajectory.run import Reply, Result, ResultKind, content_text


@solver
def play() -> Solver:
    """Play a turn: native tools backed by recorded observations, recorded replies to questions.

    The run's rules (`off_path`, `max_rounds`, `verdict`) are those that the setup solver `show` was given.

    Raises:
        ProviderError: the provider failed or timed out, or the output was filtered, overflowed the context, or is no
            whole output. The sample errors, can be retried, and is never scored.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        record = TurnRecord.load(state.store)
        if record is None:
            raise DataError("this sample has no turn; use the setup solver utb_inspect/show")
        mark_played(state.store)
        run = start_run(record)
        infos = [tool_info(tool) for tool in record.toolset.tools]
        model = get_model()
        taken = {call.id for message in state.messages for call in calls_of(message)}
        while True:
            try:
                with raw_answers() as raw:
                    output = await model.generate(state.messages, tools=infos)
            except Exception as error:
                cause = provider_error(error)
                mark_error(state.store, error_line(cause))
                if cause is error:
                    raise
                raise cause from error
            mend_output(output)  # as its copy in the log is
            state.output = output
            if (fault := provider_fault(output)) is not None:
                mark_error(state.store, fault)
                raise ProviderError(fault)
            if output.stop_reason == "max_tokens" or raw.cut:
                mark_cut(state.store)
            message = fit_to_resend(output.message, taken)
            state.messages.append(message)
            reply = run.reply(record.message(message))
            if message.tool_calls:
                await _execute(state, message, reply)
            if reply.user is not None:
                state.messages.append(ChatMessageUser(content=reply.user, metadata={"utb": "recorded reply"}))
            if reply.ended is not None:
                state.completed = True
                return state

    return solve


_MARKS: Mapping[ResultKind, str] = {
    "repeat": "a repeat, given the same observation again",
    "further": "a further read of what was read before",
    "off_path": "off the reference path",
    "invalid": "not a valid call",
}
"""What a reader of the transcript is told of calls that are no step of the reference."""


async def _execute(state: TaskState, message: ChatMessageAssistant, reply: Reply) -> None:
    """Log and answer each call of the message with its result, a broken or unknown one too."""
    calls = [_readable(call, result) for call, result in zip(calls_of(message), reply.results, strict=False)]
    results = deque(content_text(result.content) for result in reply.results)
    tools = [queue_tool(name, results) for name in dict.fromkeys(call.function for call in calls)]
    executed = await execute_tools([message.model_copy(update={"tool_calls": calls})], tools)
    state.messages.extend(executed.messages)


def _readable(call: ToolCall, result: Result) -> ToolCall:
    """The call as the transcript shows it."""
    own = copy(call)
    own.parse_error = None  # Inspect would answer itself; the result says what was wrong
    if (mark := _MARKS.get(result.kind)) is not None:
        arguments = json.dumps(call.arguments, ensure_ascii=False, indent=2)
        # Inspect View reads text as Markdown, too; no line of JSON can close the fence.
        fenced = f"```json\n{arguments}\n```"
        own.view = ToolCallContent(title=f"{call.function}: {mark}", format="markdown", content=fenced)
    return own
