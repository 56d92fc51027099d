"""`bookings`: the state of each appointment in the household's calendar (docs/adr/0098).

Invariant: one worker at a time claims a row before the calendar is asked, and only the holder of the claim settles
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

from butler_contracts.calendar import Booking
from butler_contracts.stored import Unreadable, stored
from butler_kit.db import NamedQueries, Pool, acquire
from butler_specialist.booking.plan import State
from butler_specialist.store.model import Record
from butler_specialist.store.records import record_of

__all__ = ["BookingStore", "Claimed", "Standing", "Stands", "Untold"]

_SQL = NamedQueries("butler_specialist.sql", "bookings.sql")
LEASE_S: Final = 90.0
"""Longer than two calls to the calendar can take."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claimed record: `stands` if the calendar has an event of it; `since` is when it became due."""

    record_id: UUID
    version: int
    stands: bool
    tries: int
    since: datetime
    leased_until: datetime
    now: datetime


@dataclass(frozen=True, slots=True)
class Stands:
    """The state of a record in the calendar; `refusal` is why it was refused; `in_hand`: the calendar is being asked.

    `absent`: when the event was to be removed, the calendar had never had one of ours, as far as is known.
    """

    record_id: UUID
    state: State
    stands: bool
    booking: Booking | None = None
    refusal: str | None = None
    off: bool = False
    absent: bool = False
    in_hand: bool = False


@dataclass(frozen=True, slots=True)
class Untold(Stands):
    """A refusal whose teller was promised to hear of one.

    With `titles`, also of what else is in the calendar.
    """

    version: int = 0
    titles: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """A record and its state in the calendar; unless `wanted`, the calendar is to have no event of it."""

    record: Record
    stands: Stands
    wanted: bool = True

    @property
    def is_left(self) -> bool:
        """Whether the calendar has an event of it that could not be deleted."""
        return self.stands.state == "refused" and self.stands.stands and not self.wanted


class BookingStore:
    """The bookings of the pool's schema."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def wanted(self, today: date, most: int) -> list[UUID]:
        """Return up to `most` records that may be due."""
        async with acquire(self._pool, doing="looking for appointments to book") as connection:
            return [row["record_id"] for row in await connection.fetch(_SQL["wanted"], today, most)]

    async def of_work(self, request_id: UUID, segment_id: str) -> list[UUID]:
        """Return the records that a segment made or changed."""
        async with acquire(self._pool, doing="reading what a message changed") as connection:
            return [
                row["record_id"] for row in await connection.fetch(_SQL["of_work"], request_id, segment_id)
            ]

    async def claim(self, record_ids: Sequence[UUID], today: date) -> list[Claimed]:
        """Claim those of the records that are due.

        One that was over before it was ever booked is left out.
        """
        async with acquire(self._pool, doing="claiming appointments to book") as connection:
            rows = await connection.fetch(_SQL["claim"], list(record_ids), LEASE_S, today)
        return [Claimed(**row) for row in rows]

    async def records(self, record_ids: Sequence[UUID]) -> dict[UUID, Record]:
        """Return the records as they are now."""
        async with acquire(self._pool, doing="reading appointments") as connection:
            rows = await connection.fetch(_SQL["records_of"], list(record_ids))
        return {row["record_id"]: record_of(row) for row in rows}

    async def settle(
        self, claimed: Claimed, state: State, *, stands: bool, answer: dict[str, Any] | None, again_s: float
    ) -> None:
        """Store the result, unless another worker holds the claim by now."""
        async with acquire(self._pool, doing="keeping what was booked") as connection:
            await connection.execute(
                _SQL["settle"],
                claimed.record_id,
                claimed.version,
                claimed.leased_until,
                state,
                stands,
                answer,
                again_s,
            )

    async def standing(self, record_ids: Sequence[UUID]) -> list[Stands]:
        """Return the records' state in the calendar, ordered by day."""
        async with acquire(self._pool, doing="reading what was booked") as connection:
            rows = await connection.fetch(_SQL["standing"], list(record_ids))
        return [
            Stands(
                row["record_id"],
                row["state"],
                row["stands"],
                *_said(row["answer"]),
                in_hand=row["in_hand"],
            )
            for row in rows
        ]

    async def promise(self, record_ids: Sequence[UUID], *, titles: bool) -> None:
        """Promise their tellers to hear of a later refusal.

        With `titles`, also of what else is in the calendar then.
        """
        async with acquire(self._pool, doing="keeping a promise") as connection:
            await connection.execute(_SQL["promise"], list(record_ids), titles)

    async def untold(self, most: int) -> list[Untold]:
        """Return the refusals that followed such a promise."""
        async with acquire(self._pool, doing="reading what was refused") as connection:
            rows = await connection.fetch(_SQL["untold"], most)
        return [
            Untold(
                row["record_id"],
                row["state"],
                row["stands"],
                *_said(row["answer"]),
                version=row["version"],
                titles=row["promised_titles"],
            )
            for row in rows
        ]

    async def told(self, untold: Untold) -> None:
        """Record that the teller was told."""
        async with acquire(self._pool, doing="keeping that somebody was told") as connection:
            await connection.execute(_SQL["told"], untold.record_id, untold.version)


def _said(answer: dict[str, Any] | None) -> tuple[Booking | None, str | None, bool, bool]:
    """Return the booking, the refusal, whether the calendar is off, and whether it had no event.

    Anything that cannot be read is left out.
    """
    if answer is None:
        return None, None, False, False
    booking = None
    if answer.get("booking") is not None:
        try:
            booking = stored(Booking, answer["booking"])
        except Unreadable:
            booking = None
    refusal = answer.get("refusal")
    said = refusal if isinstance(refusal, str) else None
    return booking, said, bool(answer.get("off")), bool(answer.get("absent"))
