"""PURE: hours in which a person is told nothing that can wait (D66, D83).

Invariant: a moment outside of them stays what it is; one inside is the end of them, by the person's clock, also where
clocks change.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Self
from zoneinfo import ZoneInfo

from butler_contracts.person_settings import QuietHoursV1

__all__ = ["QuietHours"]


@dataclass(frozen=True, slots=True)
class QuietHours:
    """From `start` until `end` on the wall; over midnight where `end` is the earlier."""

    start: time
    end: time

    @classmethod
    def of(cls, said: QuietHoursV1) -> Self:
        """Those that a person or a household has said."""
        return cls(time.fromisoformat(said.start), time.fromisoformat(said.end))

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
