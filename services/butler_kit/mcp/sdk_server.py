"""The SDK part of a tool server: sessions on `/sse`, and every message on `/mcp` that is no plain call.

Loading it costs 0.4 s of processor time and 16 MB, so `ToolServer` does that for the first client that needs it; our
own never do (`exchange`). Invariant: the caller of a tool is the one of the request that carried the call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.sse import SseServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from butler_kit.mcp.guard import caller_of
from butler_kit.mcp.privacy import keep_bodies_out_of_the_log
from butler_kit.mcp.results import ToolResult
from butler_kit.mcp.tools import Tool, ToolSet

if TYPE_CHECKING:
    from butler_kit.auth import Caller

__all__ = ["SdkServer"]

Serve = Callable[[Callable[[], "Caller"], str, Mapping[str, Any] | None], Awaitable[ToolResult]]
"""Carries out the call of a tool by name; never raises for a tool's failure."""


class SdkServer:
    """One server of the SDK behind both transports; `start` before `handle`, `close` at the end."""

    def __init__(self, name: str, version: str, *, tools: ToolSet, serve: Serve, max_body_bytes: int) -> None:
        keep_bodies_out_of_the_log()
        self._tools = tools
        self._serve = serve
        self._sdk: Server[Any] = Server(
            name,
            version=version,
            get_tool_input_schema=tools.schema_of,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        self.sse = SseServerTransport("/messages", max_request_body_size=max_body_bytes)
        self._http = StreamableHTTPSessionManager(
            self._sdk, json_response=True, stateless=True, max_request_body_size=max_body_bytes
        )
        self._leave = asyncio.Event()
        self._owner: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start taking requests; the manager's tasks are owned by one task, which `close` ends."""
        started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._owner = asyncio.create_task(self._own(started), name="sdk-sessions")
        await asyncio.wait({self._owner, started}, return_when=asyncio.FIRST_COMPLETED)
        if self._owner.done():
            await self._owner

    async def close(self) -> None:
        """End what is still being served over streamable HTTP."""
        self._leave.set()
        if self._owner is not None:
            await self._owner

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI: one message of streamable HTTP."""
        await self._http.handle_request(_known(scope), receive, send)

    async def stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI: one session over SSE, until its client leaves."""
        async with self.sse.connect_sse(_known(scope), receive, send) as (read, write):
            await self._sdk.run(read, write, self._sdk.create_initialization_options())

    async def post(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI: one message of a session over SSE. Raises `ConnectionError` when its stream ended just now."""
        try:
            await self.sse.handle_post_message(_known(scope), receive, send)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise ConnectionError("the session's stream has ended") from error

    async def _own(self, started: asyncio.Future[None]) -> None:
        async with self._http.run():
            started.set_result(None)
            await self._leave.wait()

    async def _list_tools(
        self, ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        seen = self._tools.visible_to(_caller(ctx))
        return types.ListToolsResult(tools=[_listed(tool) for tool in seen])

    async def _call_tool(
        self, ctx: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        result = await self._serve(lambda: _caller(ctx), params.name, params.arguments)
        return types.CallToolResult(
            content=[types.TextContent(text=block.text) for block in result.content],
            structured_content=result.structured_content,
            is_error=result.is_error,
        )


def _known(scope: Scope) -> Scope:
    """Return the scope with the caller as the SDK's user: only that user may POST to the session."""
    caller = caller_of(Request(scope))
    token = AccessToken(token="", client_id=caller.subject, scopes=[str(caller.role)], subject=caller.subject)
    scope["user"] = AuthenticatedUser(token)
    return scope


def _listed(tool: Tool) -> types.Tool:
    return types.Tool(name=tool.name, description=tool.description, input_schema=dict(tool.schema))


def _caller(ctx: ServerRequestContext[Any]) -> Caller:
    if ctx.request is None:
        raise LookupError("a message without its HTTP request has no caller")
    return caller_of(ctx.request)
