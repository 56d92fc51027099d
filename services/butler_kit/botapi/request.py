"""HTTP exchanges with the Bot API for python-telegram-bot, with finer error classes than the library's own.

A call that was never sent has its own error class; a 5xx and a 429 are recognised by status, whatever their body
says. aiohttp carries the exchange: the library's own client costs several times as much processor time per call.
Invariant: no error's text contains the URL, because a bot's URL contains its token.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final
from urllib.request import getproxies

import aiohttp
import httpx
from telegram.error import BadRequest, NetworkError, RetryAfter, TelegramError, TimedOut
from telegram.request import BaseRequest, RequestData

from butler_kit.botapi.refusals import as_documented, asked_pause_s
from butler_kit.tls import distrust, with_own_authority

__all__ = ["BotRequest", "NeverReached", "ServerFault", "TooLarge"]

_PAUSE_S: Final = 30
"""The pause when a provider asks to slow down without saying for how long."""
_IDLE_S: Final = 5.0
"""A connection that was idle longer is not used again: the peer may be closing it at this moment."""
_ANSWER_MAX_BYTES: Final = 32 * 1024 * 1024
_FORM: Final = "application/x-www-form-urlencoded"
_NO_CONNECTION: Final = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientHttpProxyError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.InvalidURL,
    aiohttp.NonHttpUrlClientError,
)


class ServerFault(TelegramError):
    """The Bot API, or a proxy before it, answered with a 5xx: whether the call took effect is unknown."""

    def __init__(self, status: int, retry_after_s: int | None = None) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status
        self.retry_after_s = retry_after_s


class TooLarge(BadRequest):
    """The Bot API, or a proxy before it, accepts no call of this size (413)."""


class NeverReached(NetworkError):
    """No connection was made, so nothing was sent; the message is the system's own."""


class BotRequest(BaseRequest):
    """python-telegram-bot's HTTP client over kept-alive connections; `ServerFault` for a 5xx, `RetryAfter` for a 429,
    `TooLarge` for a 413.

    Times are seconds; a call may set its own read timeout. Nothing is ever sent twice and no redirect is followed.
    Parameters are sent as a form, files as parts of it (RFC 7578). `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` are
    followed as they were at the start.
    """

    def __init__(self, *, connections: int, connect_timeout_s: float, read_timeout_s: float) -> None:
        self._connections = connections
        self._connect_timeout_s = connect_timeout_s
        self._read_timeout_s = read_timeout_s
        self._session: aiohttp.ClientSession | None = None

    @property
    def read_timeout(self) -> float:
        return self._read_timeout_s

    async def initialize(self) -> None:
        """Do nothing: connections are made when they are needed."""

    async def shutdown(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: Any = BaseRequest.DEFAULT_NONE,
        *_: Any,
        **__: Any,
    ) -> tuple[int, bytes]:
        """Return status and body of one exchange; a refusal's body is reduced to its documented fields."""
        within_s = read_timeout if isinstance(read_timeout, int | float) else self._read_timeout_s
        status, asked, payload = await self._exchange(url, method, request_data or RequestData(), within_s)
        if status >= 500:
            raise ServerFault(status, asked_pause_s(payload, asked))
        if status == 429:
            raise RetryAfter(asked_pause_s(payload, asked) or _PAUSE_S)
        if status == 413:
            raise TooLarge("the file is too large")
        return status, payload if status < 300 else as_documented(payload)

    async def _exchange(
        self, url: str, method: str, given: RequestData, within_s: float
    ) -> tuple[int, str | None, bytes]:
        headers = {"User-Agent": self.USER_AGENT}
        form: bytes | aiohttp.FormData
        if given.contains_files:
            form = _in_parts(given)
        else:
            form = given.url_encoded_parameters().encode()
            headers["Content-Type"] = _FORM
        timeout = aiohttp.ClientTimeout(
            connect=within_s, sock_connect=self._connect_timeout_s, sock_read=within_s
        )
        try:
            async with self._opened().request(
                method, url, data=form, headers=headers, timeout=timeout, allow_redirects=False
            ) as response:
                return response.status, response.headers.get("Retry-After"), await _whole(response)
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
                    ssl=with_own_authority(httpx.create_ssl_context()),
                    loop=asyncio.get_running_loop(),
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=bool(getproxies()),
            )
        return self._session


def _in_parts(given: RequestData) -> aiohttp.FormData:
    """Return a multipart form with names not percent-encoded: the Bot API shows a file's name as given."""
    form = aiohttp.FormData(quote_fields=False)
    for name, value in given.json_parameters.items():
        form.add_field(name, value)
    for name, (filename, content, media_type) in (given.multipart_data or {}).items():
        form.add_field(name, content, filename=filename, content_type=media_type)
    return form


async def _whole(response: aiohttp.ClientResponse) -> bytes:
    try:
        await response.content.readexactly(_ANSWER_MAX_BYTES + 1)
    except asyncio.IncompleteReadError as end:
        return end.partial
    raise aiohttp.ClientPayloadError(f"the answer is larger than {_ANSWER_MAX_BYTES} bytes")


def _what(error: Exception) -> str:
    """Return the error's class and the system's reason: unknown name, refused connection, certificate."""
    kind, refused = type(error).__name__, distrust(error)
    if refused is not None:
        return f"{kind}: {refused}"
    return f"{kind}: {error.__cause__}" if isinstance(error, aiohttp.ClientConnectorError) else kind
