"""Butlers for tests of Switchboard: real sockets, real tokens, real contracts; what they answer is scripted.

A `FakeButler` serves `route.execute` as the kit serves it and calls Switchboard's tools as a butler does. What it does
with a subrequest is its `behaviour`; everything it got is kept in order. `FakeMessenger` is one that admits deliveries.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any
from uuid import UUID

from starlette.applications import Starlette

from butler_contracts.errors import ErrorDetail, NotFound
from butler_contracts.notify import NotifyDeliveryOutcome, NotifyRequestV1, NotifyResponseV1
from butler_contracts.parse import parse
from butler_contracts.route import RouteEnvelopeV1, make_route_response, make_route_response_accepted
from butler_kit.auth import Caller
from butler_kit.auth.signer import audience_of
from butler_kit.auth.verifier import TokenVerifier
from butler_kit.mcp import CachedMCPClient, ToolError
from butler_kit.mcp.server import ToolServer
from butler_kit.time import SystemClock
from tests.support.grown_ups import ASK_TOOLS, GrownUps
from tests.support.keys import HouseholdKeys
from tests.support.loopback import LoopbackServer

__all__ = [
    "NOBODYS",
    "Behaviour",
    "FakeButler",
    "FakeMessenger",
    "accepts",
    "accepts_then_answers",
    "answers",
    "error_of",
    "hangs",
    "in_turn",
    "refuses",
    "says",
]

DEADLINE_S = 90.0
LETTER_TOOLS = (
    "messenger_dead_letter_replay",
    "messenger_dead_letter_discard",
    "messenger_approval_decide",
    "messenger_approval_rule_end",
    "messenger_suppression_end",
)
_NAMED = {
    "messenger_approval_decide": "approval_id",
    "messenger_approval_rule_end": "rule_id",
    "messenger_suppression_end": "suppression_id",
}
WITHDRAW_TOOL = "messenger_request_withdraw"
NOBODYS = "019ca8d9-0b40-7000-8000-00000000dead"
"""A dead letter that Messenger does not have."""

Behaviour = Callable[["FakeButler", RouteEnvelopeV1], Awaitable[dict[str, Any]]]


class FakeButler:
    """A butler on a loopback port. `behaviour` may be changed at any time."""

    def __init__(
        self, name: str, keys: HouseholdKeys, behaviour: Behaviour | None = None, *, role: str = "specialist"
    ) -> None:
        self.name = name
        self.role = role
        self.behaviour: Behaviour = behaviour or accepts_then_answers()
        self.got: list[RouteEnvelopeV1] = []
        self.arrived_at: list[float] = []
        self.callers: list[Caller] = []
        self.recalled: list[UUID] = []
        """The subrequests that an operator has ended, as it was told."""
        self.called: list[dict[str, str]] = []
        """What its session has done outside, as it answers to that."""
        self.running = 0
        self.most_at_once = 0
        self._keys = keys
        self._news = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()
        self._clients: list[CachedMCPClient] = []
        self._stop: asyncio.Event | None = None
        self._serving: asyncio.Task[None] | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/sse"

    async def start(self) -> None:
        """Listen; after a `stop` on the same port as before."""
        started, self._stop = asyncio.Event(), asyncio.Event()
        self._serving = asyncio.create_task(self._serve(started, self._stop))
        waiting = asyncio.create_task(started.wait())
        await asyncio.wait({waiting, self._serving}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if self._serving.done():
            self._serving.result()

    async def stop(self) -> None:
        """Stop listening; what it was doing is forgotten, as after a kill."""
        for task in self._tasks:
            task.cancel()
        if self._stop is not None:
            self._stop.set()
        if self._serving is not None:
            await self._serving
        self._serving = self._stop = None

    async def aclose(self) -> None:
        await self.stop()
        for client in self._clients:
            await client.aclose()

    def connect(self, switchboard_url: str) -> None:
        """Where Switchboard is."""
        self._clients.append(
            CachedMCPClient.for_service(switchboard_url, lambda: self._keys.butler(self.name), timeout_s=10)
        )

    async def tell(self, tool: str, **args: Any) -> dict[str, Any]:
        """Call a tool of Switchboard as this butler."""
        if not self._clients:
            raise RuntimeError(f"{self.name} knows no Switchboard")
        return await self._clients[-1].call(tool, args)

    async def register(self, *, tools: tuple[str, ...] = ("route.execute", "route.cancel")) -> dict[str, Any]:
        return await self.tell(
            "register_butler",
            description=f"{self.name}, a test",
            tools=list(tools),
            route_contract="route.v1",
        )

    async def started(self, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        return await self.tell("route.started", subrequest_id=str(envelope.subrequest.subrequest_id))

    async def complete(
        self,
        envelope: RouteEnvelopeV1,
        *,
        result: dict[str, Any] | None = None,
        error: ErrorDetail | None = None,
    ) -> str:
        """Report the end of a subrequest; returns what Switchboard made of it."""
        response = make_route_response(envelope, duration_ms=12.5, result=result, error=error)
        told = await self.tell("route.complete", route_response=response.to_wire())
        return str(told["status"])

    def later(self, work: Awaitable[Any]) -> None:
        """Do something after the answer, owned by this butler."""

        async def do() -> None:
            await work

        task = asyncio.create_task(do())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def offer(self, server: ToolServer) -> None:
        """What it serves besides."""

    async def received(self, count: int = 1) -> list[RouteEnvelopeV1]:
        """Wait until `count` calls have come; returns all."""
        async with asyncio.timeout(DEADLINE_S), self._news:
            await self._news.wait_for(lambda: len(self.got) >= count)
        return list(self.got)

    def requests(self) -> list[UUID]:
        """The request ids in the order of their first calls."""
        return list(dict.fromkeys(envelope.request_context.request_id for envelope in self.got))

    async def _serve(self, started: asyncio.Event, stop: asyncio.Event) -> None:
        verifier = TokenVerifier(self._keys.jwks, audience_of(self.name), SystemClock())
        server = ToolServer(self.name, "1.0", verifier=verifier)
        schema = {"type": "object", "required": ["envelope"]}

        @server.tool("route.execute", schema, roles=("switchboard",))
        async def execute(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
            envelope = parse(RouteEnvelopeV1, args["envelope"])
            self.callers.append(caller)
            async with self._news:
                self.got.append(envelope)
                self.arrived_at.append(time.monotonic())
                self._news.notify_all()
            self.running += 1
            self.most_at_once = max(self.most_at_once, self.running)
            try:
                return await self.behaviour(self, envelope)
            finally:
                self.running -= 1

        @server.tool("route.cancel", {"type": "object"}, roles=("switchboard",))
        async def cancel(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
            self.recalled.append(UUID(args["subrequest_id"]))
            return {"status": "cancelled", "called": self.called}

        self.offer(server)
        async with server.lifespan():
            loopback = LoopbackServer(Starlette(routes=server.routes()), port=self.port)
            async with loopback:
                self.port = loopback.port
                started.set()
                await stop.wait()
                server.start_closing()


class FakeMessenger(FakeButler):
    """Admits every delivery once, as Messenger does; `told` holds the intents in order of arrival."""

    def __init__(self, keys: HouseholdKeys) -> None:
        super().__init__("messenger", keys, self._admit, role="messenger")
        self.deliveries: dict[UUID, NotifyRequestV1] = {}
        self.ordered: list[tuple[str, dict[str, Any]]] = []
        """Of operators, passed on: the tool and what it was told."""
        self.withdrawn: list[UUID] = []
        """The requests of which nothing more is to be sent."""
        self.grown_ups = GrownUps()

    @property
    def told(self) -> list[NotifyRequestV1]:
        """Every intent that came, repeats included."""
        found = [envelope.input.context.notify_request for envelope in self.got if envelope.input.context]
        return [request for request in found if request is not None]

    def reactions(self, request_id: UUID) -> list[str]:
        """The glyphs asked for on this request's message, in order."""
        return [
            str(request.delivery.emoji)
            for request in self.told
            if request.delivery.intent == "react"
            and request.request_context is not None
            and request.request_context.request_id == request_id
        ]

    def replies(self) -> list[NotifyRequestV1]:
        """The distinct replies that were admitted."""
        return [request for request in self.deliveries.values() if request.delivery.intent == "reply"]

    async def register(
        self,
        *,
        tools: tuple[str, ...] = ("route.execute", *LETTER_TOOLS, WITHDRAW_TOOL, *ASK_TOOLS),
    ) -> dict[str, Any]:
        return await super().register(tools=tools)

    def offer(self, server: ToolServer) -> None:
        for tool in LETTER_TOOLS:
            server.tool(tool, {"type": "object"}, roles=("switchboard",))(partial(self._order, tool))

        @server.tool(WITHDRAW_TOOL, {"type": "object"}, roles=("switchboard",))
        async def withdraw(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
            self.withdrawn.append(UUID(args["request_id"]))
            return {"withdrawn": []}

        self.grown_ups.offer(server)

    async def _order(self, tool: str, _: Caller, args: dict[str, Any]) -> dict[str, Any]:
        self.ordered.append((tool, args))
        named = _NAMED.get(tool, "delivery_id" if "delivery_id" in args else "dead_letter_id")
        if args[named] == NOBODYS:
            what = named.removesuffix("_id").replace("_", " ")
            raise NotFound(f"{what} {NOBODYS} is not known; it may no longer be kept")
        return {named: args[named], "request_id": None}

    async def _admit(self, butler: FakeButler, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        if envelope.pressed is not None:
            return make_route_response(envelope, duration_ms=1.0, result={"pressed": "approve"}).to_wire()
        if envelope.report is not None:
            return make_route_response(envelope, duration_ms=1.0, result={"bounced": []}).to_wire()
        request = envelope.input.context.notify_request if envelope.input.context else None
        if request is None:
            raise AssertionError("Messenger got a route without a notify request")
        self.deliveries.setdefault(envelope.subrequest.subrequest_id, request)
        return admitted(envelope, request)


def admitted(envelope: RouteEnvelopeV1, request: NotifyRequestV1, *, state: str = "queued") -> dict[str, Any]:
    """Messenger's answer to a delivery that it took."""
    outcome = NotifyDeliveryOutcome(
        channel=request.delivery.channel, delivery_id=str(envelope.subrequest.subrequest_id), state=state
    )
    wrapped = NotifyResponseV1(status="ok", delivery=outcome).to_wire()
    return make_route_response(envelope, duration_ms=1.0, result={"notify_response": wrapped}).to_wire()


def error_of(
    error_class: str = "internal_error", *, retryable: bool = False, message: str = "no"
) -> ErrorDetail:
    return ErrorDetail.model_validate({"class": error_class, "message": message, "retryable": retryable})


def accepts() -> Behaviour:
    """Acknowledges and stays silent."""

    async def behave(butler: FakeButler, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        return make_route_response_accepted(envelope).to_wire()

    return behave


def accepts_then_answers(
    *, result: dict[str, Any] | None = None, error: ErrorDetail | None = None, starts: bool = True
) -> Behaviour:
    """Acknowledges, starts, answers by `route.complete`."""

    async def work(butler: FakeButler, envelope: RouteEnvelopeV1) -> None:
        if starts:
            with suppress(ConnectionError, ToolError):
                await butler.started(envelope)
        answer = result or {"reply": f"{butler.name} did it"}
        async with asyncio.timeout(DEADLINE_S * 3):
            while True:  # as a butler does: until Switchboard has it
                with suppress(ConnectionError, ToolError):
                    await butler.complete(envelope, result=answer, error=error)
                    return
                await asyncio.sleep(0.1)

    async def behave(butler: FakeButler, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        butler.later(work(butler, envelope))
        return make_route_response_accepted(envelope).to_wire()

    return behave


def answers(*, result: dict[str, Any] | None = None, error: ErrorDetail | None = None) -> Behaviour:
    """Answers at once with the end."""

    async def behave(butler: FakeButler, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        given = None if error else (result or {"reply": f"{butler.name} did it"})
        return make_route_response(envelope, duration_ms=7.0, result=given, error=error).to_wire()

    return behave


def says(document: dict[str, Any]) -> Behaviour:
    """Answers with exactly this."""

    async def behave(butler: FakeButler, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        return document

    return behave


def refuses(error: Exception) -> Behaviour:
    """Fails the call with this error."""

    async def behave(butler: FakeButler, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        raise error

    return behave


def hangs() -> Behaviour:
    """Never answers."""

    async def behave(butler: FakeButler, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        await asyncio.Event().wait()
        return {}

    return behave


def in_turn(*behaviours: Behaviour) -> Behaviour:
    """The first call gets the first behaviour and so on; the last one stays."""
    left = list(behaviours)

    async def behave(butler: FakeButler, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        chosen = left.pop(0) if len(left) > 1 else left[0]
        return await chosen(butler, envelope)

    return behave
