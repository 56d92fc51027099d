"""The tools `messenger_approval_*`, for operator and Switchboard (MSR-03, MSG-5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from butler_kit.auth import Caller, Role
from butler_kit.mcp.server import ToolServer
from butler_kit.operations import key_of, order_by
from butler_messenger.approvals.desk import ApprovalDesk
from butler_messenger.approvals.questions import ApprovalQuestion, ApprovalsQuestion, DecideCall

__all__ = ["register_approval_tools"]

_ROLES: Final = (Role.OPERATOR, Role.SWITCHBOARD)


def register_approval_tools(
    server: ToolServer, desk: Callable[[], ApprovalDesk], *, new_id: Callable[[], UUID]
) -> None:
    """Register the three tools; `desk` is asked for at each call."""

    @server.tool("messenger_approval_list", ApprovalsQuestion, roles=_ROLES)
    async def page(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Messages that wait for an approval, or were decided on: newest first, in pages, each with a preview."""
        return await desk().page(ApprovalsQuestion(**args))

    @server.tool("messenger_approval_inspect", ApprovalQuestion, roles=_ROLES)
    async def inspect(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """One of them with the whole text that would be sent."""
        return await desk().inspect(args["approval_id"])

    @server.tool("messenger_approval_decide", DecideCall, roles=_ROLES)
    async def decide(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Approve or deny one, once, with who and why: it is sent, or it ends unsent."""
        asked = DecideCall(**args)
        order = order_by(
            caller,
            uid=key_of(asked.idempotency_key, otherwise=new_id()),
            action=f"approval.{asked.decision}",
            target=f"approval/{asked.approval_id}",
            body=asked,
        )
        return await desk().decide(asked.approval_id, asked.decision, order)
