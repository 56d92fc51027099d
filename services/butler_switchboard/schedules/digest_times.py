"""PURE: when a member's digest of the day is due, and how late it may still be sent (D66, ADR 0058).

Invariants: it is never due in quiet hours, and never sent late into them or into the next day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from butler_kit.config import QuietHoursConfig

__all__ = ["LATE", "DigestTime", "digest_time"]

LATE: Final = timedelta(hours=4)
"""What is later than this was not sent: the day is known by then."""
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class DigestTime:
    """Every day at `cron`, in the household's zone, up to `late` after it."""

    cron: str
    late: timedelta


def digest_time(at: str, quiet: QuietHoursConfig | None) -> DigestTime:
    """The wall time `at`; what falls into quiet hours is due when they end."""
    begins = _of_day(at)
    if quiet is None:
        return _at(begins, (_DAY - begins,))
    start, end = _of_day(quiet.start), _of_day(quiet.end)
    if (begins - start) % _DAY < (end - start) % _DAY:
        begins = end
    return _at(begins, (_DAY - begins, (start - begins) % _DAY))


def _at(begins: timedelta, ends: tuple[timedelta, ...]) -> DigestTime:
    hour, minute = divmod(begins // timedelta(minutes=1), 60)
    return DigestTime(f"{minute} {hour} * * *", min(LATE, *ends))


def _of_day(wall: str) -> timedelta:
    hour, minute = wall.split(":")
    return timedelta(hours=int(hour), minutes=int(minute))
