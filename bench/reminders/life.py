"""The processes of the year, one after another: each polls, notifies and waits as the runner does, until it is killed.

The runner itself waits in real time; here the simulated clock drives its steps: everything due is claimed, handled and
settled, two rows at a time, then the clock moves to the next due time.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final, cast
from unittest.mock import patch
from uuid import UUID

from bench.reminders.world import ToldClock, ToyMessenger
from butler_kit.db import Pool
from butler_kit.faults import points
from butler_kit.queue import Defer, Finish, LeasedQueue
from butler_kit.telemetry import REMINDER, Metrics
from butler_specialist.metrics import ReminderMetrics
from butler_specialist.remind import handler
from butler_specialist.store.reminders import ReminderStore

__all__ = ["KILL_AT", "Killed", "Lives"]

KILL_AT: Final = (
    "claimed", points.REMINDER_BEGUN, "asked", "admitted", points.REMINDER_TOLD, points.REMINDER_KEPT, "handled",
)  # fmt: skip
_AT_ONCE: Final = 2
_BATCH: Final = 50
_LONGEST_WAIT_S: Final = 3600.0


class Killed(BaseException):
    """The process is gone, whatever it was doing."""


@dataclass(eq=False)
class _Order:
    """An ordered kill: where, and at the how manieth time from now."""

    point: str
    left: int


@dataclass
class Lives:
    """The process and its successors, under one name, as a supervisor starts them."""

    pool: Pool
    clock: ToldClock
    chance: random.Random
    kills: int = 0
    killed_at: dict[str, int] = field(default_factory=dict)
    _armed: list[_Order] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.messenger = ToyMessenger(self.clock, self.chance, self.passed)

    def arm(self) -> None:
        """Kill the process at one of the next times that it passes a random point; no order replaces another."""
        self._armed.append(_Order(self.chance.choice(KILL_AT), self.chance.randrange(1, 6)))

    def passed(self, point: str) -> None:
        for order in self._armed:
            order.left -= order.point == point
        reached = next((order for order in self._armed if order.point == point and order.left <= 0), None)
        if reached is None:
            return
        self._armed.remove(reached)
        self.kills += 1
        self.killed_at[point] = self.killed_at.get(point, 0) + 1
        raise Killed

    @contextmanager
    def killing(self) -> Iterator[None]:
        """Let the worker's own fault points kill too, only inside the block: work after it is not killed."""

        async def reached(point: str, *_: str) -> None:
            self.passed(point)

        with patch.object(handler, "reached_async", reached):
            yield

    async def begin(self) -> None:
        """Start a new process with its own store and queue; the leases of its predecessor are released."""

        self._queue = LeasedQueue(self.pool, "reminder_work", replica="finance-0")
        self._worker = handler.ReminderWorker(
            own_name="finance",
            store=ReminderStore(self.pool),
            switchboard=cast(Any, self.messenger),
            metrics=ReminderMetrics(Metrics(REMINDER)),
            of_records=cast(Any, None),  # no reminder here comes from a record
        )
        await self._queue.release_former()

    async def look(self) -> timedelta:
        """Send everything due now; return how long the process then waits. Raises `Killed`."""
        while due := await self._queue.due(_BATCH):
            waiting = iter([item.item_id for item in due])
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(_AT_ONCE):
                        group.create_task(self._work(waiting))
            except BaseExceptionGroup as group_of:
                if group_of.subgroup(Killed) is None:
                    raise
                raise Killed from None
        next_s = await self._queue.next_due_s()
        return timedelta(seconds=_LONGEST_WAIT_S if next_s is None else min(next_s, _LONGEST_WAIT_S))

    async def _work(self, waiting: Any) -> None:
        for item_id in waiting:
            await self._work_on(item_id)

    async def _work_on(self, item_id: UUID) -> None:
        lease = await self._queue.claim(item_id)
        if lease is None:
            return
        self.passed("claimed")
        decision = await self._worker.process(lease)
        self.passed("handled")
        match decision:
            case Finish():
                await self._queue.finish(lease)
            case Defer(delay_s):
                await self._queue.defer(lease, delay_s)
