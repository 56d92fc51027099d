"""Sends the messages that waited for the end of quiet hours, once, in order of arrival (D66, docs/adr/0080).

Invariants: a message enters the queue by the statement that admits every other delivery, so that waiting exceeds no
limit; it waits until there is room, and so do those behind it for the same person. After a crash the next sweep takes
it up again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from butler_contracts.errors import ButlerError, ErrorClass
from butler_contracts.stored import Unreadable
from butler_kit.db import Connection, NamedQueries, Pool, acquire, transaction
from butler_kit.faults import points, reached_async
from butler_kit.telemetry import get_logger
from butler_messenger.admission.limits import AdmissionLimits, source_of
from butler_messenger.admission.plan import planned_again
from butler_messenger.admission.store import AdmissionStore, NewDelivery, lane_for
from butler_messenger.approvals.ends import ended_unsent
from butler_messenger.delivery.records import Delivery, Row
from butler_messenger.quiet.digest import digest_of, that_fit
from butler_messenger.quiet.hours import is_digested
from butler_messenger.quiet.keeping import QuietTimes
from butler_messenger.suppressions.refusing import SuppressedRecipient, SuppressionList

__all__ = ["QuietReleases"]

_log = get_logger(__name__)

_SQL: Final = NamedQueries("butler_messenger.sql", "quiet.sql")
_BATCH: Final = 100
_BATCHES: Final = 20
_TOGETHER: Final = 1000
"""The most deliveries of one butler in one message."""
_NO_ROOM: Final = (
    "it waited for the end of quiet hours, and there was no room for it before its time was over"
)


@dataclass(frozen=True, slots=True)
class _Settled:
    """The result for one delivery: queued, ended, or still waiting."""

    queued: Delivery | None = None
    ended: Delivery | None = None


class QuietReleases:
    """Safe beside other replicas; `on_terminal` is called with each delivery that ended."""

    def __init__(
        self,
        pool: Pool,
        store: AdmissionStore,
        quiet: QuietTimes,
        suppressions: SuppressionList,
        *,
        limits: AdmissionLimits,
        offer: Callable[[UUID, str, str], object],
        on_terminal: Callable[[Delivery], None],
        new_id: Callable[[], UUID],
    ) -> None:
        self._pool = pool
        self._store = store
        self._quiet = quiet
        self._suppressions = suppressions
        self._limits = limits
        self._offer = offer
        self._on_terminal = on_terminal
        self._new_id = new_id

    async def sweep(self) -> None:
        """Queue the due deliveries, as far as there is room; whoever has none keeps nobody else waiting."""
        full: set[tuple[str, str]] = set()
        for _ in range(_BATCHES):
            rows = await self._due(full)
            for row in rows:
                person = (row["channel"], row["target_identity"])
                if person not in full and not await self._release(row["delivery_id"]):
                    full.add(person)
            if len(rows) < _BATCH:
                return

    async def _due(self, full: Collection[tuple[str, str]]) -> Sequence[Row]:
        channels, targets = [channel for channel, _ in full], [target for _, target in full]
        async with acquire(self._pool, doing="looking for what waits for the morning") as connection:
            rows: Sequence[Row] = await connection.fetch(_SQL["due"], _BATCH, channels, targets)
        return rows

    async def _release(self, delivery_id: UUID) -> bool:
        """Release one; return whether those behind it for the same person may be tried."""
        try:
            settled = await self._settle(delivery_id)
        except Unreadable as error:
            _log.warning("delivery_unreadable", delivery_id=str(delivery_id), problem=error.message)
            return True
        except ButlerError as error:
            _log.info("kept_delivery_waits", delivery_id=str(delivery_id), problem=error.message)
            return False
        await reached_async(points.QUIET_RELEASED)
        if settled.ended is not None:
            self._on_terminal(settled.ended)
        if (queued := settled.queued) is not None:
            self._offer(
                queued.delivery_id, lane_for(queued.intent), source_of(queued.origin_butler, queued.channel)
            )
        return True

    async def _settle(self, delivery_id: UUID) -> _Settled:
        """Queue or end one, while no replica does another: a digest locks many rows. Raises admission's refusals."""
        async with transaction(self._pool, doing="releasing what waited for the morning") as connection:
            await self._store.one_at_a_time(connection)
            row = await connection.fetchrow(_SQL["lock_due"], delivery_id)
            if row is None:
                return _Settled()
            settled = await self._queued_or_not(connection, row)
            await reached_async(points.QUIET_BEFORE_COMMIT)
        return settled

    async def _queued_or_not(self, connection: Connection, row: Row) -> _Settled:
        if row["left_s"] <= 0:
            ended = await ended_unsent(connection, row["delivery_id"], ErrorClass.TIMEOUT, _NO_ROOM)
            return _Settled(ended=ended)
        again = planned_again(row, expires_after_s=row["left_s"])
        try:
            await self._suppressions.check(connection, again)
        except SuppressedRecipient as refused:
            text = refused.message
            ended = await ended_unsent(connection, row["delivery_id"], ErrorClass.VALIDATION_ERROR, text)
            return _Settled(ended=ended)
        until = await self._quiet.until(connection, again, again=True)
        if until is not None:
            await self._quiet.keep(connection, again, until, for_s=row["left_s"])
            return _Settled()
        if is_digested(again):
            again = await self._told_together(connection, again)
        return _Settled(queued=await self._store.admit_exactly(connection, again, self._limits))

    async def _told_together(self, connection: Connection, one: NewDelivery) -> NewDelivery:
        """Return it joined with what else is due from its butler for its person; itself if nothing is."""
        rows = that_fit(await connection.fetch(_SQL["due_with"], one.delivery_id, _TOGETHER))
        if len(rows) < 2:
            return one
        digest = digest_of(rows, self._new_id(), expires_after_s=one.expires_after_s)
        await connection.execute(_SQL["tell_with"], [row["delivery_id"] for row in rows], digest.delivery_id)
        return digest
