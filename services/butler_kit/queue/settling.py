"""Writing the decision about a row, and timers for when it is due again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final
from uuid import UUID

from butler_contracts.errors import ButlerError, TargetUnavailable, TimedOut
from butler_kit.faults import points, reached_async
from butler_kit.queue.decisions import Decision, Defer, Failed, Finish, Finished, Unblock
from butler_kit.queue.hands import Held
from butler_kit.queue.leases import Due, Lease, LeasedQueue

__all__ = ["FIRST_PAUSE_S", "LONGEST_PAUSE_S", "Settling", "Timers"]

_log = logging.getLogger(__name__)

FIRST_PAUSE_S: Final = 0.1
LONGEST_PAUSE_S: Final = 5.0
_RELEASE_DEADLINE_S: Final = 5.0
_MOST_TIMERS: Final = 1000


class Timers:
    """Gives a deferred row to `due` when its time has come; without room for a timer the scanner finds it."""

    def __init__(self, due: Callable[[Lease | Due], object], *, longest_s: float) -> None:
        self._due = due
        self._longest_s = longest_s
        self._timers: dict[UUID, asyncio.TimerHandle] = {}
        self._closed = False

    def set(self, row: Lease | Due, delay_s: float) -> None:
        """Set the timer of a row; a later call replaces the former."""
        if self._closed or len(self._timers) >= _MOST_TIMERS or delay_s > self._longest_s:
            return
        previous = self._timers.pop(row.item_id, None)
        if previous is not None:
            previous.cancel()
        loop = asyncio.get_running_loop()
        self._timers[row.item_id] = loop.call_later(delay_s, self._ring, row)

    def close(self) -> None:
        """Set no more timers; those that are set still fire."""
        self._closed = True

    def cancel(self) -> None:
        """Cancel all timers."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _ring(self, row: Lease | Due) -> None:
        self._timers.pop(row.item_id, None)
        self._due(row)


class Settling:
    """Writes decisions to the queue."""

    def __init__(self, queue: LeasedQueue, timers: Timers) -> None:
        self._queue = queue
        self._timers = timers

    async def settle(self, held: Held, decision: Decision | Failed) -> bool:
        """Write the decision, retrying through an outage for as long as the lease may live.

        Returns False when the row was deferred and its thread waits. Raises `LeaseLost`.
        """
        pause_s = FIRST_PAUSE_S
        while True:
            try:
                await reached_async(points.QUEUE_HANDLED, self._queue.table)
                return await self._write(held.lease, decision)
            except (TargetUnavailable, TimedOut):
                if held.lost:
                    raise
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)

    async def give_back(self, lease: Lease) -> None:
        """Let another replica take the row at once; never raises for the database."""
        try:
            async with asyncio.timeout(_RELEASE_DEADLINE_S):
                await self._queue.defer(lease, 0.0)
        except (ButlerError, TimeoutError) as error:
            _log.warning("%s: %s stays leased until it runs out: %s", self._queue.table, lease.item_id, error)

    async def _write(self, lease: Lease, decision: Decision | Failed) -> bool:
        match decision:
            case Finish():
                await self._queue.finish(lease)
                return True
            case Finished():
                return True
            case Defer(delay_s):
                woken = await self._queue.defer(lease, delay_s)
                self._timers.set(lease, 0.0 if woken else delay_s)
                return False
            case Failed(delay_s, releases_thread):
                await self._queue.fail(lease, delay_s, releases_thread=releases_thread)
                if not releases_thread:  # else whichever replica looks first may be the one that can read it
                    self._timers.set(lease, delay_s)
                return releases_thread
            case Unblock(delay_s):
                unblocked = await self._queue.unblock(lease, delay_s=delay_s)
                self._timers.set(lease, 0.0 if unblocked.woken else delay_s)
                return True
