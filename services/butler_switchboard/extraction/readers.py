"""The queue of messages to read, and its worker: one message at a time, beside routing (SWB-17.1, D11)."""

from __future__ import annotations

import asyncio
from typing import Final
from uuid import UUID

from butler_kit.config import BufferConfig
from butler_kit.db import Pool
from butler_kit.queue import LeasedQueue, QueueRunner, TierBuffer
from butler_switchboard.extraction.extractor import Extractor
from butler_switchboard.extraction.store import LANE, TABLE

__all__ = ["Readers"]

_WORKERS: Final = 1
_MOST_FAILURES: Final = 3
_DRAIN_S: Final = 5.0


class Readers:
    """Reads offered messages at once, and those left by a crash when the scanner finds them."""

    def __init__(
        self, pool: Pool, extractor: Extractor, buffer: BufferConfig, *, replica: str | None
    ) -> None:
        self._extractor = extractor
        self._runner = QueueRunner(
            LeasedQueue(pool, TABLE, replica=replica),
            TierBuffer((LANE,), capacity=buffer.queue_capacity),
            extractor,
            on_exhausted=extractor.give_up,
            max_attempts=_MOST_FAILURES,
            workers=_WORKERS,
            scanner_interval_s=buffer.scanner_interval_s,
            scanner_grace_s=buffer.scanner_grace_s,
            scanner_batch=buffer.scanner_batch_size,
            drain_s=_DRAIN_S,
        )

    def offer(self, item_id: UUID, lane: str, source: str) -> bool:
        """Offer a queued message to the worker; if False, the scanner finds it."""
        return self._runner.offer(item_id, lane, source)

    async def run(self, stopping: asyncio.Event) -> None:
        """Read until stopped."""
        await self._runner.run_until(stopping)

    async def aclose(self) -> None:
        """Wait for the completion hooks of the last sessions; each is bounded."""
        await self._extractor.aclose()
