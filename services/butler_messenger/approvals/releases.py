"""Carries out decisions: queues approved deliveries, ends those that nobody decided in time (MSR-03, D18).

Invariants: an approved delivery enters the queue once, by the statement that admits every other one, so that an
approval exceeds no limit; it waits until there is room, as it does in quiet hours, and after a crash the next sweep
takes it up again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from uuid import UUID

from butler_contracts.errors import ButlerError, ErrorClass, ValidationFailed
from butler_kit.db import Connection, NamedQueries, Pool, acquire, transaction
from butler_kit.faults import points, reached_async
from butler_kit.telemetry import get_logger
from butler_messenger.admission.limits import AdmissionLimits, source_of
from butler_messenger.admission.plan import planned_again
from butler_messenger.admission.policy import RecipientPolicy
from butler_messenger.admission.store import AdmissionStore, lane_for
from butler_messenger.approvals.ends import ended_unsent
from butler_messenger.approvals.gate import MOST_WAITING
from butler_messenger.delivery.records import Delivery, Row
from butler_messenger.quiet.keeping import QuietTimes
from butler_messenger.suppressions.refusing import SuppressionList

__all__ = ["Releases"]

_log = get_logger(__name__)

_SQL: Final = NamedQueries("butler_messenger.sql", "approvals.sql")
_BATCH: Final = 100
_EXPIRED: Final = "nobody approved of it in time; it was not sent"
_NO_ROOM: Final = "it was approved, and there was no room for it before its time was over"


class Releases:
    """Safe beside other replicas; `on_terminal` is called with each delivery that ended."""

    def __init__(
        self,
        pool: Pool,
        store: AdmissionStore,
        quiet: QuietTimes,
        suppressions: SuppressionList,
        *,
        limits: AdmissionLimits,
        recipients: RecipientPolicy,
        expires_after_s: float,
        offer: Callable[[UUID, str, str], object],
        on_terminal: Callable[[Delivery], None],
    ) -> None:
        self._pool = pool
        self._store = store
        self._quiet = quiet
        self._suppressions = suppressions
        self._limits = limits
        self._recipients = recipients
        self._expires_after_s = expires_after_s
        self._offer = offer
        self._on_terminal = on_terminal

    async def sweep(self) -> None:
        """End overdue deliveries, and queue approved ones that could not be queued before."""
        await self._expire()
        async with acquire(self._pool, doing="looking for approved deliveries") as connection:
            rows = await connection.fetch(_SQL["approved"], MOST_WAITING)
        for row in rows:
            await self.release(row["delivery_id"])

    async def release(self, delivery_id: UUID) -> bool:
        """Queue an approved delivery; False if it is queued already or has to wait for room."""
        await reached_async(points.APPROVAL_DECIDED)
        try:
            queued, ended = await self._settle(delivery_id)
        except ButlerError as error:
            _log.info("approved_delivery_waits", delivery_id=str(delivery_id), problem=error.message)
            return False
        await reached_async(points.APPROVAL_RELEASED)
        if ended is not None:
            self._on_terminal(ended)
        if queued is None:
            return False
        self._offer(delivery_id, lane_for(queued.intent), source_of(queued.origin_butler, queued.channel))
        return True

    async def _settle(self, delivery_id: UUID) -> tuple[Delivery | None, Delivery | None]:
        """Return the queued delivery, or the one that ended instead. Raises the refusals of admission."""
        async with transaction(self._pool, doing="releasing an approved delivery") as connection:
            row = await connection.fetchrow(_SQL["lock_approved"], delivery_id, self._expires_after_s)
            if row is None:
                return None, None
            queued, ended = await self._queued_or_ended(connection, row)
            await connection.execute(_SQL["settled"], delivery_id)
        return queued, ended

    async def _queued_or_ended(
        self, connection: Connection, row: Row
    ) -> tuple[Delivery | None, Delivery | None]:
        delivery_id: UUID = row["delivery_id"]
        if row["too_late"]:
            return None, await ended_unsent(connection, delivery_id, ErrorClass.TIMEOUT, _NO_ROOM)
        new = planned_again(row, expires_after_s=self._expires_after_s)
        try:
            self._recipients.check(row["channel"], row["target_identity"])
            await self._suppressions.check(connection, new)
        except ValidationFailed as error:
            return None, await ended_unsent(
                connection, delivery_id, ErrorClass.VALIDATION_ERROR, error.message
            )
        if await self._quiet.kept(connection, new):
            return None, None
        return await self._store.admit_exactly(connection, new, self._limits), None

    async def _expire(self) -> None:
        ended: list[Delivery] = []
        async with transaction(self._pool, doing="ending what nobody approved") as connection:
            for row in await connection.fetch(_SQL["overdue"], _BATCH):
                delivery_id: UUID = row["delivery_id"]
                await connection.execute(_SQL["expire"], delivery_id)
                one = await ended_unsent(connection, delivery_id, ErrorClass.TIMEOUT, _EXPIRED)
                ended += [one] if one is not None else []
        for delivery in ended:
            _log.warning("approval_expired", delivery_id=str(delivery.delivery_id))
            self._on_terminal(delivery)
