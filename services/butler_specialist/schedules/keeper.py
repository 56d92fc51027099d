"""Queues schedules when they are due (ADR 0097).

Invariant: nothing is run here: queued work is like any other, for any replica.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Protocol
from uuid import UUID

from butler_contracts.errors import ButlerError
from butler_kit.telemetry import get_logger
from butler_kit.time import wait_until_set
from butler_specialist.schedules.decide import Entry, due_now, pause_s
from butler_specialist.schedules.work import queued
from butler_specialist.store.schedules import ScheduleStore, Standing, timing_of

__all__ = ["LANE", "ScheduleKeeper"]

_log = get_logger(__name__)

LANE: Final = "schedule"
"""Its lane and its source in the queue of routed work: below all messages."""
_AGAIN_S: Final = 5.0
_SHORTEST_S: Final = 0.05


class Metrics(Protocol):
    def queued(self) -> None: ...


class ScheduleKeeper:
    """Queues schedules; `offer(subrequest_id, lane, source)` hands queued work to this process's workers."""

    def __init__(
        self,
        store: ScheduleStore,
        entries: tuple[Entry, ...],
        *,
        own_name: str,
        session_s: float,
        offer: Callable[[UUID, str, str], object],
        metrics: Metrics,
    ) -> None:
        self._store = store
        self._entries = entries
        self._own_name = own_name
        self._session_s = session_s
        self._offer = offer
        self._metrics = metrics
        self._begun = False

    async def run(self, stopping: asyncio.Event) -> None:
        """Queue what is due until stopped; what an outage prevents is done after it."""
        while not stopping.is_set():
            wait_s: float | None = _AGAIN_S
            try:
                wait_s = await self.look()
            except ButlerError as failure:
                _log.warning("schedules_wait", problem=failure.message)
            if wait_s is None:
                await stopping.wait()
            else:
                await wait_until_set(stopping, wait_s)

    async def look(self) -> float | None:
        """Queue what is due now.

        Return the seconds until the next look, or None if there are no schedules.
        """
        if not self._begun:
            await self._store.begin(self._entries)
            self._begun = True
        if not self._entries:
            return None
        standing = await self._store.standing()
        if any(timing_of(entry) not in standing.through for entry in self._entries):
            # Another replica, started with another manifest, has retired them.
            await self._store.adopt(self._entries)
            standing = await self._store.standing()
        for entry in self._entries:
            await self._queue(entry, standing)
        return max(_SHORTEST_S, pause_s(self._entries, standing.now))

    async def _queue(self, entry: Entry, standing: Standing) -> None:
        through = standing.through.get(timing_of(entry))
        due = due_now(entry, through=through, now=standing.now) if through is not None else None
        if due is None or through is None:
            return
        runs = queued(self._own_name, entry, due, session_s=self._session_s)
        for subrequest_id in await self._store.queue(entry, due, runs, through=through):
            self._metrics.queued()
            self._offer(subrequest_id, LANE, LANE)
            _log.info("schedule_queued", schedule=entry.name, subrequest_id=str(subrequest_id))
