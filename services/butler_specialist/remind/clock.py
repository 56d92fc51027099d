"""PURE: a person's clock and quiet hours."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from butler_contracts.quiet_hours import QuietHours
from butler_specialist.understanding.occurrences import at_wall

__all__ = ["Clock"]


@dataclass(frozen=True, slots=True)
class Clock:
    """A zone, and the quiet hours in it."""

    zone: ZoneInfo
    quiet: QuietHours | None = None

    def at(self, day: date, hour: time) -> datetime:
        return at_wall(day, hour, self.zone).astimezone(UTC)

    def told_at(self, at: datetime) -> datetime:
        return self.quiet.told_at(at, self.zone) if self.quiet is not None else at
