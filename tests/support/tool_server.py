"""The example's lamps as a tool server over real HTTP, and what can go wrong with one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Literal

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations
from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from examples.home.lamps import Lamps, lamps_app
from tests.support.loopback import LoopbackServer, abort_connection

__all__ = ["READS", "LampServer", "lamp_server", "serving"]

Trouble = Literal["lost", "hangs", "fails", "older", "mute"]


class LampServer:
    """`trouble` is what becomes of a call: done and its answer `lost`, it `hangs`, or `fails` by its status; an `older`
    one does not know how it is asked first."""

    def __init__(self, lamps: Lamps, *, by_sse: bool = False) -> None:
        self.lamps = lamps
        self.by_sse = by_sse
        self.url = ""
        self.trouble: Trouble | None = None
        self.status = 500
        self.before_answer: Callable[[], None] | None = None
        self.tokens: set[str] = set()

    @property
    def unlocked(self) -> list[tuple[str, int]]:
        return self.lamps.unlocked

    @property
    def switched(self) -> list[tuple[str, bool]]:
        return self.lamps.switched

    def around(self, app: ASGIApp) -> ASGIApp:
        async def troubled(scope: Scope, receive: Receive, send: Send) -> None:
            headers = dict(scope["headers"])
            self.tokens.add(headers.get(b"authorization", b"").decode())
            body = await _body(receive)
            again = _replayed(body, receive)
            if self.trouble == "older" and _method(body) == "server/discover":
                await send({"type": "http.response.start", "status": 400, "headers": []})
                return await send({"type": "http.response.body", "body": b"Bad Request"})
            if self.by_sse and scope["method"] == "GET":
                return await self._stream(app, scope, again, send)
            if _method(body) != "tools/call":
                return await app(scope, again, send)
            if self.trouble == "hangs":
                while (await receive())["type"] != "http.disconnect":
                    continue
                return None
            if self.trouble == "fails":
                await send({"type": "http.response.start", "status": self.status, "headers": []})
                return await send({"type": "http.response.body", "body": b"no"})
            return await self._called(app, scope, receive, again, send)

        return troubled

    async def _called(self, app: ASGIApp, scope: Scope, receive: Receive, again: Receive, send: Send) -> None:
        if self.by_sse or (self.trouble != "lost" and self.before_answer is None):
            return await app(scope, again, send)
        await app(scope, again, _nowhere)
        if self.trouble != "lost" and self.before_answer is not None:
            self.before_answer()
        await abort_connection(scope, receive)
        return None

    async def _stream(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """The events of SSE: one that names no endpoint is `mute`; a `lost` one is cut before a call's answer."""

        async def cut(message: Any) -> None:
            if self.trouble == "lost" and b" now" in message.get("body", b""):
                await abort_connection(scope, receive)
            elif self.trouble != "mute" or message["type"] == "http.response.start":
                await send(message)

        await app(scope, receive, cut)


async def _body(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


def _replayed(body: bytes, receive: Receive) -> Receive:
    told = False

    async def again() -> Any:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _method(body: bytes) -> str | None:
    try:
        found = json.loads(body)
    except ValueError:
        return None
    return found.get("method") if isinstance(found, dict) else None


async def _nowhere(_: Any) -> None:
    return None


@asynccontextmanager
async def _alive(app: Starlette) -> AsyncIterator[None]:
    """The app's lifespan, in a task of its own: it has to be left by the task that entered it."""
    begun, over = asyncio.Event(), asyncio.Event()

    async def live() -> None:
        async with app.router.lifespan_context(app):
            begun.set()
            await over.wait()

    async with asyncio.TaskGroup() as group:
        group.create_task(live())
        await begun.wait()
        try:
            yield
        finally:
            over.set()


@asynccontextmanager
async def lamp_server(
    *, token: str | None = None, port: int = 0, by_sse: bool = False
) -> AsyncIterator[LampServer]:
    """The lamps, served at `url`, by streamable HTTP or as an older server is."""
    made = LampServer(Lamps(), by_sse=by_sse)
    app = lamps_app(made.lamps, token=token, by_sse=by_sse)
    async with _alive(app), LoopbackServer(made.around(app), port=port) as served:
        made.url = f"{served.url}/{'sse' if by_sse else 'mcp'}"
        yield made


@asynccontextmanager
async def serving(server: MCPServer) -> AsyncIterator[str]:
    """Any server, at the address that is given."""
    app = server.streamable_http_app(stateless_http=True, json_response=True)
    async with _alive(app), LoopbackServer(app) as served:
        yield f"{served.url}/mcp"


READS = ToolAnnotations(read_only_hint=True)
"""Of a tool that says of itself that it changes nothing."""
