"""The tools by which Switchboard has withdrawn what a cancelled request wanted to tell, or a question of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from butler_contracts.base import StrictModel
from butler_contracts.request_approvals import WITHDRAW_TOOL
from butler_contracts.text import STORABLE
from butler_kit.auth import Caller, Role
from butler_kit.mcp.server import ToolServer
from butler_messenger.withdrawals.desk import Withdrawals

__all__ = ["register_withdrawal_tools"]


class WhichRequest(StrictModel):
    """Names a request."""

    request_id: UUID


class WhichQuestion(StrictModel):
    """Names an approval, and says why nobody needs to decide on it."""

    approval_id: UUID
    reason: Annotated[str, Field(min_length=1, max_length=200), STORABLE]


def register_withdrawal_tools(server: ToolServer, withdrawals: Callable[[], Withdrawals]) -> None:
    """Register them; `withdrawals` is asked for at each call."""

    @server.tool("messenger_request_withdraw", WhichRequest, roles=(Role.SWITCHBOARD,))
    async def withdraw(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """End the deliveries of a request that no provider has seen."""
        ended = await withdrawals().withdraw(WhichRequest(**args).request_id)
        return {"withdrawn": [str(delivery_id) for delivery_id in ended]}

    @server.tool(WITHDRAW_TOOL, WhichQuestion, roles=(Role.SWITCHBOARD,))
    async def withdraw_question(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Let nobody decide on a request of a member any more that Switchboard holds no longer."""
        asked = WhichQuestion(**args)
        return {"withdrawn": await withdrawals().withdraw_question(asked.approval_id, asked.reason)}
