"""A server for the benchmark in its own process: `python -m bench.ingest.served ours|stock`, port on the first line.

`ours` is Switchboard's own server, without the workers that route accepted messages. `stock` is the same intake
behind the MCP SDK's own server.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

import uvicorn
import uvloop
from mcp.server import MCPServer

from bench.ingest.messages import CONNECTOR
from butler_kit.config import parse_config
from butler_kit.service import Supervised
from butler_kit.service.server import bind
from butler_kit.telemetry import configure_logging
from butler_kit.time import SystemClock
from butler_switchboard.app import service_of, tool_server
from butler_switchboard.ingress.intake import Intake
from butler_switchboard.settings import SwitchboardConfig
from butler_switchboard.wiring import Switchboard

__all__ = ["AdmissionOnly", "admitting"]

_ROOM = "".join(
    f"[buffer.tiers.{tier}]\nmax_backlog = 1000000\n" for tier in ("default", "interactive", "high_priority")
)
"""Nothing processes accepted messages here, so new ones would soon be refused."""
_TOML = f'[butler]\nrole = "switchboard"\nport = 0\n{_ROOM}'
_NEEDED = frozenset({"admission", "registry"})


class AdmissionOnly(Switchboard):
    """A Switchboard that accepts messages and leaves them in the queue."""

    def background(self) -> tuple[Supervised, ...]:
        return tuple(task for task in super().background() if task.name in _NEEDED)


def admitting(env: dict[str, str]) -> AdmissionOnly:
    """Return one with the default configuration, except for the backlog limit."""
    return AdmissionOnly(parse_config(_TOML, "butler.toml", SwitchboardConfig, env), env, clock=SystemClock())


async def _serve_ours(env: dict[str, str]) -> None:
    service = service_of(admitting(env))
    serving = asyncio.create_task(service.serve(signals=True))
    await service.started.wait()
    print(service.port, flush=True)
    await serving


async def _serve_stock(env: dict[str, str]) -> None:
    switchboard = admitting(env)
    async with switchboard.running(tool_server(switchboard)):
        lane = asyncio.create_task(switchboard.admit(asyncio.Event()))
        listening = bind("127.0.0.1", 0)
        server = uvicorn.Server(
            uvicorn.Config(_stock(switchboard.parts.intake).sse_app(), log_config=None, access_log=False)
        )
        print(listening.getsockname()[1], flush=True)
        await server.serve([listening])
        lane.cancel()


def _stock(intake: Intake) -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("stock", log_level="ERROR")

    @server.tool(name="ingestion.ingest")
    async def ingest(envelope: dict[str, Any]) -> dict[str, Any]:
        """Accept one event."""
        return (await intake.ingest(CONNECTOR, envelope)).to_wire()

    @server.tool(name="ingestion.ingest_batch")
    async def ingest_batch(envelopes: list[dict[str, Any]]) -> dict[str, Any]:
        """Accept many events."""
        answers = await asyncio.gather(*(intake.ingest(CONNECTOR, envelope) for envelope in envelopes))
        return {"results": [answer.to_wire() for answer in answers]}

    return server


if __name__ == "__main__":
    configure_logging("switchboard", "info", "json", sys.stderr)
    uvloop.run({"ours": _serve_ours, "stock": _serve_stock}[sys.argv[1]](dict(os.environ)))
