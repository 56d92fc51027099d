"""`/ops/v1/learned` and `/ops/v1/routing/learned`: rules that members agreed to, ended, and the dry run (D71)."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from butler_kit.operations import ActBody
from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import AS_BODY, AS_QUERY, Key, Operator, Reader, handed
from butler_kit.ops.orders import Orders
from butler_switchboard.learning.desk import LearningDesk
from butler_switchboard.learning.models import (
    EndedRuleView,
    LearnedQuestion,
    LearnedView,
    TriedQuestion,
    TriedView,
)
from butler_switchboard.learning.settling import Settlers

__all__ = ["ending_rules", "reading_learned"]

reading_learned = ops_router()


@reading_learned.get("/learned")
async def learned(
    desk: Annotated[LearningDesk, handed(LearningDesk)],
    _: Reader,
    asked: Annotated[LearnedQuestion, *AS_QUERY],
) -> LearnedView:
    """Rules that members agreed to, newest first, and whether the household's examples decide."""
    return await desk.listed(every=asked.state == "all", limit=asked.limit)


@reading_learned.get("/routing/learned")
async def tried(
    desk: Annotated[LearningDesk, handed(LearningDesk)],
    _: Reader,
    asked: Annotated[TriedQuestion, *AS_QUERY],
) -> TriedView:
    """Which of the last days' messages would go elsewhere by what was learned; nothing is sent."""
    return await desk.tried(asked.days)


ending_rules = ops_router(acting=True)


@ending_rules.post("/learned/{rule_id}/end")
async def end(
    settlers: Annotated[Settlers, handed(Settlers)],
    orders: Annotated[Orders, handed(Orders)],
    caller: Operator,
    rule_id: UUID,
    body: Annotated[ActBody, AS_BODY],
    key: Key = None,
) -> EndedRuleView:
    """End a rule; messages like its texts are decided anew each time."""
    order = orders.of(caller, key, body, action="learned.end", target=f"learned-rule/{rule_id}")
    return await settlers.end(rule_id, order)
