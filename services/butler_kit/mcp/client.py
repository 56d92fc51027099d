"""The MCP client of connectors and services: lazy, cached, reconnecting, always answering in time
(CNX-06.1–06.3, D36).

Invariant: a call ends within twice its timeout with a result, a `ToolError` (the tool's own answer, never
repeated) or a `ConnectionError` (after one reconnect and one repetition).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from butler_contracts.errors import ErrorDetail
from butler_kit.mcp.connection import Connection, is_sse
from butler_kit.mcp.exchange import ProtocolError
from butler_kit.mcp.posts import NotReached
from butler_kit.mcp.results import ToolResult, data_of, error_of, text_of
from butler_kit.mcp.wire import HttpRefusal, TokenProvider

__all__ = [
    "AuthenticationRefused",
    "CachedMCPClient",
    "NotReached",
    "TokenProvider",
    "ToolCalls",
    "ToolError",
]

_MAX_REQUEST_BYTES: Final = 4 * 1024 * 1024
_ATTEMPTS: Final = 2
_SHOWN_CONTENT: Final = 500
_UNANSWERABLE: Final = frozenset({400, 413})
"""HTTP statuses about the request itself, which the same request would get again."""
_LOST: Final = frozenset({-32000, -32001})
"""JSON-RPC errors that say that the connection was closed, or that the time ran out (the SDK's own)."""
_PUZZLED: Final = frozenset({400, 404, 405, 406, 415, 501})
"""HTTP answers of a peer that may not know self-contained requests."""


class ToolError(RuntimeError):
    """The tool answered with an error (CNX-06.3); `error` is its typed form, None when the peer sent free
    text."""

    def __init__(self, tool: str, content: str, error: ErrorDetail | None = None) -> None:
        shown = error.message if error is not None else content
        super().__init__(f"{tool}: {shown[:_SHOWN_CONTENT]}")
        self.tool = tool
        self.content = content
        self.error = error


class AuthenticationRefused(ConnectionError):
    """The peer refused our token twice (HTTP 401/403), the second time after a fresh read of the token."""


class ToolCalls(Protocol):
    """Calls the tools of one server: the part of `CachedMCPClient` that most code needs; raises the same."""

    async def call(
        self, tool: str, args: dict[str, Any], *, timeout_s: float | None = None
    ) -> dict[str, Any]: ...


class CachedMCPClient:
    """Calls the tools of one server; safe for any number of parallel calls in one event loop.

    `url` decides the transport: a path ending in `/sse` is MCP over SSE, anything else streamable HTTP.
    `token_provider` is asked for the bearer token at every HTTP request. `timeout_s` bounds one attempt,
    connecting included; a call that fails in the connection or times out is repeated once on a new
    connection, so a call takes at most `2 × timeout_s`. **Only idempotent tools may be called through this
    client**: when an attempt's answer is lost, the tool runs twice (every tool of the message plane is
    idempotent by key).

    The SDK's SSE transport sends the POSTs of a session one after another; streamable HTTP sends them in
    parallel and holds no session that a restart of the peer could lose. Services therefore use
    `for_service()`.

    Over streamable HTTP a call is sent as one self-contained request; if the peer does not seem to understand
    one, and never did before, the SDK negotiates with it.
    """

    def __init__(
        self,
        url: str,
        token_provider: TokenProvider,
        *,
        timeout_s: float = 30.0,
    ) -> None:
        self.url = url
        self._provider = token_provider
        self._timeout_s = timeout_s
        self._connection: Connection | None = None
        self._retired: set[Connection] = set()
        self._closed = False
        self._plain = not is_sse(url)
        self._agreed = False

    @classmethod
    def for_url(cls, url: str, token_provider: TokenProvider, *, timeout_s: float = 30.0) -> CachedMCPClient:
        """Return a client that uses the transport of the URL's path (CNX-06.1)."""
        return cls(url, token_provider, timeout_s=timeout_s)

    @classmethod
    def for_service(
        cls, url: str, token_provider: TokenProvider, *, timeout_s: float = 30.0
    ) -> CachedMCPClient:
        """Return a client over streamable HTTP: a URL ending in `/sse` is taken as its sibling `/mcp`."""
        if is_sse(url):
            parsed = urlsplit(url)
            url = parsed._replace(path=parsed.path.rstrip("/").removesuffix("/sse") + "/mcp").geturl()
        return cls(url, token_provider, timeout_s=timeout_s)

    async def call(
        self, tool: str, args: dict[str, Any], *, timeout_s: float | None = None, token: str | None = None
    ) -> dict[str, Any]:
        """Call `tool` and return its JSON object; `token` replaces the provider's for this call.

        Raises `ToolError` for the tool's own error, `AuthenticationRefused` or `ConnectionError` when two
        attempts got no answer (`NotReached` if certainly nothing was sent). `ValueError` when `args` is not JSON.
        """
        args_json = _bounded_json(tool, args)
        seconds = timeout_s if timeout_s is not None else self._timeout_s
        failures: list[Exception] = []
        for _ in range(_ATTEMPTS):
            connection: Connection | None = None
            try:
                async with asyncio.timeout(seconds):
                    connection = self._current()
                    await connection.opened()
                    if connection.asked:
                        self._plain = connection.plain
                    result = await connection.call(tool, args, args_json, token)
            except Exception as error:
                must_ask = self._must_ask(connection, error)
                failures.append(error if must_ask else _as_connection_failure(tool, error))
                self._retire(connection)
            else:
                self._agreed = connection.plain
                return _read(tool, result)
        raise self._lost(tool, failures) from failures[-1]

    def _must_ask(self, connection: Connection | None, error: Exception) -> bool:
        """Return whether the peer may not know self-contained requests: the next connection asks it first."""
        if connection is None or not isinstance(error, ProtocolError | HttpRefusal):
            return False
        puzzled = isinstance(error, ProtocolError) or error.status in _PUZZLED
        must = puzzled and connection.plain and not connection.asked and not self._agreed
        # The process answering there now may be a different one.
        self._agreed = False
        if must:
            self._plain = False
        return must

    async def aclose(self) -> None:
        """Close every connection; running calls fail. Bounded by a few seconds whatever the peer does."""
        self._closed = True
        self._retire(self._connection)
        await asyncio.gather(*(connection.close() for connection in self._retired))
        self._retired.clear()

    def _current(self) -> Connection:
        if self._closed:
            raise ConnectionError("this client was closed")
        self._retired = {old for old in self._retired if not old.closed}
        if self._connection is None or self._connection.closed:
            self._connection = Connection(
                self.url, self._provider, connect_s=self._timeout_s, plain=self._plain
            )
        return self._connection

    def _retire(self, connection: Connection | None) -> None:
        """Stop using a connection for new calls; calls still running on it may finish."""
        if connection is None:
            return
        if self._connection is connection:
            self._connection = None
        self._retired.add(connection)
        connection.retire()

    def _lost(self, tool: str, failures: Sequence[Exception]) -> ConnectionError:
        failure = failures[-1]
        if isinstance(failure, HttpRefusal) and failure.status in (401, 403):
            return AuthenticationRefused(f"{tool}: {self.url} refused our token (HTTP {failure.status})")
        reason = str(failure) or type(failure).__name__
        unsent = all(isinstance(one, NotReached) for one in failures)
        kind = NotReached if unsent else ConnectionError
        return kind(f"{tool}: no answer from {self.url} after {_ATTEMPTS} attempts: {reason}")


def _bounded_json(tool: str, args: dict[str, Any]) -> str:
    text = json.dumps(args, allow_nan=False, separators=(",", ":"))
    if len(text) > _MAX_REQUEST_BYTES:
        raise _refused_size(tool, f"{len(text)} bytes of arguments, at most {_MAX_REQUEST_BYTES} are taken")
    return text


def _refused_size(tool: str, message: str) -> ToolError:
    detail = ErrorDetail.model_validate({"class": "validation_error", "message": message, "retryable": False})
    return ToolError(tool, message, detail)


def _as_connection_failure(tool: str, error: Exception) -> Exception:
    """Return `error` if the connection is to blame; raise an error that the tool or the caller caused."""
    if isinstance(error, HttpRefusal) and error.status in _UNANSWERABLE:
        raise _refused_size(tool, f"the server refused the request itself: HTTP {error.status}") from error
    if isinstance(error, ProtocolError) and error.code not in _LOST:
        raise ToolError(tool, str(error)) from error
    if isinstance(error, TimeoutError):
        return TimeoutError("no answer in time")
    if isinstance(error, (OSError, ProtocolError, HttpRefusal)):
        return error
    raise error


def _read(tool: str, result: ToolResult) -> dict[str, Any]:
    if result.is_error:
        raise ToolError(tool, text_of(result), error_of(result))
    try:
        return data_of(result)
    except ValueError as error:
        raise ToolError(tool, f"the answer holds no JSON: {text_of(result)[:_SHOWN_CONTENT]}") from error
