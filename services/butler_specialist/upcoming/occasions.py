"""PURE: which records come up when, and when people are reminded of them (D67, ADR 0061).

Invariants: what is paid, cancelled, withdrawn or without a day of its own never comes up; a record comes up once for
each lead, whatever else becomes of it; nobody is reminded of a departure after it, or of a medicine after its course.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Final
from uuid import UUID, uuid5
from zoneinfo import ZoneInfo

from butler_kit.wording.folding import fold
from butler_kit.wording.standing import TOPICS, Topic
from butler_specialist.profiles.relationship.birthdays import birthday_in
from butler_specialist.profiles.travel.itinerary import Ride, rides
from butler_specialist.remind.clock import Clock
from butler_specialist.store.model import DATE_GRACE, GRACE, Record
from butler_specialist.understanding.household import teller_key
from butler_specialist.understanding.occurrences import NINE
from butler_specialist.upcoming.leads import DEFAULT_LEADS
from butler_specialist.upcoming.series import Series, going_on, series_of

__all__ = [
    "KINDS",
    "Clocks",
    "Leads",
    "Occasion",
    "Window",
    "day_of_key",
    "occasions",
    "topic_of_key",
]

KINDS: Final[Mapping[Topic, tuple[str, ...]]] = {
    "bills": ("bill",),
    "birthdays": ("birthday",),
    "departures": ("flight", "train", "bus", "delay"),
    "tablets": ("medication",),
}
"""The kinds of records that a topic is read from."""
Leads = Callable[[Record], tuple[int, ...]]
"""How many days before it a record's teller is reminded, 0 on the day."""
Clocks = Callable[[Record], Clock]
"""The clock by which a record's teller is reminded."""
_EVENING: Final = time(18)
_BEFORE_DEPARTURE: Final = timedelta(hours=3)
_DAY: Final = timedelta(days=1)
_UTC: Final = Clock(ZoneInfo("UTC"))
_CANCELLED: Final = ("cancel", "storniert", "annul", "gestrichen", "ausgefallen")


@dataclass(frozen=True, slots=True)
class Window:
    """From `start` up to but not including `end`."""

    start: date
    end: date

    def has(self, day: date) -> bool:
        return self.start <= day < self.end


@dataclass(frozen=True, slots=True)
class Occasion:
    """One time that a record comes up: told at the first future one of its `moments` (UTC), until it is over.

    `key` says which time of the record it is; `day` is the day that comes. `ride` is a departure as it stands now;
    a `series` has the moments of its rule.
    """

    record: Record
    topic: Topic
    key: str
    day: date
    moments: tuple[datetime, ...]
    over: datetime
    ride: Ride | None = None
    series: Series | None = None
    clock: Clock = _UTC

    @property
    def reminder_id(self) -> UUID:
        """An id that never changes: one reminder for one time of a record."""
        return uuid5(self.record.record_id, f"upcoming:{self.key}")

    @property
    def rule(self) -> str | None:
        """The rule of RFC 5545 for what recurs."""
        return self.series.rule if self.series is not None else None

    @property
    def can_wait(self) -> bool:
        """Whether it respects quiet hours: nobody named a time, except for a medicine's."""
        return self.series is None or self.series.can_wait

    def next_moment(self, now: datetime) -> datetime | None:
        if self.series is not None:
            return self.series.next_after(now)
        return next((one for one in self.moments if one > now), None)

    def grace(self, moment: datetime) -> timedelta:
        """Return how late it may be told: a day at most, an hour if it has a time, not once it is over."""
        if self.series is not None:
            return GRACE
        return min(DATE_GRACE, max(timedelta(0), self.over - moment))


def occasions(
    topic: Topic,
    rows: Sequence[Record],
    window: Window,
    clocks: Clocks,
    leads: Leads = lambda _: DEFAULT_LEADS,
) -> list[Occasion]:
    """Return all occasions of the topic in the window; `rows` are all records of its kinds."""
    found = _TOPICS[topic](rows, window, clocks, leads)
    return [replace(one, clock=clocks(one.record)) for one in found]


def topic_of_key(key: str) -> Topic | None:
    return next((topic for topic in TOPICS if key.startswith(f"{topic}:")), None)


def day_of_key(key: str) -> date | None:
    """Return the day that comes, from a key that `occasions` made."""
    try:
        return date.fromisoformat(key.split(":")[1][:10])
    except (IndexError, ValueError):
        return None


def _bills(rows: Sequence[Record], window: Window, clocks: Clocks, leads: Leads) -> Iterable[Occasion]:
    for row in rows:
        is_due = row.done_on is None and row.details.get("day") != "of the message"
        if row.kind == "bill" and is_due and window.has(row.occurred_on):
            yield from _of_a_day("bills", row, row.occurred_on, clocks(row), leads)


def _birthdays(rows: Sequence[Record], window: Window, clocks: Clocks, leads: Leads) -> Iterable[Occasion]:
    """Yield each person's birthday by the day told last, in each of the years."""
    for row in _each_person(row for row in rows if row.kind == "birthday"):
        for year in range(window.start.year, window.end.year + 1):
            day = birthday_in(row.occurred_on, year)
            if window.has(day):
                yield from _of_a_day("birthdays", row, day, clocks(row), leads)


def _each_person(rows: Iterable[Record]) -> Iterable[Record]:
    """Yield, of what one person told of another, the first record with the day told last."""
    told: dict[tuple[str, str], list[Record]] = {}
    for row in sorted(rows, key=lambda row: row.seq):
        teller = teller_key(row.contact_id, row.channel, row.sender)
        told.setdefault((teller, fold(row.party) if row.party else str(row.record_id)), []).append(row)
    for known in told.values():
        last = known[-1].occurred_on
        yield next(
            row for row in known if (row.occurred_on.month, row.occurred_on.day) == (last.month, last.day)
        )


def _of_a_day(topic: Topic, row: Record, day: date, clock: Clock, leads: Leads) -> Iterable[Occasion]:
    """Yield the day's occasions: at nine, the lead's days before.

    If it was told later than that, at nine of the next day before another lead's.
    """
    chosen = sorted(leads(row), reverse=True)
    for lead, following in zip(chosen, [*chosen[1:], -1], strict=True):
        moments = tuple(clock.at(day - before * _DAY, NINE) for before in range(lead, following, -1))
        over = clock.at(day - following * _DAY, time(0))
        yield Occasion(row, topic, f"{topic}:{day.isoformat()}{_lead_key(lead)}", day, moments, over)


def _lead_key(lead: int) -> str:
    """Return the key's suffix; empty for the usual lead, as in the previous release."""
    return "" if lead in DEFAULT_LEADS else f":{lead}d"


def _departures(rows: Sequence[Record], window: Window, clocks: Clocks, leads: Leads) -> Iterable[Occasion]:
    for ride in rides(rows):
        row = ride.of
        if row is None or not window.has(ride.day) or row.details.get("day") == "of the message":
            continue
        if ride.notice and any(word in fold(ride.notice) for word in _CANCELLED):
            continue
        yield from _of_a_ride(ride, row, clocks(row), leads)


def _of_a_ride(ride: Ride, row: Record, clock: Clock, leads: Leads) -> Iterable[Occasion]:
    """Yield the evenings before and some hours before, except where the quiet hours end after it has left."""
    day = ride.day.isoformat()
    leaves = clock.at(ride.day, ride.at or time(0))
    for lead in leads(row):
        evening, key = (
            clock.at(ride.day - lead * _DAY, _EVENING),
            f"departures:{day}{_lead_key(lead)}:evening",
        )
        if clock.told_at(evening) < leaves:
            yield Occasion(row, "departures", key, ride.day, (evening,), leaves, ride)
    hours = leaves - _BEFORE_DEPARTURE
    if ride.at is not None and clock.told_at(hours) < leaves:
        key = f"departures:{day}T{ride.at:%H%M}:hours"
        yield Occasion(row, "departures", key, ride.day, (hours,), leaves, ride)


def _tablets(rows: Sequence[Record], _: Window, clocks: Clocks, __: Leads) -> Iterable[Occasion]:
    """Yield what is taken at set hours, as told last, for as long as it is taken; whatever the window."""
    for row in going_on(rows):
        clock = clocks(row)
        for one in series_of(row, clock.zone):
            key, over = f"tablets:{one.key}", clock.at(date.max - _DAY, time(0))
            yield Occasion(row, "tablets", key, row.occurred_on, (), over, series=one)


_TOPICS: Final[Mapping[Topic, Callable[[Sequence[Record], Window, Clocks, Leads], Iterable[Occasion]]]] = {
    "bills": _bills,
    "birthdays": _birthdays,
    "departures": _departures,
    "tablets": _tablets,
}
