"""One HTTP exchange with the Bot API for python-telegram-bot, told apart where its errors tell apart too little.

A call that was never sent says so by its class; a 5xx and a 429 are recognised by their status, whatever their body
says. aiohttp carries the exchange: the library's own client costs several times as much processor time a call.
Invariant: no error's text holds the URL, for a bot's URL holds its token.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final
from urllib.request import getproxies

import aiohttp
import httpx
from telegram.error import NetworkError, RetryAfter, TelegramError, TimedOut
from telegram.request import BaseRequest, RequestData

__all__ = ["BotRequest", "NeverReached", "ServerFault"]

_PAUSE_S: Final = 30
"""When a provider asks to slow down without saying for how long."""
_PAUSE_MAX_S: Final = 86_400
_IDLE_S: Final = 5.0
"""A connection that was idle longer is not used again: the peer may be closing it at this moment."""
_FORM: Final = "application/x-www-form-urlencoded"
_NO_CONNECTION: Final = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientHttpProxyError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.InvalidURL,
    aiohttp.NonHttpUrlClientError,
)


class ServerFault(TelegramError):
    """The Bot API, or what stands before it, answered with a 5xx: whether it did what was asked is unknown."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status


class NeverReached(NetworkError):
    """No connection was made, so nothing was sent; the message says what the system says of it."""


class BotRequest(BaseRequest):
    """python-telegram-bot's HTTP client over kept-alive connections; `ServerFault` for a 5xx, `RetryAfter` for a 429.

    Times are seconds. Nothing is ever sent twice and no redirect is followed. Parameters go as a form; files are not
    sent. `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` are followed as they were at the start.
    """

    def __init__(self, *, connections: int, connect_timeout_s: float, read_timeout_s: float) -> None:
        self._connections = connections
        self._read_timeout_s = read_timeout_s
        self._timeout = aiohttp.ClientTimeout(
            connect=read_timeout_s, sock_connect=connect_timeout_s, sock_read=read_timeout_s
        )
        self._session: aiohttp.ClientSession | None = None

    @property
    def read_timeout(self) -> float:
        return self._read_timeout_s

    async def initialize(self) -> None:
        """Connections are made when they are needed."""

    async def shutdown(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def do_request(
        self, url: str, method: str, request_data: RequestData | None = None, *_: Any, **__: Any
    ) -> tuple[int, bytes]:
        """The status and the body of one exchange, under this client's own times."""
        status, payload = await self._exchange(url, method, request_data or RequestData())
        if status >= 500:
            raise ServerFault(status)
        if status == 429:
            raise RetryAfter(_asked_pause_s(payload))
        return status, payload

    async def _exchange(self, url: str, method: str, given: RequestData) -> tuple[int, bytes]:
        form = given.url_encoded_parameters().encode()
        headers = {"User-Agent": self.USER_AGENT, "Content-Type": _FORM}
        try:
            async with self._opened().request(
                method, url, data=form, headers=headers, allow_redirects=False
            ) as response:
                return response.status, await response.read()
        except _NO_CONNECTION as error:
            raise NeverReached(_what(error)) from error
        except TimeoutError as error:
            raise TimedOut from error
        except (aiohttp.ClientError, OSError) as error:
            raise NetworkError(type(error).__name__) from error

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=self._connections,
                    keepalive_timeout=_IDLE_S,
                    ssl=httpx.create_ssl_context(),
                    loop=asyncio.get_running_loop(),
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=self._timeout,
                trust_env=bool(getproxies()),
            )
        return self._session


def _what(error: Exception) -> str:
    """The kind, and what the system says of it: an unknown name, a refused connection, a certificate."""
    kind = type(error).__name__
    return f"{kind}: {error.__cause__}" if isinstance(error, aiohttp.ClientConnectorError) else kind


def _asked_pause_s(payload: bytes) -> int:
    try:
        asked = float(json.loads(payload)["parameters"]["retry_after"])
        return min(max(int(asked), 1), _PAUSE_MAX_S)
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return _PAUSE_S
