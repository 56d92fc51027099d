"""The ops API's paths for dead letters: read by operator and dashboard, acted on by an operator (MSR-08, D4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter

from butler_kit.operations import ActBody
from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import AS_BODY, AS_QUERY, Key, Operator, Reader
from butler_kit.ops.orders import Orders
from butler_messenger.deadletters.letters import DeadLetters
from butler_messenger.deadletters.questions import ListQuestion, ReplayBody
from butler_messenger.deadletters.reader import DeadLetterReader

__all__ = ["acting_on_dead_letters", "acting_on_deliveries", "reading_dead_letters"]


def reading_dead_letters(reader: Callable[[], DeadLetterReader]) -> APIRouter:
    """The list and one of them."""
    router = ops_router()

    @router.get("/dead-letters")
    async def page(_: Reader, asked: Annotated[ListQuestion, *AS_QUERY]) -> dict[str, Any]:
        """Dead letters, newest first."""
        return await reader().page(asked)

    @router.get("/dead-letters/{dead_letter_id}")
    async def one(_: Reader, dead_letter_id: UUID) -> dict[str, Any]:
        """One dead letter with everything."""
        return await reader().inspect(dead_letter_id)

    return router


def acting_on_dead_letters(letters: Callable[[], DeadLetters], orders: Orders) -> APIRouter:
    """Replay and discard by the letter's own id."""
    router = ops_router(acting=True)

    @router.post("/dead-letters/{dead_letter_id}/replay")
    async def replay(
        caller: Operator, dead_letter_id: UUID, body: Annotated[ReplayBody, AS_BODY], key: Key = None
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
        return await letters().replay(dead_letter_id, order)

    @router.post("/dead-letters/{dead_letter_id}/discard")
    async def discard(
        caller: Operator, dead_letter_id: UUID, body: Annotated[ActBody, AS_BODY], key: Key = None
    ) -> dict[str, Any]:
        """Keep it, and never replay it."""
        order = orders.of(
            caller, key, body, action="dead_letter.discard", target=f"dead_letter/{dead_letter_id}"
        )
        return await letters().discard(dead_letter_id, order)

    return router


def acting_on_deliveries(letters: Callable[[], DeadLetters], orders: Orders) -> APIRouter:
    """Replay and discard by the id of the delivery that failed or is uncertain."""
    router = ops_router(acting=True)

    @router.post("/deliveries/{delivery_id}/replay")
    async def replay(
        caller: Operator, delivery_id: UUID, body: Annotated[ReplayBody, AS_BODY], key: Key = None
    ) -> dict[str, Any]:
        """Send what failed or is uncertain again."""
        order = orders.of(
            caller, key, body, action="delivery.replay", target=f"delivery/{delivery_id}", **body.params()
        )
        return await letters().replay_delivery(delivery_id, order)

    @router.post("/deliveries/{delivery_id}/discard")
    async def discard(
        caller: Operator, delivery_id: UUID, body: Annotated[ActBody, AS_BODY], key: Key = None
    ) -> dict[str, Any]:
        """Never send what failed or is uncertain."""
        order = orders.of(caller, key, body, action="delivery.discard", target=f"delivery/{delivery_id}")
        return await letters().discard_delivery(delivery_id, order)

    return router
