"""Servers and services in the test's own loop, started and ended in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
from starlette.applications import Starlette

from butler_kit.mcp.server import ToolServer
from butler_kit.service import ServiceApp
from tests.support.loopback import LoopbackServer

__all__ = ["listed_tools", "running_service", "serving_tools"]

DEADLINE_S = 90.0


@asynccontextmanager
async def serving_tools(server: ToolServer, *, port: int = 0) -> AsyncIterator[str]:
    """Serve the tools on a loopback port; gives the base URL."""
    ready, stop = asyncio.Event(), asyncio.Event()

    async def hold_lifespan() -> None:
        # A task of its own: the SDK's scope must be left by the task that entered it, and a fixture is
        # set up and torn down by two.
        async with server.lifespan():
            ready.set()
            await stop.wait()

    holding = asyncio.create_task(hold_lifespan())
    await ready.wait()
    try:
        async with LoopbackServer(Starlette(routes=server.routes()), port=port) as loopback:
            yield loopback.url
            await server.aclose()
    finally:
        stop.set()
        await holding


@asynccontextmanager
async def running_service(app: ServiceApp) -> AsyncIterator[str]:
    """Run a whole service until it serves; gives the base URL. A service that ends while it starts raises."""
    serving = asyncio.create_task(app.serve())
    started = asyncio.create_task(app.started.wait())
    await asyncio.wait({serving, started}, timeout=DEADLINE_S, return_when=asyncio.FIRST_COMPLETED)
    started.cancel()
    if serving.done():
        serving.result()
        raise RuntimeError(f"{app.name} ended while it started")
    try:
        yield f"http://127.0.0.1:{app.port}"
    finally:
        app.request_stop()
        await asyncio.wait_for(serving, DEADLINE_S)


async def listed_tools(base: str, token: str) -> set[str]:
    """The names of `tools/list` at `/mcp` for the bearer of `token`."""
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
    async with httpx.AsyncClient(timeout=60) as http:
        answer = await http.post(f"{base}/mcp", json=request, headers=headers)
    return {tool["name"] for tool in answer.json()["result"]["tools"]}
