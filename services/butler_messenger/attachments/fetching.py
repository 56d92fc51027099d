"""Fetches one object over HTTP: no redirects, only its origin's addresses, bounded in time and bytes (ADR 0103).

Invariants: a returned object has the announced size and digest; never more than the announced bytes are held; no text
or error here contains the object's address, which may be a secret.
"""

from __future__ import annotations

import asyncio
import hashlib
import socket
from typing import Final

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from butler_contracts.attachments import AttachmentV1
from butler_kit.tls import client_context, distrust
from butler_messenger.attachments.decisions import Away, Fetched, Got, Never
from butler_messenger.attachments.origins import may_connect

__all__ = ["Fetcher"]

_CHUNK: Final = 65_536
_CONNECT_S: Final = 10.0
_SILENT_S: Final = 15.0
"""How long a store may send nothing in the middle of a file."""
_BUSY: Final = frozenset({408, 425, 429})
_GONE: Final = frozenset({404, 410})


class _LedElsewhere(Exception):
    """An origin's name resolves to no allowed address."""


class _Resolver(AbstractResolver):
    """Resolves names as the system does, and drops the addresses that are not allowed."""

    def __init__(self) -> None:
        self._system = aiohttp.ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._system.resolve(host, port, family)
        kept = [one for one in found if may_connect(host, one["host"])]
        if not kept:
            raise _LedElsewhere
        return kept

    async def close(self) -> None:
        await self._system.close()


class Fetcher:
    """One client for all origins; `token`, if given, is sent with each request. Proxies are not used."""

    def __init__(self, *, timeout_s: float, token: str | None = None) -> None:
        self._timeout_s = timeout_s
        self._headers = {"Accept-Encoding": "identity", "User-Agent": "butlers-messenger"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._session: aiohttp.ClientSession | None = None

    async def fetch(self, wanted: AttachmentV1) -> Fetched:
        """Return the object, or why it is missing; never raises for anything a store does."""
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._exchange(wanted)
        except _LedElsewhere:
            return Never("refused", "the name of its store leads into another network than its origin says")
        except TimeoutError:
            return Away(f"its store did not give it within {self._timeout_s:g} s")
        except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError, ValueError):
            return Never("refused", "its address is none that can be asked for")
        except (aiohttp.ClientError, OSError) as error:
            said = distrust(error) or type(error).__name__
            return Away(f"its store cannot be reached ({said})")

    async def aclose(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _exchange(self, wanted: AttachmentV1) -> Fetched:
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S, sock_read=_SILENT_S)
        address = URL(wanted.uri, encoded=True)
        async with self._opened().get(address, allow_redirects=False, timeout=timeout) as response:
            refused = _by_status(response.status)
            return refused if refused is not None else await _read(response, wanted)

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = aiohttp.TCPConnector(
                resolver=_Resolver(), use_dns_cache=False, force_close=True, ssl=client_context()
            )
            self._session = aiohttp.ClientSession(
                connector=connector,
                headers=self._headers,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                trust_env=False,
            )
        return self._session


def _by_status(status: int) -> Never | Away | None:
    if status == 200:
        return None
    if status in _GONE:
        return Never("gone", f"it is not there any more ({status})")
    if status in _BUSY or status >= 500:
        return Away(f"its store answers {status}")
    if 300 <= status < 400:
        return Never("refused", f"its store sends elsewhere for it ({status}), which is not followed")
    return Never("refused", f"its store does not give it ({status})")


async def _read(response: aiohttp.ClientResponse, wanted: AttachmentV1) -> Got | Never:
    said = response.content_length
    if said is not None and said != wanted.size_bytes:
        return _of_another_size(said, wanted)
    content, digest = bytearray(), hashlib.sha256()
    async for chunk in response.content.iter_chunked(_CHUNK):
        if len(content) + len(chunk) > wanted.size_bytes:
            return Never("changed", f"its store gives more than the {wanted.size_bytes:,} bytes announced")
        content += chunk
        digest.update(chunk)
    if len(content) != wanted.size_bytes:
        return _of_another_size(len(content), wanted)
    if f"sha256:{digest.hexdigest()}" != wanted.digest:
        return Never("changed", "its store gives another content than the digest announced")
    return Got(bytes(content))


def _of_another_size(found: int, wanted: AttachmentV1) -> Never:
    return Never("changed", f"its store has {found:,} bytes of it, {wanted.size_bytes:,} were announced")
