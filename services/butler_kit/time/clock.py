"""An injected clock for decisions, so that a test can hold time still (D13).

Invariant: `now()` is always timezone-aware UTC; `monotonic()` never goes back.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

__all__ = ["Clock", "ManualClock", "SystemClock"]


class Clock(Protocol):
    """A source of time: `now()` is aware UTC, `monotonic()` is seconds for measuring spans."""

    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...


class SystemClock:
    """The machine's own clocks."""

    def now(self) -> datetime:
        """Return the wall clock as aware UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds that only go forward."""
        return time.monotonic()


class ManualClock:
    """A clock that stands still until it is told to move."""

    def __init__(self, start: datetime) -> None:
        if start.tzinfo is None:
            raise ValueError("ManualClock needs an aware datetime, such as datetime(2026, 1, 1, tzinfo=UTC)")
        self._now = start.astimezone(UTC)
        self._monotonic = 0.0

    def now(self) -> datetime:
        """Return the moment that was set."""
        return self._now

    def monotonic(self) -> float:
        """Return the seconds advanced so far."""
        return self._monotonic

    def advance(self, seconds: float) -> None:
        """Move both clocks forward by `seconds` (≥ 0)."""
        if seconds < 0:
            raise ValueError("advance() takes zero or more seconds; step() sets the wall clock back")
        self._now += timedelta(seconds=seconds)
        self._monotonic += seconds

    def step(self, seconds: float) -> None:
        """Move the wall clock alone, either way, as a time server's correction does."""
        self._now += timedelta(seconds=seconds)
