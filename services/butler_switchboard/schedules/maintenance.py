"""The hourly upkeep of partitions and old data: no schedule of the inventory, safe on every replica (D40, D55)."""

from __future__ import annotations

import asyncio
import random
from typing import Final

from butler_contracts.errors import ButlerError
from butler_kit.telemetry import get_logger
from butler_switchboard.operations.retention import Retention

__all__ = ["Maintenance"]

_log = get_logger(__name__)

EVERY_S: Final = 3_600.0
RETRY_S: Final = 60.0


class Maintenance:
    """Sweeps at the start and every hour; replicas spread by chance."""

    def __init__(
        self, retention: Retention, *, every_s: float = EVERY_S, retry_s: float = RETRY_S, rng: random.Random
    ) -> None:
        self._retention = retention
        self._every_s = every_s
        self._retry_s = retry_s
        self._rng = rng

    async def run(self, stopping: asyncio.Event) -> None:
        """Sweep until stopped; a failed sweep is tried again soon, since tomorrow's partition depends on it."""
        while not stopping.is_set():
            wait_s = self._every_s * self._rng.uniform(0.9, 1.1)
            try:
                await self._retention.sweep()
            except ButlerError as failure:
                _log.warning("retention_failed", problem=failure.message)
                wait_s = self._retry_s
            try:
                async with asyncio.timeout(wait_s):
                    await stopping.wait()
            except TimeoutError:
                continue
