"""The rate limit for reading history: so many messages per hour, earned second by second (pure; SWB-18.1).

Invariant: no hour takes more than the limit plus one message per start, however often the process starts.
"""

from __future__ import annotations

from typing import Final

__all__ = ["BATCH_MAX", "Pace"]

BATCH_MAX: Final = 20
_HOUR_S: Final = 3600.0
_BATCHES_AN_HOUR: Final = 180
"""Slow jobs take a message at a time, quick ones a batch about every 20 seconds, so that each batch stays small."""


class Pace:
    """A token bucket of messages; it holds one batch and begins with one message."""

    def __init__(self, per_hour: int, *, now: float) -> None:
        self._per_hour = per_hour
        self._earned = 1.0
        self._at = now

    @property
    def batch(self) -> int:
        """Messages in one batch."""
        return max(1, min(BATCH_MAX, self._per_hour // _BATCHES_AN_HOUR))

    def limit(self, per_hour: int) -> None:
        """Change the rate limit."""
        self._per_hour = per_hour

    def wait_s(self, now: float) -> float:
        """Return the seconds until the next batch is earned; 0 if it is."""
        self._earn(now)
        missing = self.batch - self._earned
        return max(0.0, missing * _HOUR_S / self._per_hour) if missing > 1e-9 else 0.0

    def took(self, messages: int) -> None:
        """Record the messages taken."""
        self._earned -= messages

    def _earn(self, now: float) -> None:
        earned = max(0.0, now - self._at) * self._per_hour / _HOUR_S
        self._at = now
        self._earned = min(float(self.batch), self._earned + earned)
