"""The `reminders` table and its work rows: the reminders of people, each told once (D67).

Invariants: one statement inserts a reminder with its work row, together with the outcome that asked (inbox.sql),
and the statement that ends it deletes the work row; the holder of the lease begins and ends a telling.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

import asyncpg

from butler_contracts.errors import InternalFailure
from butler_contracts.language import Language
from butler_contracts.quiet_hours import QuietHours
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.queue import Lease, LeaseLost
from butler_specialist.remind.actions import Wanted
from butler_specialist.remind.decide import Standing, Tell
from butler_specialist.remind.press import Told
from butler_specialist.remind.reach import Reach, reach_of
from butler_specialist.remind.rule import Occurrence, first_occurrence
from butler_specialist.store.model import RoutedWork
from butler_specialist.store.reminder_model import (
    MOST_WAITING,
    Asker,
    Reminder,
    ReminderDraft,
    StandingWish,
    reminder_id,
)

__all__ = ["DueReminder", "ReminderStore", "reminders_of", "wishes_of"]

_SQL = NamedQueries("butler_specialist.sql", "reminders.sql")
_FIND: Final = _SQL["find"]
_FIND_WAITING: Final = _SQL["find_waiting"]
_FIND_STOPPED: Final = _SQL["find_stopped"]
_FIND_TOLD: Final = _SQL["find_told"]
_BEGIN: Final = _SQL["begin"]
_ADVANCE: Final = _SQL["advance"]
_ABANDON: Final = _SQL["abandon"]
_WAITING: Final = _SQL["waiting"]
_PROBLEM_CHARS: Final = 300


@dataclass(frozen=True, slots=True)
class DueReminder:
    """A reminder as its telling needs it; `now` is the database's clock."""

    standing: Standing
    text: str
    language: Language
    reach: Reach
    now: datetime
    record_id: UUID | None = None
    occasion: str | None = None
    """Which occasion of its record a record's reminder is for."""


def _none(_: UUID | None) -> QuietHours | None:
    return None


class ReminderStore:
    """Reminders in the pool's schema.

    `quiet` gives the quiet hours of a contact, or those for non-contacts.
    """

    def __init__(self, pool: Pool, *, quiet: Callable[[UUID | None], QuietHours | None] = _none) -> None:
        self._pool = pool
        self._quiet = quiet

    async def find_reminders(self, person: Asker, *, thread: str | None = None) -> Sequence[Reminder]:
        """Return one person's waiting reminders, the next first, at most 500; of one thread, or of all."""
        async with acquire(self._pool, doing="reading reminders") as connection:
            rows = await connection.fetch(_FIND_WAITING, person.key, MOST_WAITING, thread)
        return [_reminder(row) for row in rows]

    async def find_stopped(self, person: Asker, request_id: UUID) -> Sequence[Reminder]:
        """Return one person's reminders that a request of the last days stopped."""
        async with acquire(self._pool, doing="reading stopped reminders") as connection:
            rows = await connection.fetch(_FIND_STOPPED, person.key, request_id, MOST_WAITING)
        return [_reminder(row) for row in rows]

    async def find_told(self, wanted: Wanted, person: Asker) -> Told | Literal["others"] | None:
        """Return the telling that a press answers.

        `others` if it is not this person's, None if it is unknown.
        """
        async with acquire(self._pool, doing="reading what was told") as connection:
            row = await connection.fetchrow(_FIND_TOLD, wanted.reminder_id, wanted.due_at)
        if row is None or row["person"] != person.key:
            return "others" if row is not None else None
        return Told(_reminder(row), row["answer"], row["put_off_as"], row["put_off_to"])

    async def find(self, lease: Lease) -> DueReminder | None:
        """Return the reminder under a lease; None if it is over or gone."""
        async with acquire(self._pool, doing="reading a reminder") as connection:
            row = await connection.fetchrow(_FIND, lease.item_id)
        if row is None or row["ended_at"] is not None:
            return None
        return _due(row, self._quiet(row["contact_id"]))

    async def begin(self, lease: Lease, telling: Tell) -> None:
        """Store which occurrences are being told, before anybody is told. Raises `LeaseLost`."""
        async with acquire(self._pool, doing="beginning a reminder") as connection:
            held = await connection.fetchval(_BEGIN, lease.item_id, lease.lease_id, telling.last.at)
        _check_held(lease, held)

    async def advance(self, lease: Lease, telling: Tell, *, sent: bool, problem: str | None) -> datetime:
        """Store the result of a telling and the next moment; return the database's clock.

        Raises `LeaseLost`.
        """
        upcoming = telling.upcoming
        async with acquire(self._pool, doing="keeping a reminder") as connection:
            now = await connection.fetchval(
                _ADVANCE,
                lease.item_id,
                lease.lease_id,
                "sent" if sent else "missed",
                telling.count,
                problem[:_PROBLEM_CHARS] if problem is not None else None,
                upcoming.wall if upcoming is not None else None,
                upcoming.at if upcoming is not None else None,
            )
        _check_held(lease, now is not None)
        if not isinstance(now, datetime):
            raise InternalFailure("the database told no time")
        return now

    async def abandon(self, lease: Lease, problem: str) -> None:
        """End a reminder that nobody can work on. Raises `LeaseLost`."""
        async with acquire(self._pool, doing="giving a reminder up") as connection:
            gone = await connection.fetchval(
                _ABANDON, lease.item_id, lease.lease_id, problem[:_PROBLEM_CHARS]
            )
        _check_held(lease, gone is not None)

    async def waiting(self) -> int:
        """Return how many reminders wait."""
        async with acquire(self._pool, doing="counting reminders") as connection:
            count: int = await connection.fetchval(_WAITING)
        return count


def reminders_of(work: RoutedWork, drafts: Sequence[ReminderDraft]) -> list[dict[str, Any]]:
    """The reminders of one segment in their order, as the JSON that `commit_outcome` takes."""
    context, segment_id = work.envelope.request_context, work.envelope.subrequest.segment_id
    reach = reach_of(context, work.people)
    if reach is None:
        return []
    rows = []
    for ordinal, draft in enumerate(drafts):
        first = first_occurrence(draft.due_at, ZoneInfo(draft.zone))
        rows.append(
            {
                "reminder_id": str(reminder_id(work.request_id, segment_id, ordinal)),
                "ordinal": ordinal,
                "text": draft.text,
                "language": draft.language,
                "source": draft.source,
                "channel": reach.channel,
                "address": reach.address,
                "zone": draft.zone,
                "rule": draft.rule,
                "can_wait": draft.can_wait,
                "grace_seconds": int(draft.grace.total_seconds()),
                "due_wall": first.wall.isoformat(),
                "due_at": first.at.isoformat(),
                "record_id": str(draft.record_id) if draft.record_id is not None else None,
                "occasion": draft.occasion,
                "elapses": draft.elapses,
            }
        )
    return rows


def wishes_of(work: RoutedWork, wishes: Sequence[StandingWish]) -> list[dict[str, Any]]:
    """Return the standing wishes, with where each is told, as the JSON that `commit_outcome` takes."""
    reach = reach_of(work.envelope.request_context, work.people)
    if reach is None:
        return []
    return [
        {
            "topic": wish.topic,
            "wanted": wish.wanted,
            "language": wish.language,
            "channel": reach.channel,
            "address": reach.address,
            "leads": list(wish.leads) or None,
        }
        for wish in wishes
    ]


def _check_held(lease: Lease, held: bool) -> None:
    if not held:
        raise LeaseLost(f"reminder_work: the lease on {lease.item_id} is lost (attempt {lease.attempt})")


def _due(row: asyncpg.Record, quiet: QuietHours | None) -> DueReminder:
    return DueReminder(
        standing=Standing(
            reminder_id=row["reminder_id"],
            first=Occurrence(row["due_wall"], row["due_at"]),
            zone=ZoneInfo(row["zone"]),
            rule=row["rule"],
            grace=timedelta(seconds=row["grace_seconds"]),
            begun=row["begun_until"],
            quiet=quiet,
            can_wait=row["can_wait"],
        ),
        text=row["text"],
        language=row["language"],
        reach=Reach(row["channel"], row["contact_id"], row["address"]),
        now=row["now"],
        record_id=row["record_id"],
        occasion=row["occasion"],
    )


def _reminder(row: asyncpg.Record) -> Reminder:
    return Reminder(
        reminder_id=row["reminder_id"],
        request_id=row["request_id"],
        text=row["text"],
        due_at=row["due_at"],
        zone=row["zone"],
        rule=row["rule"],
        grace=timedelta(seconds=row["grace_seconds"]),
        state=row["state"],
        source=row["source"],
        language=row["language"],
        record_id=row["record_id"],
        occasion=row["occasion"],
        can_wait=row["can_wait"],
        elapses=row["elapses"],
    )
