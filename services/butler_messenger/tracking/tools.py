"""The tracking tools `messenger_delivery_*`, for operator and Switchboard (MSG-5.1.1, MSR-09.1-09.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from butler_kit.auth import Caller, Role
from butler_kit.mcp.server import ToolServer
from butler_messenger.tracking.reader import DeliveryReader, SearchFilter
from butler_messenger.tracking.requests import DeliveryQuestion, SearchQuestion, TraceQuestion

__all__ = ["register_tracking_tools"]

_ROLES: Final = (Role.OPERATOR, Role.SWITCHBOARD)


def register_tracking_tools(server: ToolServer, reader: Callable[[], DeliveryReader]) -> None:
    """Register the four tools; `reader` is asked for at each call."""

    @server.tool("messenger_delivery_status", DeliveryQuestion, roles=_ROLES)
    async def status(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """How one delivery is doing: state, times, latest attempt, provider's id."""
        return await reader().status(args["delivery_id"])

    @server.tool("messenger_delivery_search", SearchQuestion, roles=_ROLES)
    async def search(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Deliveries by origin, channel, intent, status and time, newest first, in pages."""
        return await reader().search(SearchFilter(**args))

    @server.tool("messenger_delivery_attempts", DeliveryQuestion, roles=_ROLES)
    async def attempts(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Every provider attempt of one delivery, in order."""
        return await reader().attempts(args["delivery_id"])

    @server.tool("messenger_delivery_trace", TraceQuestion, roles=_ROLES)
    async def trace(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Every delivery of one request with its attempts and receipts."""
        return await reader().trace(args["request_id"])
