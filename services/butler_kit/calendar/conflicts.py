"""PURE: conflicts of a wanted time, and the nearest free times instead: the policy `suggest` (MSR-01.2).

Invariants: no proposal overlaps a busy event, lies in the past, or is a time that the clock skips on that day; events
marked free, and the event itself, never conflict. An all-day event lasts from midnight to midnight in the zone of
whoever asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from butler_contracts.calendar import CalendarEvent
from butler_kit.calendar.port import Span

__all__ = ["MOST_PROPOSED", "DayHours", "around", "busy_in", "free_times", "in_the_way", "span_of"]

MOST_PROPOSED: Final = 3
_STEP: Final = timedelta(minutes=30)
_DAYS: Final = 7
"""How many days before and after the wanted one are searched."""
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class DayHours:
    """The hours of a day within which times are proposed, by the wall clock."""

    start: time = time(8)
    end: time = time(20)


def span_of(event: CalendarEvent, zone: ZoneInfo) -> Span | None:
    """Return when the event is, in UTC; None for one without a time."""
    if event.start is not None and event.end is not None:
        return Span(event.start, event.end)
    if event.first_day is None:
        return None
    after = (event.last_day or event.first_day) + _DAY
    return Span(_midnight(event.first_day, zone), _midnight(after, zone))


def around(wanted: Span, zone: ZoneInfo) -> Span:
    """Return the span to look at to know which times near `wanted` are free."""
    first = wanted.start.astimezone(zone).date() - _DAYS * _DAY
    last = wanted.end.astimezone(zone).date() + (_DAYS + 1) * _DAY
    return Span(_midnight(first, zone), _midnight(last, zone))


def in_the_way(
    wanted: Span, events: Sequence[CalendarEvent], zone: ZoneInfo, *, but: str
) -> tuple[CalendarEvent, ...]:
    """Return the busy events that `wanted` overlaps, in order of time, except the one with the id `but`."""
    return tuple(event for event, span in _busy(events, zone, but) if span.meets(wanted))


def busy_in(wanted: Span, events: Sequence[CalendarEvent], zone: ZoneInfo) -> tuple[Span, ...]:
    """Return the busy spans in `wanted`: touching ones are merged, those reaching beyond are clipped."""
    found: list[Span] = []
    for _, span in _busy(events, zone, None):
        start, end = max(span.start, wanted.start), min(span.end, wanted.end)
        if start >= end:
            continue
        if found and start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, end))
        else:
            found.append(Span(start, end))
    return tuple(found)


def free_times(
    wanted: Span,
    events: Sequence[CalendarEvent],
    *,
    zone: ZoneInfo,
    hours: DayHours,
    now: datetime,
    but: str = "",
) -> tuple[Span, ...]:
    """Return up to three free times of the same length, nearest to `wanted` first, at equal distance the later one.

    They begin on the half hour or where another event ends, within `hours`, extended to the wanted time itself, which
    somebody chose.
    """
    busy = [span for _, span in _busy(events, zone, but)]
    length, reach, looked_at = wanted.end - wanted.start, _reach(wanted, zone, hours), around(wanted, zone)
    starts = {*_half_hours(wanted, zone), *(span.end for span in busy)}
    found: list[Span] = []
    for start in sorted(starts, key=lambda start: (abs(start - wanted.start), wanted.start - start)):
        one = Span(start, start + length)
        if start < now or not (looked_at.start <= one.start and one.end <= looked_at.end):
            continue
        if _within(one, reach, zone) and not any(one.meets(other) for other in busy):
            found.append(one)
        if len(found) == MOST_PROPOSED:
            break
    return tuple(found)


def _busy(
    events: Sequence[CalendarEvent], zone: ZoneInfo, but: str | None
) -> list[tuple[CalendarEvent, Span]]:
    found = [
        (event, span)
        for event in events
        if event.busy and event.event_id != but and (span := span_of(event, zone)) is not None
    ]
    return sorted(found, key=lambda pair: (pair[1].start, pair[1].end))


def _half_hours(wanted: Span, zone: ZoneInfo) -> Iterator[datetime]:
    """Yield each moment at which the zone's clock shows a full or half hour, on each of the days."""
    day = wanted.start.astimezone(zone).date()
    for distance in range(-_DAYS, _DAYS + 1):
        clock = datetime.combine(day + distance * _DAY, time(0))
        while clock.date() == day + distance * _DAY:
            moment = clock.replace(tzinfo=zone).astimezone(UTC)
            # Leave out an hour that a clock change skips.
            if moment.astimezone(zone).replace(tzinfo=None) == clock:
                yield moment
            clock += _STEP


def _reach(wanted: Span, zone: ZoneInfo, hours: DayHours) -> DayHours | None:
    """Return the hours to propose; None if the wanted time runs past midnight, so that any hour will do."""
    start, end = wanted.start.astimezone(zone), wanted.end.astimezone(zone)
    if start.date() != end.date():
        return None
    return DayHours(min(hours.start, start.time()), max(hours.end, end.time()))


def _within(one: Span, reach: DayHours | None, zone: ZoneInfo) -> bool:
    if reach is None:
        return True
    start, end = one.start.astimezone(zone), one.end.astimezone(zone)
    return start.date() == end.date() and reach.start <= start.time() and end.time() <= reach.end


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(0), tzinfo=zone).astimezone(UTC)
