"""The tools that ask and change nothing, for operator and Switchboard (MSG-5.1.3, MSG-5.1.4, MSR-10)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from butler_kit.auth import Caller, Role
from butler_kit.mcp.server import ToolServer
from butler_messenger.health.preflight import Preflight
from butler_messenger.health.questions import LimitsQuestion, NotifyQuestion, QueueQuestion, StatsQuestion
from butler_messenger.health.reader import HealthReader

__all__ = ["register_health_tools"]

_ROLES: Final = (Role.OPERATOR, Role.SWITCHBOARD)


def register_health_tools(
    server: ToolServer, preflight: Callable[[], Preflight], reader: Callable[[], HealthReader]
) -> None:
    """Register the five tools; `preflight` and `reader` are asked for at each call."""

    @server.tool("messenger_validate_notify", NotifyQuestion, roles=_ROLES)
    async def validate(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Whether a notify.v1 would pass every check, or the error that it would get; nothing is sent or kept."""
        return await preflight().validate(caller, NotifyQuestion(**args))

    @server.tool("messenger_dry_run", NotifyQuestion, roles=_ROLES)
    async def dry_run(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Where a notify.v1 would go, by which tool, and whether it would be admitted now; nothing is sent or kept."""
        return await preflight().dry_run(caller, NotifyQuestion(**args))

    @server.tool("messenger_rate_limit_status", LimitsQuestion, roles=_ROLES)
    async def limits(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Every budget of the minute: used, left, when there is room again; and the pauses of providers."""
        return await reader().limits(LimitsQuestion(**args))

    @server.tool("messenger_queue_depth", QueueQuestion, roles=_ROLES)
    async def queue(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """How many deliveries are under way, by state, lane, channel and origin; since when the oldest waits."""
        return await reader().queue(QueueQuestion(**args))

    @server.tool("messenger_delivery_stats", StatsQuestion, roles=_ROLES)
    async def stats(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Counts, success, retries and times of a window's deliveries, by channel, intent, origin, outcome or error."""
        return await reader().stats(StatsQuestion(**args))
