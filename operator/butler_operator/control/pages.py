"""`/readyz` and `/metrics`; `/healthz` is kopf's own, on another port."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from aiohttp import web

from butler_operator.control.runtime import Runtime

__all__ = ["pages", "serve_pages"]


def pages(runtime: Runtime, problems: Callable[[], list[str]]) -> web.Application:
    """The two pages."""

    async def ready(_: web.Request) -> web.Response:
        found = problems()
        return web.json_response({"ready": not found, "problems": found}, status=503 if found else 200)

    async def metrics(_: web.Request) -> web.Response:
        problems()
        body, content_type = runtime.metrics.expose()
        return web.Response(body=body, headers={"Content-Type": content_type})

    app = web.Application()
    app.add_routes([web.get("/readyz", ready), web.get("/metrics", metrics)])
    return app


async def serve_pages(runtime: Runtime, problems: Callable[[], list[str]]) -> None:
    """Serve until cancelled."""
    runner = web.AppRunner(pages(runtime, problems), handle_signals=False, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "0.0.0.0", runtime.settings.metrics_port).start()  # noqa: S104 - probes come from outside
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
