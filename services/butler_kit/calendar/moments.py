"""PURE: the times of an event in an untrusted iCalendar text: a day, or a clock time and its zone (RFC 5545).

Invariant: a time that is given twice, or in an unknown zone, is no time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final

from icalendar import vDuration

from butler_kit.calendar.lines import Given, Property

__all__ = ["Point", "Unsure", "length_of", "listed", "one", "point"]

_DAY: Final = re.compile(r"\d{8}", re.ASCII)
_MOMENT: Final = re.compile(r"(\d{8}T\d{6})(Z?)", re.ASCII)
_DURATION: Final = re.compile(
    r"[+]?P(?:\d{1,4}W|(?:\d{1,4}D)?(?:T(?:\d{1,5}H)?(?:\d{1,6}M)?(?:\d{1,7}S)?)?)", re.ASCII
)
_MOST_LISTED: Final = 400
ZoneOf = Callable[[str], tzinfo | None]


class Unsure(ValueError):
    """There is no time, or none that is certain."""


@dataclass(frozen=True, slots=True)
class Point:
    """A `day`, or a wall-clock time (`wall`) in a zone; without a zone it is by the reader's own clock."""

    day: date | None = None
    wall: datetime | None = None
    zone: tzinfo | None = None

    @property
    def start(self) -> date:
        """The start as recurrence rules take it: a date, or a datetime with its zone."""
        if self.wall is None:
            return self.whole
        return self.wall.replace(tzinfo=self.zone)

    @property
    def whole(self) -> date:
        """The day by the point's own clock."""
        found = self.day or (self.wall.date() if self.wall is not None else None)
        if found is None:
            raise Unsure("no time")
        return found

    @property
    def moment(self) -> datetime | None:
        """The moment in UTC, where that is known. Raises `Unsure` for one out of range."""
        if self.wall is None or self.zone is None:
            return None
        try:
            return self.wall.replace(tzinfo=self.zone).astimezone(UTC)
        except (ValueError, OverflowError) as error:
            raise Unsure("no moment") from error

    @property
    def order(self) -> datetime:
        """A moment to compare by: a day, or a clock time without a zone, as if it were UTC."""
        return self.moment or datetime.combine(self.whole, self.wall.time() if self.wall else time(0), UTC)

    @property
    def name(self) -> str:
        """A name that is equal for equal times, however their zone is written."""
        moment = self.moment
        if moment is not None:
            return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
        return f"{self.wall:%Y-%m-%dT%H:%M:%S}" if self.wall is not None else f"{self.whole:%Y-%m-%d}"

    def at(self, start: date) -> Point:
        """Return another occurrence of the same series."""
        if isinstance(start, datetime):
            return Point(wall=start.replace(tzinfo=None), zone=self.zone)
        return Point(day=start)


def one(event: Given, name: str, zone_of: ZoneOf) -> Point | None:
    """Return the time of a property; None where it is not given. Raises `Unsure`."""
    given = event.get(name, [])
    if len(given) > 1:
        raise Unsure(f"{name} is given twice")
    return point(given[0].value, given[0], zone_of) if given else None


def listed(event: Given, name: str, zone_of: ZoneOf) -> list[Point]:
    """Return the times listed by all properties of a name. Raises `Unsure`."""
    found = [(value, given) for given in event.get(name, []) for value in given.value.split(",") if value]
    if len(found) > _MOST_LISTED:
        raise Unsure(f"{name} has too many times")
    return [point(value.partition("/")[0], given, zone_of) for value, given in found]


def point(value: str, given: Property, zone_of: ZoneOf) -> Point:
    """Parse a day, a moment in UTC, one in a zone, or a clock time without a zone. Raises `Unsure`."""
    tzid = given.params.get("TZID")
    moment = _MOMENT.fullmatch(value)
    try:
        if moment is None and _DAY.fullmatch(value):
            return Point(day=datetime.strptime(value, "%Y%m%d").date())
        if moment is None:
            raise Unsure("not a time")
        wall = datetime.strptime(moment[1], "%Y%m%dT%H%M%S")
    except ValueError as error:
        raise Unsure("not a time") from error
    if moment[2] and tzid is None:
        return Point(wall=wall, zone=UTC)
    zone = zone_of(tzid) if tzid is not None else None
    if moment[2] or (tzid is not None and zone is None):
        raise Unsure("its zone is not known")
    return Point(wall=wall, zone=zone)


def length_of(event: Given, start: Point, zone_of: ZoneOf) -> timedelta | None:
    """Return the duration, whatever the clocks do meanwhile; None where it is not given. Raises `Unsure`."""
    end, durations = one(event, "DTEND", zone_of), event.get("DURATION", [])
    if end is not None and durations:
        raise Unsure("it ends twice")
    if end is not None:
        return _between(start, end)
    return _duration(durations) if durations else None


def _between(start: Point, end: Point) -> timedelta:
    if (start.wall is None) != (end.wall is None) or (start.zone is None) != (end.zone is None):
        raise Unsure("begin and end are of two kinds")
    lasts = end.order - start.order
    if lasts < timedelta(0):
        raise Unsure("it ends before it begins")
    return lasts


def _duration(given: Sequence[Property]) -> timedelta:
    value = given[0].value
    if len(given) > 1 or _DURATION.fullmatch(value) is None or value in ("P", "PT", "+P"):
        raise Unsure("no duration")
    try:
        found: timedelta = vDuration.from_ical(value)  # type: ignore[no-untyped-call]
    except (ValueError, TypeError, OverflowError) as error:
        raise Unsure("no duration") from error
    return found
