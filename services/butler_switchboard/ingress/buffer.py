"""The inbox's queue: three tiers in memory over the durable work table (SWB-06, SWB-07, SWB-24.3, CON-4.1)."""

from __future__ import annotations

from uuid import UUID

from butler_kit.config import BufferConfig
from butler_kit.db import Pool
from butler_kit.queue import LANES, Handler, LeasedQueue, OnExhausted, QueueObserver, QueueRunner, TierBuffer
from butler_switchboard.ingress.backlog import SHED

__all__ = ["InboxQueue"]

DRAIN_S = 12.0
WOKEN = "woken"
"""A source of its own in each lane: woken requests take turns with a backlog instead of waiting behind it."""


class InboxQueue:
    """The queue that admission offers to, workers take from and answers wake."""

    def __init__(
        self,
        pool: Pool,
        config: BufferConfig,
        handler: Handler,
        observer: QueueObserver,
        *,
        on_exhausted: OnExhausted,
        table: str = "inbox_work",
        replica: str | None = None,
    ) -> None:
        self.queue = LeasedQueue(pool, table, replica=replica)
        self.buffer: TierBuffer[UUID] = TierBuffer(
            (SHED, *LANES), capacity=config.queue_capacity, max_consecutive=config.max_consecutive_same_tier
        )
        self.runner = QueueRunner(
            self.queue,
            self.buffer,
            handler,
            on_exhausted=on_exhausted,
            workers=config.worker_count,
            scanner_interval_s=config.scanner_interval_s,
            scanner_grace_s=config.scanner_grace_s,
            scanner_batch=config.scanner_batch_size,
            drain_s=DRAIN_S,
            observer=observer,
        )

    def offer(self, item_id: UUID, lane: str, source: str) -> bool:
        """Hot path: False if the tier is full; the row stays durable and the scanner finds it (SWB-06.4)."""
        return self.runner.offer(item_id, lane, source)

    async def wake(self, request_id: UUID) -> None:
        """Let a worker look at this request now, because something happened to it."""
        due = await self.queue.wake(request_id)
        if due is not None:
            self.runner.offer(due.item_id, due.lane, WOKEN)

    async def let_go(self) -> None:
        """End the handlers of requests whose lease is lost, without waiting for the next renewal."""
        await self.runner.renew()
