"""Workers over a leased queue: the hot path from memory, the cold path from a scanner (CON-4.1, SWB-06).

`offer` gives a fresh row to the workers at once when its lane has room; otherwise, and after crashes, the
scanner finds it. Keeps: every row in hand has a live lease (renewed together, all in one statement); a
handler whose lease is lost or can no longer be known to live is cancelled; whoever ends a row of a thread
goes on with the thread's next at once, before any lane (D11); `stop` lets handlers end, then gives back
what they have not ended, so that another replica takes it without waiting for the lease. Every row ends: an
outage is waited for, but a defect may fail `max_attempts` times, and then `on_exhausted` writes the end.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from uuid import UUID

from butler_contracts.errors import ButlerError, InternalFailure, TargetUnavailable, TimedOut
from butler_kit.faults import points, reached_async
from butler_kit.queue.buffer import TierBuffer
from butler_kit.queue.decisions import (
    MAX_ATTEMPTS,
    Decision,
    Defer,
    Failed,
    Finish,
    Finished,
    QueueObserver,
    SilentObserver,
    Unblock,
    after_error,
    after_failure,
    is_outage,
)
from butler_kit.queue.leases import Lease, LeasedQueue, LeaseLost
from butler_kit.time import wait_until_set

__all__ = ["Handler", "OnExhausted", "QueueRunner"]

_log = logging.getLogger(__name__)

Handler = Callable[[Lease], Awaitable[Decision]]
OnExhausted = Callable[[Lease, BaseException], Awaitable[Decision]]
"""Writes the end of a row that nobody can work on, with nothing but what needs no reading, and says what becomes of
the work row. It may be called again for the same row, and may raise: then the thread goes on and it is asked again."""

_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 5.0
_RELEASE_DEADLINE_S = 5.0
_MOST_TIMERS = 1000


@dataclass(slots=True, eq=False)
class _Held:
    """A row in hand; `confirmed_at` is the monotonic time before which its lease surely lived."""

    lease: Lease
    confirmed_at: float
    task: asyncio.Task[Decision | Failed] | None = None
    lost: bool = False

    def give_up(self) -> None:
        self.lost = True
        if self.task is not None:
            self.task.cancel("the lease is lost")


class QueueRunner:
    """Runs `handler` on the rows of `queue`, `workers` at a time.

    `handler` returns a `Decision`; after an outage it raised the row waits, any other exception is a failed attempt.
    It must stop when it is cancelled: then its row belongs to somebody else. Intervals and graces are seconds.
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
        renew_interval_s: float = 10.0,
        drain_s: float = 20.0,
        observer: QueueObserver | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        if renew_interval_s >= queue.lease_s:
            raise ValueError("leases must be renewed before they run out")
        self.queue = queue
        self.buffer = buffer
        self._handler = handler
        self._on_exhausted = on_exhausted
        self._max_attempts = max_attempts
        self._workers = workers
        self._scanner_interval_s = scanner_interval_s
        self._scanner_grace_s = scanner_grace_s
        self._scanner_batch = scanner_batch
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
        self._held: dict[UUID, _Held] = {}
        self._timers: dict[UUID, asyncio.TimerHandle] = {}

    @property
    def in_hand(self) -> int:
        """How many rows handlers work on now."""
        return len(self._held)

    def offer(self, item_id: UUID, lane: str, source: str) -> bool:
        """Give a committed row to the workers; False: no room, the scanner will find it (SWB-06.4)."""
        if self._stopping.is_set():
            return False
        return self._put(item_id, lane, source, hot=True)

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
        self._work_waits.set()
        self._scan_wanted.set()

    async def scan(self) -> int:
        """One sweep of the cold path; returns how many rows came back to memory (SWB-06.3)."""
        full = self.buffer.full_lanes()
        self._more_in_database = bool(full)
        due = await self.queue.due(
            self._scanner_batch,
            grace_s=self._scanner_grace_s,
            exclude=self.buffer.refs() | self._busy.keys(),
            without_lanes=full,
        )
        recovered = sum(self._put(item.item_id, item.lane, item.source, hot=False) for item in due)
        self._more_in_database |= len(due) >= self._scanner_batch
        if recovered:
            self._observer.recovered(recovered)
        return recovered

    async def run(self) -> None:
        """Work until `stop`, or until cancelled; what is unfinished then is given back."""
        async with asyncio.TaskGroup() as group:
            keepers = [group.create_task(self._keep_scanning()), group.create_task(self._keep_renewing())]
            workers = [group.create_task(self._work(number)) for number in range(self._workers)]
            try:
                await self._stopping.wait()
                _, late = await asyncio.wait(workers, timeout=self._drain_s)
                for worker in late:
                    worker.cancel()
                if late:
                    await asyncio.wait(late)
            finally:
                for timer in self._timers.values():
                    timer.cancel()
                self._timers.clear()
            for keeper in keepers:
                keeper.cancel()

    async def run_until(self, stopping: asyncio.Event) -> None:
        """`run` until the event is set: what a service's background task does."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.run())
            await stopping.wait()
            self.stop()

    def _put(self, item_id: UUID, lane: str, source: str, *, hot: bool) -> bool:
        if item_id in self._busy:
            # Its handler may have read the row before what is told here: look at it once more afterwards.
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
        pause_s = _FIRST_PAUSE_S
        while not self._stopping.is_set():
            taken = self.buffer.take(number)
            if taken is None:
                await self._wait_for_work()
                continue
            self._observer.taken(taken.lane, starvation_override=taken.starvation_override)
            try:
                await self._work_through(taken.ref)
                pause_s = _FIRST_PAUSE_S
            except (TargetUnavailable, TimedOut) as error:
                _log.warning("%s: %s; the scanner will find the row again", self.queue.table, error)
                self._more_in_database = True
                await wait_until_set(self._stopping, pause_s)
                pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)

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

    def _release(self, item_id: UUID) -> None:
        """Out of one hand; what was offered meanwhile goes to the workers after the last, for it may be news."""
        self._busy[item_id] -= 1
        if self._busy[item_id] > 0:
            return
        del self._busy[item_id]
        offered = self._offered_again.pop(item_id, None)
        if offered is not None and not self._stopping.is_set():
            self._put(item_id, *offered, hot=True)

    async def _hold(self, lease: Lease, claimed_at: float) -> bool:
        """Run the handler under the lease; False when the row was put off and its thread waits."""
        if lease.attempt == 1:
            self._observer.waited_ms(lease.waited_ms)
        held = _Held(lease, claimed_at)
        self._held[lease.item_id] = held
        try:
            decision = await self._handle(held)
            return decision is None or await self._settle(held, decision)
        except LeaseLost as error:
            _log.warning("%s", error)
            return True
        except asyncio.CancelledError:
            await self._give_back(lease)
            raise
        finally:
            del self._held[lease.item_id]
            self._release(lease.item_id)

    async def _handle(self, held: _Held) -> Decision | Failed | None:
        held.task = asyncio.ensure_future(self._call(held.lease))
        try:
            return await held.task
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if current and current.cancelling():
                raise
            if not held.lost:
                problem = InternalFailure("the handler was cancelled from within")
                _log.error(
                    "%s: attempt %d on %s: %s",
                    self.queue.table,
                    held.lease.attempt,
                    held.lease.item_id,
                    problem,
                )
                return await self._after_failure(held.lease, problem)
            _log.warning("%s: gave up %s, its lease is lost", self.queue.table, held.lease.item_id)
            return None

    async def _call(self, lease: Lease) -> Decision | Failed:
        try:
            await reached_async(points.QUEUE_CLAIMED, self.queue.table)
            return await self._handler(lease)
        except LeaseLost:
            raise
        except Exception as error:
            _log.exception("%s: attempt %d on %s failed", self.queue.table, lease.attempt, lease.item_id)
            if is_outage(error):
                return after_error(error, lease.attempt)
            return await self._after_failure(lease, error)

    async def _after_failure(self, lease: Lease, error: BaseException) -> Decision | Failed:
        decided = after_failure(error, failures=lease.failures, max_attempts=self._max_attempts)
        if isinstance(decided, Failed):
            return decided
        _log.error("%s: %s ends, its attempts are used up", self.queue.table, lease.item_id)
        try:
            return await self._on_exhausted(lease, error)
        except LeaseLost:
            raise
        except Exception as failure:
            _log.exception("%s: the end of %s was not written", self.queue.table, lease.item_id)
            return Unblock(after_error(failure, lease.attempt).delay_s)

    async def _settle(self, held: _Held, decision: Decision | Failed) -> bool:
        """Write the decision, again and again through an outage, for as long as the lease may live."""
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                await reached_async(points.QUEUE_HANDLED, self.queue.table)
                return await self._write(held.lease, decision)
            except (TargetUnavailable, TimedOut):
                if held.lost:
                    raise
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)

    async def _write(self, lease: Lease, decision: Decision | Failed) -> bool:
        match decision:
            case Finish():
                await self.queue.finish(lease)
                return True
            case Finished():
                return True
            case Defer(delay_s):
                woken = await self.queue.defer(lease, delay_s)
                self._remember(lease, 0.0 if woken else delay_s)
                return False
            case Failed(delay_s, releases_thread):
                await self.queue.fail(lease, delay_s, releases_thread=releases_thread)
                if not releases_thread:  # else whichever replica looks first may be the one that can read it
                    self._remember(lease, delay_s)
                return releases_thread
            case Unblock(delay_s):
                unblocked = await self.queue.unblock(lease, delay_s=delay_s)
                self._remember(lease, 0.0 if unblocked.woken else delay_s)
                return True

    async def _give_back(self, lease: Lease) -> None:
        try:
            async with asyncio.timeout(_RELEASE_DEADLINE_S):
                await self.queue.defer(lease, 0.0)
        except (ButlerError, TimeoutError) as error:
            _log.warning("%s: %s stays leased until it runs out: %s", self.queue.table, lease.item_id, error)

    def _remember(self, lease: Lease, delay_s: float) -> None:
        """Offer a deferred row when it is due; without room for a timer the scanner finds it."""
        if self._stopping.is_set() or len(self._timers) >= _MOST_TIMERS or delay_s > self._scanner_interval_s:
            return
        previous = self._timers.pop(lease.item_id, None)
        if previous is not None:
            previous.cancel()
        loop = asyncio.get_running_loop()
        self._timers[lease.item_id] = loop.call_later(delay_s, self._due_again, lease)

    def _due_again(self, lease: Lease) -> None:
        self._timers.pop(lease.item_id, None)
        self.offer(lease.item_id, lease.lane, lease.source)

    async def _release_former(self) -> None:
        released = await self.queue.release_former()
        if released:
            _log.warning("%s: %d rows of a former life are free again", self.queue.table, released)

    async def _keep_scanning(self) -> None:
        former_released = False
        while not self._stopping.is_set():
            hurried = self._scan_wanted.is_set()
            self._scan_wanted.clear()
            try:
                if not former_released:
                    await self._release_former()
                    former_released = True
                await self.scan()
            except (TargetUnavailable, TimedOut) as error:
                _log.warning("%s: the scanner waits: %s", self.queue.table, error)
            # Refused rows are too young for a sweep that a worker asked for: come back after the grace.
            wait_s = (
                min(self._scanner_grace_s, self._scanner_interval_s) if hurried else self._scanner_interval_s
            )
            await wait_until_set(self._scan_wanted, wait_s)

    async def _keep_renewing(self) -> None:
        while True:
            await asyncio.sleep(self._renew_interval_s)
            if self._held:
                await self.renew()

    async def renew(self) -> None:
        """Prolong every lease in hand; cancel the handlers of those that are lost or may be."""
        held = tuple(self._held.values())
        asked_at = self._monotonic()
        try:
            lost = set(await self.queue.renew_many([one.lease for one in held]))
        except (TargetUnavailable, TimedOut) as error:
            _log.warning("%s: leases were not renewed: %s", self.queue.table, error)
            now = self._monotonic()
            lost = {one.lease for one in held if now - one.confirmed_at >= self.queue.lease_s}
        else:
            for one in held:
                one.confirmed_at = asked_at
        for one in held:
            if one.lease in lost and self._held.get(one.lease.item_id) is one:
                one.give_up()
