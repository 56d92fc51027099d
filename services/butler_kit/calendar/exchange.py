"""HTTP exchanges with a calendar's provider: bounded in size and time, with failures in words.

Invariants: no redirect is followed, as a request carries the account's secret; no error's text contains a secret.
A request that HTTP defines as idempotent may be sent once more over a new connection, which changes nothing twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit
from urllib.request import getproxies

import aiohttp

from butler_kit.calendar.port import misconfigured, unreachable
from butler_kit.tls import client_context, distrust

__all__ = ["Answer", "Exchange"]

_CONNECT_S: Final = 5.0
_CONNECTIONS: Final = 4
_IDLE_S: Final = 5.0
_ANSWER_MAX_BYTES: Final = 16 * 1024 * 1024
_MOST_PAUSE_S: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Answer:
    """A response; the names in `headers` are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Exchange:
    """The connections to one provider; a whole exchange takes `timeout_s` at most."""

    def __init__(self, *, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._session: aiohttp.ClientSession | None = None

    async def ask(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str],
        body: bytes | None = None,
        query: Mapping[str, str] | None = None,
    ) -> Answer:
        """Return a 2xx or 4xx answer. Raises `TargetUnavailable` for none, a redirect, a 429 or a 5xx."""
        try:
            answer = await self._answer(method, url, headers, body, query)
        except TimeoutError as error:
            raise unreachable(f"{_host(url)} gave no answer in time") from error
        except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError) as error:
            raise misconfigured(f"{_host(url)} is no address of a calendar; check the url") from error
        except (aiohttp.ClientError, OSError) as error:
            why = distrust(error) or "no connection could be made, or it broke off"
            raise unreachable(f"{_host(url)}: {why}") from error
        if answer.status >= 500 or answer.status == 429:
            pause_s = _pause(answer.headers.get("retry-after"))
            raise unreachable(f"{_host(url)} answers HTTP {answer.status}", retry_after_s=pause_s)
        if 300 <= answer.status < 400:
            raise misconfigured(f"{_host(url)} says that the calendar is elsewhere; correct the url")
        return answer

    async def aclose(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _answer(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes | None,
        query: Mapping[str, str] | None,
    ) -> Answer:
        timeout = aiohttp.ClientTimeout(total=self._timeout_s, sock_connect=_CONNECT_S)
        async with self._opened().request(
            method, url, data=body, headers=headers, params=query, timeout=timeout, allow_redirects=False
        ) as response:
            found = {name.lower(): value for name, value in response.headers.items()}
            return Answer(response.status, found, await _whole(response))

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=_CONNECTIONS,
                    keepalive_timeout=_IDLE_S,
                    ssl=client_context(),
                    loop=asyncio.get_running_loop(),
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=bool(getproxies()),
            )
        return self._session


async def _whole(response: aiohttp.ClientResponse) -> bytes:
    try:
        await response.content.readexactly(_ANSWER_MAX_BYTES + 1)
    except asyncio.IncompleteReadError as end:
        return end.partial
    raise aiohttp.ClientPayloadError(f"the answer is larger than {_ANSWER_MAX_BYTES} bytes")


def _pause(given: str | None) -> float | None:
    return min(float(given), _MOST_PAUSE_S) if given is not None and given.isdecimal() else None


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or "the calendar's server"
    except ValueError:
        return "the calendar's server"
