"""`/ops/v1/dead-letters`: what failed beyond retry, and what an operator does with it (SWB-32, D4)."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from butler_kit.operations import ActBody
from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import AS_BODY, AS_QUERY, Key, Operator, Reader, handed
from butler_kit.ops.orders import Orders
from butler_switchboard.operations.dead_letter_models import (
    DeadLetterList,
    DeadLetterQuestion,
    DeadLetterView,
    DiscardView,
    ReplayView,
)
from butler_switchboard.operations.dead_letters import DeadLetters

__all__ = ["acting_on_dead_letters", "reading_dead_letters"]

Letters = Annotated[DeadLetters, handed(DeadLetters)]
Making = Annotated[Orders, handed(Orders)]


reading_dead_letters = ops_router()
"""The list, and one dead letter."""


@reading_dead_letters.get("/dead-letters")
async def listed(
    letters: Letters, _: Reader, asked: Annotated[DeadLetterQuestion, *AS_QUERY]
) -> DeadLetterList:
    """What failed beyond retry, newest first."""
    return await letters.page(asked)


@reading_dead_letters.get("/dead-letters/{dead_letter_id}")
async def one(letters: Letters, _: Reader, dead_letter_id: UUID) -> DeadLetterView:
    """A dead letter with its copy of everything."""
    return await letters.inspect(dead_letter_id)


acting_on_dead_letters = ops_router(acting=True)
"""Replay and discard, each once."""


@acting_on_dead_letters.post("/dead-letters/{dead_letter_id}/replay")
async def replay(
    letters: Letters,
    orders: Making,
    caller: Operator,
    dead_letter_id: UUID,
    body: Annotated[ActBody, AS_BODY],
    key: Key = None,
) -> ReplayView:
    """Send its failed parts again, once."""
    order = orders.of(caller, key, body, action="dead_letter.replay", target=f"dead_letter/{dead_letter_id}")
    return await letters.replay(dead_letter_id, order)


@acting_on_dead_letters.post("/dead-letters/{dead_letter_id}/discard")
async def discard(
    letters: Letters,
    orders: Making,
    caller: Operator,
    dead_letter_id: UUID,
    body: Annotated[ActBody, AS_BODY],
    key: Key = None,
) -> DiscardView:
    """Keep it, and never replay it."""
    order = orders.of(caller, key, body, action="dead_letter.discard", target=f"dead_letter/{dead_letter_id}")
    return await letters.discard(dead_letter_id, order)
