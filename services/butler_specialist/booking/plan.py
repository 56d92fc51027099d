"""PURE: what to ask the calendar for an appointment, and when to retry (SWB-24.2, docs/adr/0098).

Invariants: an event has its record's id, so every request can be repeated; a record that is private or told by a
stranger is not an appointment of the household.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, Literal
from zoneinfo import ZoneInfo

from butler_contracts.calendar import LONGEST, CalendarCreate, CalendarDelete, CalendarEvent, CalendarMove
from butler_contracts.errors import ValidationFailed
from butler_contracts.text import plain_line
from butler_kit.wording.folding import fold
from butler_specialist.invited.facts import exact_start, length_of, told_of
from butler_specialist.store.model import Record
from butler_specialist.store.visibility import ALL_HOUSEHOLD, Policy
from butler_specialist.understanding.hour_ranges import hour_ranges

__all__ = [
    "KIND",
    "PATIENCE",
    "State",
    "Wish",
    "again_in_s",
    "differs",
    "is_wanted",
    "moved",
    "wish_of",
]

KIND: Final = "appointment"
State = Literal["due", "booked", "conflict", "refused", "removed"]
PATIENCE: Final = timedelta(hours=24)
"""How long an unreachable calendar is waited for."""
_FIRST_S: Final = 5.0
_LONGEST_S: Final = 600.0
_LONGEST_SAID: Final = timedelta(hours=12)
_TITLE: Final = 200
_PLACE: Final = 200


@dataclass(frozen=True, slots=True)
class Wish:
    """The calendar's wanted state for one record; `create` is None if it should have no event."""

    create: CalendarCreate | None
    delete: CalendarDelete


def is_wanted(record: Record, policy: Policy) -> bool:
    """Return whether the calendar is to have an event of a record: an appointment of the whole household."""
    told = record.sender_class == "household" and policy.is_households(record)
    return record.kind == KIND and told and not record.withdrawn


def wish_of(record: Record, zone: ZoneInfo, *, minutes: int, policy: Policy = ALL_HOUSEHOLD) -> Wish:
    """Return the wanted state for a record, by its teller's clock: the whole household reads the calendar.

    Raises `ValidationFailed` if it lasts longer than one event may.
    """
    gone = CalendarDelete(event_id=record.record_id)
    if not is_wanted(record, policy):
        return Wish(None, gone)
    common = {
        "event_id": record.record_id,
        "title": plain_line(_title(record), most=_TITLE) or KIND,
        "place": (plain_line(record.place, most=_PLACE) if record.place else None) or None,
        "timezone": zone.key,
    }
    uid = told_of(record).get("uid")
    common |= {"uid": uid} if uid is not None else {}
    if record.occurred_at is None:
        return Wish(CalendarCreate(day=record.occurred_on, last_day=_last_day(record), **common), gone)
    start = exact_start(record, zone) or _start(record.occurred_on, record.occurred_at, zone)
    return Wish(
        CalendarCreate(start=start, end=start + _length(record, record.occurred_at, minutes), **common), gone
    )


def moved(wish: CalendarCreate) -> CalendarMove:
    """Return the same wish for an event that exists already."""
    return CalendarMove(**{name: getattr(wish, name) for name in CalendarMove.model_fields})


def differs(event: CalendarEvent | None, wish: CalendarCreate) -> bool:
    """Return whether an existing event is at another time than wished."""
    if event is None:
        return False
    return (event.start, event.first_day) != (wish.start, wish.day)


def again_in_s(tries: int) -> float:
    """Return the pause after this many tries without an answer."""
    return min(_LONGEST_S, _FIRST_S * 2.0 ** min(tries - 1, 10))


def _start(day: date, at: time, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, at, tzinfo=zone).astimezone(UTC)


def _last_day(record: Record) -> date | None:
    """Return the last of several whole days; None if it is one."""
    until = record.details.get("until")
    last = date.fromisoformat(until) if isinstance(until, str) else record.occurred_on
    if last - record.occurred_on > LONGEST:
        raise ValidationFailed(f"it lasts longer than {LONGEST.days} days")
    return last if last > record.occurred_on else None


def _length(record: Record, at: time, minutes: int) -> timedelta:
    """Return the length that its invitation or its words state.

    The text of an invitation is a title and has none.
    """
    said = length_of(record) if told_of(record) else _said_length(record.text, at)
    return said or timedelta(minutes=minutes)


def _said_length(text: str, at: time) -> timedelta | None:
    """Return the length if its words say until when, from its own time on ("10:00 to 11:30", "5-6.30pm")."""
    for said in hour_ranges(fold(text)):
        if (said.hour % 12, said.minute) != (at.hour % 12, at.minute):
            continue
        begins = timedelta(hours=at.hour, minutes=at.minute)
        ends = timedelta(hours=said.last, minutes=said.last_minute)
        if ends <= begins and said.last < 12:
            ends += timedelta(hours=12)
        if begins < ends <= begins + _LONGEST_SAID:
            return ends - begins
    return None


def _title(record: Record) -> str:
    if record.title is None:
        return record.text
    return f"{record.title}, {record.party}" if record.party else record.title
