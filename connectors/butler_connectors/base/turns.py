"""Runs work one by one within a thread, in order of arrival, and threads in parallel (D11)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

__all__ = ["Turns"]


class Turns:
    """Keeps a lock only for threads in use."""

    def __init__(self) -> None:
        self._threads: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def of(self, thread: str | None) -> AsyncIterator[None]:
        """Wait for the thread's turn; without a thread there is no wait."""
        if thread is None:
            yield
            return
        lock, users = self._threads.get(thread, (asyncio.Lock(), 0))
        self._threads[thread] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            _, users = self._threads[thread]
            if users == 1:
                del self._threads[thread]
            else:
                self._threads[thread] = (lock, users - 1)
