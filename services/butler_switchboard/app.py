"""Switchboard as a process: its tools, its pages, its background tasks (SWB-24, MSG-13.1)."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.routing import Mount

from butler_kit.mcp.authenticated import authenticated_server
from butler_kit.mcp.server import ToolServer
from butler_kit.service import ServiceApp
from butler_kit.service.checks import in_turn
from butler_kit.time import Clock, SystemClock
from butler_switchboard.settings import SwitchboardConfig
from butler_switchboard.wiring import Switchboard

__all__ = ["build_service", "service_of", "tool_server"]


def build_service(
    config: SwitchboardConfig, env: Mapping[str, str], *, clock: Clock | None = None
) -> ServiceApp:
    """Return the process to `serve`. Raises `ConfigError` or `KeyFileError` for errors a person must fix."""
    return service_of(Switchboard(config, env, clock=clock or SystemClock()))


def service_of(switchboard: Switchboard) -> ServiceApp:
    """Build the shell around one Switchboard: its port, its tools, its pages, its background tasks."""
    config, clock = switchboard.config, switchboard.clock
    server = tool_server(switchboard)
    return ServiceApp(
        name=config.butler.name,
        host=switchboard.environment.host,
        port=config.butler.port,
        metrics=switchboard.metrics,
        routes=[*server.routes(), Mount("/", app=switchboard.ops)],
        ready_checks=in_turn(
            {"database": switchboard.check_database, "contacts": switchboard.check_contacts}
        ),
        resources=[switchboard.running(server), server.lifespan()],
        background=switchboard.background(),
        on_drain=[server.start_closing],
        clock=clock,
    )


def tool_server(switchboard: Switchboard) -> ToolServer:
    """Build the MCP server on which `Switchboard.running` offers its tools."""
    return authenticated_server(
        switchboard.config.butler.name,
        switchboard.environment,
        metrics=switchboard.metrics,
        clock=switchboard.clock,
        subjects=switchboard.subjects,
    )
