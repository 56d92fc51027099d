"""The `schedules` table: up to when each schedule is settled; its runs are queued in the same statement (ADR 0097).

Invariant: of all replicas that find the same moment due, one queues it; a crash before that queues nothing, a crash
after it leaves work that the next worker continues.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from butler_contracts.route import RouteEnvelopeV1
from butler_kit.db import NamedQueries, Pool, acquire
from butler_specialist.schedules.decide import Due, Entry
from butler_specialist.store.scheduled import Scheduled, scheduled_to_wire

__all__ = ["ScheduleStore", "Standing", "Timing", "timing_of"]

_SQL = NamedQueries("butler_specialist.sql", "schedules.sql")
_STANDING: Final = _SQL["standing"]
_RETIRE: Final = _SQL["retire"]
_ADOPT: Final = _SQL["adopt"]
_QUEUE: Final = _SQL["queue"]

Timing = tuple[str, str, str]
"""Name, cron and zone; a change to any of them makes another schedule, which has missed nothing yet."""


def timing_of(entry: Entry) -> Timing:
    return entry.name, entry.cron, entry.zone.key


@dataclass(frozen=True, slots=True)
class Standing:
    """Up to when each schedule is settled, by the database's clock `now`."""

    through: Mapping[Timing, datetime]
    now: datetime


class ScheduleStore:
    """Schedules in the pool's schema."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def begin(self, entries: Sequence[Entry]) -> None:
        """Make these the schedules of the manifest."""
        async with acquire(self._pool, doing="retiring schedules") as connection:
            await connection.execute(_RETIRE, _timings(entries))
        await self.adopt(entries)

    async def adopt(self, entries: Sequence[Entry]) -> None:
        """Start the schedules that have no row yet."""
        async with acquire(self._pool, doing="beginning schedules") as connection:
            await connection.execute(_ADOPT, _timings(entries))

    async def standing(self) -> Standing:
        """Return the state of all schedules."""
        async with acquire(self._pool, doing="reading schedules") as connection:
            rows = await connection.fetch(_STANDING)
        through = {
            (row["name"], row["cron"], row["zone"]): row["through"] for row in rows if row["name"] is not None
        }
        return Standing(through, rows[0]["now"])

    async def queue(
        self, entry: Entry, due: Due, runs: Sequence[tuple[RouteEnvelopeV1, Scheduled]], *, through: datetime
    ) -> Sequence[UUID]:
        """Queue the runs if the schedule is still settled exactly up to `through`.

        Return those queued now.
        """
        async with acquire(self._pool, doing="queueing a schedule") as connection:
            rows = await connection.fetch(
                _QUEUE, *timing_of(entry), through, due.through, [_row(*run) for run in runs]
            )
        return [row["item_id"] for row in rows]


def _timings(entries: Sequence[Entry]) -> list[dict[str, str]]:
    return [dict(zip(("name", "cron", "zone"), timing_of(entry), strict=True)) for entry in entries]


def _row(envelope: RouteEnvelopeV1, scheduled: Scheduled) -> dict[str, Any]:
    return {
        "subrequest_id": str(envelope.subrequest.subrequest_id),
        "request_id": str(envelope.request_context.request_id),
        "segment_id": envelope.subrequest.segment_id,
        "envelope": envelope.to_wire(),
        "scheduled": scheduled_to_wire(scheduled),
    }
