"""`/ops/v1/approvals`: what waits, read by operator and dashboard, and an operator's verdict (MSR-03, D4)."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from butler_kit.operations import ActBody
from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import AS_BODY, AS_QUERY, Key, Operator, Reader, handed
from butler_kit.ops.orders import Orders
from butler_messenger.approvals.desk import ApprovalDesk, Choice
from butler_messenger.approvals.questions import (
    ApprovalsQuestion,
    RulesQuestion,
    VerdictBody,
    params_of,
)
from butler_messenger.approvals.rules import StandingRules

__all__ = ["acting_on_approvals", "reading_approvals"]

Desk = Annotated[ApprovalDesk, handed(ApprovalDesk)]
Rules = Annotated[StandingRules, handed(StandingRules)]
Making = Annotated[Orders, handed(Orders)]
reading_approvals = ops_router()
"""The list and one of them, and what needs none."""


@reading_approvals.get("/approvals")
async def page(desk: Desk, _: Reader, asked: Annotated[ApprovalsQuestion, *AS_QUERY]) -> dict[str, Any]:
    """What waits for an approval, newest first."""
    return await desk.page(asked)


@reading_approvals.get("/approvals/{approval_id}")
async def one(desk: Desk, _: Reader, approval_id: UUID) -> dict[str, Any]:
    """One with the whole text."""
    return await desk.inspect(approval_id)


@reading_approvals.get("/approval-rules")
async def rules_page(rules: Rules, _: Reader, asked: Annotated[RulesQuestion, *AS_QUERY]) -> dict[str, Any]:
    """What needs no approval for a while, newest first."""
    return await rules.page(asked)


acting_on_approvals = ops_router(acting=True)
"""The verdict, and the end of a rule."""


@acting_on_approvals.post("/approval-rules/{rule_id}/end")
async def end_rule(
    rules: Rules,
    orders: Making,
    caller: Operator,
    rule_id: UUID,
    body: Annotated[ActBody, AS_BODY],
    key: Key = None,
) -> dict[str, Any]:
    """Ask again about what it allowed."""
    order = orders.of(caller, key, body, action="approval_rule.end", target=f"approval_rule/{rule_id}")
    return await rules.end(rule_id, order)


@acting_on_approvals.post("/approvals/{approval_id}/{choice}")
async def decide(
    desk: Desk,
    orders: Making,
    caller: Operator,
    approval_id: UUID,
    choice: Choice,
    body: Annotated[VerdictBody, AS_BODY],
    key: Key = None,
) -> dict[str, Any]:
    """Approve or deny it, once; an approval may go on for a while."""
    order = orders.of(
        caller,
        key,
        body,
        action=f"approval.{choice}",
        target=f"approval/{approval_id}",
        **params_of(body),
    )
    return await desk.decide(approval_id, choice, order, always_s=body.always_for_s)
