"""The ops API's paths for dead letters: read by operator and dashboard, acted on by an operator (MSR-08, D4)."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from butler_kit.operations import ActBody
from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import AS_BODY, AS_QUERY, Key, Operator, Reader, handed
from butler_kit.ops.orders import Orders
from butler_messenger.deadletters.letters import DeadLetters
from butler_messenger.deadletters.questions import ListQuestion, ReplayBody
from butler_messenger.deadletters.reader import DeadLetterReader

__all__ = ["acting_on_dead_letters", "acting_on_deliveries", "reading_dead_letters"]


Reading = Annotated[DeadLetterReader, handed(DeadLetterReader)]
Letters = Annotated[DeadLetters, handed(DeadLetters)]
Making = Annotated[Orders, handed(Orders)]
reading_dead_letters = ops_router()
"""The list and one of them."""


@reading_dead_letters.get("/dead-letters")
async def page(reader: Reading, _: Reader, asked: Annotated[ListQuestion, *AS_QUERY]) -> dict[str, Any]:
    """Dead letters, newest first."""
    return await reader.page(asked)


@reading_dead_letters.get("/dead-letters/{dead_letter_id}")
async def one(reader: Reading, _: Reader, dead_letter_id: UUID) -> dict[str, Any]:
    """One dead letter with everything."""
    return await reader.inspect(dead_letter_id)


acting_on_dead_letters = ops_router(acting=True)
"""Replay and discard by the letter's own id."""


@acting_on_dead_letters.post("/dead-letters/{dead_letter_id}/replay")
async def replay(
    letters: Letters,
    orders: Making,
    caller: Operator,
    dead_letter_id: UUID,
    body: Annotated[ReplayBody, AS_BODY],
    key: Key = None,
) -> dict[str, Any]:
    """Send it again, once, as a new delivery."""
    order = orders.of(
        caller,
        key,
        body,
        action="dead_letter.replay",
        target=f"dead_letter/{dead_letter_id}",
        **body.params(),
    )
    return await letters.replay(dead_letter_id, order)


@acting_on_dead_letters.post("/dead-letters/{dead_letter_id}/discard")
async def discard(
    letters: Letters,
    orders: Making,
    caller: Operator,
    dead_letter_id: UUID,
    body: Annotated[ActBody, AS_BODY],
    key: Key = None,
) -> dict[str, Any]:
    """Keep it, and never replay it."""
    order = orders.of(caller, key, body, action="dead_letter.discard", target=f"dead_letter/{dead_letter_id}")
    return await letters.discard(dead_letter_id, order)


acting_on_deliveries = ops_router(acting=True)
"""Replay and discard by the id of the delivery that failed or is uncertain."""


@acting_on_deliveries.post("/deliveries/{delivery_id}/replay", name="replay")
async def replay_delivery(
    letters: Letters,
    orders: Making,
    caller: Operator,
    delivery_id: UUID,
    body: Annotated[ReplayBody, AS_BODY],
    key: Key = None,
) -> dict[str, Any]:
    """Send what failed or is uncertain again."""
    order = orders.of(
        caller, key, body, action="delivery.replay", target=f"delivery/{delivery_id}", **body.params()
    )
    return await letters.replay_delivery(delivery_id, order)


@acting_on_deliveries.post("/deliveries/{delivery_id}/discard", name="discard")
async def discard_delivery(
    letters: Letters,
    orders: Making,
    caller: Operator,
    delivery_id: UUID,
    body: Annotated[ActBody, AS_BODY],
    key: Key = None,
) -> dict[str, Any]:
    """Never send what failed or is uncertain."""
    order = orders.of(caller, key, body, action="delivery.discard", target=f"delivery/{delivery_id}")
    return await letters.discard_delivery(delivery_id, order)
