"""The SDK part of a client: sessions over SSE, and with a peer that takes no self-contained requests.

Loading it costs 0.4 s of processor time and 16 MB, so `Connection` does that for the first peer that needs it.
Invariants: a token is asked for once per HTTP request, just before it is sent (CNX-16: files are re-read); an
error raised here is a `ProtocolError`, an `HttpRefusal`, a `ConnectionError` or the caller's own.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final

import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.session import ClientSession
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from pydantic import TypeAdapter, ValidationError

from butler_kit.mcp.exchange import VERSION, ProtocolError
from butler_kit.mcp.privacy import keep_bodies_out_of_the_log
from butler_kit.mcp.results import TextBlock, ToolResult
from butler_kit.mcp.wire import HttpRefusal, TokenProvider, current_exchange, is_refusal

__all__ = ["SdkSession", "as_ours", "sdk_session"]

_RESULT: Final = TypeAdapter(types.CallToolResult)
_SILENCE_S: Final = 60.0
"""The server pings every 15 s over SSE: a minute of silence is a dead peer."""


class SdkSession:
    """An open session; `plain`: the peer takes self-contained requests as well."""

    def __init__(self, session: ClientSession) -> None:
        self._session = session
        self.plain = session.protocol_version == VERSION

    async def call(self, tool: str, args: dict[str, Any]) -> ToolResult:
        """Send one call and return its result."""
        # Not session.call_tool(): it lists all tools first to learn output schemas that we do not have.
        request = types.CallToolRequest(params=types.CallToolRequestParams(name=tool, arguments=args))
        try:
            result = await self._session.send_request(request, _RESULT)
        except Exception as error:
            raise as_ours(error) from error
        texts = tuple(
            TextBlock(block.text) for block in result.content if isinstance(block, types.TextContent)
        )
        return ToolResult(texts, result.structured_content, is_error=bool(result.is_error))


@asynccontextmanager
async def sdk_session(
    url: str, provider: TokenProvider, *, connect_s: float, sse: bool
) -> AsyncIterator[SdkSession]:
    """Open a session over SSE or streamable HTTP. Raises whatever the SDK does, in groups: see `as_ours`."""
    keep_bodies_out_of_the_log()
    transport = _over_sse(url, provider, connect_s) if sse else _streamable(url, provider, connect_s)
    async with Client(transport, mode="legacy" if sse else "auto", cache=None) as client:
        yield SdkSession(client.session)


def as_ours(error: Exception) -> Exception:
    """Translate an error of the SDK or of its HTTP client for a caller of `Connection`."""
    if isinstance(error, MCPError):
        return ProtocolError(error.error.code, error.error.message)
    if isinstance(error, httpx2.HTTPStatusError):
        return HttpRefusal(error.response.status_code)
    if isinstance(error, ValidationError):
        return ProtocolError(types.INTERNAL_ERROR, "the answer is no tool result")
    if isinstance(error, (httpx2.HTTPError, httpx2.StreamError)):
        return ConnectionError(str(error) or type(error).__name__)
    return error


class _Bearer(httpx2.Auth):
    def __init__(self, provider: TokenProvider) -> None:
        self._provider = provider

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        exchange = current_exchange.get()
        token: str | Awaitable[str] = exchange.token if exchange and exchange.token else self._provider()
        request.headers["Authorization"] = f"Bearer {await token if inspect.isawaitable(token) else token}"
        yield request


class _WatchedTransport(httpx2.AsyncHTTPTransport):
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        exchange = current_exchange.get() if request.method == "POST" else None
        try:
            response = await super().handle_async_request(request)
        except Exception as error:
            if exchange is not None:
                exchange.fail(as_ours(error))
            raise
        if exchange is not None and is_refusal(
            response.status_code, response.headers.get("content-type", "")
        ):
            exchange.fail(HttpRefusal(response.status_code))
        return response


def _http_client(provider: TokenProvider, *, connect_s: float, read_s: float | None) -> httpx2.AsyncClient:
    """Return the HTTP client of one connection; `read_s` None for a stream that may stay silent.

    No environment proxies: the traffic is between our own processes.
    """
    timeout = httpx2.Timeout(connect_s, read=read_s)
    limits = httpx2.Limits(max_connections=128, max_keepalive_connections=32, keepalive_expiry=4.0)
    transport = _WatchedTransport(limits=limits, trust_env=False)
    return httpx2.AsyncClient(auth=_Bearer(provider), timeout=timeout, transport=transport, trust_env=False)


def _over_sse(url: str, provider: TokenProvider, connect_s: float) -> AbstractAsyncContextManager[Any]:
    def client(
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
    ) -> httpx2.AsyncClient:
        return _http_client(provider, connect_s=connect_s, read_s=_SILENCE_S)

    return sse_client(url, httpx_client_factory=client)


@asynccontextmanager
async def _streamable(url: str, provider: TokenProvider, connect_s: float) -> AsyncIterator[Any]:
    # read_s None: every call has a deadline of its own.
    async with (
        _http_client(provider, connect_s=connect_s, read_s=None) as client,
        streamable_http_client(url, http_client=client) as streams,
    ):
        yield streams
