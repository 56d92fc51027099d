"""The tool by which Switchboard has withdrawn what a cancelled request wanted to tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from butler_contracts.base import StrictModel
from butler_kit.auth import Caller, Role
from butler_kit.mcp.server import ToolServer
from butler_messenger.withdrawals.desk import Withdrawals

__all__ = ["register_withdrawal_tool"]


class WhichRequest(StrictModel):
    """Names a request."""

    request_id: UUID


def register_withdrawal_tool(server: ToolServer, withdrawals: Callable[[], Withdrawals]) -> None:
    """Register it; `withdrawals` is asked for at each call."""

    @server.tool("messenger_request_withdraw", WhichRequest, roles=(Role.SWITCHBOARD,))
    async def withdraw(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """End the deliveries of a request that no provider has seen."""
        ended = await withdrawals().withdraw(WhichRequest(**args).request_id)
        return {"withdrawn": [str(delivery_id) for delivery_id in ended]}
