"""Wires the webhook connector's process: its own port for posts, beside the port of the health pages."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping
from typing import Final

from starlette.types import ASGIApp

from butler_connectors.base.backfill import NoHistory
from butler_connectors.base.process import assemble, backfill_of, service_of
from butler_connectors.webhook.api import WEBHOOK
from butler_connectors.webhook.intake import Intake
from butler_connectors.webhook.requests import RequestReader
from butler_connectors.webhook.settings import WebhookEnvironment
from butler_kit.config import read_environment
from butler_kit.ops.pages import WorkingOn
from butler_kit.service import ServiceApp
from butler_kit.service.server import EmbeddedServer, bind
from butler_kit.telemetry import get_logger

__all__ = ["build_service"]

NO_HISTORY: Final = NoHistory(
    "a webhook has no history: it holds nothing back; its callers submit what is older themselves"
)
_STOP_S: Final = 12
_log = get_logger(__name__)


def build_service(env: Mapping[str, str]) -> ServiceApp:
    """Return the process; raises `ConfigError`, `PortUnavailable`. The port for posts is bound at once."""
    settings = read_environment(WebhookEnvironment, env)
    parts = assemble(settings)
    requests = RequestReader(settings.switchboard_mcp_url, settings.token, parts.metrics)
    app = WorkingOn(WEBHOOK, Intake(parts, settings.submitters, requests))
    listening = bind(settings.host, settings.webhook_port)

    async def serve(stopping: asyncio.Event) -> None:
        async with requests:
            _log.info("posts are taken", port=listening.getsockname()[1])
            parts.status.positioned = True
            await _serve(app, listening, stopping)

    return service_of(parts, backfill=backfill_of(parts, NO_HISTORY), source=serve)


async def _serve(app: ASGIApp, listening: socket.socket, stopping: asyncio.Event) -> None:
    """Serve until asked to stop; requests under way still get their answer."""
    server = EmbeddedServer(app, stop_timeout_s=_STOP_S)
    serving = asyncio.create_task(server.serve([listening]))
    stop = asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({serving, stop}, return_when=asyncio.FIRST_COMPLETED)
        server.end()
        await serving
    finally:
        stop.cancel()
        serving.cancel()
