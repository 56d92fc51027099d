"""`/healthz`, `/readyz` and `/metrics`, the same on every process (interfaces, CNX-09.5)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from butler_kit.service.checks import Readiness
from butler_kit.telemetry import Metrics
from butler_kit.time import Clock

__all__ = ["HealthPages", "watch_event_loop"]

_LAG_INTERVAL_S: Final = 5.0
"""Between two measurements: a loop that is always late is noticed soon, and an idle process hardly wakes."""
_NO_STORE: Final = {"cache-control": "no-store"}


class HealthPages:
    """The three pages of a process; `readiness` is evaluated for each request, once for simultaneous ones."""

    def __init__(self, readiness: Callable[[], Coroutine[Any, Any, Readiness]], metrics: Metrics) -> None:
        self._readiness = readiness
        self._metrics = metrics
        self._looking: asyncio.Task[Readiness] | None = None

    async def healthz(self, _: Request) -> Response:
        """It lives."""
        return JSONResponse({"status": "ok"}, headers=_NO_STORE)

    async def readyz(self, _: Request) -> Response:
        """Whether it is ready. Anybody may ask, and each look costs the database one: a crowd gets one answer."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.ensure_future(self._readiness())
        result = await asyncio.shield(self._looking)
        return JSONResponse(result.to_json(), status_code=200 if result.ready else 503, headers=_NO_STORE)

    async def metrics(self, _: Request) -> Response:
        """Its metrics, in Prometheus' text format."""
        body, content_type = self._metrics.expose()
        return Response(body, headers={"content-type": content_type})

    def routes(self) -> list[Route]:
        """Return the routes of the pages, beside a service's own."""
        pages = {"/healthz": self.healthz, "/readyz": self.readyz, "/metrics": self.metrics}
        return [Route(path, page, methods=["GET"]) for path, page in pages.items()]


async def watch_event_loop(stopping: asyncio.Event, *, metrics: Metrics, clock: Clock) -> None:
    """Measure how late the loop wakes this task up, until it is asked to stop."""
    while not stopping.is_set():
        due = clock.monotonic() + _LAG_INTERVAL_S
        await asyncio.sleep(_LAG_INTERVAL_S)
        metrics.set("butlers.service.event_loop_lag_ms", max(0.0, clock.monotonic() - due) * 1000)
