"""PURE: the next occurrences of a series with an untrusted rule (RFC 5545, section 3.3.10).

Invariant: only rules that recur within fixed bounds are followed, so that a lookup costs some thousand steps: one
that recurs every second, or never, is not followed at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from types import SimpleNamespace
from typing import Any, Final

from icalendar import vRecur

from butler_kit.calendar.moments import Point, Unsure
from butler_kit.calendar.recurring import UnreadableRule, occurrences

__all__ = ["Series", "coming", "rule_of"]

_RULE: Final = re.compile(r"[A-Z0-9=;,+-]{1,200}")
_NUMBER: Final = re.compile(r"[1-9]\d{0,3}")
_UNTIL: Final = re.compile(r"\d{8}(?:T\d{6}Z?)?")
_DAYS: Final = re.compile(r"[+-]?[1-5]?[A-Z]{2}(?:,[+-]?[1-5]?[A-Z]{2}){0,6}")
_PLAIN_DAYS: Final = re.compile(r"[A-Z]{2}(?:,[A-Z]{2}){0,6}")
_MONTH_DAYS: Final = re.compile(r"(?:-1|[1-9]|[12]\d|3[01])(?:,(?:-1|[1-9]|[12]\d|3[01])){0,30}")
_BOUNDS: Final[Mapping[str, tuple[int, frozenset[str]]]] = {
    "DAILY": (1_000, frozenset()),
    "WEEKLY": (200, frozenset({"BYDAY", "WKST"})),
    "MONTHLY": (60, frozenset({"BYDAY", "BYMONTHDAY", "BYSETPOS", "WKST"})),
    "YEARLY": (20, frozenset({"BYMONTH", "BYMONTHDAY", "BYDAY", "WKST"})),
}
"""By frequency: the longest interval that is followed, and the other parts that a rule may have."""
_ALWAYS: Final = frozenset({"FREQ", "INTERVAL", "COUNT", "UNTIL"})
_AHEAD: Final = timedelta(days=21 * 366)
_MOST_LOOKED_AT: Final = 1_000
_MOST_COUNTED: Final = 1_000


@dataclass(frozen=True, slots=True)
class Series:
    """A series: its start, its rule, additional times, and excluded times."""

    start: Point
    rule: str | None
    more: Sequence[Point] = ()
    but: Sequence[Point] = ()


def rule_of(value: str) -> str:
    """Return the rule as it is followed. Raises `Unsure`."""
    rule = value.upper().strip(";")
    parts = dict(part.partition("=")[::2] for part in rule.split(";"))
    if _RULE.fullmatch(rule) is None or len(parts) != rule.count(";") + 1 or not _is_followed(parts):
        raise Unsure("a rule that is not followed")
    return rule


def coming(series: Series, since: datetime) -> Iterator[Point]:
    """Yield its occurrences from `since` on, in order. Raises `Unsure` for a rule that cannot be followed."""
    try:
        if series.start.day is not None:
            since = datetime.combine(since.date(), time(0), UTC)
        start, rule, until = series.start.start, {}, since + _AHEAD
        if series.rule is not None:
            rule = {"RRULE": vRecur.from_ical(series.rule)}
            start = _nearer(start, series.rule, since)
        days = {point.day for point in series.but if point.day is not None}
        found = occurrences(
            {**rule, "RDATE": _dates(series.more), "EXDATE": _dates(series.but)},
            start,
            since,
            until,
        )
        for number, start in enumerate(found):
            if number >= _MOST_LOOKED_AT:
                return
            point = series.start.at(start)
            # Some programs exclude an occurrence by its day alone.
            if point.whole not in days:
                yield point
    except (UnreadableRule, ValueError, TypeError, OverflowError, KeyError) as error:
        raise Unsure("a rule that is not followed") from error


def _nearer(start: date, rule: str, since: datetime) -> date:
    """Return an equivalent start shortly before `since`, so that a lookup does not step through decades.

    A rule with a COUNT has to be counted from its actual start.
    """
    parts = dict(part.split("=", 1) for part in rule.split(";"))
    length = {"DAILY": 1, "WEEKLY": 7}.get(parts["FREQ"])
    if length is None or "COUNT" in parts:
        return start
    step = length * int(parts.get("INTERVAL", "1"))
    first = start.date() if isinstance(start, datetime) else start
    steps = (since.date() - first).days // step - 2
    return start + timedelta(days=step * steps) if steps > 0 else start


def _dates(points: Sequence[Point]) -> list[Any]:
    return [SimpleNamespace(dts=[SimpleNamespace(dt=point.start)]) for point in points]


def _is_followed(parts: Mapping[str, str]) -> bool:
    frequency = parts.get("FREQ", "")
    if frequency not in _BOUNDS:
        return False
    most, also = _BOUNDS[frequency]
    interval = parts.get("INTERVAL", "1")
    bounded = _NUMBER.fullmatch(interval) is not None and int(interval) <= most
    return bounded and parts.keys() <= _ALWAYS | also and _ends(parts) and _comes(parts)


def _ends(parts: Mapping[str, str]) -> bool:
    until, count = parts.get("UNTIL"), parts.get("COUNT")
    if until is not None and (count is not None or _UNTIL.fullmatch(until) is None):
        return False
    return count is None or (_NUMBER.fullmatch(count) is not None and int(count) <= _MOST_COUNTED)


def _comes(parts: Mapping[str, str]) -> bool:
    """Return whether its days and months are valid together and do occur."""
    days, month_days, months = parts.get("BYDAY"), parts.get("BYMONTHDAY"), parts.get("BYMONTH")
    if days is not None and (month_days is not None or _DAYS.fullmatch(days) is None):
        return False
    if days is not None and parts["FREQ"] == "WEEKLY" and _PLAIN_DAYS.fullmatch(days) is None:
        return False
    if month_days is not None and _MONTH_DAYS.fullmatch(month_days) is None:
        return False
    if months is not None and not (months.isdecimal() and 1 <= int(months) <= 12):
        return False
    if parts["FREQ"] == "YEARLY" and (days or month_days) and months is None:
        return False
    return "BYSETPOS" not in parts or _is_nth(parts["BYSETPOS"], days)


def _is_nth(nth: str, days: str | None) -> bool:
    """Return whether BYSETPOS picks a weekday that every month has."""
    return days is not None and _PLAIN_DAYS.fullmatch(days) is not None and nth in ("1", "2", "3", "4", "-1")
