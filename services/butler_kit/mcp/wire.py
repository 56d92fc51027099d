"""What the SDK's transports do not tell: the outcome of the very POST that carried a call.

The SDK runs a POST in the context of the task that sent its message, so a context variable set by the
caller is seen by the HTTP transport below; both transports swallow or blur HTTP failures on the way back.
Invariant: a token is asked for once per HTTP request, just before it is sent (CNX-16: files are re-read).
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextvars import ContextVar
from typing import Final

import httpx2

__all__ = ["Exchange", "HttpRefusal", "TokenProvider", "current_exchange", "http_client", "is_refusal"]

TokenProvider = Callable[[], str | Awaitable[str]]
"""Gives the bearer token to send now; called once per HTTP request, may be async, may raise `OSError`."""


class HttpRefusal(Exception):
    """The peer answered a POST with an HTTP error that is no JSON-RPC answer."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status


class Exchange:
    """One call on its way: an optional token of its own, and a future that fails when its POST does."""

    def __init__(self, token: str | None = None) -> None:
        self.token = token
        self.failed: asyncio.Future[Exception] = asyncio.get_running_loop().create_future()

    def fail(self, reason: Exception) -> None:
        """Record the first failure; later ones change nothing."""
        if not self.failed.done():
            self.failed.set_result(reason)


current_exchange: ContextVar[Exchange | None] = ContextVar("butlers_mcp_exchange", default=None)

_JSON_RPC_STATUSES: Final = frozenset({400, 404})


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
                exchange.fail(error)
            raise
        if exchange is not None and is_refusal(
            response.status_code, response.headers.get("content-type", "")
        ):
            exchange.fail(HttpRefusal(response.status_code))
        return response


def is_refusal(status: int, content_type: str) -> bool:
    """Whether an HTTP answer is an error that is no JSON-RPC answer."""
    if status < 400:
        return False
    return not (content_type.startswith("application/json") and status in _JSON_RPC_STATUSES)


def http_client(provider: TokenProvider, *, connect_s: float, read_s: float | None) -> httpx2.AsyncClient:
    """Return the HTTP client of one connection; `read_s` None for a stream that may stay silent.

    No environment proxies: the traffic is between our own processes.
    """
    timeout = httpx2.Timeout(connect_s, read=read_s)
    limits = httpx2.Limits(max_connections=128, max_keepalive_connections=32, keepalive_expiry=4.0)
    transport = _WatchedTransport(limits=limits, trust_env=False)
    return httpx2.AsyncClient(auth=_Bearer(provider), timeout=timeout, transport=transport, trust_env=False)
