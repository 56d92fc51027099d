"""Serve `/healthz`, `/readyz` and `/metrics` on the ports used by the probes and the metrics collector.

Used instead of kopf's server, which waits for an unfinished header for as long as the peer likes. Invariant: every
connection is limited in duration, in size and in number.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, cast

from aiohttp import web

from butler_operator.control.runtime import Runtime

__all__ = ["pages", "serve_pages"]

_LIFE_S: Final = 15.0
"""Longest life of a connection; a request takes milliseconds, and the next one opens a new connection."""
_BYTES_MOST: Final = 32 * 1024
_MOST: Final = 256


class _BriefConnection(web.RequestHandler):
    """aiohttp's protocol with limits on its lifetime and on the bytes received."""

    _ending: asyncio.TimerHandle | None = None
    _received = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - a stream's, always
        self._ending = asyncio.get_running_loop().call_later(_LIFE_S, transport.abort)

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        if self._received > _BYTES_MOST and self.transport is not None:
            self.transport.abort()
        else:
            super().data_received(data)

    def connection_lost(self, exc: BaseException | None) -> None:
        if self._ending is not None:
            self._ending.cancel()
        super().connection_lost(exc)


class _BriefServer(web.Server):
    """Creates brief connections; at the limit, the oldest is aborted to make room."""

    def __call__(self) -> web.RequestHandler:
        if len(self.connections) >= _MOST:
            oldest = self.connections[0].transport
            if oldest is not None:
                oldest.abort()
        return _BriefConnection(self, loop=asyncio.get_running_loop(), access_log=cast(Any, None))


def pages(
    runtime: Runtime, problems: Callable[[], list[str]]
) -> Callable[[web.BaseRequest], web.StreamResponse]:
    """Return the request handler; `/healthz` and `/readyz` fail when this process should be replaced."""

    def health() -> web.Response:
        found = problems()
        body = {"ready": not found, "problems": found, "queue": runtime.queue.depth()}
        return web.json_response(body, status=503 if found else 200)

    def metrics() -> web.Response:
        runtime.metrics.set("butlers.service.ready", 0 if problems() else 1)
        body, content_type = runtime.metrics.expose()
        return web.Response(body=body, headers={"Content-Type": content_type})

    known = {"/healthz": health, "/readyz": health, "/metrics": metrics}

    def answer(request: web.BaseRequest) -> web.StreamResponse:
        page = known.get(request.path)
        if page is None or request.method not in ("GET", "HEAD"):
            return web.Response(status=404 if page is None else 405)
        return page()

    return answer


async def serve_pages(runtime: Runtime, problems: Callable[[], list[str]]) -> None:
    """Serve on both ports until cancelled; port 0 is any free one."""
    answer = pages(runtime, problems)

    async def handler(request: web.BaseRequest) -> web.StreamResponse:
        answered = answer(request)
        # Otherwise a second request on it may arrive just as the connection is aborted, and get no response.
        answered.force_close()
        return answered

    server = _BriefServer(handler)
    loop = asyncio.get_running_loop()
    ports = (runtime.settings.health_port, runtime.settings.metrics_port)
    listening = [await loop.create_server(server, "0.0.0.0", port) for port in ports]  # noqa: S104 - probes come from outside
    try:
        await asyncio.Event().wait()
    finally:
        for one in listening:
            one.close()
        await server.shutdown(1.0)
