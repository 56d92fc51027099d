"""The server behind the doors: the SDK's MCP server on a loopback port, with the tools of each token."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from butler_kit.mcp.peers import allowed_peers
from butler_kit.mcp.privacy import keep_bodies_out_of_the_log
from butler_kit.runtime.commandline.door import Session
from butler_kit.runtime.commandline.told import SERVER
from butler_kit.service.server import EmbeddedServer, bind
from butler_kit.version import VERSION

__all__ = ["DoorServer"]

_HOST: Final = "127.0.0.1"
_MOST_BYTES: Final = 1024 * 1024
_STOP_S: Final = 1
_SESSION: Final = "butlers.session"


class DoorServer:
    """`session_of` returns the session that a token opens now; `start` before `url`, `close` at the end."""

    def __init__(self, session_of: Callable[[str], Session | None]) -> None:
        keep_bodies_out_of_the_log()
        for name in ("mcp.server.streamable_http", "mcp.server.streamable_http_manager"):
            # At INFO they log each request of each session.
            logging.getLogger(name).setLevel(logging.WARNING)
        self._session_of = session_of
        self._peers = allowed_peers(())
        sdk: Server[Any] = Server(SERVER, version=VERSION, on_list_tools=_listed, on_call_tool=_called)
        self._http = StreamableHTTPSessionManager(
            sdk, json_response=True, stateless=True, max_request_body_size=_MOST_BYTES
        )
        self._server = EmbeddedServer(self, stop_timeout_s=_STOP_S)
        self._socket = bind(_HOST, 0)
        self._owner: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """The address of its tools."""
        return f"http://{_HOST}:{self._socket.getsockname()[1]}/mcp"

    @property
    def serves(self) -> bool:
        """Whether it is serving; once its task has ended, it does not begin again."""
        return self._owner is not None and not self._owner.done()

    async def start(self) -> None:
        """Take requests; one task owns the server until `close`. Raises `ConnectionError` where it ends at once."""
        self._owner = asyncio.create_task(self._own(), name="session-door")
        serving = asyncio.create_task(self._server.serving.wait())
        try:
            await asyncio.wait({self._owner, serving}, return_when=asyncio.FIRST_COMPLETED)
        except BaseException:
            await self.close()
            raise
        finally:
            serving.cancel()
        if not self.serves:
            await self._owner
            raise ConnectionError("the server of the doors ended at once")

    async def close(self) -> None:
        """Stop serving."""
        self._server.end()
        if self._owner is not None:
            await asyncio.wait({self._owner})

    async def _own(self) -> None:
        async with self._http.run():
            await self._server.serve(sockets=[self._socket])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI: one message for one session, or a refusal that says no more than it must."""
        if scope["type"] != "http":
            return
        request = Request(scope)
        refusal = self._peers.refusal(request.headers, json_post=request.method == "POST")
        if refusal is None:
            refusal = self._admitted(request)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self._http.handle_request(scope, receive, send)

    def _admitted(self, request: Request) -> Response | None:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        # The tokens are 256 random bits, so that a lookup reveals nothing about another one.
        session = self._session_of(token) if scheme == "Bearer" else None
        if session is None:
            return Response(status_code=401, headers={"WWW-Authenticate": 'Bearer realm="session"'})
        if request.url.path != "/mcp":
            return Response(status_code=404)
        if request.method != "POST":
            # Stateless: no stream to GET, no session to DELETE.
            return Response(status_code=405, headers={"Allow": "POST"})
        session.seen = True
        request.scope[_SESSION] = session
        return None


def _session(ctx: ServerRequestContext[Any]) -> Session:
    if ctx.request is None:
        raise LookupError("a message without its HTTP request has no session")
    session: Session = ctx.request.scope[_SESSION]
    return session


async def _listed(
    ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    return types.ListToolsResult(
        tools=[
            types.Tool(name=tool.name, description=tool.description, input_schema=dict(tool.schema))
            for tool in _session(ctx).belt.tools
        ]
    )


async def _called(
    ctx: ServerRequestContext[Any], params: types.CallToolRequestParams
) -> types.CallToolResult:
    said, taken = await _session(ctx).call(params.name, params.arguments or {})
    return types.CallToolResult(content=[types.TextContent(text=said)], is_error=not taken)
