"""PURE: moments and spans as people read them: `1.2 s`, `3 min`, `2 h`; absolute times in UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

__all__ = ["age", "instant", "span", "timestamp"]

_STEPS: Final = ((86_400.0, "d"), (3_600.0, "h"), (60.0, "min"))


def instant(value: object) -> datetime | None:
    """Parse RFC 3339 text into an aware datetime; None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def span(seconds: float) -> str:
    """Format a length of time in its largest unit: `80 ms`, `1.8 s`, `45 s`, `3 min`, `2 h`, `5 d`."""
    if seconds < 1:
        return f"{max(0.0, seconds) * 1000:.0f} ms"
    for length, unit in _STEPS:
        if seconds >= length:
            return f"{int(seconds // length)} {unit}"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def age(value: object, now: datetime) -> str | None:
    """Return how long ago a time was (RFC 3339 text); None if there is none."""
    moment = instant(value)
    return None if moment is None else span(max(0.0, (now - moment) / timedelta(seconds=1)))


def timestamp(value: object) -> str:
    """Format a time to the second with its date, in UTC; text that is no time is returned as it is."""
    moment = instant(value)
    return str(value) if moment is None else f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
