"""The hourly upkeep of partitions and old data: not a scheduled job, and safe on every replica (D40, D55)."""

from __future__ import annotations

import asyncio
import random
from typing import Final

from butler_kit.service import repeat
from butler_kit.time import wait_until_set
from butler_switchboard.operations.retention import Retention

__all__ = ["Maintenance"]

EVERY_S: Final = 3_600.0
FIRST_S: Final = 5.0
"""The delay after the start, which has the machine to itself until then."""
RETRY_S: Final = 60.0


class Maintenance:
    """Sweeps soon after the start and every hour; jitter spreads the replicas."""

    def __init__(
        self,
        retention: Retention,
        *,
        rng: random.Random,
        first_s: float = FIRST_S,
        every_s: float = EVERY_S,
        retry_s: float = RETRY_S,
    ) -> None:
        self._retention = retention
        self._first_s = first_s
        self._every_s = every_s
        self._retry_s = retry_s
        self._rng = rng

    async def run(self, stopping: asyncio.Event) -> None:
        """Sweep until stopped; a failed sweep is tried again soon, since tomorrow's partition depends on it."""
        await wait_until_set(stopping, self._first_s)
        await repeat(
            self._retention.sweep,
            every_s=self._every_s,
            stopping=stopping,
            what="retention",
            retry_s=self._retry_s,
            spread=lambda: self._rng.uniform(0.9, 1.1),
        )
