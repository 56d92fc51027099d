"""`/ops/v1/approvals`: what waits, read by operator and dashboard, and an operator's verdict (MSR-03, D4)."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from butler_kit.operations import ActBody
from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import AS_BODY, AS_QUERY, Key, Operator, Reader, handed
from butler_kit.ops.orders import Orders
from butler_messenger.approvals.desk import ApprovalDesk, Choice
from butler_messenger.approvals.questions import ApprovalsQuestion

__all__ = ["acting_on_approvals", "reading_approvals"]

Desk = Annotated[ApprovalDesk, handed(ApprovalDesk)]
Making = Annotated[Orders, handed(Orders)]
reading_approvals = ops_router()
"""The list and one of them."""


@reading_approvals.get("/approvals")
async def page(desk: Desk, _: Reader, asked: Annotated[ApprovalsQuestion, *AS_QUERY]) -> dict[str, Any]:
    """What waits for an approval, newest first."""
    return await desk.page(asked)


@reading_approvals.get("/approvals/{approval_id}")
async def one(desk: Desk, _: Reader, approval_id: UUID) -> dict[str, Any]:
    """One with the whole text."""
    return await desk.inspect(approval_id)


acting_on_approvals = ops_router(acting=True)
"""The verdict."""


@acting_on_approvals.post("/approvals/{approval_id}/{choice}")
async def decide(
    desk: Desk,
    orders: Making,
    caller: Operator,
    approval_id: UUID,
    choice: Choice,
    body: Annotated[ActBody, AS_BODY],
    key: Key = None,
) -> dict[str, Any]:
    """Approve or deny it, once."""
    order = orders.of(caller, key, body, action=f"approval.{choice}", target=f"approval/{approval_id}")
    return await desk.decide(approval_id, choice, order)
