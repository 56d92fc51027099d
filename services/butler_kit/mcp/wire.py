"""The outcome of the POST that carried a call, which the SDK's transports do not report.

The SDK runs a POST in the context of the task that sent its message, so a context variable set by the
caller is seen by the HTTP transport below (`sdk_client`); both transports swallow or blur HTTP failures on the way
back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Final

__all__ = ["Exchange", "HttpRefusal", "TokenProvider", "current_exchange", "is_refusal"]

TokenProvider = Callable[[], str | Awaitable[str]]
"""Gives the bearer token to send now; called once per HTTP request, may be async, may raise `OSError`."""


class HttpRefusal(Exception):
    """The peer answered a POST with an HTTP error that is no JSON-RPC answer."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status


class Exchange:
    """One call in flight: an optional token of its own, and a future for the failure of its POST."""

    def __init__(self, token: str | None = None) -> None:
        self.token = token
        self.failed: asyncio.Future[Exception] = asyncio.get_running_loop().create_future()

    def fail(self, reason: Exception) -> None:
        """Record the first failure; later ones change nothing."""
        if not self.failed.done():
            self.failed.set_result(reason)


current_exchange: ContextVar[Exchange | None] = ContextVar("butlers_mcp_exchange", default=None)

_JSON_RPC_STATUSES: Final = frozenset({400, 404})


def is_refusal(status: int, content_type: str) -> bool:
    """Whether an HTTP answer is an error that is no JSON-RPC answer."""
    if status < 400:
        return False
    return not (content_type.startswith("application/json") and status in _JSON_RPC_STATUSES)
