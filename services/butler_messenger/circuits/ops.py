"""`/ops/v1/circuits`: how the circuits stand, read by operator and dashboard, and an operator's reset (MSR-06, D4)."""

from __future__ import annotations

from typing import Annotated, Any

from butler_contracts.notify import DeliveryChannel
from butler_kit.operations import ActBody
from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import AS_BODY, Key, Operator, Reader, handed
from butler_kit.ops.orders import Orders
from butler_messenger.circuits.desk import CircuitDesk

__all__ = ["acting_on_circuits", "reading_circuits"]

Desk = Annotated[CircuitDesk, handed(CircuitDesk)]
Making = Annotated[Orders, handed(Orders)]
reading_circuits = ops_router()
"""How they stand."""


@reading_circuits.get("/circuits")
async def circuits(desk: Desk, _: Reader) -> dict[str, Any]:
    """The circuit of each channel's account."""
    return await desk.status()


acting_on_circuits = ops_router(acting=True)
"""The reset."""


@acting_on_circuits.post("/circuits/{channel}/reset")
async def reset(
    desk: Desk,
    orders: Making,
    caller: Operator,
    channel: DeliveryChannel,
    body: Annotated[ActBody, AS_BODY],
    key: Key = None,
) -> dict[str, Any]:
    """Close it now: the provider is asked again, and new messages are taken."""
    order = orders.of(caller, key, body, action="circuit.reset", target=f"circuit/{channel}")
    return await desk.reset(channel, order)
