"""Scheduling of the cold path's scans: at intervals, and sooner when a worker asks for it (SWB-06.3).

Where rows are due at moments of their own it also scans at each such moment. It reads that moment before it scans, so
a row that becomes due meanwhile is found by one or the other.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from butler_contracts.errors import TargetUnavailable, TimedOut
from butler_kit.queue.leases import LeasedQueue
from butler_kit.time import wait_until_set

__all__ = ["ScanPace", "keep_scanning"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ScanPace:
    """Seconds between two scans, the age in seconds from which a row is scanned, and how many a scan takes.

    `on_time`: scan also at the moment when a row becomes due.
    """

    interval_s: float
    grace_s: float
    batch: int
    on_time: bool = False


async def keep_scanning(
    queue: LeasedQueue,
    scan: Callable[[], Awaitable[object]],
    pace: ScanPace,
    *,
    wanted: asyncio.Event,
    stopping: asyncio.Event,
) -> None:
    """Release once what a former life held, then `scan` until `stopping`; an outage is waited out."""
    former_released = False
    while not stopping.is_set():
        hurried = wanted.is_set()
        wanted.clear()
        next_s: float | None = None
        try:
            if not former_released:
                await _release_former(queue)
                former_released = True
            next_s = await queue.next_due_s() if pace.on_time else None
            await scan()
        except (TargetUnavailable, TimedOut) as error:
            _log.warning("%s: the scanner waits: %s", queue.table, error)
        # Refused rows are too young for a sweep that a worker asked for: come back after the grace.
        wait_s = min(pace.grace_s, pace.interval_s) if hurried else pace.interval_s
        await wait_until_set(wanted, wait_s if next_s is None else min(wait_s, next_s))


async def _release_former(queue: LeasedQueue) -> None:
    released = await queue.release_former()
    if released:
        _log.warning("%s: %d rows of a former life are free again", queue.table, released)
