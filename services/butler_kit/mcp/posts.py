"""POST over kept-alive connections, for calls between two services.

Invariant: after `close()` no socket is left, a cancelled post breaks its connection, and nothing is ever sent twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import aiohttp

__all__ = ["Answer", "HttpPosts", "NotReached"]

_MOST: Final = 128
"""Connections at once; further posts wait, each under its caller's deadline."""
_IDLE_S: Final = 4.0
"""A connection that was idle longer is not used again: the peer may be closing it at this moment."""
_MOST_BYTES: Final = 16 * 1024 * 1024


class NotReached(ConnectionError):
    """There was no connection to the peer, so nothing was sent."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole HTTP answer."""

    status: int
    content_type: str
    body: bytes


class HttpPosts:
    """Posts to one URL (`http` or `https`); safe for any number of parallel calls in one event loop.

    There is no timeout here: a caller that waits too long cancels the post.
    """

    def __init__(self, url: str) -> None:
        if urlsplit(url).scheme not in ("http", "https") or urlsplit(url).hostname is None:
            raise ValueError(f"{url} is no HTTP address")
        self._url = url
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    async def post(self, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Send `body` and return the answer. Raises `NotReached`, or `ConnectionError` when the peer breaks off."""
        try:
            async with self._opened().post(
                self._url, data=body, headers=headers, allow_redirects=False
            ) as response:
                content_type = response.headers.get("Content-Type", "")
                return Answer(response.status, content_type, await _whole(response))
        except ConnectionError:
            raise
        except (aiohttp.ClientError, OSError, ValueError) as error:
            kind = NotReached if isinstance(error, aiohttp.ClientConnectorError) else ConnectionError
            raise kind(f"the peer did not answer: {error or type(error).__name__}") from error

    async def close(self) -> None:
        """Break every connection; running posts fail."""
        self._closed = True
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> aiohttp.ClientSession:
        if self._closed:
            raise ConnectionError("the connection is closed")
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=_MOST, keepalive_timeout=_IDLE_S, loop=asyncio.get_running_loop()
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(),
                skip_auto_headers=("User-Agent", "Accept-Encoding"),
            )
        return self._session


async def _whole(response: aiohttp.ClientResponse) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in response.content.iter_any():
        size += len(part)
        if size > _MOST_BYTES:
            response.close()
            raise ConnectionError(f"the peer's answer is larger than {_MOST_BYTES} bytes")
        parts.append(part)
    return b"".join(parts)
