"""Faults in place of what a policy would do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import ClientDisconnect
from starlette.responses import Response

from wire.answer import Answer
from wire.faults import Fault
from wire.reply import Reply
from wire.request import Policy, Request
from wire.server import Server


class Injector:
    """Has a policy and a layer for a server: those of another policy, with the faults that a function chooses."""

    def __init__(self, play: Policy, choose: Callable[[Request, Reply], Fault | None]) -> None:
        self._play = play
        self._choose = choose
        self._chosen: dict[int, Fault | None] = {}

    def policy(self, request: Request) -> Reply:
        reply = self._play(request)
        fault = self._chosen[request.number] = self._choose(request, reply)
        return fault.change(request, reply) if fault and fault.change else reply

    def layer(self, request: Request, answer: Answer) -> Response | Awaitable[Response]:
        fault = self._chosen.pop(request.number)
        return fault.layer(request, answer) if fault and fault.layer else answer.response()


def forget_departures(server: Server) -> None:
    """Take it for no crash of the server that a client, at its time-out, left in the middle of its own request."""
    server.crashes[:] = [crash for crash in server.crashes if not isinstance(crash, ClientDisconnect)]
