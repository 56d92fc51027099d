"""The tool `messenger_circuit_status`, for operator and Switchboard (MSG-5.1.4, MSR-06.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from butler_contracts.base import StrictModel
from butler_contracts.notify import DeliveryChannel
from butler_kit.auth import Caller, Role
from butler_kit.mcp.server import ToolServer
from butler_messenger.circuits.desk import CircuitDesk

__all__ = ["CircuitQuestion", "register_circuit_tools"]

_ROLES: Final = (Role.OPERATOR, Role.SWITCHBOARD)


class CircuitQuestion(StrictModel):
    """One channel, or all."""

    channel: DeliveryChannel | None = None


def register_circuit_tools(server: ToolServer, desk: Callable[[], CircuitDesk]) -> None:
    """Register it; `desk` is asked for at each call."""

    @server.tool("messenger_circuit_status", CircuitQuestion, roles=_ROLES)
    async def status(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Each channel's circuit: state, consecutive failures, why it opened, and when and how it recovers."""
        return await desk().status(args.get("channel"))
