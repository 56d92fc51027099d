"""PURE: which records come up when, and when they are reminded of (D67, ADR 0061).

Invariants: what is paid, cancelled, withdrawn or without a day of its own never comes up; a record comes up once on its
day, whatever else becomes of it; nobody is reminded of a departure after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from uuid import UUID, uuid5
from zoneinfo import ZoneInfo

from butler_kit.wording.standing import TOPICS, Topic
from butler_specialist.profiles.relationship.birthdays import birthday_in
from butler_specialist.profiles.travel.itinerary import Ride, rides
from butler_specialist.remind.quiet import QuietHours
from butler_specialist.store.model import DATE_GRACE, Record
from butler_specialist.understanding.folding import fold
from butler_specialist.understanding.household import teller_key
from butler_specialist.understanding.occurrences import NINE, at_wall

__all__ = ["KINDS", "Clock", "Occasion", "Window", "day_of_key", "occasions", "topic_of_key"]

KINDS: Final[Mapping[Topic, tuple[str, ...]]] = {
    "bills": ("bill",),
    "birthdays": ("birthday",),
    "departures": ("flight", "train", "bus", "delay"),
}
"""The records that a topic is read from."""
_EVENING: Final = time(18)
_BEFORE_DEPARTURE: Final = timedelta(hours=3)
_DAY: Final = timedelta(days=1)
_CANCELLED: Final = ("cancel", "storniert", "annul", "gestrichen", "ausgefallen")


@dataclass(frozen=True, slots=True)
class Window:
    """From `start` up to but not including `end`."""

    start: date
    end: date

    def has(self, day: date) -> bool:
        return self.start <= day < self.end


@dataclass(frozen=True, slots=True)
class Clock:
    """The household's: its zone, and its quiet hours."""

    zone: ZoneInfo
    quiet: QuietHours | None = None

    def at(self, day: date, hour: time) -> datetime:
        return at_wall(day, hour, self.zone).astimezone(UTC)

    def told_at(self, at: datetime) -> datetime:
        return self.quiet.told_at(at, self.zone) if self.quiet is not None else at


@dataclass(frozen=True, slots=True)
class Occasion:
    """One time that a record comes up: told at the first of its `moments` (UTC) that is to come, until it is over.

    `key` says which time of the record it is; `day` is the day that comes. `ride` is a departure as it stands now.
    """

    record: Record
    topic: Topic
    key: str
    day: date
    moments: tuple[datetime, ...]
    over: datetime
    ride: Ride | None = None

    @property
    def reminder_id(self) -> UUID:
        """The same whenever it is looked at: one reminder for one time of a record."""
        return uuid5(self.record.record_id, f"upcoming:{self.key}")

    def next_moment(self, now: datetime) -> datetime | None:
        return next((one for one in self.moments if one > now), None)

    def grace(self, moment: datetime) -> timedelta:
        """How late it may still be told: a day at most, and not when it is over."""
        return min(DATE_GRACE, max(timedelta(0), self.over - moment))


def occasions(topic: Topic, rows: Sequence[Record], window: Window, clock: Clock) -> list[Occasion]:
    """All of the topic in the window; `rows` are all records of its kinds."""
    return list(_TOPICS[topic](rows, window, clock))


def topic_of_key(key: str) -> Topic | None:
    return next((topic for topic in TOPICS if key.startswith(f"{topic}:")), None)


def day_of_key(key: str) -> date | None:
    """The day that comes, of a key that `occasions` made."""
    try:
        return date.fromisoformat(key.split(":")[1][:10])
    except (IndexError, ValueError):
        return None


def _bills(rows: Sequence[Record], window: Window, clock: Clock) -> Iterable[Occasion]:
    for row in rows:
        is_due = row.done_on is None and row.details.get("day") != "of the message"
        if row.kind == "bill" and is_due and window.has(row.occurred_on):
            yield _of_a_day("bills", row, row.occurred_on, clock)


def _birthdays(rows: Sequence[Record], window: Window, clock: Clock) -> Iterable[Occasion]:
    """Each person's by the day that was told last, in each of the years."""
    for row in _each_person(row for row in rows if row.kind == "birthday"):
        for year in range(window.start.year, window.end.year + 1):
            day = birthday_in(row.occurred_on, year)
            if window.has(day):
                yield _of_a_day("birthdays", row, day, clock)


def _each_person(rows: Iterable[Record]) -> Iterable[Record]:
    """Of what one person told of another: the first record with the day that was told last."""
    told: dict[tuple[str, str], list[Record]] = {}
    for row in sorted(rows, key=lambda row: row.seq):
        teller = teller_key(row.contact_id, row.channel, row.sender)
        told.setdefault((teller, fold(row.party) if row.party else str(row.record_id)), []).append(row)
    for known in told.values():
        last = known[-1].occurred_on
        yield next(
            row for row in known if (row.occurred_on.month, row.occurred_on.day) == (last.month, last.day)
        )


def _of_a_day(topic: Topic, row: Record, day: date, clock: Clock) -> Occasion:
    """At nine on the day before; of what was told later than that, at nine on the day."""
    moments = (clock.at(day - _DAY, NINE), clock.at(day, NINE))
    return Occasion(row, topic, f"{topic}:{day.isoformat()}", day, moments, clock.at(day + _DAY, time(0)))


def _departures(rows: Sequence[Record], window: Window, clock: Clock) -> Iterable[Occasion]:
    for ride in rides(rows):
        row = ride.of
        if row is None or not window.has(ride.day) or row.details.get("day") == "of the message":
            continue
        if ride.notice and any(word in fold(ride.notice) for word in _CANCELLED):
            continue
        yield from _of_a_ride(ride, row, clock)


def _of_a_ride(ride: Ride, row: Record, clock: Clock) -> Iterable[Occasion]:
    """The evening before, and some hours before; those not where the quiet hours end after it has left."""
    day = ride.day.isoformat()
    leaves = clock.at(ride.day, ride.at or time(0))
    evening = clock.at(ride.day - _DAY, _EVENING)
    if clock.told_at(evening) < leaves:
        yield Occasion(row, "departures", f"departures:{day}:evening", ride.day, (evening,), leaves, ride)
    hours = leaves - _BEFORE_DEPARTURE
    if ride.at is not None and clock.told_at(hours) < leaves:
        key = f"departures:{day}T{ride.at:%H%M}:hours"
        yield Occasion(row, "departures", key, ride.day, (hours,), leaves, ride)


_TOPICS: Final[Mapping[Topic, Callable[[Sequence[Record], Window, Clock], Iterable[Occasion]]]] = {
    "bills": _bills,
    "birthdays": _birthdays,
    "departures": _departures,
}
