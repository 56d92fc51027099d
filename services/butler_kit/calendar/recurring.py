"""PURE: occurrences of a recurring event by its wall clock (RFC 5545 section 3.8.5), with the rules of `dateutil`.

Invariants: an hour stays that hour when the clocks change; a lookup's cost depends on its period and not on the rule,
so a rule that recurs every second, or never, is refused and not followed.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, tzinfo
from typing import Any, Final

from dateutil.rrule import rruleset, rrulestr

__all__ = ["UnreadableRule", "occurrences"]

_FOLLOWED: Final = frozenset({"DAILY", "WEEKLY", "MONTHLY", "YEARLY"})
_MOST_STEPS: Final = 40_000
"""A century of days."""


class UnreadableRule(ValueError):
    """A rule that cannot be followed."""


def occurrences(component: Any, start: date, since: datetime, until: datetime) -> Iterator[date]:
    """Yield a recurring event's starts from `since` up to `until`: dates if all-day, else moments in its zone.

    `component` is a VEVENT with RRULE or RDATE. Raises `UnreadableRule`.
    """
    zone = start.tzinfo if isinstance(start, datetime) else None
    rules = rruleset()
    wall = _wall(start, zone)
    for rule in _listed(component.get("RRULE")):
        rules.rrule(_rule(rule, wall, zone))
    for moment in _moments(component.get("RDATE"), zone):
        rules.rdate(moment)
    rules.rdate(wall)
    for moment in _moments(component.get("EXDATE"), zone):
        rules.exdate(moment)
    first, last = _wall(since, zone), _wall(until, zone)
    for steps, moment in enumerate(rules):
        if moment >= last:
            return
        if steps > _MOST_STEPS:
            raise UnreadableRule("it comes too often")
        if moment >= first:
            yield moment.replace(tzinfo=zone) if isinstance(start, datetime) else moment.date()


def _rule(rule: Any, wall: datetime, zone: tzinfo | None) -> Any:
    given = {str(name).upper(): _listed(value) for name, value in rule.items()}
    if str(given.get("FREQ", [""])[0]).upper() not in _FOLLOWED or not _can_come(given):
        raise UnreadableRule("its rule cannot be followed")
    ends = given.pop("UNTIL", [])
    text = ";".join(f"{name}={','.join(map(_said, values))}" for name, values in given.items())
    if ends:
        text += f";UNTIL={_wall(_whole(ends[0]), zone):%Y%m%dT%H%M%S}"
    try:
        return rrulestr(text, dtstart=wall)
    except (ValueError, TypeError, KeyError, IndexError) as error:
        raise UnreadableRule("its rule cannot be read") from error


def _can_come(given: Mapping[str, Sequence[Any]]) -> bool:
    """Return whether any month has any of the days: 30 February would be searched until the year 9999."""
    days = [int(day) for day in given.get("BYMONTHDAY", ())]
    months = [int(month) for month in given.get("BYMONTH", ())] or list(range(1, 13))
    if any(not 1 <= month <= 12 for month in months):
        return False
    return not days or any(0 < abs(day) <= monthrange(2024, month)[1] for month in months for day in days)


def _said(value: Any) -> str:
    return str(value.to_ical().decode() if hasattr(value, "to_ical") else value)


def _listed(value: Any) -> list[Any]:
    return [] if value is None else list(value) if isinstance(value, list) else [value]


def _moments(given: Any, zone: tzinfo | None) -> Iterator[datetime]:
    """Yield each day, moment or start of a period that the properties of a name list."""
    for listed in _listed(given):
        for one in getattr(listed, "dts", ()):
            moment = one.dt[0] if isinstance(one.dt, tuple) else one.dt
            yield _wall(moment, zone)


def _whole(value: date) -> date:
    """Return the end of a rule; one that names a day ends with that day."""
    return value if isinstance(value, datetime) else datetime.combine(value, time(23, 59, 59))


def _wall(value: date, zone: tzinfo | None) -> datetime:
    """Return the wall-clock time in the event's zone; for an event without one, in UTC."""
    if not isinstance(value, datetime):
        return datetime.combine(value, time(0))
    if value.tzinfo is None:
        return value
    return value.astimezone(zone or UTC).replace(tzinfo=None)
