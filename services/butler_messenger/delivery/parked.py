"""Parked deliveries: released once their contact has an identifier, ended once their time is over (MSG-6.2, D18).

A delivery that needs approval (MSR-03) waits for that next, one in quiet hours for their end; neither is in a queue.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from uuid import UUID

from butler_contracts.errors import ErrorClass, ValidationFailed
from butler_contracts.stored import Unreadable
from butler_kit.db import Connection, NamedQueries, Pool, transaction
from butler_kit.queue import LeasedQueue
from butler_kit.telemetry import get_logger
from butler_messenger.admission.identity import deliverable_identity
from butler_messenger.admission.limits import source_of
from butler_messenger.admission.policy import RecipientPolicy
from butler_messenger.admission.resolve import thread_key
from butler_messenger.admission.store import lane_for
from butler_messenger.approvals.holding import Holding
from butler_messenger.delivery.records import Delivery, Row
from butler_messenger.delivery.states import Status
from butler_messenger.quiet.keeping import QuietTimes
from butler_messenger.suppressions.refusing import SuppressionList

__all__ = ["ParkedDeliveries"]

_log = get_logger(__name__)

_PARKED = NamedQueries("butler_messenger.sql", "parked.sql")
_EXPIRED: Final = _PARKED["expired"]
_RESOLVABLE: Final = _PARKED["resolvable"]
_RELEASE: Final = _PARKED["release"]
_CLOSE_ACTION: Final = _PARKED["close_action"]
_END_UNSENT: Final = NamedQueries("butler_messenger.sql", "delivery.sql")["end_unsent"]

_BATCH: Final = 100


class ParkedDeliveries:
    """Releases and ends parked deliveries; safe beside other replicas."""

    def __init__(
        self,
        pool: Pool,
        queue: LeasedQueue,
        *,
        recipients: RecipientPolicy,
        holding: Holding,
        quiet: QuietTimes,
        suppressions: SuppressionList,
        offer: Callable[[UUID, str, str], object],
        on_terminal: Callable[[Delivery], None],
    ) -> None:
        self._pool = pool
        self._queue = queue
        self._recipients = recipients
        self._holding = holding
        self._quiet = quiet
        self._suppressions = suppressions
        self._offer = offer
        self._on_terminal = on_terminal

    async def sweep(self) -> tuple[int, int]:
        """Return how many were released and how many ended."""
        return await self._release(), await self._expire()

    async def _release(self) -> int:
        released: list[tuple[UUID, str, str]] = []
        ended: list[Delivery] = []
        async with transaction(self._pool, doing="releasing parked deliveries") as connection:
            for row in await connection.fetch(_RESOLVABLE, _BATCH):
                try:
                    target = deliverable_identity(row["channel"], row["value"])
                    self._recipients.check(row["channel"], target)
                    refused = await self._suppressions.refusal_of(connection, row["channel"], target)
                    if refused is not None:
                        raise refused
                    if row["said"]:
                        raise ValidationFailed("it was said on another channel meanwhile")
                except ValidationFailed as error:
                    ended += await self._end(
                        connection, row["delivery_id"], ErrorClass.VALIDATION_ERROR, error.message
                    )
                    continue
                thread = thread_key(row["channel"], target)
                known = await connection.fetchrow(_RELEASE, row["delivery_id"], target, thread)
                await connection.execute(_CLOSE_ACTION, row["delivery_id"])
                if known is None or await self._held(connection, known):
                    continue
                lane, source = lane_for(row["intent"]), source_of(row["origin_butler"], row["channel"])
                await self._queue.enqueue(
                    connection,
                    item_id=row["delivery_id"],
                    lane=lane,
                    source=source,
                    thread_key=thread,
                )
                released.append((row["delivery_id"], lane, source))
        for item_id, lane, source in released:
            self._offer(item_id, lane, source)
        self._tell(ended)
        return len(released)

    async def _held(self, connection: Connection, known: Row) -> bool:
        """Return whether it waits for approval or the end of quiet hours; False if it cannot be read."""
        try:
            delivery = Delivery.from_row(known)
            return await self._holding.hold(connection, delivery) or await self._quiet.kept(
                connection, delivery
            )
        except Unreadable as error:
            _log.warning("delivery_unreadable", delivery_id=str(known["delivery_id"]), problem=error.message)
            return False

    async def _expire(self) -> int:
        ended: list[Delivery] = []
        async with transaction(self._pool, doing="ending parked deliveries") as connection:
            for row in await connection.fetch(_EXPIRED, _BATCH):
                text = "the contact's identifier was still missing when the delivery expired"
                ended += await self._end(connection, row["delivery_id"], ErrorClass.TIMEOUT, text)
        self._tell(ended)
        return len(ended)

    async def _end(
        self, connection: Connection, delivery_id: UUID, error_class: ErrorClass, text: str
    ) -> list[Delivery]:
        await connection.execute(_CLOSE_ACTION, delivery_id)
        row = await connection.fetchrow(
            _END_UNSENT, delivery_id, Status.FAILED.value, 0, error_class.value, text, False
        )
        try:
            return [Delivery.from_row(row)] if row else []
        except Unreadable as error:  # it has ended all the same, and blocks no other
            _log.warning("delivery_unreadable", delivery_id=str(delivery_id), problem=error.message)
            return []

    def _tell(self, ended: list[Delivery]) -> None:
        for delivery in ended:
            _log.warning(
                "delivery_ended", status=delivery.status.value, delivery_id=str(delivery.delivery_id)
            )
            self._on_terminal(delivery)
