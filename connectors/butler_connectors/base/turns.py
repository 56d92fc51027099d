"""One after the other within a thread, in the order of arrival; threads side by side (D11)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

__all__ = ["Turns"]


class Turns:
    """Holds a lock only for threads that somebody works on."""

    def __init__(self) -> None:
        self._threads: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def of(self, thread: str | None) -> AsyncIterator[None]:
        """Wait for the thread's turn; what has no thread never waits."""
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
