"""PURE: when a recurring reminder comes again (RFC 5545 §3.3.10, D67).

Days and longer are counted in the wall time of the person's zone: eight o'clock stays eight o'clock when the clocks
change. Hours and minutes are elapsed time. A wall time that does not exist is read with the offset before the gap,
and one that exists twice is the first (RFC 5545 §3.3.5), so each occurrence is one moment, and no two share it.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Final
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr

from butler_contracts.errors import ValidationFailed

__all__ = ["Occurrence", "canonical_rule", "first_occurrence", "occurrences_after"]

_RULE_CHARS: Final = 200
_PART: Final = re.compile(r"([A-Z]{4,10})=([A-Z0-9,+-]{1,120})")
_UNTIL: Final = re.compile(r"[0-9]{8}(?:T[0-9]{6}Z?)?")
_ELAPSED: Final = {"HOURLY": timedelta(hours=1), "MINUTELY": timedelta(minutes=1)}
_WALL: Final = frozenset({"DAILY", "WEEKLY", "MONTHLY", "YEARLY"})
_SIMPLE: Final = frozenset({"FREQ", "INTERVAL", "COUNT", "UNTIL"})
_BY: Final = frozenset(
    {"BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS", "BYYEARDAY", "BYWEEKNO", "BYHOUR", "BYMINUTE", "WKST"}
)
_SHORTEST: Final = timedelta(minutes=5)
_MOST_INTERVAL: Final = {"YEARLY": 100, "MONTHLY": 100, "WEEKLY": 100}
_MOST_ELAPSED: Final = 1_000
_MOST_COUNT: Final = 1_000
_MOST_TIMES_A_DAY: Final = 48
_LEAP_YEAR: Final = 2024
_LOOK_AHEAD: Final = timedelta(days=9 * 366)
"""A rule without an occurrence for nine of its years has ended; the longest gap is that of a 29 February."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A wall time in the person's zone (naive), and its moment (UTC)."""

    wall: datetime
    at: datetime


def first_occurrence(due_at: datetime, zone: ZoneInfo) -> Occurrence:
    """Return the occurrence of a requested moment."""
    return Occurrence(due_at.astimezone(zone).replace(tzinfo=None, fold=0), due_at.astimezone(UTC))


def canonical_rule(rule: str, first: Occurrence, zone: ZoneInfo) -> str | None:
    """Return the rule as stored: within bounds, its end a wall time; None if it comes only once.

    Raises `ValidationFailed` for one that is invalid or comes too often.
    """
    parts = _parts(rule)
    _check(parts)
    if "UNTIL" in parts:
        parts["UNTIL"] = _wall_text(parts["UNTIL"], zone)
    count = parts.pop("COUNT", None)
    bare = _text(parts)
    if count is not None:
        if not 1 <= int(count) <= _MOST_COUNT:
            raise ValidationFailed(f"reminder rule: COUNT is {count}; expected 1 to {_MOST_COUNT}")
        *_, last = first, *islice(occurrences_after(bare, first, zone), int(count) - 1)
        bare = _text({**parts, "UNTIL": f"{last.wall:%Y%m%dT%H%M%S}"})
    return bare if next(occurrences_after(bare, first, zone), None) is not None else None


def occurrences_after(rule: str | None, last: Occurrence, zone: ZoneInfo) -> Iterator[Occurrence]:
    """Return the occurrences after one, in order; none without a rule. The rule is canonical."""
    if rule is None:
        return iter(())
    parts = _parts(rule)
    if (step := _ELAPSED.get(parts["FREQ"])) is not None:
        return _elapsed(parts, last, zone, step * int(parts.get("INTERVAL", "1")))
    return _by_the_wall(parts, last, zone)


def _elapsed(
    parts: Mapping[str, str], last: Occurrence, zone: ZoneInfo, step: timedelta
) -> Iterator[Occurrence]:
    until = _until(parts)
    at = last.at + step
    while until is None or first_occurrence(at, zone).wall <= until:
        yield first_occurrence(at, zone)
        at += step


def _by_the_wall(parts: Mapping[str, str], last: Occurrence, zone: ZoneInfo) -> Iterator[Occurrence]:
    """Yield occurrences counted from the last one, as all are of its series.

    So the cost is the same after years.
    """
    if not _has_a_day(parts):
        return
    years = int(parts.get("INTERVAL", "1")) if parts["FREQ"] == "YEARLY" else 1
    end = _not_beyond(last.wall, _LOOK_AHEAD * years)
    until = min(_until(parts) or end, end)
    bounded = _text({**parts, "UNTIL": f"{until:%Y%m%dT%H%M%S}"})
    before = last.at
    for wall in rrulestr(f"RRULE:{bounded}", dtstart=last.wall):
        at = wall.replace(tzinfo=zone).astimezone(UTC)
        if wall > last.wall and at > before:
            before = at
            yield Occurrence(wall, at)


def _has_a_day(parts: Mapping[str, str]) -> bool:
    """Return whether any of its months has any of its days.

    Dateutil would look for a 30 February until 9999.
    """
    if "BYMONTHDAY" not in parts or "BYMONTH" not in parts:
        return True
    months = [int(month) for month in parts["BYMONTH"].split(",")]
    longest = max((monthrange(_LEAP_YEAR, month)[1] for month in months if 1 <= month <= 12), default=0)
    return any(abs(int(day)) <= longest for day in parts["BYMONTHDAY"].split(","))


def _not_beyond(wall: datetime, span: timedelta) -> datetime:
    return wall + min(span, datetime.max - timedelta(days=2) - wall)


def _parts(rule: str) -> dict[str, str]:
    found = [_PART.fullmatch(part) for part in rule.split(";")] if len(rule) <= _RULE_CHARS else [None]
    parts = {match[1]: match[2] for match in found if match is not None}
    if len(parts) != len(found) or not parts.keys() <= _SIMPLE | _BY:
        raise ValidationFailed(f"reminder rule: {rule[:_RULE_CHARS]!r} is no RFC 5545 rule of ours")
    return parts


def _check(parts: Mapping[str, str]) -> None:
    """Refuse what dateutil cannot read, and what would come too often."""
    frequency, interval = parts.get("FREQ", ""), parts.get("INTERVAL", "1")
    elapsed = frequency in _ELAPSED
    if not elapsed and frequency not in _WALL:
        raise ValidationFailed(f"reminder rule: FREQ is {frequency!r}; expected MINUTELY to YEARLY")
    most = _MOST_INTERVAL.get(frequency, _MOST_ELAPSED)
    if not (interval.isdecimal() and 1 <= int(interval) <= most):
        raise ValidationFailed(f"reminder rule: INTERVAL is {interval}; expected 1 to {most}")
    if "UNTIL" in parts and ("COUNT" in parts or _UNTIL.fullmatch(parts["UNTIL"]) is None):
        raise ValidationFailed("reminder rule: UNTIL is a date or a moment, and stands without COUNT")
    if not parts.get("COUNT", "1").isdecimal():
        raise ValidationFailed("reminder rule: COUNT is a number")
    if elapsed and (_ELAPSED[frequency] * int(interval) < _SHORTEST or not parts.keys() <= _SIMPLE):
        raise ValidationFailed("reminder rule: at most every five minutes, and hours without BY…")
    if (
        len(parts.get("BYHOUR", "").split(",")) * len(parts.get("BYMINUTE", "").split(","))
        > _MOST_TIMES_A_DAY
    ):
        raise ValidationFailed(f"reminder rule: at most {_MOST_TIMES_A_DAY} times a day")
    if not elapsed:
        _read(parts)


def _read(parts: Mapping[str, str]) -> None:
    kept = {name: value for name, value in parts.items() if name not in {"UNTIL", "COUNT"}}
    try:
        rrulestr(f"RRULE:{_text(kept)}", dtstart=datetime(2024, 1, 1))
    except (ValueError, TypeError, KeyError, IndexError) as error:
        raise ValidationFailed(f"reminder rule: {error}") from error


def _wall_text(until: str, zone: ZoneInfo) -> str:
    """Return an end as a wall time: a day ends with it, a moment in UTC is moved to the zone."""
    if "T" not in until:
        return f"{until}T235959"
    if not until.endswith("Z"):
        return until
    moment = _moment(until[:-1]).replace(tzinfo=UTC)
    return f"{moment.astimezone(zone):%Y%m%dT%H%M%S}"


def _until(parts: Mapping[str, str]) -> datetime | None:
    return _moment(parts["UNTIL"]) if "UNTIL" in parts else None


def _moment(text: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y%m%dT%H%M%S")
    except ValueError as error:
        raise ValidationFailed(f"reminder rule: UNTIL is {text}, which is no moment") from error


def _text(parts: Mapping[str, str]) -> str:
    return ";".join(f"{name}={value}" for name, value in parts.items())
