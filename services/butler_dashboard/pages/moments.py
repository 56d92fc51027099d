"""Moments, spans and counts for people to read (pure): in the household's time zone, with UTC beside it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

__all__ = [
    "ago",
    "clock_time",
    "count",
    "day",
    "offset",
    "percent",
    "seconds_between",
    "span",
    "utc",
    "utc_iso",
    "when",
]

_STEPS: Final = ((86_400, "d"), (3_600, "h"), (60, "min"))


def when(moment: datetime, zone: ZoneInfo, now: datetime) -> str:
    """`14:05:09` today, `Thu 14:05` within a week, `3 Nov 14:05` within half a year, else with the year."""
    local, today = moment.astimezone(zone), now.astimezone(zone).date()
    distance = abs((today - local.date()).days)
    if distance == 0:
        return f"{local:%H:%M:%S}"
    if distance < 7:
        return f"{local:%a %H:%M}"
    if distance < 183:
        return f"{local.day} {local:%b %H:%M}"
    return f"{local.day} {local:%b %Y}"


def clock_time(moment: datetime, zone: ZoneInfo) -> str:
    """Date and time to the second: `Thu 3 Nov 2026, 14:05:09`."""
    local = moment.astimezone(zone)
    return f"{local:%a} {local.day} {local:%b %Y, %H:%M:%S}"


def day(value: date) -> str:
    """`3 Nov 2026`."""
    return f"{value.day} {value:%b %Y}"


def utc(moment: datetime) -> str:
    """`2026-11-03 13:05:09 UTC`, for titles."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def utc_iso(moment: datetime) -> str:
    """RFC 3339 with milliseconds, for `<time datetime>`."""
    return f"{moment.astimezone(UTC).isoformat(timespec='milliseconds').removesuffix('+00:00')}Z"


def seconds_between(earlier: datetime, later: datetime) -> float:
    """Seconds; negative when the moments are the other way round."""
    return (later - earlier) / timedelta(seconds=1)


def span(seconds: float) -> str:
    """A length of time in its largest unit: `80 ms`, `1.8 s`, `45 s`, `3 min`, `2 h`, `5 d`."""
    if seconds < 1:
        return f"{max(0.0, seconds) * 1000:.0f} ms"
    for length, unit in _STEPS:
        if seconds >= length:
            return f"{int(seconds // length)} {unit}"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def ago(moment: datetime, now: datetime) -> str:
    """`12 s ago`, in whole units; the script keeps it current in the same words."""
    passed = max(0, int(seconds_between(moment, now)))
    for length, unit in _STEPS:
        if passed >= length:
            return f"{passed // length} {unit} ago"
    return f"{passed} s ago"


def offset(seconds: float) -> str:
    """Seconds since the start: `+0.25 s`, `+4 min`."""
    if abs(seconds) < 60:
        return f"{seconds:+.2f} s"
    return f"{'-' if seconds < 0 else '+'}{span(abs(seconds))}"


def count(number: float | None) -> str:
    """`12,345`; a dash when nothing is known."""
    return "–" if number is None else f"{number:,.0f}"


def percent(value: float | None) -> str:
    """`99.5 %`; a dash when nothing is known; never rounded up to a hundred."""
    if value is None:
        return "–"
    if 99.95 <= value < 100:
        return "99.9 %"
    return f"{value:.1f} %".replace(".0 %", " %")
