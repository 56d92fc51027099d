"""A server that accepts heartbeats, in its own process: `python -m bench.heartbeats.served ours|stock`.

It prints its port on the first line. `ours` is the whole Switchboard. `stock` is the MCP SDK's own server with a tool
of that name that does nothing: the cost of the SDK alone.
"""

from __future__ import annotations

import asyncio
import os
import sys
from datetime import UTC, datetime
from typing import Any

import uvicorn
import uvloop
from mcp.server import MCPServer

from butler_kit.config import parse_config
from butler_kit.service.server import bind
from butler_kit.telemetry import configure_logging
from butler_kit.time import SystemClock
from butler_switchboard.app import service_of
from butler_switchboard.settings import SwitchboardConfig
from butler_switchboard.wiring import Switchboard

_TOML = '[butler]\nrole = "switchboard"\nport = 0\n'


async def serve_switchboard(env: dict[str, str], toml: str = _TOML) -> None:
    """Run a whole Switchboard with this configuration until a signal; print its port."""
    config = parse_config(toml, "butler.toml", SwitchboardConfig, env)
    service = service_of(Switchboard(config, env, clock=SystemClock()))
    serving = asyncio.create_task(service.serve(signals=True))
    await service.started.wait()
    print(service.port, flush=True)
    await serving


async def _serve_stock(env: dict[str, str]) -> None:
    listening = bind("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(_stock().sse_app(), log_config=None, access_log=False))
    print(listening.getsockname()[1], flush=True)
    await server.serve([listening])


def _stock() -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("stock", log_level="ERROR")

    @server.tool(name="connector.heartbeat")
    async def heartbeat(heartbeat: dict[str, Any]) -> dict[str, Any]:
        """Take a beat and forget it."""
        return {"status": "accepted", "server_time": datetime.now(UTC).isoformat()}

    return server


if __name__ == "__main__":
    configure_logging("switchboard", "info", "json", sys.stderr)
    uvloop.run({"ours": serve_switchboard, "stock": _serve_stock}[sys.argv[1]](dict(os.environ)))
