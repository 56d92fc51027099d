"""A specialist as a process: its tools, its pages, its background tasks (CON-4.4, MSG-13.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from starlette.types import ASGIApp

from butler_kit.auth import Caller, Role
from butler_kit.config.modules import MemoryConfig
from butler_kit.mcp.authenticated import authenticated_server
from butler_kit.mcp.server import ToolServer
from butler_kit.ops.routes import ops_routes
from butler_kit.runtime.sessions import KeptSessions
from butler_kit.service import ServiceApp
from butler_kit.service.checks import in_turn
from butler_kit.time import Clock, SystemClock
from butler_specialist.accept.cancelling import register_cancel_tool
from butler_specialist.accept.day import Day, register_day_tool
from butler_specialist.accept.orders import register_record_tools
from butler_specialist.duties import Duties
from butler_specialist.memory.store import MemoryStore
from butler_specialist.memory.tools import (
    MemoryDesk,
    register_memory_jobs,
    register_memory_sharing,
    register_memory_tools,
)
from butler_specialist.memory.upkeep import MemoryUpkeep
from butler_specialist.ops.reader import HoldingsReader
from butler_specialist.ops.schedules import SchedulesReader
from butler_specialist.settings import SpecialistConfig
from butler_specialist.store.record_orders import RecordOrders
from butler_specialist.store.records import RecordStore
from butler_specialist.wiring import Specialist

__all__ = ["build_service"]

_ROUTE_EXECUTE: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["envelope"],
    "properties": {"envelope": {"type": "object", "description": "route.v1"}},
    "additionalProperties": False,
}
_ROUTE_DEADLINE_S: Final = 10.0


def build_service(
    config: SpecialistConfig, env: Mapping[str, str], *, clock: Clock | None = None
) -> ServiceApp:
    """Return the process, ready to `serve`.

    Raises `ConfigError`, `KeyFileError` or `RuntimeUnavailable` for what a person has to correct.
    """
    clock = clock or SystemClock()
    specialist = Specialist(config, env, clock=clock)
    server = authenticated_server(
        config.butler.name, specialist.environment, metrics=specialist.metrics, clock=clock
    )

    _register_route_tools(server, specialist)
    if config.modules.memory is not None:
        _register_memory_tools(server, specialist, config.modules.memory, clock)
    duties = Duties(specialist)
    return ServiceApp(
        name=config.butler.name,
        host=specialist.environment.host,
        port=config.butler.port,
        metrics=specialist.metrics,
        routes=[*server.routes(), *ops_routes(server, _ops_app, lambda: _handed(specialist))],
        ready_checks=in_turn({"database": duties.check_database, "queue": duties.check_queue}),
        resources=[specialist.running(), server.lifespan()],
        background=duties.background(server.tool_names),
        on_drain=[server.start_closing],
        clock=clock,
    )


def _register_route_tools(server: ToolServer, specialist: Specialist) -> None:
    """Register the tools that Switchboard calls about messages and records."""

    # Every role sees it: trusted_route_callers decides who may route, and its refusal names the caller
    # (MSG-13.1).
    @server.tool("route.execute", _ROUTE_EXECUTE, roles=tuple(Role), deadline_s=_ROUTE_DEADLINE_S)
    async def route_execute(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Take one piece of routed work; the answer comes later."""
        return await specialist.parts.acceptance.route_execute(caller, args["envelope"])

    trusted = specialist.config.butler.security.trusted_route_callers
    register_record_tools(server, lambda: RecordOrders(specialist.parts.pool), trusted=trusted)
    register_cancel_tool(server, lambda: specialist.parts.cancelling, trusted=trusted)
    register_day_tool(server, lambda: _day(specialist), trusted=trusted)


def _day(specialist: Specialist) -> Day:
    parts = specialist.parts
    return Day(
        specialist.profile,
        RecordStore(parts.pool),
        parts.reminders,
        parts.people.zone_of,
        specialist.policy,
    )


def _register_memory_tools(
    server: ToolServer, specialist: Specialist, memory: MemoryConfig, clock: Clock
) -> None:
    """Register the extra tools of a specialist with memory, and its two jobs (SWB-25.1)."""
    trusted = specialist.config.butler.security.trusted_route_callers

    def desk() -> MemoryDesk:
        parts = specialist.parts
        store, zone_of = MemoryStore(parts.pool), parts.people.zone_of
        return MemoryDesk(store, clock, zone_of, memory.half_life_days, memory.shared_with)

    def upkeep() -> MemoryUpkeep:
        return MemoryUpkeep(
            specialist.parts.pool,
            clock,
            specialist.parts.people.zone_of,
            half_life_days=memory.half_life_days,
            episode_days=memory.episode_days,
        )

    register_memory_tools(server, desk, trusted=trusted)
    register_memory_jobs(server, upkeep, trusted=trusted)
    if memory.shared_with:
        register_memory_sharing(server, desk, trusted=trusted)


def _handed(specialist: Specialist) -> Mapping[type[Any], Any]:
    """Return the dependencies of the ops API."""
    pool = specialist.parts.pool
    return {
        HoldingsReader: HoldingsReader(pool, specialist.policy),
        KeptSessions: KeptSessions(pool),
        SchedulesReader: SchedulesReader(pool, specialist.config.schedules),
    }


def _ops_app() -> ASGIApp:
    from butler_specialist.ops.routes import app

    return app
