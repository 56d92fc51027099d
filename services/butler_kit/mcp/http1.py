"""POST over kept-alive HTTP/1.1 connections: what one call between two services costs, and no more.

One request at a time on a connection, as many connections as there are calls at once (at most `_MOST`), the one used
last used again first. Invariant: after `close()` no socket is left, and an exchange that did not end in a whole answer
never leaves its connection for another one.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol, cast
from urllib.parse import urlsplit

import httptools

__all__ = ["Answer", "HttpPosts"]

_MOST: Final = 128
_IDLE_S: Final = 4.0
"""A connection that was idle longer is not used again: the peer may be closing it at this moment."""
_MOST_BYTES: Final = 16 * 1024 * 1024


class _Parser(Protocol):
    def feed_data(self, data: bytes) -> None: ...

    def should_keep_alive(self) -> bool: ...

    def get_status_code(self) -> int: ...


_new_parser: Callable[[object], _Parser] = httptools.HttpResponseParser


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole HTTP answer."""

    status: int
    content_type: str
    body: bytes


class HttpPosts:
    """Posts to one URL (`http` or `https`); safe for any number of parallel calls in one event loop."""

    def __init__(self, url: str, headers: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise ValueError(f"{url} is no HTTP address")
        self._host = parts.hostname
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._port = parts.port or (443 if self._tls is not None else 80)
        target = parts.path or "/"
        target = f"{target}?{parts.query}" if parts.query else target
        self._head = f"POST {target} HTTP/1.1\r\nHost: {parts.netloc.rpartition('@')[2]}\r\n{headers}"
        self._idle: list[_Link] = []
        self._links: set[_Link] = set()
        self._room = asyncio.Semaphore(_MOST)
        self._closed = False

    async def post(self, body: bytes, headers: str) -> Answer:
        """Send `body` and return the answer; `headers` are further lines, each with its CRLF.

        Raises `ConnectionError` when the peer cannot be reached or breaks off. A cancelled post breaks its connection.
        """
        async with self._room:
            link = await self._link()
            answered = False
            try:
                head = f"{self._head}{headers}Content-Length: {len(body)}\r\n\r\n"
                answer = await link.exchange(head.encode("latin-1") + body)
                answered = True
                return answer
            finally:
                if answered and link.reusable and not self._closed:
                    self._idle.append(link)
                else:
                    self._links.discard(link)
                    link.abort()

    def close(self) -> None:
        """Break every connection; running posts fail."""
        self._closed = True
        for link in self._links:
            link.abort()
        self._links.clear()
        self._idle.clear()

    async def _link(self) -> _Link:
        if self._closed:
            raise ConnectionError("the connection is closed")
        fresh_until = time.monotonic() - _IDLE_S
        while self._idle:
            link = self._idle.pop()
            if link.reusable and link.used_at > fresh_until:
                return link
            self._links.discard(link)
            link.abort()
        loop = asyncio.get_running_loop()
        _, link = await loop.create_connection(
            _Link, self._host, self._port, ssl=self._tls, server_hostname=self._host if self._tls else None
        )
        self._links.add(link)
        return link


class _Link(asyncio.Protocol):
    """One connection: one exchange at a time."""

    def __init__(self) -> None:
        self.used_at = 0.0
        self._transport: asyncio.Transport | None = None
        self._waiting: asyncio.Future[Answer] | None = None
        self._begin()

    @property
    def reusable(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    async def exchange(self, request: bytes) -> Answer:
        transport = self._transport
        if transport is None:
            raise ConnectionError("the peer closed the connection")
        self._begin()
        self._waiting = asyncio.get_running_loop().create_future()
        transport.write(request)
        return await self._waiting

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            self._fail(ConnectionError(f"the peer's answer is no HTTP: {error}"))

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        self._fail(ConnectionError(f"the peer closed the connection{f': {error}' if error else ''}"))

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() == b"content-type":
            self._content_type = value.decode("latin-1")

    def on_body(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > _MOST_BYTES:
            self._fail(ConnectionError(f"the peer's answer is larger than {_MOST_BYTES} bytes"))
        else:
            self._parts.append(part)

    def on_message_complete(self) -> None:
        status = self._parser.get_status_code()
        if status < 200:  # 100 Continue and its like come before the answer
            return
        self.used_at = time.monotonic()
        if not self._parser.should_keep_alive():
            self.abort()
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            self.abort()  # an answer to nothing
        elif not waiting.done():
            waiting.set_result(Answer(status, self._content_type, b"".join(self._parts)))

    def _begin(self) -> None:
        self._parser: _Parser = _new_parser(self)
        self._content_type = ""
        self._parts: deque[bytes] = deque()
        self._size = 0

    def _fail(self, error: ConnectionError) -> None:
        self.abort()
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.done():
            waiting.set_exception(error)
