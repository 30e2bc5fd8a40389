"""Servers on loopback that speak as model providers do, for the real clients and Inspect's own providers.

A test starts a server of a kind, gives it a policy, runs a task on its model and looks at what was sent:

    from wire import Reply, ReplyCall, serve

    with serve("anthropic", policy) as server:
        log = run(task, server.model(streaming=True))
    assert server.refused == []
    server.requests[0].body, server.requests[0].items, server.requests[0].raw

Kinds (`KINDS`): `openai` (chat completions), `responses` (OpenAI Responses), `compatible` (`openai-api/local/...`),
`anthropic` (messages). Every request is checked against the SDK's own request types and the provider's documented
rules; one that breaks a rule is answered with status 400, as the provider would, and stands in `server.refused`.

A *policy* says what the model does: `Callable[[Request], Reply]`. `Reply(text, calls, reasoning, refusal, stop)` is the
same for all kinds. `wire.policy` has those that play a dataset; `Request.items` is the conversation in a form that is
the same for all kinds.

A *layer* wraps the server's answer, `serve(kind, policy, layer)`: `Callable[[Request, Answer], Response]`, sync or
async. It is asked for each request that was not refused and returns any Starlette response: `answer.response()` to let
it pass, `JSONResponse(error(kind, 503, "busy"), 503)`, or one made of `answer.body` (the reply as the provider's JSON)
or `answer.events` (the same as server-sent events, in order, each ready to send; half of them is half a stream;
`streamed(events)` makes a response of them and may break off). `answer.stream` tells which of the two was asked for.
`request.number` counts requests from 0, `request.attempts` how often the same conversation was sent before, so that a
layer can fail the first attempt and let the second pass. `error(kind, status, message)` is the provider's error body.

What a policy or a layer raises is raised again when the server's context closes. `wire.hidden.Watch` looks through
requests for what a model may not see.
"""

from __future__ import annotations

from wire.answer import Answer, Layer, error, streamed
from wire.reply import Reply, ReplyCall
from wire.request import Policy, Request
from wire.server import KINDS, Kind, Server, serve

__all__ = [
    "KINDS",
    "Answer",
    "Kind",
    "Layer",
    "Policy",
    "Reply",
    "ReplyCall",
    "Request",
    "Server",
    "error",
    "serve",
    "streamed",
]
