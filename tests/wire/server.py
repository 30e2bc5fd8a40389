"""A server in a thread, and the model that talks to it."""

from __future__ import annotations

import inspect
import json
import logging
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from types import ModuleType
from typing import Any, get_args
from urllib.parse import parse_qsl

import uvicorn
from fastapi import FastAPI
from inspect_ai.model import GenerateConfig, Model, get_model
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response

from wire import anthropic_messages, openai_chat, openai_compatible, openai_responses
from wire.answer import Layer, error
from wire.given import Given
from wire.pieces import USED
from wire.request import Kind, Policy, Request
from wire.texts import json_texts

KINDS: tuple[Kind, ...] = get_args(Kind)

PROTOCOLS: Mapping[Kind, ModuleType] = {
    "openai": openai_chat,
    "responses": openai_responses,
    "compatible": openai_compatible,
    "anthropic": anthropic_messages,
}
"""Each has `PATH`, `read(body) -> items`, `problems(body) -> list[str]` and `answer(reply, body, number) -> Answer`."""


_CLAUDE = "claude-sonnet-5"
_COUNTED = {"model", _CLAUDE, "messages", "role", "user", "content"}
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class Server:
    """A provider on loopback."""

    def __init__(self, kind: Kind, policy: Policy, layer: Layer | None = None, keep: bool = True) -> None:
        """Set up; `serve` starts it.

        Args:
            kind: Which provider it speaks as.
            policy: What the model does.
            layer: Wraps each answer.
            keep: Whether to keep the requests that are in order; a policy sees them all.
        """
        self.kind = kind
        self.policy = policy
        self.layer = layer
        self.keep = keep
        self.requests: list[Request] = []
        self.refused: list[Request] = []
        self.crashes: list[Exception] = []
        """Faults of the server's own, or of its policy or layer, and requests that no model call makes; raised when
        the context closes."""
        self.url = ""
        self.count = 0
        """Requests so far."""
        self.bytes = 0
        """The sizes of their bodies, added up."""
        self._sent: Counter[bytes] = Counter()
        self._thoughts: set[str] = set()
        self._given = Given(kind)
        self.app = FastAPI()
        self.app.add_api_route(PROTOCOLS[kind].PATH, self._guarded, methods=["POST"])
        self.app.add_api_route("/v1/messages/count_tokens", self._count, methods=["POST"])
        self.app.add_route("/{path:path}", self._stray, methods=_METHODS)

    def model(self, streaming: bool = False, config: GenerateConfig | None = None, **args: Any) -> Model:
        """The model of Inspect's own provider, with the provider's own client, that talks to this server."""
        # Left out, Inspect asks the Responses API by a request of its own whether it gives summaries.
        # And Anthropic's client streams only, when it may get many tokens.
        config = GenerateConfig(reasoning_summary="auto", max_tokens=4096).merge(config or GenerateConfig())
        own: dict[Kind, tuple[str, dict[str, Any]]] = {
            "openai": ("openai/gpt-4o", {"responses_api": False, "streaming": streaming}),
            "responses": ("openai/gpt-5", {"responses_api": True, "streaming": streaming}),
            "compatible": ("openai-api/local/model", {"stream": streaming, "strict_tools": False}),
            "anthropic": (f"anthropic/{_CLAUDE}", {"streaming": streaming}),
        }
        name, known = own[self.kind]
        base = self.url if self.kind == "anthropic" else f"{self.url}/v1"
        return get_model(name, base_url=base, api_key="none", config=config, memoize=False, **{**known, **args})

    async def _guarded(self, http: HttpRequest) -> Response:
        try:
            return await self._answer(http)
        except Exception as crash:
            self.crashes.append(crash)
            return JSONResponse(error(self.kind, 400, f"the test's own server failed: {crash!r}"), 400)

    async def _count(self, http: HttpRequest) -> Response:
        """Anthropic's count of tokens: Inspect has it count what the model has thought, and nothing else."""
        if http.url.query or not _COUNTED | self._thoughts >= set(json_texts(await http.body())):
            return await self._stray(http)
        return JSONResponse({"input_tokens": USED[1]})

    async def _stray(self, http: HttpRequest) -> Response:
        """A request for anything else: nobody has looked through it."""
        self.crashes.append(AssertionError(f"{http.method} {http.url}: {await http.body()!r}"))
        return JSONResponse(error(self.kind, 404, "not found"), 404)

    async def _answer(self, http: HttpRequest) -> Response:
        raw = await http.body()
        protocol = PROTOCOLS[self.kind]
        body = json.loads(raw)
        problems = protocol.problems(body) or list(self._given.faults(body))
        items = () if problems else protocol.read(body)
        key = sha256(repr(items).encode()).digest()
        headers = {name: ", ".join(http.headers.getlist(name)) for name in http.headers}
        request = Request(
            self.kind, self.count, raw, body, items, problems, self._sent[key], headers, parse_qsl(http.url.query, True)
        )
        self.count += 1
        self.bytes += len(raw)
        self._sent[key] += 1
        if self.keep:
            self.requests.append(request)
        if problems:
            self.refused.append(request)
            return JSONResponse(error(self.kind, 400, "; ".join(problems)), 400)
        reply = self.policy(request)
        self._thoughts.add(reply.reasoning)
        answer = protocol.answer(reply, body, request.number)
        self._given.keep(answer.body)
        if self.layer is None:
            return answer.response()
        response = self.layer(request, answer)
        return await response if inspect.isawaitable(response) else response


@contextmanager
def serve(kind: Kind, policy: Policy, layer: Layer | None = None, keep: bool = True) -> Iterator[Server]:
    """A server that runs while the context is open."""
    server = Server(kind, policy, layer, keep)
    listening = socket.create_server(("127.0.0.1", 0))
    server.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    # On a busy machine a client comes back late, and a connection that is closed meanwhile costs it a retry.
    config = uvicorn.Config(
        server.app, log_config=None, lifespan="off", timeout_keep_alive=600, timeout_graceful_shutdown=1
    )
    running = uvicorn.Server(config)
    logging.getLogger("uvicorn.error").disabled = True  # a layer breaks connections on purpose
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    try:
        yield server
    finally:
        running.should_exit = True
        thread.join()
    if server.crashes:
        raise server.crashes[0]
