"""Stored reminders of records, and the wishes of who wants them (D67, ADR 0061).

Invariants: each write applies only while its record is at the version it was decided on; a reminder and its work
row are inserted and deleted in one statement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import asyncpg

from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.queue import Lease, LeaseLost
from butler_kit.wording.standing import Topic
from butler_specialist.remind.reach import Reach
from butler_specialist.remind.rule import first_occurrence
from butler_specialist.upcoming.plan import Plan, Standing, Wish

__all__ = ["UpcomingStore", "Wishes"]

_SQL = NamedQueries("butler_specialist.sql", "upcoming.sql")
_WISHES: Final = _SQL["wishes"]
_WAITING: Final = _SQL["waiting"]
_ENDED: Final = _SQL["ended"]
_KEEP: Final = _SQL["keep"]
_REWORD: Final = _SQL["reword"]
_LAPSE: Final = _SQL["lapse"]
_LAPSE_HELD: Final = _SQL["lapse_held"]
_MOST: Final = 5_000


@dataclass(frozen=True, slots=True)
class Wishes:
    """People's wishes, and the database's clock."""

    said: dict[tuple[str, Topic], Wish]
    now: datetime


class UpcomingStore:
    """Reminders of records in the pool's schema."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def wishes(self) -> Wishes:
        async with acquire(self._pool, doing="reading who is reminded of records") as connection:
            rows = await connection.fetch(_WISHES)
        said = {(row["person"], row["topic"]): _wish(row) for row in rows if row["person"] is not None}
        return Wishes(said, rows[0]["now"])

    async def waiting(self) -> Sequence[Standing]:
        """Return the waiting reminders with the versions of their records.

        Read before the records themselves.
        """
        async with acquire(self._pool, doing="reading reminders of records") as connection:
            return [_standing(row) for row in await connection.fetch(_WAITING, _MOST)]

    async def ended(self, ids: Sequence[UUID]) -> Sequence[Standing]:
        """Return those of the reminders that are over."""
        async with acquire(self._pool, doing="reading reminders of records") as connection:
            return [_standing(row) for row in await connection.fetch(_ENDED, list(ids))]

    async def keep(self, plan: Plan) -> int:
        """Write the new reminders and the new words; return how many are new."""
        async with acquire(self._pool, doing="keeping reminders of records") as connection:
            if plan.reword:
                said = [{"reminder_id": str(one.reminder_id), "text": text} for one, text in plan.reword]
                await connection.execute(_REWORD, said)
            kept: int = await connection.fetchval(_KEEP, _new(plan)) if plan.keep else 0
        return kept

    async def lapse(self, over: Sequence[Standing]) -> None:
        """End the reminders whose record no longer comes up."""
        given = [{"reminder_id": str(one.reminder_id), "version": one.version} for one in over]
        async with acquire(self._pool, doing="ending reminders of records") as connection:
            await connection.execute(_LAPSE, given)

    async def lapse_held(self, lease: Lease) -> None:
        """End the reminder under a lease, untold. Raises `LeaseLost`."""
        async with acquire(self._pool, doing="ending a reminder of a record") as connection:
            gone = await connection.fetchval(_LAPSE_HELD, lease.item_id, lease.lease_id)
        if gone is None:
            raise LeaseLost(f"reminder_work: the lease on {lease.item_id} is lost (attempt {lease.attempt})")


def _new(plan: Plan) -> list[dict[str, Any]]:
    return [
        {
            "reminder_id": str(due.occasion.reminder_id),
            "record_id": str(due.occasion.record.record_id),
            "version": due.occasion.record.version,
            "occasion": due.occasion.key,
            "text": due.text,
            "language": due.language,
            "channel": due.reach.channel,
            "address": due.reach.address,
            "zone": due.occasion.clock.zone.key,
            "rule": due.occasion.rule,
            "can_wait": due.occasion.can_wait,
            "grace_seconds": int(grace.total_seconds()),
            "due_wall": first_occurrence(moment, due.occasion.clock.zone).wall.isoformat(),
            "due_at": moment.isoformat(),
        }
        for due, moment, grace in plan.keep
    ]


def _wish(row: asyncpg.Record) -> Wish:
    reach = Reach(row["channel"], row["contact_id"], row["address"])
    return Wish(row["wanted"], reach, row["language"], tuple(row["leads"] or ()))


def _standing(row: asyncpg.Record) -> Standing:
    return Standing(
        reminder_id=row["reminder_id"],
        record_id=row["record_id"],
        key=row["occasion"],
        text=row["text"],
        waits=row["ended_at"] is None,
        lapsed=row["lapsed"],
        begun=row["begun_until"] is not None,
        version=row["version"],
        zone=row["zone"],
    )
