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

__all__ = ["health_routes", "watch_event_loop"]

_LAG_INTERVAL_S: Final = 5.0
"""Between two looks: a loop that is always late is seen soon, and an idle process hardly wakes for it."""
_NO_STORE: Final = {"cache-control": "no-store"}


def health_routes(readiness: Callable[[], Coroutine[Any, Any, Readiness]], metrics: Metrics) -> list[Route]:
    """Return the three routes; `readiness` is asked anew, once for all who wait for its answer at the same time."""
    running: asyncio.Task[Readiness] | None = None

    async def healthz(_: Request) -> Response:
        return JSONResponse({"status": "ok"}, headers=_NO_STORE)

    async def readyz(_: Request) -> Response:
        # Anybody may ask, and each look costs the database one: a crowd gets one answer.
        nonlocal running
        if running is None or running.done():
            running = asyncio.ensure_future(readiness())
        result = await asyncio.shield(running)
        return JSONResponse(result.to_json(), status_code=200 if result.ready else 503, headers=_NO_STORE)

    async def metrics_page(_: Request) -> Response:
        body, content_type = metrics.expose()
        return Response(body, headers={"content-type": content_type})

    return [
        Route("/healthz", healthz, methods=["GET"]),
        Route("/readyz", readyz, methods=["GET"]),
        Route("/metrics", metrics_page, methods=["GET"]),
    ]


async def watch_event_loop(stopping: asyncio.Event, *, metrics: Metrics, clock: Clock) -> None:
    """Measure how late the loop wakes this task up, until it is asked to stop."""
    while not stopping.is_set():
        due = clock.monotonic() + _LAG_INTERVAL_S
        await asyncio.sleep(_LAG_INTERVAL_S)
        metrics.set("butlers.service.event_loop_lag_ms", max(0.0, clock.monotonic() - due) * 1000)
