"""PURE: when a member's daily digest is due, and how late it may still be sent (D66, ADR 0058).

Invariants: it is never due in quiet hours, and a late one never runs into them or into the next day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from zoneinfo import ZoneInfo

from butler_contracts.language import Language
from butler_contracts.person_settings import PersonSettings, QuietHoursV1, in_quiet_hours

__all__ = ["LATE", "DigestTime", "Habits", "digest_time"]

LATE: Final = timedelta(hours=4)
"""A digest later than this is not sent: by then the day is known."""
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class DigestTime:
    """Due every day at `cron` by the person's clock, and up to `late` after it."""

    cron: str
    late: timedelta


@dataclass(frozen=True, slots=True)
class Habits:
    """How a person gets the digest: time zone, language, hour and quiet hours."""

    zone: ZoneInfo
    language: Language
    at: str | None
    quiet: QuietHoursV1 | None

    @property
    def time(self) -> DigestTime | None:
        """None for a person who gets no digest."""
        return digest_time(self.at, self.quiet) if self.at else None

    def of(self, own: PersonSettings) -> Habits:
        """Return the household's habits, overridden by a person's own settings."""
        return Habits(
            ZoneInfo(own.timezone) if own.timezone else self.zone,
            own.language or self.language,
            own.digest_at or self.at,
            own.quiet_hours or self.quiet,
        )


def digest_time(at: str, quiet: QuietHoursV1 | None) -> DigestTime:
    """Return the digest time for the wall time `at`; a time in quiet hours moves to their end."""
    begins = _of_day(at)
    if quiet is None:
        return _at(begins, (_DAY - begins,))
    start, end = _of_day(quiet.start), _of_day(quiet.end)
    if in_quiet_hours(at, quiet.start, quiet.end):
        begins = end
    return _at(begins, (_DAY - begins, (start - begins) % _DAY))


def _at(begins: timedelta, ends: tuple[timedelta, ...]) -> DigestTime:
    hour, minute = divmod(begins // timedelta(minutes=1), 60)
    return DigestTime(f"{minute} {hour} * * *", min(LATE, *ends))


def _of_day(wall: str) -> timedelta:
    hour, minute = wall.split(":")
    return timedelta(hours=int(hour), minutes=int(minute))
