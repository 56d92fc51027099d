"""What a profile asks the household's calendar to answer a question about what is coming (SWB-24.2, D53)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, datetime, time, timedelta
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from butler_contracts.calendar import CalendarEvent, CalendarPeriod
from butler_contracts.errors import ButlerError
from butler_contracts.language import Language
from butler_specialist.locale import joined, say
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.reminder_heard import zone_of
from butler_specialist.questions.periods import Period
from butler_specialist.questions.wording import more_text, quoted, short_when
from butler_specialist.understanding.reading import Reading

__all__ = ["calendar_ahead"]

_USUAL: Final = timedelta(days=7)
_LONGEST: Final = timedelta(days=31)
_MOST: Final = 10
_RECORD: Final = 5
"""The version of a record's id, and so of its event's (ADR 0098); other programs use random ids."""


async def calendar_ahead(
    reading: Reading, answering: Answering, period: Period | None, *, told: Collection[UUID] | None
) -> str:
    """Return the period's events that nobody else mentions: without those of the records `told`.

    If `told` is None, without those of any record. Empty if there is no calendar; an unreachable one is reported.
    """
    if period is None or answering.calendar is None:
        return ""
    zone, start = zone_of(reading), period.start or reading.today
    end = min(period.end or start + _USUAL, start + _LONGEST)
    if end <= start:
        return ""
    asked = CalendarPeriod(start=_midnight(start, zone), end=_midnight(end, zone))
    try:
        listed = await answering.calendar.list(asked)
    except ButlerError:
        return say(reading.language, "The calendar cannot be reached now.")
    events = [one for one in listed.events if not _is_told(one, told)]
    return _text(events, reading.today, end - start == timedelta(days=1), zone, reading.language)


def _text(
    events: Sequence[CalendarEvent], today: date, of_one_day: bool, zone: ZoneInfo, language: Language
) -> str:
    if not events:
        return ""
    said = [_event(one, today, of_one_day, zone, language) for one in events[:_MOST]]
    more = f" {more_text(len(events) - _MOST, language)}" if len(events) > _MOST else ""
    return say(language, "In the calendar: {events}.", events=joined(said, language)) + more


def _event(event: CalendarEvent, today: date, of_one_day: bool, zone: ZoneInfo, language: Language) -> str:
    title = quoted(event.title, language=language) if event.title else say(language, "something else")
    if event.start is None or event.end is None:
        day = event.first_day or today
        return title if of_one_day else f"{title} ({short_when(day, None, today, language)})"
    start, end = event.start.astimezone(zone), event.end.astimezone(zone)
    hours = f"{start:%H:%M}–{end:%H:%M}"
    if of_one_day:
        return f"{title} ({hours})"
    return f"{title} ({short_when(start.date(), None, today, language)}, {hours})"


def _is_told(event: CalendarEvent, told: Collection[UUID] | None) -> bool:
    try:
        event_id = UUID(event.event_id)
    except ValueError:
        return False
    return event_id.version == _RECORD if told is None else event_id in told


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(0), tzinfo=zone)
