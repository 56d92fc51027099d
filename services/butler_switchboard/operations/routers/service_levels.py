"""`/ops/v1/slo`: the service levels, read by operator and dashboard, and an operator's letting go (SWB-41.1, D4)."""

from __future__ import annotations

from typing import Annotated, Any

from butler_kit.operations import ActBody
from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import AS_BODY, Key, Operator, Reader, handed
from butler_kit.ops.orders import Orders
from butler_switchboard.service_levels.desk import ServiceLevelDesk
from butler_switchboard.service_levels.objectives import NAME

__all__ = ["acting_on_slo", "reading_slo"]

Desk = Annotated[ServiceLevelDesk, handed(ServiceLevelDesk)]
Making = Annotated[Orders, handed(Orders)]
reading_slo = ops_router()
"""How they stand."""


@reading_slo.get("/slo")
async def slo(desk: Desk, _: Reader) -> dict[str, Any]:
    """The service level of the message plane."""
    return await desk.status()


acting_on_slo = ops_router(acting=True)
"""The letting go."""


@acting_on_slo.post(f"/slo/{NAME}/reset")
async def reset(
    desk: Desk, orders: Making, caller: Operator, body: Annotated[ActBody, AS_BODY], key: Key = None
) -> dict[str, Any]:
    """Let a tight level go now; what was until now counts no more."""
    return await desk.reset(orders.of(caller, key, body, action="slo.reset", target=f"slo/{NAME}"))
