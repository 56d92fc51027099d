"""PURE: events as iCalendar (RFC 5545), with the library `icalendar`.

Invariant: a change to an existing event touches only the given fields; alarms, notes and whatever else its owner put
into it stay.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from icalendar import Calendar, Event
from icalendar.timezone import tzp

from butler_contracts.calendar import CalendarEvent
from butler_contracts.errors import TargetUnavailable
from butler_contracts.text import plain_line
from butler_kit.calendar.conflicts import span_of
from butler_kit.calendar.port import Span, misconfigured
from butler_kit.calendar.recurring import occurrences

__all__ = ["UnreadableCalendar", "changed", "composed", "events_in", "first_in"]

_PRODUCT: Final = "-//Butlers//Calendar//EN"
_TITLE: Final = 300
_DAY: Final = timedelta(days=1)
_TIMES: Final = ("DTSTART", "DTEND", "DURATION")
_SUMMARY: Final = re.compile(r"^SUMMARY(?:;[^:\r\n]{0,200})?:([^\r\n]+)", re.MULTILINE | re.IGNORECASE)
_ONE_AT_A_TIME: Final = threading.Lock()
"""The library keeps the zones that a text defines for the whole process, under the name that the first one gave."""


class UnreadableCalendar(ValueError):
    """The server's answer is not iCalendar."""


def events_in(text: str, span: Span, zone: ZoneInfo) -> Iterator[CalendarEvent]:
    """Yield the events of one calendar object at any time of `span`, each occurrence of a recurring one by itself.

    Times without a zone are in `zone`. Raises `UnreadableCalendar`, and `TargetUnavailable` for an event that cannot
    be read, because it may be a conflict.
    """
    components = _components(text)
    for component in components:
        if _is_cancelled(component):
            continue
        try:
            yield from _times(component, _changed_times(components, zone), span, zone)
        except (ValueError, TypeError, AttributeError, OverflowError) as error:
            raise _unreadable(str(component.get("SUMMARY", ""))) from error


def first_in(text: str, zone: ZoneInfo) -> CalendarEvent | None:
    """Return the event of a calendar object at its first occurrence. Raises like `events_in`."""
    for component in _components(text):
        start = _when(component, "DTSTART")
        if start is not None and not _is_cancelled(component):
            return _event(component, start, _length(component, start, zone), zone)
    return None


def composed(event: CalendarEvent, now: datetime) -> bytes:
    """Return the event as a calendar object of its own."""
    calendar, component = Calendar(), Event()
    calendar.add("PRODID", _PRODUCT)
    calendar.add("VERSION", "2.0")
    component.add("UID", event.event_id)
    component.add("DTSTAMP", now.astimezone(UTC))
    _put(component, event)
    calendar.add_component(component)
    return bytes(calendar.to_ical())


def changed(text: str, event: CalendarEvent, now: datetime) -> bytes:
    """Return the object with time and words of `event`, SEQUENCE raised; one that was called off stands again.

    Raises `UnreadableCalendar`.
    """
    calendar = _parsed(text)
    for component in calendar.walk("VEVENT"):
        sequence = component.get("SEQUENCE")
        for name in ("SUMMARY", "LOCATION", "TRANSP", "SEQUENCE", "DTSTAMP", *_TIMES):
            component.pop(name, None)
        if _is_cancelled(component):
            component.pop("STATUS")
        component.add("SEQUENCE", int(sequence or 0) + 1)
        component.add("DTSTAMP", now.astimezone(UTC))
        _put(component, event)
        break
    return bytes(calendar.to_ical())


def _put(component: Any, event: CalendarEvent) -> None:
    component.add("SUMMARY", event.title)
    if event.place is not None:
        component.add("LOCATION", event.place)
    if event.start is not None and event.end is not None:
        component.add("DTSTART", event.start.astimezone(UTC))
        component.add("DTEND", event.end.astimezone(UTC))
    elif event.first_day is not None:
        component.add("DTSTART", event.first_day)
        component.add("DTEND", (event.last_day or event.first_day) + _DAY)
    component.add("TRANSP", "OPAQUE" if event.busy else "TRANSPARENT")


def _components(text: str) -> list[Any]:
    """Return the events of a text, without their alarms, which do not matter and may be unreadable."""
    plain = _without_alarms(text)
    try:
        return list(_parsed(plain).walk("VEVENT"))
    except UnreadableCalendar as error:
        title = _SUMMARY.search(plain)
        if title is None:
            raise
        raise _unreadable(title[1]) from error


def _without_alarms(text: str) -> str:
    kept: list[str] = []
    in_alarm = False
    for line in text.split("\n"):
        word = line.rstrip().upper()
        in_alarm = in_alarm or word == "BEGIN:VALARM"
        if not in_alarm:
            kept.append(line)
        in_alarm = in_alarm and word != "END:VALARM"
    return "\n".join(kept)


def _unreadable(title: str) -> TargetUnavailable:
    """Return the error that names the event to correct."""
    named = plain_line(title, most=80)
    return misconfigured(f"the event “{named}” in the calendar cannot be read; correct or delete it")


def _parsed(text: str) -> Any:
    """Parse a text with the zones that it defines itself, not those of another one."""
    try:
        with _ONE_AT_A_TIME:
            tzp.use_default()
            return Calendar.from_ical(text)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise UnreadableCalendar("not an iCalendar object") from error


def _is_cancelled(component: Any) -> bool:
    return str(component.get("STATUS", "")).upper() == "CANCELLED"


def _changed_times(components: Sequence[Any], zone: ZoneInfo) -> set[date]:
    """Return the occurrences of a recurring event that are events of their own, or called off."""
    found = (_when(one, "RECURRENCE-ID") for one in components)
    return {_moment_of(at, zone) for at in found if at is not None}


def _times(component: Any, changed_times: set[date], span: Span, zone: ZoneInfo) -> Iterator[CalendarEvent]:
    start = _when(component, "DTSTART")
    if start is None:
        return
    length, alone = _length(component, start, zone), "RECURRENCE-ID" in component
    for begins in _starts(component, start, length, span, zone):
        if not alone and _moment_of(begins, zone) in changed_times:
            continue
        event = _event(component, begins, length, zone)
        if _is_in(event, span, zone):
            yield event


def _starts(component: Any, start: date, length: timedelta, span: Span, zone: ZoneInfo) -> Iterator[date]:
    if "RECURRENCE-ID" in component or not ("RRULE" in component or "RDATE" in component):
        yield start
        return
    known = _aware(start, zone) if isinstance(start, datetime) else start
    # A day more at both ends: the zone whose midnight begins a whole day is known only later.
    yield from occurrences(component, known, span.start - length - _DAY, span.end + _DAY)


def _is_in(event: CalendarEvent, span: Span, zone: ZoneInfo) -> bool:
    when = span_of(event, zone)
    return when is not None and (when.meets(span) or span.start <= when.start < span.end)


def _event(component: Any, start: date, length: timedelta, zone: ZoneInfo) -> CalendarEvent:
    words: dict[str, Any] = {
        "event_id": str(component.get("UID", "")),
        "title": plain_line(str(component.get("SUMMARY", "")), most=_TITLE),
        "place": plain_line(str(component.get("LOCATION", "")), most=_TITLE) or None,
        "busy": str(component.get("TRANSP", "OPAQUE")).upper() != "TRANSPARENT",
    }
    if isinstance(start, datetime):
        begins = _aware(start, zone).astimezone(UTC)
        return CalendarEvent(start=begins, end=begins + length, **words)
    return CalendarEvent(first_day=start, last_day=max(start, start + length - _DAY), **words)


def _moment_of(at: date, zone: ZoneInfo) -> date:
    """Return a value that is equal for equal times of an event, however their zone is written."""
    return _aware(at, zone).astimezone(UTC) if isinstance(at, datetime) else at


def _when(component: Any, name: str) -> date | None:
    """Return a date, or a datetime, which is a date too."""
    value = getattr(component.get(name), "dt", None)
    return value if isinstance(value, date) else None


def _length(component: Any, start: date, zone: ZoneInfo) -> timedelta:
    """Return the duration, the same for each occurrence, whatever the clocks do in between."""
    end, lasts = _when(component, "DTEND"), getattr(component.get("DURATION"), "dt", None)
    if isinstance(start, datetime):
        if isinstance(end, datetime):
            return max(timedelta(0), _aware(end, zone).astimezone(UTC) - _aware(start, zone).astimezone(UTC))
        return lasts if isinstance(lasts, timedelta) else timedelta(0)
    if end is not None and not isinstance(end, datetime):
        return max(_DAY, end - start)
    return lasts if isinstance(lasts, timedelta) else _DAY


def _aware(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)
