"""The moments that words about when mean, counted from now in the household's zone (pure).

An ambiguous hour (am or pm) is the next of both that is still to come; on another day than today it is am from
seven on, else pm. A day without an hour is at nine o'clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, Literal
from zoneinfo import ZoneInfo

from butler_specialist.remind.rule import first_occurrence, occurrences_after
from butler_specialist.understanding.moments import Said
from butler_specialist.understanding.repeats import Repeat
from butler_specialist.understanding.times import Moment

__all__ = ["NINE", "Assumed", "Due", "NoMoment", "at_wall", "dues"]

Assumed = Literal["hour", "half"]
NINE: Final = time(9)
_LATER_TODAY: Final = time(18)
_LATE_IN_PART: Final = timedelta(hours=2)
_SHORTEST: Final = timedelta(minutes=5)
_AS_IT_STANDS: Final = 7
_EARLIEST: Final = 6
"""The hour before which nobody means the morning, unless they want to be woken."""


@dataclass(frozen=True, slots=True)
class Due:
    """A moment, the first one of a rule. It `elapses` if it is a wait from now and no hour of a clock."""

    due: datetime
    rule: str | None = None
    assumed: Assumed | None = None
    elapses: bool = False


@dataclass(frozen=True, slots=True)
class NoMoment:
    """Why there is no moment."""

    lacks: Literal["when", "hour", "past", "often", "event"]
    due: datetime | None = None


def at_wall(day: date, at: time, zone: ZoneInfo) -> datetime:
    """Return the wall time; one that a clock change skips is later by the amount of the change."""
    return datetime.combine(day, at, zone).astimezone(UTC).astimezone(zone)


def dues(said: Said, now: datetime, *, wakes: bool = False) -> tuple[Due, ...] | NoMoment:
    """Return the moments, none of them past; several if several hours are named."""
    if said.ahead is not None:
        return NoMoment("event")
    if said.wait is not None and said.wait.of_the_clock:
        return (Due(said.wait.after(now), elapses=True),) if said.wait.seconds else NoMoment("when")
    day = _day(said, now)
    if said.repeat is not None:
        return _repeated(said, said.repeat, day, now, wakes=wakes)
    if day is None and not said.hours and said.part is None:
        return NoMoment("when")
    return _on_each(said, day, now, wakes=wakes)


def _on_each(said: Said, day: date | None, now: datetime, *, wakes: bool) -> tuple[Due, ...] | NoMoment:
    """Return the moments on each of the named days: "on Saturday and Sunday at 10"."""
    days = dict.fromkeys([day, *(other.on("future") for other in said.others)])
    found = [_once(said, each, now, wakes=wakes) for each in days]
    failed = next((one for one in found if isinstance(one, NoMoment)), None)
    return failed or tuple(due for one in found if not isinstance(one, NoMoment) for due in one)


def _zone(moment: datetime) -> ZoneInfo:
    """Return the household's zone, which its moments have."""
    return moment.tzinfo if isinstance(moment.tzinfo, ZoneInfo) else ZoneInfo("UTC")


def _day(said: Said, now: datetime) -> date | None:
    if said.wait is not None:
        return said.wait.after_day(now.date())
    return said.day.on("future") if said.day is not None else None


def _once(said: Said, day: date | None, now: datetime, *, wakes: bool) -> tuple[Due, ...] | NoMoment:
    chosen: list[Due | None] = [_at(hour, day, now, wakes=wakes) for hour in said.hours]
    chosen = chosen or [_without_an_hour(said, day, now)]
    found = tuple(one for one in chosen if one is not None)
    if not found:
        return NoMoment("hour")
    weekly = said.day is not None and said.day.form == "weekday" and day == now.date()
    found = tuple(_next_week(one) if weekly and one.due <= now else one for one in found)
    over = next((one for one in found if one.due <= now), None)
    return NoMoment("past", over.due) if over else found


def _next_week(one: Due) -> Due:
    return Due(at_wall(one.due.date() + timedelta(days=7), one.due.time(), _zone(one.due)), None, one.assumed)


def _without_an_hour(said: Said, day: date | None, now: datetime) -> Due | None:
    """Return the usual hour of the named part of the day, else nine; None if today is almost over."""
    today, zone = now.date(), _zone(now)
    if said.part is not None:
        return _in_part(said.part, day, now)
    day = day or today
    nine = at_wall(day, NINE, zone)
    if day != today or nine > now or (said.day is not None and said.day.form == "weekday"):
        return Due(nine, None, "hour")
    later = at_wall(day, _LATER_TODAY, zone)
    return Due(later, None, "hour") if later > now else None


def _in_part(part: time, day: date | None, now: datetime) -> Due | None:
    """Return the next one; if today's hour is over, two hours later."""
    today, zone = now.date(), _zone(now)
    midnight = timedelta(days=1 if part == time(0) and day is not None else 0)
    due = at_wall((day or today) + midnight, part, zone)
    if due > now or (day is not None and day != today):
        return Due(due)
    if day is None:
        return Due(at_wall(today + timedelta(days=1), part, zone))
    late = due + _LATE_IN_PART
    return Due(late) if late > now and late.date() == today else None


def _at(hour: Moment, day: date | None, now: datetime, *, wakes: bool) -> Due:
    today, zone = now.date(), _zone(now)
    if day is not None and day != today:
        at = _settled(hour, wakes=wakes)
        return Due(at_wall(day, at, zone), None, _half(hour, at))
    for at in _readings(hour, wakes=wakes):
        if (due := at_wall(today, at, zone)) > now:
            return Due(due, None, _half(hour, at))
    at = _settled(hour, wakes=wakes)
    return Due(at_wall(today if day else today + timedelta(days=1), at, zone), None, _half(hour, at))


def _readings(hour: Moment, *, wakes: bool) -> Sequence[time]:
    """Return its possible readings, the earlier first."""
    if hour.twelve is None or hour.twelve.hour == 12:
        return [hour.at or hour.twelve or NINE]
    morning, evening = hour.twelve, hour.twelve.replace(hour=hour.twelve.hour + 12)
    if wakes:
        return [morning]
    return [morning, evening] if morning.hour >= _EARLIEST or hour.at == morning else [evening]


def _settled(hour: Moment, *, wakes: bool) -> time:
    """Return what it means on a day that is wholly to come."""
    if hour.at is not None:
        return hour.at
    twelve = hour.twelve or NINE
    early = twelve.hour < _AS_IT_STANDS and not wakes
    return twelve.replace(hour=twelve.hour + 12) if early else twelve


def _half(hour: Moment, at: time) -> Assumed | None:
    return "half" if hour.twelve is not None and at != hour.twelve else None


def _repeated(
    said: Said, repeat: Repeat, day: date | None, now: datetime, *, wakes: bool
) -> tuple[Due, ...] | NoMoment:
    start = max(day or now.date(), now.date())
    if repeat.frequency in ("HOURLY", "MINUTELY"):
        return _elapsing(said, repeat, start, now, wakes=wakes)
    if repeat.frequency == "YEARLY" and day is None:
        return NoMoment("when")
    rule = repeat.on(start)
    hours = [(_settled(hour, wakes=wakes), hour) for hour in said.hours]
    walls = [(at, _half(hour, at)) for at, hour in hours]
    walls = walls or [(said.part, None) if said.part is not None else (NINE, "hour")]
    found = [_first(rule, said.until, start, at, assumed, now) for at, assumed in walls]
    return tuple(one for one in found if one is not None) or NoMoment("past")


def _elapsing(
    said: Said, repeat: Repeat, start: date, now: datetime, *, wakes: bool
) -> tuple[Due, ...] | NoMoment:
    step = timedelta(minutes=repeat.interval * (60 if repeat.frequency == "HOURLY" else 1))
    if step < _SHORTEST:
        return NoMoment("often")
    first = [_at(hour, start, now, wakes=wakes).due for hour in said.hours[:1]]
    due = first[0] if first else now + step
    return (Due(due, _limited(repeat.rule, said.until, due)),)


def _first(
    repeat: Repeat, until: date | None, start: date, at: time, assumed: Assumed | None, now: datetime
) -> Due | None:
    """Return the first time from `start` on that is to come; every second one counts from there."""
    zone, every = _zone(now), replace(repeat, interval=1)
    if not repeat.days and repeat.month_day is None:
        every = Repeat("DAILY", 0, 0)
    eve = first_occurrence(at_wall(start - timedelta(days=1), at, zone), zone)
    coming = (
        one.at
        for one in occurrences_after(every.rule, replace(eve, wall=datetime.combine(eve.wall, at)), zone)
    )
    due = next((one.astimezone(zone) for one in coming if one > now), None)
    if due is None or (until is not None and due.date() > until):
        return None
    return Due(due, _limited(repeat.rule, until, due), assumed)


def _limited(rule: str, until: date | None, due: datetime) -> str:
    """Return the rule up to the end of a day, which RFC 5545 wants in UTC."""
    if until is None:
        return rule
    end = at_wall(until, time(23, 59, 59), _zone(due)).astimezone(UTC)
    return f"{rule};UNTIL={end:%Y%m%dT%H%M%SZ}"
