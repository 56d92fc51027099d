"""The rows in hand, and their leases (CON-4.1): renewed together, all in one statement.

Invariant: a handler whose lease is lost, or may no longer be valid, is cancelled.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from butler_contracts.errors import TargetUnavailable, TimedOut
from butler_kit.queue.decisions import Decision, Failed
from butler_kit.queue.leases import Lease, LeasedQueue

__all__ = ["Hands", "Held"]

_log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class Held:
    """A row in hand; `confirmed_at` is the last monotonic time at which its lease was known to be valid."""

    lease: Lease
    confirmed_at: float
    task: asyncio.Task[Decision | Failed] | None = None
    lost: bool = False

    def give_up(self) -> None:
        self.lost = True
        if self.task is not None:
            self.task.cancel("the lease is lost")


class Hands:
    """The rows that handlers work on now."""

    def __init__(self, queue: LeasedQueue, monotonic: Callable[[], float]) -> None:
        self._queue = queue
        self._monotonic = monotonic
        self._held: dict[UUID, Held] = {}

    def __len__(self) -> int:
        return len(self._held)

    def take(self, lease: Lease, claimed_at: float) -> Held:
        """Keep the lease alive from here on."""
        held = Held(lease, claimed_at)
        self._held[lease.item_id] = held
        return held

    def let_go(self, held: Held) -> None:
        """Stop renewing: the row has ended or belongs to somebody else."""
        del self._held[held.lease.item_id]

    async def keep_renewing(self, every_s: float) -> None:
        """Renew until cancelled."""
        while True:
            await asyncio.sleep(every_s)
            if self._held:
                await self.renew()

    async def renew(self) -> None:
        """Renew every lease in hand; cancel the handlers of those that are lost or may be."""
        held = tuple(self._held.values())
        asked_at = self._monotonic()
        try:
            lost = set(await self._queue.renew_many([one.lease for one in held]))
        except (TargetUnavailable, TimedOut) as error:
            _log.warning("%s: leases were not renewed: %s", self._queue.table, error)
            now = self._monotonic()
            lost = {one.lease for one in held if now - one.confirmed_at >= self._queue.lease_s}
        else:
            for one in held:
                one.confirmed_at = asked_at
        for one in held:
            if one.lease in lost and self._held.get(one.lease.item_id) is one:
                one.give_up()
