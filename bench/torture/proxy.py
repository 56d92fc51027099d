"""A proxy between the operator and the API server on loopback: counts writes, holds back watches, answers old lists.

Plain HTTP to the operator, TLS to the API server; the operator's own token is passed on, so the audit log names it.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

import aiohttp
from aiohttp import web

from bench.operator.plane import free_ports
from bench.torture.requests import Listing, counts_as_write, is_watch, listing_of, one_page

__all__ = ["Proxy"]

LINE_MAX: Final = 2**22
"""Bytes; more than any object has."""
_NOT_PASSED_ON: Final = frozenset({"host", "connection", "content-length", "transfer-encoding", "keep-alive"})


class Proxy:
    """`kill_after` arms a kill at a write, `late` holds back watches, `old_lists` answers from memory."""

    def __init__(self, url: str, authority: Path) -> None:
        self._url = url
        self._tls = ssl.create_default_context(cafile=str(authority))
        self._kill: Callable[[], None] = lambda: None
        self._left: int | None = None
        self.writes: list[str] = []
        """Writes that the API server accepted since the count was reset, as `METHOD path`."""
        self.last_write = time.monotonic()
        self._late: frozenset[str] = frozenset()
        self._lost = False
        self._in_time = asyncio.Condition()
        self._lists: dict[Listing, dict[str, str]] = {}
        """The headers of every list that was asked for, so that it can be asked for again."""
        self._old: dict[Listing, bytes] = {}
        self.old_lists_given = 0

    @asynccontextmanager
    async def late(self, *plurals: str, lost: bool) -> AsyncIterator[None]:
        """Hold back watch events of these kinds inside the block; send them at the end, or drop them if `lost`."""
        self._late, self._lost = frozenset(plurals), lost
        try:
            yield
        finally:
            async with self._in_time:
                self._late = frozenset()
                self._in_time.notify_all()

    @asynccontextmanager
    async def old_lists(self, *plurals: str) -> AsyncIterator[None]:
        """Answer lists of these kinds inside the block with what the API server says now."""
        known = [(listing, headers) for listing, headers in self._lists.items() if listing.plural in plurals]
        self._old = {listing: await self._read(listing, headers) for listing, headers in known}
        try:
            yield
        finally:
            self._old = {}

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        """Serve; yield the address."""
        application = web.Application(client_max_size=16 * 2**20)
        application.router.add_route("*", "/{path:.*}", self._handle)
        runner = web.AppRunner(application, handle_signals=False, access_log=None, shutdown_timeout=1)
        connector = aiohttp.TCPConnector(ssl=self._tls, limit=200)
        async with aiohttp.ClientSession(connector=connector, auto_decompress=False) as self._http:
            await runner.setup()
            [port] = free_ports(1)
            try:
                await web.TCPSite(runner, "127.0.0.1", port).start()
                yield f"http://127.0.0.1:{port}"
            finally:
                await runner.cleanup()

    def kill_after(self, count: int | None, kill: Callable[[], None] = lambda: None) -> None:
        """Reset the count; call `kill` once the API server has accepted write `count`, before it is answered."""
        self.writes.clear()
        self._left, self._kill = count, kill

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        headers = {name: value for name, value in request.headers.items() if _goes_on(name)}
        if is_watch(request.query):
            return await self._watch(request, headers)
        listing = listing_of(request.method, request.path, request.query, request.headers.get("Accept", ""))
        if listing is not None:
            self._lists[listing] = headers
            if listing in self._old:
                self.old_lists_given += 1
                return web.Response(body=self._old[listing], content_type="application/json")
        body = await request.read()
        sent = self._http.request(
            request.method,
            self._url + request.raw_path,
            headers=headers,
            data=body or None,
            timeout=aiohttp.ClientTimeout(total=60),
        )
        async with sent as got:
            answer = got.status, [one for one in got.headers.items() if _goes_on(one[0])], await got.read()
        if got.status < 300 and counts_as_write(request.method, request.path):
            self._count(f"{request.method} {request.path}")
        return _response(answer)

    async def _read(self, listing: Listing, headers: Mapping[str, str]) -> bytes:
        """Return a list from the API server, all pages of it as one."""
        pages: list[dict[str, Any]] = []
        query = {**dict(listing.selectors), "limit": "500"}
        plain = {name: said for name, said in headers.items() if name.lower() != "accept-encoding"}
        plain["Accept-Encoding"] = "identity"
        while True:
            async with self._http.get(self._url + listing.path, headers=plain, params=query) as got:
                got.raise_for_status()
                pages.append(json.loads(await got.read()))
            more = pages[-1]["metadata"].get("continue")
            if not more:
                return json.dumps(one_page(pages)).encode()
            query["continue"] = more

    def _count(self, call: str) -> None:
        self.writes.append(call)
        self.last_write = time.monotonic()
        if self._left is not None and len(self.writes) == self._left:
            self._left = None
            self._kill()

    async def _watch(self, request: web.Request, headers: dict[str, str]) -> web.StreamResponse:
        timeout = aiohttp.ClientTimeout(total=None)
        async with self._http.get(
            self._url + request.raw_path, headers=headers, timeout=timeout, read_bufsize=LINE_MAX
        ) as got:
            response = web.StreamResponse(status=got.status, headers=_passed(got.headers))
            await response.prepare(request)
            with suppress(ConnectionError):  # the operator was killed
                async for line in got.content:
                    if await self._passes(request.path):
                        await response.write(line)
            return response

    async def _passes(self, path: str) -> bool:
        """Return whether to pass on a line of a watch; wait while it is held back."""
        plural = path.rpartition("/")[2]
        if plural in self._late and self._lost:
            return False
        async with self._in_time:
            await self._in_time.wait_for(lambda: plural not in self._late)
        return True


def _goes_on(name: str) -> bool:
    return name.lower() not in _NOT_PASSED_ON


def _passed(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if _goes_on(name)}


def _response(answer: tuple[int, list[tuple[str, str]], bytes]) -> web.Response:
    status, headers, body = answer
    response = web.Response(status=status, body=body)
    for name, value in headers:
        response.headers[name] = value
    return response
