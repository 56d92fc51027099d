"""`/ops/v1/suppressions`: who is not written to unasked; an operator adds and ends (D4)."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from butler_kit.operations import ActBody
from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import AS_BODY, AS_QUERY, Key, Operator, Reader, handed
from butler_kit.ops.orders import Orders
from butler_messenger.admission.identity import deliverable_identity
from butler_messenger.suppressions.desk import SuppressionDesk
from butler_messenger.suppressions.questions import SuppressBody, SuppressionsQuestion

__all__ = ["acting_on_suppressions", "reading_suppressions"]

Desk = Annotated[SuppressionDesk, handed(SuppressionDesk)]
Making = Annotated[Orders, handed(Orders)]
reading_suppressions = ops_router()
"""The list."""


@reading_suppressions.get("/suppressions")
async def page(desk: Desk, _: Reader, asked: Annotated[SuppressionsQuestion, *AS_QUERY]) -> dict[str, Any]:
    """Who is not written to unasked, newest first."""
    return await desk.page(asked)


acting_on_suppressions = ops_router(acting=True)
"""A new one, and the end of one."""


@acting_on_suppressions.post("/channels/{channel}/suppress")
async def suppress(
    desk: Desk,
    orders: Making,
    caller: Operator,
    channel: Literal["telegram", "email"],
    body: Annotated[SuppressBody, AS_BODY],
    key: Key = None,
) -> dict[str, Any]:
    """Send nothing to a recipient of this channel unasked."""
    target = deliverable_identity(channel, body.recipient)
    order = orders.of(caller, key, body, action="recipient.suppress", target=f"recipient/{channel}/{target}")
    return await desk.suppress(channel, target, order)


@acting_on_suppressions.post("/suppressions/{suppression_id}/end")
async def end(
    desk: Desk,
    orders: Making,
    caller: Operator,
    suppression_id: UUID,
    body: Annotated[ActBody, AS_BODY],
    key: Key = None,
) -> dict[str, Any]:
    """Send there again."""
    order = orders.of(caller, key, body, action="suppression.end", target=f"suppression/{suppression_id}")
    return await desk.end(suppression_id, order)
