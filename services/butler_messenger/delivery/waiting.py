"""Lets the answer to a call wait, a little, for the end of its delivery in this process (D18)."""

from __future__ import annotations

import asyncio
from uuid import UUID

__all__ = ["TerminalWaiters"]


class TerminalWaiters:
    """Futures by delivery; who waits also sees ends that came between storing and waiting."""

    def __init__(self, *, remembered: int = 1024) -> None:
        self._waiting: dict[UUID, set[asyncio.Future[None]]] = {}
        self._ended: dict[UUID, None] = {}
        self._remembered = remembered

    def ended(self, delivery_id: UUID) -> None:
        """Say that `delivery_id` reached a terminal state."""
        self._ended[delivery_id] = None
        if len(self._ended) > self._remembered:
            self._ended.pop(next(iter(self._ended)))
        for future in self._waiting.pop(delivery_id, ()):
            if not future.done():
                future.set_result(None)

    async def wait(self, delivery_id: UUID, *, timeout_s: float) -> None:
        """Return when `delivery_id` ended, at most after `timeout_s`."""
        if delivery_id in self._ended or timeout_s <= 0:
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(delivery_id, set()).add(future)
        try:
            async with asyncio.timeout(timeout_s):
                await future
        except TimeoutError:
            return
        finally:
            waiting = self._waiting.get(delivery_id)
            if waiting is not None:
                waiting.discard(future)
                if not waiting:
                    del self._waiting[delivery_id]
