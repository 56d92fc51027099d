"""The queue of keys to reconcile: one run per key at a time, at the earliest time requested, backoff on failure.

Invariants: a key that is added while it runs runs once more afterwards; a key never runs twice at once; a failing key
waits longer each time, up to `BACKOFF_MAX_S`, and holds up no other; nothing loops without a wait; keys of one
namespace, however many and slow, leave a worker for those of the others (`control.due`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from butler_kit.telemetry import get_logger
from butler_kit.time import Clock
from butler_operator.control.due import DueKeys
from butler_operator.metrics import OperatorMetrics
from butler_operator.reconcile.key import Key
from butler_operator.reconcile.outcome import Outcome

__all__ = ["BACKOFF_MAX_S", "Reconcile", "WorkQueue"]

_log = get_logger(__name__)

BACKOFF_FIRST_S: Final = 0.5
BACKOFF_MAX_S: Final = 120.0
DEADLINE_S: Final = 120.0
"""Longest run of one reconcile; each call inside has a shorter deadline of its own."""

Reconcile = Callable[[Key], Awaitable[Outcome]]


class WorkQueue:
    """`add` from anywhere in the loop; `run` owns the workers."""

    def __init__(
        self,
        reconcile: Reconcile,
        *,
        clock: Clock,
        metrics: OperatorMetrics,
        workers: int,
        jitter: Callable[[], float] = lambda: 1.0,
        deadline_s: float = DEADLINE_S,
    ) -> None:
        self._reconcile = reconcile
        self._clock = clock
        self._metrics = metrics
        self._workers = workers
        self._jitter = jitter
        self._deadline_s = deadline_s
        self._due = DueKeys(workers=workers)
        self._running: set[Key] = set()
        self._again: set[Key] = set()
        self._timers: dict[Key, asyncio.TimerHandle] = {}
        self._failures: dict[Key, int] = {}
        self._arrived = asyncio.Event()
        self._last_end = clock.monotonic()

    def add(self, key: Key, *, after_s: float = 0.0) -> None:
        """Reconcile `key` now, or after `after_s`; an earlier time that is already set stays."""
        if after_s > 0:
            self._add_later(key, after_s)
            return
        self._cancel_timer(key)
        if key in self._running:
            self._again.add(key)
        elif key not in self._due:
            self._due.add(key, self._clock.monotonic())
            self._metrics.set("butlers.operator.queue_depth", len(self._due))
            self._arrived.set()

    def depth(self) -> int:
        """Return the number of due keys that wait for a worker."""
        return len(self._due)

    def idle(self) -> bool:
        """Whether nothing is due and nothing runs; timers may be set."""
        return not self._due and not self._running

    def stands_still_s(self) -> float:
        """How long something has been due and no run has ended; many slow keys alone are no standstill."""
        since = self._due.oldest()
        return 0.0 if since is None else self._clock.monotonic() - max(since, self._last_end)

    async def run(self) -> None:
        """Work until cancelled."""
        self._last_end = self._clock.monotonic()
        try:
            async with asyncio.TaskGroup() as group:
                for number in range(self._workers):
                    group.create_task(self._work(), name=f"reconciler-{number}")
        finally:
            for timer in self._timers.values():
                timer.cancel()
            self._timers.clear()

    async def _work(self) -> None:
        while True:
            while (taken := self._due.take()) is None:
                self._arrived.clear()
                await self._arrived.wait()
            key, since = taken
            self._metrics.set("butlers.operator.queue_depth", len(self._due))
            self._metrics.observe("butlers.operator.lag_seconds", self._clock.monotonic() - since)
            self._running.add(key)
            try:
                await self._run_one(key)
            finally:
                self._running.discard(key)
                self._due.ended(key)
                self._last_end = self._clock.monotonic()
            if key in self._again:
                self._again.discard(key)
                self.add(key)

    async def _run_one(self, key: Key) -> None:
        started = self._clock.monotonic()
        try:
            async with asyncio.timeout(self._deadline_s):
                outcome = await self._reconcile(key)
        except Exception as error:
            self._failed(key, error)
        else:
            self._failures.pop(key, None)
            self._metrics.count("butlers.operator.reconcile", kind=key.kind, outcome="ok")
            if outcome.requeue_after_s is not None:
                self._add_later(key, max(outcome.requeue_after_s, BACKOFF_FIRST_S))
        finally:
            spent = self._clock.monotonic() - started
            self._metrics.observe("butlers.operator.duration_seconds", spent, kind=key.kind)

    def _failed(self, key: Key, error: Exception) -> None:
        times = self._failures.get(key, 0)
        self._failures[key] = times + 1
        delay = min(BACKOFF_MAX_S, BACKOFF_FIRST_S * 2 ** min(times, 20)) * self._jitter()
        name = type(error).__name__
        self._metrics.count("butlers.operator.reconcile", kind=key.kind, outcome="error")
        self._metrics.count("butlers.operator.errors", kind=key.kind, error=name)
        _log.warning(
            "reconcile_failed",
            key=str(key),
            error=name,
            problem=str(error),
            again_in_s=round(delay, 1),
            times=times + 1,
        )
        self._add_later(key, delay)
        # A change that came meanwhile must not skip the wait, or the key would loop without one.
        self._again.discard(key)

    def _add_later(self, key: Key, after_s: float) -> None:
        loop = asyncio.get_running_loop()
        known = self._timers.get(key)
        if known is not None and known.when() <= loop.time() + after_s:
            return
        self._cancel_timer(key)
        self._timers[key] = loop.call_later(after_s, self._fire, key)

    def _fire(self, key: Key) -> None:
        self._timers.pop(key, None)
        self.add(key)

    def _cancel_timer(self, key: Key) -> None:
        timer = self._timers.pop(key, None)
        if timer is not None:
            timer.cancel()
