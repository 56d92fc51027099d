"""`/ops/v1/memory`: how much butlers know of people, and having a person forgotten (ADR 0116)."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from butler_kit.operations import ActBody
from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import AS_BODY, AS_QUERY, Key, Operator, Reader, handed
from butler_kit.ops.orders import Orders
from butler_switchboard.operations.memories import MemoriesDesk
from butler_switchboard.operations.memory_models import ForgottenView, KnownView, MemoryQuestion

__all__ = ["forgetting", "reading_memory"]

Desk = Annotated[MemoriesDesk, handed(MemoriesDesk)]

reading_memory = ops_router()


@reading_memory.get("/memory")
async def listed(desk: Desk, _: Reader, asked: Annotated[MemoryQuestion, *AS_QUERY]) -> KnownView:
    """How much each butler knows of whom; not what."""
    return await desk.listed(asked.person)


forgetting = ops_router(acting=True)


@forgetting.post("/memory/{person}/forget")
async def forget(
    desk: Desk,
    orders: Annotated[Orders, handed(Orders)],
    caller: Operator,
    person: UUID,
    body: Annotated[ActBody, AS_BODY],
    key: Key = None,
) -> ForgottenView:
    """Have everything erased that butlers know of a person, also of one who is no contact any more."""
    order = orders.of(caller, key, body, action="memory.forget", target=f"person/{person}")
    return await desk.forget(person, order)
