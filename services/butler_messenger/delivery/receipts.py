"""Writes receipts, however long the database is unavailable, even if another worker has the lease by then.

Invariant: a known receipt is lost only with the process. Its write outlives the lease under which the call was made,
and nothing in this process works on the delivery again before it is written: an open marker of an answered call would
be taken for a crash (D41).
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar
from uuid import UUID

from butler_kit.telemetry import get_logger

__all__ = ["Receipts"]

_log = get_logger(__name__)

_CLOSE_S: Final = 5.0

T = TypeVar("T")


class Receipts:
    """The writes under way, by delivery."""

    def __init__(self) -> None:
        self._writing: dict[UUID, asyncio.Task[Any]] = {}

    async def keep(self, delivery_id: UUID, write: Coroutine[Any, Any, T]) -> T:
        """Wait for `write`; it continues if the waiter is cancelled."""
        task = asyncio.create_task(write)
        self._writing[delivery_id] = task
        task.add_done_callback(lambda _: self._writing.pop(delivery_id, None))
        return await asyncio.shield(task)

    async def written(self, delivery_id: UUID) -> None:
        """Wait until nothing is being written for this delivery."""
        task = self._writing.get(delivery_id)
        if task is not None:
            await asyncio.wait({task})

    async def aclose(self) -> None:
        """Give the last writes a moment; one that misses it will look like a crash, and be `uncertain`."""
        writing = dict(self._writing)
        if not writing:
            return
        await asyncio.wait(writing.values(), timeout=_CLOSE_S)
        for delivery_id, task in writing.items():
            if not task.done():
                _log.error("receipt_not_written", delivery_id=str(delivery_id))
                task.cancel()
        await asyncio.wait(writing.values())
