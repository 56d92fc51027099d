"""Events in flight from a source to Switchboard, with many threads in parallel (CNX-07, D11).

Invariants: events of one thread are settled one after another; the checkpoint follows the gapless run of settled
ones. A waiting thread holds up only itself, until the source has taken as many events as it may.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from butler_connectors.base.waiting import Stopping, unless_stopped
from butler_connectors.base.window import Entry, Window
from butler_contracts.ingest import IngestEnvelopeV1
from butler_kit.sources.events import SourceEvent

if TYPE_CHECKING:
    from butler_connectors.base.runner import Runner

__all__ = ["Flow"]


class Flow:
    """Created by `Runner.flow`, and ends with it. `ending` is set when nothing new may be submitted."""

    def __init__(self, runner: Runner, group: asyncio.TaskGroup) -> None:
        self.ending = asyncio.Event()
        self._runner = runner
        self._group = group
        self._window = Window()
        self._threads: dict[str, deque[Entry]] = {}
        self._grown = asyncio.Event()
        self._moved = asyncio.Event()
        self._saved: str | None = None
        self._closed = False

    def __len__(self) -> int:
        """Return how many events the checkpoint has not passed."""
        return len(self._window)

    @property
    def saved(self) -> str | None:
        """The last cursor that this flow saved in the checkpoint."""
        return self._saved

    @property
    def idle(self) -> bool:
        """Whether everything that was taken is settled and the checkpoint says so."""
        return len(self._window) == 0 and self._saved == self._window.cursor

    def take(self, events: Sequence[SourceEvent]) -> None:
        """Start settling events, in the order of the source."""
        for event in events:
            entry = self._window.add(event)
            waiting = None if event.thread is None else self._threads.get(event.thread)
            if waiting is not None:
                waiting.append(entry)
                continue
            queue = deque([entry])
            if event.thread is not None:
                self._threads[event.thread] = queue
            self._group.create_task(self._work(queue, event.thread))

    async def settled(self, stopping: asyncio.Event) -> None:
        """Wait until the flow is idle; raises `Stopping`."""
        while not self.idle:
            await self._movement(stopping)

    async def moved(self, stopping: asyncio.Event, *, at_most_s: float) -> None:
        """Wait until the flow is idle, or `at_most_s` seconds; raises `Stopping`."""
        try:
            async with asyncio.timeout(at_most_s):
                await self.settled(stopping)
        except TimeoutError:
            return

    async def room(self, at_most: int, stopping: asyncio.Event) -> None:
        """Wait until no more than `at_most` events are open; raises `Stopping`."""
        while len(self._window) > at_most:
            await self._movement(stopping)

    def end(self) -> None:
        """Submit nothing more: submissions in flight are awaited, the rest stays at the source."""
        self.ending.set()

    def close(self) -> None:
        """Save for the last time; nothing is in flight any more."""
        self._closed = True
        self._grown.set()

    async def follow(self) -> None:
        """Save while the events settle, so that accepted ones are not submitted again after a crash."""
        while not self._closed or self._saved != self._window.cursor:
            await self._grown.wait()
            self._grown.clear()
            cursor = self._window.cursor
            if cursor is None or cursor == self._saved:
                continue
            try:
                await self._runner.save(cursor, self.ending)
            except Stopping:
                return
            self._saved = cursor
            self._moved.set()

    async def _movement(self, stopping: asyncio.Event) -> None:
        await unless_stopped(self._moved.wait(), stopping)
        self._moved.clear()

    async def _work(self, queue: deque[Entry], thread: str | None) -> None:
        """Settle a thread's events in order, until none is left or the flow ends."""
        while queue:
            entry = queue[0]
            if not entry.settled:
                if not await self._runner.settle(entry.event, self.ending, Behind(self, queue)):
                    return
                self.done(entry)
            queue.popleft()
        if thread is not None:
            del self._threads[thread]

    def done(self, entry: Entry) -> None:
        """Mark one as settled."""
        self._window.settle(entry)
        self._grown.set()


class Behind:
    """The events waiting behind the first one of a thread."""

    def __init__(self, flow: Flow, queue: deque[Entry]) -> None:
        self._flow = flow
        self._queue = queue

    def one(self, number: int) -> tuple[Entry, IngestEnvelopeV1] | None:
        """Return another each time, so that two failing in a row do not hide the third; None without any."""
        waiting = [
            (entry, entry.event.content)
            for entry in list(self._queue)[1:]
            if not entry.settled and isinstance(entry.event.content, IngestEnvelopeV1)
        ]
        return waiting[number % len(waiting)] if waiting else None

    def done(self, entry: Entry) -> None:
        """Mark one that passed as settled."""
        self._flow.done(entry)
