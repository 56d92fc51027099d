"""The tool `messenger_slo_status`, for operator and Switchboard (MSG-15)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from butler_contracts.base import StrictModel
from butler_contracts.notify import DeliveryChannel
from butler_kit.auth import Caller, Role
from butler_kit.mcp.server import ToolServer
from butler_messenger.service_levels.desk import ServiceLevelDesk

__all__ = ["SloQuestion", "register_slo_tools"]

_ROLES: Final = (Role.OPERATOR, Role.SWITCHBOARD)


class SloQuestion(StrictModel):
    """One channel, or all."""

    channel: DeliveryChannel | None = None


def register_slo_tools(server: ToolServer, desk: Callable[[], ServiceLevelDesk]) -> None:
    """Register it; `desk` is asked for at each call."""

    @server.tool("messenger_slo_status", SloQuestion, roles=_ROLES)
    async def status(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Each channel's objectives: events, bad ones, how fast error budgets burn, whether the channel is tight."""
        return await desk().status(args.get("channel"))
