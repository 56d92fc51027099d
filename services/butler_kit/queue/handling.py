"""One attempt at a row: its handler's decision, and what is decided when it fails.

Every row ends: an outage is waited out, but after `max_attempts` failures by a defect `on_exhausted` writes the end.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from butler_contracts.errors import InternalFailure
from butler_kit.faults import points, reached_async
from butler_kit.queue.decisions import (
    Decision,
    Failed,
    Unblock,
    after_error,
    after_failure,
    after_outage,
    is_outage,
)
from butler_kit.queue.hands import Held
from butler_kit.queue.leases import Lease, LeaseLost

__all__ = ["Handler", "Handling", "OnExhausted"]

_log = logging.getLogger(__name__)

Handler = Callable[[Lease], Awaitable[Decision]]
OnExhausted = Callable[[Lease, BaseException], Awaitable[Decision]]
"""Writes the end of a row that nobody can work on, using only what needs no reading, and decides about the work row.
It may be called again for the same row, and may raise: then the thread goes on and it is called again."""


class Handling:
    """Runs the handler of one queue; `table` is for the log."""

    def __init__(self, table: str, handler: Handler, on_exhausted: OnExhausted, *, max_attempts: int) -> None:
        self._table = table
        self._handler = handler
        self._on_exhausted = on_exhausted
        self._max_attempts = max_attempts

    async def run(self, held: Held) -> Decision | Failed | None:
        """Run the handler; return the decision, None if the lease was lost meanwhile. Raises `LeaseLost`."""
        held.task = asyncio.ensure_future(self._call(held.lease))
        try:
            return await held.task
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if current and current.cancelling():
                raise
        lease = held.lease
        if held.lost:
            _log.warning("%s: gave up %s, its lease is lost", self._table, lease.item_id)
            return None
        problem = InternalFailure("the handler was cancelled from within")
        _log.error("%s: attempt %d on %s: %s", self._table, lease.attempt, lease.item_id, problem)
        return await self._after_failure(lease, problem)

    async def _call(self, lease: Lease) -> Decision | Failed:
        try:
            await reached_async(points.QUEUE_CLAIMED, self._table)
            return await self._handler(lease)
        except LeaseLost:
            raise
        except Exception as error:
            _log.exception("%s: attempt %d on %s failed", self._table, lease.attempt, lease.item_id)
            if is_outage(error):
                return after_outage(error, lease.attempt)
            return await self._after_failure(lease, error)

    async def _after_failure(self, lease: Lease, error: BaseException) -> Decision | Failed:
        decided = after_failure(error, failures=lease.failures, max_attempts=self._max_attempts)
        if isinstance(decided, Failed):
            return decided
        _log.error("%s: %s ends, its attempts are used up", self._table, lease.item_id)
        try:
            return await self._on_exhausted(lease, error)
        except LeaseLost:
            raise
        except Exception as failure:
            _log.exception("%s: the end of %s was not written", self._table, lease.item_id)
            return Unblock(after_error(failure, lease.attempt).delay_s)
