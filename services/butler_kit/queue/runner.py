"""Workers over a leased queue: the hot path from memory, the cold path from a scanner (CON-4.1, SWB-06).

`offer` gives a fresh row to the workers at once when its lane has room; otherwise, and after crashes, the
scanner finds it. Keeps: every row in hand has a live lease (`hands`); every row ends (`handling`); a worker
that ends a row of a thread goes on with the thread's next at once, before any lane (D11); `stop` lets handlers
end, then gives back unfinished rows, so that another replica takes them without waiting for the lease.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable
from uuid import UUID

from butler_contracts.errors import TargetUnavailable, TimedOut
from butler_kit.faults import points, reached_async
from butler_kit.queue.buffer import TierBuffer
from butler_kit.queue.decisions import MAX_ATTEMPTS, QueueObserver, SilentObserver
from butler_kit.queue.handling import Handler, Handling, OnExhausted
from butler_kit.queue.hands import Hands
from butler_kit.queue.leases import Due, Lease, LeasedQueue, LeaseLost
from butler_kit.queue.scanning import ScanPace, keep_scanning
from butler_kit.queue.settling import FIRST_PAUSE_S, LONGEST_PAUSE_S, Settling, Timers
from butler_kit.time import wait_until_set

__all__ = ["QueueRunner"]

_log = logging.getLogger(__name__)


class QueueRunner:
    """Runs `handler` on the rows of `queue`, `workers` at a time.

    `handler` returns a `Decision`; if it raises an outage the row waits, any other exception is a failed attempt.
    It must stop when it is cancelled: then its row belongs to somebody else. Intervals and graces are seconds.
    `on_time`: scan also at the moment when a row is due, not only at the next interval.
    """

    def __init__(
        self,
        queue: LeasedQueue,
        buffer: TierBuffer[UUID],
        handler: Handler,
        *,
        on_exhausted: OnExhausted,
        max_attempts: int = MAX_ATTEMPTS,
        workers: int = 3,
        scanner_interval_s: float = 30.0,
        scanner_grace_s: float = 10.0,
        scanner_batch: int = 50,
        on_time: bool = False,
        renew_interval_s: float = 10.0,
        drain_s: float = 20.0,
        observer: QueueObserver | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        if renew_interval_s >= queue.lease_s:
            raise ValueError("leases must be renewed before they run out")
        self.queue = queue
        self.buffer = buffer
        self._handling = Handling(queue.table, handler, on_exhausted, max_attempts=max_attempts)
        self._timers = Timers(self._offer_again, longest_s=scanner_interval_s)
        self._settling = Settling(queue, self._timers)
        self._hands = Hands(queue, monotonic)
        self._workers = workers
        self._pace = ScanPace(scanner_interval_s, scanner_grace_s, scanner_batch, on_time)
        self._renew_interval_s = renew_interval_s
        self._drain_s = drain_s
        self._observer: QueueObserver = observer or SilentObserver()
        self._monotonic = monotonic
        self._stopping = asyncio.Event()
        self._work_waits = asyncio.Event()
        self._scan_wanted = asyncio.Event()
        self._more_in_database = False
        self._busy: Counter[UUID] = Counter()
        self._offered_again: dict[UUID, tuple[str, str]] = {}

    @property
    def in_hand(self) -> int:
        """How many rows handlers work on now."""
        return len(self._hands)

    def offer(self, item_id: UUID, lane: str, source: str) -> bool:
        """Give a committed row to the workers; False: no room, the scanner will find it (SWB-06.4)."""
        if self._stopping.is_set():
            return False
        return self._put(item_id, lane, source, hot=True)

    def _offer_again(self, row: Lease | Due) -> None:
        self.offer(row.item_id, row.lane, row.source)

    def look(self) -> None:
        """Look at the database now: a row queued in another transaction may be due before all known ones."""
        self._scan_wanted.set()

    async def unblock(self, lease: Lease) -> None:
        """From inside a handler: let the thread go on while this row stays in hand. Raises `LeaseLost`."""
        await self.queue.unblock(lease)
        if lease.thread_key is not None:
            # A second statement: it sees rows committed while the first one ran.
            head = await self.queue.head(lease.thread_key)
            if head is not None:
                self.offer(head.item_id, head.lane, head.source)

    def stop(self) -> None:
        """Take nothing more; `run` returns when the handlers have ended or `drain_s` has passed."""
        self._stopping.set()
        self._timers.close()
        self._work_waits.set()
        self._scan_wanted.set()

    async def scan(self) -> int:
        """One sweep of the cold path; returns how many rows came back to memory (SWB-06.3)."""
        full = self.buffer.full_lanes()
        self._more_in_database = bool(full)
        due = await self.queue.due(
            self._pace.batch,
            grace_s=self._pace.grace_s,
            exclude=self.buffer.refs() | self._busy.keys(),
            without_lanes=full,
        )
        recovered = sum(self._put(item.item_id, item.lane, item.source, hot=False) for item in due)
        self._more_in_database |= len(due) >= self._pace.batch
        if recovered:
            self._observer.recovered(recovered)
        return recovered

    async def run(self) -> None:
        """Work until `stop`, or until cancelled; what is unfinished then is given back."""
        async with asyncio.TaskGroup() as group:
            scanning = keep_scanning(
                self.queue, self.scan, self._pace, wanted=self._scan_wanted, stopping=self._stopping
            )
            renewing = self._hands.keep_renewing(self._renew_interval_s)
            keepers = [group.create_task(scanning), group.create_task(renewing)]
            workers = [group.create_task(self._work(number)) for number in range(self._workers)]
            try:
                await self._stopping.wait()
                _, late = await asyncio.wait(workers, timeout=self._drain_s)
                for worker in late:
                    worker.cancel()
                if late:
                    await asyncio.wait(late)
            finally:
                self._timers.cancel()
            for keeper in keepers:
                keeper.cancel()

    async def run_until(self, stopping: asyncio.Event) -> None:
        """`run` until the event is set, as a service's background task."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.run())
            await stopping.wait()
            self.stop()

    def _put(self, item_id: UUID, lane: str, source: str, *, hot: bool) -> bool:
        if item_id in self._busy:
            # Its handler may have read the row before the change: look at it once more afterwards.
            self._offered_again[item_id] = (lane, source)
            return True
        put = self.buffer.put(item_id, lane, source)
        if not put.accepted or put.evicted is not None:
            self._more_in_database = True
            self._observer.backpressure(put.lane)
        if put.accepted:
            self._observer.enqueued("hot" if hot else "cold")
            self._work_waits.set()
        return put.accepted

    async def _work(self, number: int) -> None:
        pause_s = FIRST_PAUSE_S
        while not self._stopping.is_set():
            taken = self.buffer.take(number)
            if taken is None:
                await self._wait_for_work()
                continue
            self._observer.taken(taken.lane, starvation_override=taken.starvation_override)
            try:
                await self._work_through(taken.ref)
                pause_s = FIRST_PAUSE_S
            except (TargetUnavailable, TimedOut) as error:
                _log.warning("%s: %s; the scanner will find the row again", self.queue.table, error)
                self._more_in_database = True
                await wait_until_set(self._stopping, pause_s)
                pause_s = min(pause_s * 2, LONGEST_PAUSE_S)

    async def _wait_for_work(self) -> None:
        self._work_waits.clear()
        if self._more_in_database:
            self._scan_wanted.set()
        if not self._stopping.is_set():
            await self._work_waits.wait()

    async def _work_through(self, item_id: UUID) -> None:
        """Work on a row, then on the rest of its thread for as long as that may be claimed."""
        claimed_at = self._monotonic()
        lease = await self._claim(item_id)
        if lease is None:
            await self._come_back(item_id)
        while lease is not None:
            thread_key = lease.thread_key
            moved_on = await self._hold(lease, claimed_at)
            await reached_async(points.QUEUE_SETTLED, self.queue.table)
            if not moved_on or thread_key is None or self._stopping.is_set():
                return
            claimed_at = self._monotonic()
            lease = await self.queue.claim_head(thread_key)
            if lease is not None:
                self._busy[lease.item_id] += 1

    async def _claim(self, item_id: UUID) -> Lease | None:
        self._busy[item_id] += 1
        lease = None
        try:
            lease = await self.queue.claim(item_id)
        finally:
            if lease is None:
                self._release(item_id)
        return lease

    async def _come_back(self, item_id: UUID) -> None:
        """Look again at a row that came before its moment: the database's clock was set back, or its row was locked."""
        row = await self.queue.free(item_id)
        if row is not None:
            self._timers.set(row, max(row.in_s, FIRST_PAUSE_S))

    def _release(self, item_id: UUID) -> None:
        """Release one hold; after the last, queue the row again if it was offered meanwhile."""
        self._busy[item_id] -= 1
        if self._busy[item_id] > 0:
            return
        del self._busy[item_id]
        offered = self._offered_again.pop(item_id, None)
        if offered is not None and not self._stopping.is_set():
            self._put(item_id, *offered, hot=True)

    async def _hold(self, lease: Lease, claimed_at: float) -> bool:
        """Run the handler under the lease; return False when the row was deferred and its thread waits."""
        if lease.attempt == 1:
            self._observer.waited_ms(lease.waited_ms)
        held = self._hands.take(lease, claimed_at)
        try:
            decision = await self._handling.run(held)
            return decision is None or await self._settling.settle(held, decision)
        except LeaseLost as error:
            _log.warning("%s", error)
            return True
        except asyncio.CancelledError:
            await self._settling.give_back(lease)
            raise
        finally:
            self._hands.let_go(held)
            self._release(lease.item_id)

    async def renew(self) -> None:
        """Renew every lease in hand; cancel the handlers of those that are lost or may be."""
        await self._hands.renew()
