"""One MCP connection with an owner: opened, used by many calls at once, retired, closed.

The SDK's transports live in task groups that must be left by the task that entered them, so a connection
is a task of its own. Invariant: after `close()` no task and no socket of it is left.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final

import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.session import ClientSession
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from pydantic import TypeAdapter

from butler_kit.mcp.exchange import VERSION, PlainResult, read_answer, request_body, request_headers
from butler_kit.mcp.posts import HttpPosts
from butler_kit.mcp.wire import (
    Exchange,
    HttpRefusal,
    TokenProvider,
    current_exchange,
    http_client,
    is_refusal,
)

__all__ = ["Connection"]

logger = logging.getLogger(__name__)

_CLOSE_S: Final = 2.0
_RESULT: Final = TypeAdapter(types.CallToolResult)


class Connection:
    """A lazily opened session at `url` (a path ending in `/sse`: SSE, else streamable HTTP).

    `plain`: the peer is known to take self-contained requests, so nothing has to be agreed with it first.
    """

    def __init__(self, url: str, provider: TokenProvider, *, connect_s: float, plain: bool = False) -> None:
        self._url = url
        self._provider = provider
        self._connect_s = connect_s
        self._session: ClientSession | None = None
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._leave = asyncio.Event()
        self._calls: set[asyncio.Task[types.CallToolResult]] = set()
        self._posts: HttpPosts | None = HttpPosts(url) if plain else None
        self._posting = 0
        self._number = 0
        self._retired = False
        if plain:
            self._opened.set_result(None)
        self._owner = asyncio.create_task(self._own(), name="mcp-connection")

    @property
    def closed(self) -> bool:
        """Whether the owner has left."""
        return self._owner.done()

    @property
    def plain(self) -> bool:
        """Whether the peer takes self-contained requests."""
        return self._posts is not None

    async def opened(self) -> None:
        """Wait until calls can be made; raises what stopped it."""
        if not self._opened.done():
            await asyncio.shield(self._opened)
        self._opened.result()

    async def call(
        self, tool: str, args: dict[str, Any], args_json: str, token: str | None
    ) -> types.CallToolResult | PlainResult:
        """Send one call and return its raw result; raises the failure of its POST, or the SDK's
        `MCPError`."""
        if self._posts is not None:
            return await self._post(self._posts, tool, args_json, token)
        if self._session is None:
            raise ConnectionError("the connection is closed")
        exchange = Exchange(token)
        scope = current_exchange.set(exchange)
        try:
            task = asyncio.create_task(_send(self._session, tool, args), name=f"mcp-call {tool}")
        finally:
            current_exchange.reset(scope)
        self._calls.add(task)
        task.add_done_callback(self._ended)
        try:
            waited: set[asyncio.Future[Any]] = {task, exchange.failed}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        finally:
            # Not awaited: the SDK shields its courtesy cancel, which waits for a peer that may be stopped.
            task.cancel()
        if exchange.failed.done():
            raise exchange.failed.result()
        return task.result()

    async def _post(
        self, posts: HttpPosts, tool: str, args_json: str, token: str | None
    ) -> types.CallToolResult | PlainResult:
        """One call as one POST: the peer understands self-contained requests."""
        self._number += 1
        number = self._number
        self._posting += 1
        try:
            if token is None:
                given = self._provider()
                token = await given if inspect.isawaitable(given) else given
            if not (token.isascii() and token.isprintable()):
                raise ConnectionError("the token cannot be sent: it holds more than printable ASCII")
            headers = {**request_headers(tool), "Authorization": f"Bearer {token}"}
            answer = await posts.post(request_body(tool, args_json, number=number), headers)
        finally:
            self._posting -= 1
            self._leave_if_done()
        if is_refusal(answer.status, answer.content_type):
            raise HttpRefusal(answer.status)
        try:
            return read_answer(answer, number=number)
        except (ValueError, RecursionError) as error:
            raise ConnectionError(f"the answer cannot be read: {error}") from error

    def retire(self) -> None:
        """Take no part in new calls; leave as soon as the running ones have ended."""
        self._retired = True
        self._leave_if_done()

    def _leave_if_done(self) -> None:
        if self._retired and not self._calls and not self._posting:
            self._leave.set()

    async def close(self) -> None:
        """Leave now; running calls fail. Bounded by about `2 × 2 s`."""
        self._leave.set()
        if self._posts is not None:
            await self._posts.close()
        for task in self._calls:
            task.cancel()
        await asyncio.wait({self._owner}, timeout=_CLOSE_S)
        self._owner.cancel()
        await asyncio.wait({self._owner, *self._calls}, timeout=_CLOSE_S)

    def _ended(self, task: asyncio.Task[types.CallToolResult]) -> None:
        self._calls.discard(task)
        if not task.cancelled():
            task.exception()
        self._leave_if_done()

    async def _own(self) -> None:
        if self._posts is not None:
            await self._own_posts(self._posts)
        else:
            await self._own_session()

    async def _own_posts(self, posts: HttpPosts) -> None:
        try:
            await self._leave.wait()
        finally:
            await posts.close()

    async def _own_session(self) -> None:
        handshake = Exchange()
        current_exchange.set(handshake)
        try:
            async with Client(self._transport(), mode=self._mode(), cache=None) as client:
                self._session = client.session
                if not self._is_sse() and client.session.protocol_version == VERSION:
                    self._posts = HttpPosts(self._url)
                self._opened.set_result(None)
                await self._leave.wait()
        except BaseException as error:
            if not self._opened.done():
                cause = handshake.failed.result() if handshake.failed.done() else _first_cause(error)
                self._opened.set_exception(cause)
                # Nobody may be waiting any more; the exception is still an answer, not a surprise.
                self._opened.exception()
            if not isinstance(error, Exception | BaseExceptionGroup):
                raise
            logger.debug("connection to %s ended: %r", self._url, error)
        finally:
            self._session = None
            if self._posts is not None:
                await self._posts.close()

    def _mode(self) -> str:
        return "legacy" if self._is_sse() else "auto"

    def _is_sse(self) -> bool:
        return httpx2.URL(self._url).path.rstrip("/").endswith("/sse")

    def _transport(self) -> AbstractAsyncContextManager[Any]:
        if not self._is_sse():
            return _streamable(self._url, self._provider, self._connect_s)

        def client_of_sse(
            headers: dict[str, str] | None = None,
            timeout: httpx2.Timeout | None = None,
            auth: httpx2.Auth | None = None,
        ) -> httpx2.AsyncClient:
            # The server pings every 15 s: a minute of silence is a dead peer.
            return http_client(self._provider, connect_s=self._connect_s, read_s=60.0)

        return sse_client(self._url, httpx_client_factory=client_of_sse)


@asynccontextmanager
async def _streamable(url: str, provider: TokenProvider, connect_s: float) -> AsyncIterator[Any]:
    # read_s None: every call has a deadline of its own.
    async with (
        http_client(provider, connect_s=connect_s, read_s=None) as client,
        streamable_http_client(url, http_client=client) as streams,
    ):
        yield streams


async def _send(session: ClientSession, tool: str, args: dict[str, Any]) -> types.CallToolResult:
    # Not session.call_tool(): it lists all tools first to learn output schemas that we do not have.
    request = types.CallToolRequest(params=types.CallToolRequestParams(name=tool, arguments=args))
    return await session.send_request(request, _RESULT)


def _first_cause(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, asyncio.CancelledError):
        return ConnectionError("the connection was closed while it was opened")
    return error
