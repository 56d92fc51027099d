"""The reminders of a year and their due times, computed independently of the product's own rules."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from dateutil import tz
from dateutil.rrule import rrulestr

from butler_kit.db import Pool, acquire
from butler_specialist.remind.rule import first_occurrence

__all__ = ["START", "Planned", "fill", "people"]

START: Final = datetime(2027, 1, 1, tzinfo=UTC)
_ZONES: Final = (
    "Europe/Berlin",
    "Europe/London",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
)
_RULES: Final = {
    "FREQ=MONTHLY;BYMONTHDAY=-1": 25,
    "FREQ=MONTHLY": 25,
    "FREQ=WEEKLY;BYDAY=MO,TH": 10,
    "FREQ=WEEKLY": 30,
    "FREQ=WEEKLY;INTERVAL=2": 6,
    "FREQ=DAILY": 2,
    "FREQ=DAILY;BYHOUR=2;BYMINUTE=30": 1,
    "FREQ=HOURLY;INTERVAL=8": 1,
}
_RECURRING: Final = 0.01
_GRACES: Final = (timedelta(hours=1), timedelta(hours=1), timedelta(hours=24))


@dataclass(frozen=True)
class Planned:
    """One reminder of the year."""

    reminder_id: UUID
    due_at: datetime
    zone: str
    rule: str | None
    grace: timedelta

    def moments(self, end: datetime) -> list[datetime]:
        """Return the due times before `end`, by dateutil's recurrence rules and time zones."""
        if self.rule is None:
            return [self.due_at]
        if "HOURLY" in self.rule:
            return [one.replace(tzinfo=UTC) for one in self._walls(self.due_at.replace(tzinfo=None), end)]
        zone = tz.gettz(self.zone)
        walls = self._walls(self.due_at.astimezone(ZoneInfo(self.zone)).replace(tzinfo=None), end)
        real = (tz.resolve_imaginary(wall.replace(tzinfo=zone)).astimezone(UTC) for wall in walls)
        return sorted({self.due_at, *(moment for moment in real if self.due_at < moment < end)})

    def _walls(self, first: datetime, end: datetime) -> Iterator[datetime]:
        last = end.replace(tzinfo=None) + timedelta(days=1)
        for wall in rrulestr(f"RRULE:{self.rule}", dtstart=first):
            if wall >= last or ("HOURLY" in str(self.rule) and wall >= end.replace(tzinfo=None)):
                return
            yield wall


def people(count: int, *, days: int, chance: random.Random) -> list[Planned]:
    """Return reminders at quarter hours from 07:00 to 21:45, as people ask for them; one in a hundred recurs."""
    return [_one(number, days, chance) for number in range(1, count + 1)]


def _one(number: int, days: int, chance: random.Random) -> Planned:
    zone = chance.choice(_ZONES)
    rule = chance.choices(list(_RULES), list(_RULES.values()))[0] if chance.random() < _RECURRING else None
    day = chance.randrange(30 if rule is not None else days) % days
    hour, minute = (2, 30) if rule is not None and "BYHOUR" in rule else (chance.randrange(7, 22), 0)
    minute += 0 if rule is not None else chance.choice((0, 0, 15, 30, 45))
    wall = START.replace(tzinfo=None) + timedelta(days=day, hours=hour, minutes=minute)
    due_at = wall.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    return Planned(UUID(int=number), max(due_at, START), zone, rule, chance.choice(_GRACES))


async def fill(pool: Pool, planned: list[Planned]) -> None:
    """Insert them as a session's outcome does: the row and its place in the queue."""
    rows = [_row(one) for one in planned]
    work = [(one.reminder_id, "reminder", "reminder", one.due_at, one.due_at) for one in planned]
    async with acquire(pool, doing="filling the year") as connection:
        await connection.copy_records_to_table("reminders", records=rows, columns=_COLUMNS)
        await connection.copy_records_to_table(
            "reminder_work",
            records=work,
            columns=["item_id", "lane", "source", "available_at", "enqueued_at"],
        )
        await connection.execute("ANALYZE reminders, reminder_work")


_COLUMNS: Final = [
    "reminder_id", "request_id", "segment_id", "ordinal", "text", "language", "source", "contact_id", "source_channel",
    "sender", "channel", "zone", "rule", "grace_seconds", "due_wall", "due_at", "created_at",
]  # fmt: skip


def _row(one: Planned) -> tuple[object, ...]:
    wall = first_occurrence(one.due_at, ZoneInfo(one.zone)).wall
    return (
        one.reminder_id, one.reminder_id, "s1", 0, "water the plants", "en", "asked", UUID(int=7), "telegram", "1001",
        "telegram", one.zone, one.rule, int(one.grace.total_seconds()), wall, one.due_at, START,
    )  # fmt: skip
