"""PURE: hours in which nobody is reminded of what can wait (D66, D83).

Invariant: a moment outside of them stays what it is; one inside is the end of them, by the person's clock, also where
clocks change.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

__all__ = ["QuietHours"]


@dataclass(frozen=True, slots=True)
class QuietHours:
    """From `start` until `end` on the wall; over midnight where `end` is the earlier."""

    start: time
    end: time

    def told_at(self, at: datetime, zone: ZoneInfo) -> datetime:
        """When what is due at `at` is told (UTC)."""
        wall = at.astimezone(zone)
        now, day = wall.time(), wall.date()
        if self.start < self.end:
            if not self.start <= now < self.end:
                return at
        elif self.end <= now < self.start:
            return at
        elif now >= self.start:
            day += timedelta(days=1)
        return max(at, datetime.combine(day, self.end, zone).astimezone(UTC))
