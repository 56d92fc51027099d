"""A butler's tools on `/sse` + `/messages` (MCP over SSE) and `/mcp` (streamable HTTP), with the SDK `mcp`
underneath, except for the plain calls of our own clients (D36).

Invariants: the caller of a tool is the one authenticated on the request that carried the call; a tool's
failure is always a typed error result, never a transport error and never an inner detail; sessions and
calls are bounded.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from butler_contracts.errors import (
    ButlerError,
    InternalFailure,
    OverloadRejected,
    TargetUnavailable,
    TimedOut,
)
from butler_kit.mcp.exchange import answer_body, call_of
from butler_kit.mcp.guard import BearerGuard, Verifier, caller_of
from butler_kit.mcp.peers import allowed_peers
from butler_kit.mcp.results import ToolResult, answer, error_answer
from butler_kit.mcp.sse import SseSessions
from butler_kit.mcp.tools import Handler, InputSchema, Tool, ToolSet, schema_for

if TYPE_CHECKING:
    from butler_kit.auth import Caller
    from butler_kit.mcp.sdk_server import SdkServer
    from butler_kit.telemetry import Metrics

__all__ = ["ServerLimits", "ToolServer"]

logger = logging.getLogger(__name__)

_LAST_WRITES: Final = 25
"""Turns of the event loop that a finished call's answer needs to reach its socket, with room to spare."""


@dataclass(frozen=True)
class ServerLimits:
    """Bounds of one server; past `max_calls` a call is `overload_rejected`, past the sessions a stream
    gets 503."""

    max_body_bytes: int = 4 * 1024 * 1024
    max_calls: int = 256
    max_sessions: int = 256
    max_sessions_per_subject: int = 32
    deadline_s: float = 30.0
    send_deadline_s: float = 30.0
    drain_s: float = 3.0


class ToolServer:
    """Registers tools and serves them: `routes()` and `lifespan()` go into the service's Starlette app.

    `verifier` is asked at every HTTP request. `allowed_hosts`
    are further names, without port, under which this server is addressed; loopback is always allowed.
    `metrics` counts the calls of known tools.
    """

    def __init__(
        self,
        name: str,
        version: str,
        *,
        verifier: Verifier,
        allowed_hosts: Iterable[str] = (),
        limits: ServerLimits | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        self.name = name
        self._version = version
        self._limits = limits or ServerLimits()
        self._metrics = metrics
        self._identity = json.dumps({"name": name, "version": version})
        self._verifier = verifier
        self._peers = allowed_peers(allowed_hosts)
        self._tools = ToolSet()
        self._calls = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._closing = False
        self._closer: asyncio.Task[None] | None = None
        self._sse = SseSessions(
            self._sdk_server,
            max_sessions=self._limits.max_sessions,
            max_per_subject=self._limits.max_sessions_per_subject,
            send_deadline_s=self._limits.send_deadline_s,
        )
        self._serving = False
        self._sdk: asyncio.Task[SdkServer] | None = None

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The names of all tools, whoever may call them."""
        return self._tools.names

    def tool(
        self,
        name: str,
        schema: InputSchema,
        *,
        roles: Iterable[str],
        butlers: Iterable[str] = (),
        description: str = "",
        deadline_s: float | None = None,
    ) -> Callable[[Handler], Handler]:
        """Register the decorated `handler(caller, args) -> dict` under `name` for callers with one of
        `roles`; if `butlers` is given, only these butlers may call it.

        `schema` is a pydantic model (args arrive with its defaults) or a JSON Schema of an object (args
        arrive as sent). Past `deadline_s` the call is cancelled and answered `timeout`.
        """

        def register(handler: Handler) -> Handler:
            wire_schema, model = schema_for(schema)
            self._tools.add(
                Tool(
                    name=name,
                    description=description or (handler.__doc__ or "").strip(),
                    schema=wire_schema,
                    model=model,
                    roles=frozenset(str(role) for role in roles),
                    deadline_s=deadline_s if deadline_s is not None else self._limits.deadline_s,
                    handler=handler,
                    butlers=frozenset(butlers),
                )
            )
            return handler

        return register

    def guard(self, app: ASGIApp, *, json_posts: bool = False) -> BearerGuard:
        """Wrap another ASGI app (the ops API) with this server's own Host, token and size checks."""
        return BearerGuard(
            app,
            verifier=self._verifier,
            peers=self._peers,
            max_body_bytes=self._limits.max_body_bytes,
            json_posts=json_posts,
        )

    def routes(self) -> list[BaseRoute]:
        """Return the routes `/sse`, `/messages` and `/mcp`, each behind the guard."""
        # Several methods on purpose: a wrong one is answered 405 only after authentication.
        return [
            Route("/sse", endpoint=self.guard(self._sse.stream)),
            Route("/messages", endpoint=self.guard(self._sse.post, json_posts=True)),
            Route("/messages/", endpoint=self.guard(self._sse.post, json_posts=True)),
            Route("/mcp", endpoint=self.guard(self._streamable, json_posts=True)),
        ]

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Serve between enter and exit; on exit close what is still open."""
        self._serving = True
        try:
            yield
        finally:
            if self._closer is not None:
                await self._closer
            self._sse.close()
            self._serving = False
            if self._sdk is not None:
                await (await self._sdk).close()
                self._sdk = None

    def start_closing(self) -> None:
        """Begin `aclose()` without waiting: a service shell's drain hook; `lifespan()` waits for its end."""
        if self._closer is None:
            self._closer = asyncio.create_task(self.aclose(), name="mcp-closing")

    async def aclose(self) -> None:
        """Refuse new calls and streams, let running calls end (≤ `drain_s`), then end every SSE stream.

        Call it on SIGTERM, before uvicorn waits for its connections: an open stream would block it for ever.
        """
        self._closing = True
        self._sse.refuse_new()
        try:
            async with asyncio.timeout(self._limits.drain_s):
                await self._idle.wait()
        except TimeoutError:
            logger.warning("%d tool calls were still running when %s closed", self._calls, self.name)
        for _ in range(_LAST_WRITES):
            await asyncio.sleep(0)
        self._sse.close()

    async def _streamable(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            # Stateless: no stream to GET, no session to DELETE.
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        if not self._serving or self._closing:
            refusal = Response("the server is not serving", status_code=503, headers={"Retry-After": "1"})
            await refusal(scope, receive, send)
            return
        first = await receive()
        # The guard has put the whole body into one message.
        call = (
            call_of(scope["headers"], first.get("body", b"")) if not first.get("more_body", False) else None
        )
        if call is not None:
            result = await self._serve(lambda: caller_of(Request(scope)), call.name, call.arguments)
            body = answer_body(call, result, self._identity)
            await Response(body, media_type="application/json")(scope, receive, send)
            return
        sdk = await self._sdk_server()
        await sdk.handle(scope, _beginning_with(first, receive), send)

    async def _sdk_server(self) -> SdkServer:
        """Return the SDK part, loaded for the first client that needs it."""
        if self._sdk is None:
            self._sdk = asyncio.create_task(self._load_sdk(), name="sdk-loading")
        return await asyncio.shield(self._sdk)

    async def _load_sdk(self) -> SdkServer:
        # In a thread: running calls do not wait for half a second of importing.
        kind = await asyncio.to_thread(_sdk_server_type)
        sdk = kind(
            self.name,
            self._version,
            tools=self._tools,
            serve=self._serve,
            max_body_bytes=self._limits.max_body_bytes,
        )
        await sdk.start()
        return sdk

    async def _serve(
        self, caller: Callable[[], Caller], name: str, arguments: Mapping[str, Any] | None
    ) -> ToolResult:
        try:
            self._admit()
        except ButlerError as refused:
            return error_answer(refused)
        try:
            result = await self._run(caller, name, arguments)
            self._count(name, result)
            return result
        finally:
            self._calls -= 1
            if self._calls == 0:
                self._idle.set()

    def _admit(self) -> None:
        if self._closing:
            raise TargetUnavailable(f"{self.name} is stopping; call again in a moment", retry_after_s=1.0)
        if self._calls >= self._limits.max_calls:
            raise OverloadRejected(f"{self.name} already runs {self._calls} calls", retry_after_s=1.0)
        self._calls += 1
        self._idle.clear()

    def _count(self, name: str, result: ToolResult) -> None:
        if self._metrics is not None and self._tools.schema_of(name) is not None:
            outcome = "error" if result.is_error else "ok"
            self._metrics.count("butlers.mcp.tool_calls", tool=name, outcome=outcome)

    async def _run(
        self, caller_of_call: Callable[[], Caller], name: str, arguments: Mapping[str, Any] | None
    ) -> ToolResult:
        try:
            caller = caller_of_call()
            tool = self._tools.for_caller(name, caller)
            return answer(await _within(tool, tool.handler(caller, tool.check(arguments))))
        except ButlerError as error:
            return error_answer(error)
        except Exception:
            # The traceback goes to the log; the caller learns only that it was our fault.
            logger.exception("tool %s failed", name)
            return error_answer(InternalFailure(f"{name} failed inside {self.name}; its log has the reason"))


def _beginning_with(first: Message, receive: Receive) -> Receive:
    """Return a `receive` that yields `first` again before the messages after it."""
    waiting = [first]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


def _sdk_server_type() -> type[SdkServer]:
    from butler_kit.mcp.sdk_server import SdkServer

    return SdkServer


async def _within(tool: Tool, running: Any) -> Mapping[str, Any]:
    deadline = asyncio.timeout(tool.deadline_s)
    try:
        async with deadline:
            result: Mapping[str, Any] = await running
            return result
    except TimeoutError:
        if not deadline.expired():
            raise
        raise TimedOut(f"{tool.name} did not finish within {tool.deadline_s:g} s") from None
