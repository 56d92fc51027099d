"""Lets the answer to a call wait briefly for the end of its delivery in this process (D18).

Invariant: a caller waiting when an end is promised is told that end, however long its write takes, so an end stored
as told needs no report of its own. If the answer is lost on its way, the same request gets it again.
"""

from __future__ import annotations

import asyncio
from uuid import UUID

from butler_messenger.delivery.records import Delivery

__all__ = ["TerminalWaiters"]


class TerminalWaiters:
    """Futures by delivery; a waiter also sees ends that came between storing and waiting."""

    def __init__(self, *, remembered: int = 1024) -> None:
        self._waiting: dict[UUID, set[asyncio.Future[Delivery | None]]] = {}
        self._onlookers: dict[UUID, set[asyncio.Future[Delivery | None]]] = {}
        self._promised: set[UUID] = set()
        self._ended: dict[UUID, None] = {}
        self._remembered = remembered

    def promise(self, delivery_id: UUID) -> bool:
        """Return whether somebody waits for this end; if so, they wait until it is told or withdrawn."""
        if delivery_id not in self._waiting:
            return False
        self._promised.add(delivery_id)
        return True

    def withdraw(self, delivery_id: UUID) -> None:
        """Release the waiters that were promised an end that was not written."""
        self._promised.discard(delivery_id)
        self._tell(delivery_id, None)

    def ended(self, delivery: Delivery) -> None:
        """Tell the waiters that a delivery reached a terminal state."""
        self._promised.discard(delivery.delivery_id)
        self._ended[delivery.delivery_id] = None
        if len(self._ended) > self._remembered:
            self._ended.pop(next(iter(self._ended)))
        self._tell(delivery.delivery_id, delivery)

    async def wait(self, delivery_id: UUID, *, timeout_s: float, asked: bool = True) -> Delivery | None:
        """Return the delivery when it ended; None after `timeout_s`, or if its row has to be read.

        `asked` is False for an onlooker; telling one does not replace the report.
        """
        if delivery_id in self._ended or timeout_s <= 0:
            return None
        future: asyncio.Future[Delivery | None] = asyncio.get_running_loop().create_future()
        waiters = self._waiting if asked else self._onlookers
        waiters.setdefault(delivery_id, set()).add(future)
        try:
            await asyncio.wait({future}, timeout=timeout_s)
            if asked and not future.done() and delivery_id in self._promised:
                await asyncio.wait({future})
            return future.result() if future.done() else None
        finally:
            waiting = waiters.get(delivery_id)
            if waiting is not None:
                waiting.discard(future)
                if not waiting:
                    del waiters[delivery_id]

    def _tell(self, delivery_id: UUID, delivery: Delivery | None) -> None:
        for future in (*self._waiting.pop(delivery_id, ()), *self._onlookers.pop(delivery_id, ())):
            if not future.done():
                future.set_result(delivery)
