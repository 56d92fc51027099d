"""One MCP connection with an owner: opened, used by many calls at once, retired, closed.

Over streamable HTTP a connection is plain: each call is one self-contained POST (`exchange`). Only SSE, and a peer
that does not understand such a POST, needs a session of the SDK; its transports live in task groups that must be left
by the task that entered them, so a connection is a task of its own. Invariant: after `close()` none of its tasks and
sockets is left.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from butler_kit.mcp.exchange import read_answer, request_body, request_headers
from butler_kit.mcp.posts import HttpPosts
from butler_kit.mcp.results import ToolResult
from butler_kit.mcp.wire import Exchange, HttpRefusal, TokenProvider, current_exchange, is_refusal

if TYPE_CHECKING:
    from types import ModuleType

    from butler_kit.mcp.sdk_client import SdkSession

__all__ = ["Connection", "is_sse"]

logger = logging.getLogger(__name__)

_CLOSE_S: Final = 2.0


class Connection:
    """A lazily opened session at `url` (a path ending in `/sse`: SSE, else streamable HTTP).

    `plain`: calls are self-contained requests, so nothing is agreed with the peer first; otherwise the SDK asks it
    what it understands.
    """

    def __init__(self, url: str, provider: TokenProvider, *, connect_s: float, plain: bool = False) -> None:
        self._url = url
        self._provider = provider
        self._connect_s = connect_s
        self._session: SdkSession | None = None
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._leave = asyncio.Event()
        self._calls: set[asyncio.Task[ToolResult]] = set()
        self._posts: HttpPosts | None = HttpPosts(url) if plain else None
        self._asked = not plain
        self._posting = 0
        self._number = 0
        self._retired = False
        if plain:
            self._opened.set_result(None)
        self._owner = asyncio.create_task(self._own(), name="mcp-connection")

    @property
    def closed(self) -> bool:
        """Whether the owner task has ended."""
        return self._owner.done()

    @property
    def plain(self) -> bool:
        """Whether the peer takes self-contained requests."""
        return self._posts is not None

    @property
    def asked(self) -> bool:
        """Whether the peer was asked what it understands."""
        return self._asked

    async def opened(self) -> None:
        """Wait until calls can be made. Raises the reason if opening failed."""
        if not self._opened.done():
            await asyncio.shield(self._opened)
        self._opened.result()

    async def call(self, tool: str, args: dict[str, Any], args_json: str, token: str | None) -> ToolResult:
        """Send one call and return its result; raises the failure of its POST, or `ProtocolError`."""
        if self._posts is not None:
            return await self._post(self._posts, tool, args_json, token)
        if self._session is None:
            raise ConnectionError("the connection is closed")
        exchange = Exchange(token)
        scope = current_exchange.set(exchange)
        try:
            task = asyncio.create_task(self._session.call(tool, args), name=f"mcp-call {tool}")
        finally:
            current_exchange.reset(scope)
        self._calls.add(task)
        task.add_done_callback(self._ended)
        try:
            waited: set[asyncio.Future[Any]] = {task, exchange.failed}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        finally:
            # Not awaited: the SDK shields its courtesy cancel, which waits for a peer that may be gone.
            task.cancel()
        if exchange.failed.done():
            raise exchange.failed.result()
        if task.cancelled():  # by `close`: the caller itself goes on
            raise ConnectionError("the connection was closed during the call")
        return task.result()

    async def _post(self, posts: HttpPosts, tool: str, args_json: str, token: str | None) -> ToolResult:
        """Send one call as one POST, to a peer that understands self-contained requests."""
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
        """Take no new calls; leave as soon as the running ones have ended."""
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

    def _ended(self, task: asyncio.Task[ToolResult]) -> None:
        self._calls.discard(task)
        if not task.cancelled():
            task.exception()
        self._leave_if_done()

    async def _own(self) -> None:
        try:
            if self._posts is not None:
                await self._own_posts(self._posts)
            else:
                await self._own_session()
        finally:
            self._fail_opening(ConnectionError("the connection was closed while it was opened"))

    async def _own_posts(self, posts: HttpPosts) -> None:
        # Not in a `finally`: nothing can be awaited when a client is dropped with its loop instead of being closed.
        try:
            await self._leave.wait()
        except asyncio.CancelledError:
            await posts.close()
            raise
        await posts.close()

    async def _own_session(self) -> None:
        handshake = Exchange()
        current_exchange.set(handshake)
        sse = is_sse(self._url)
        # In a thread: half a second of importing, the first time.
        sdk = await asyncio.to_thread(_sdk_client)
        try:
            async with sdk.sdk_session(
                self._url, self._provider, connect_s=self._connect_s, sse=sse
            ) as session:
                self._session = session
                if not sse and session.plain:
                    self._posts = HttpPosts(self._url)
                self._opened.set_result(None)
                await self._leave.wait()
        except BaseException as error:
            cause = handshake.failed.result() if handshake.failed.done() else _first_cause(error)
            self._fail_opening(sdk.as_ours(cause) if isinstance(cause, Exception) else cause)
            if not isinstance(error, Exception | BaseExceptionGroup):
                raise
            logger.debug("connection to %s ended: %r", self._url, error)
        finally:
            self._session = None
            if self._posts is not None:
                await self._posts.close()

    def _fail_opening(self, cause: BaseException) -> None:
        if not self._opened.done():
            if isinstance(cause, asyncio.CancelledError):  # our own end, not that of the waiter
                cause = ConnectionError("the connection was closed while it was opened")
            self._opened.set_exception(cause)
            # Nobody may be waiting any more: retrieve the exception, so that asyncio does not report it.
            self._opened.exception()


def is_sse(url: str) -> bool:
    """Whether the URL's path asks for MCP over SSE (CNX-06.1)."""
    return urlsplit(url).path.rstrip("/").endswith("/sse")


def _sdk_client() -> ModuleType:
    from butler_kit.mcp import sdk_client

    return sdk_client


def _first_cause(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, asyncio.CancelledError):
        return ConnectionError("the connection was closed while it was opened")
    return error
