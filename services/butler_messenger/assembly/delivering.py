"""Builds the delivery of admitted requests (architecture §5)."""

from __future__ import annotations

import random
from typing import Final
from uuid import UUID

from butler_kit.db import Pool
from butler_kit.queue import LeasedQueue, QueueRunner, TierBuffer
from butler_messenger.assembly.given import Ends, Given
from butler_messenger.attachments.carrying import Carrier
from butler_messenger.attachments.configured import file_settings
from butler_messenger.attachments.readers import Readers
from butler_messenger.delivery.calls import ChannelRules
from butler_messenger.delivery.circuits import Circuits
from butler_messenger.delivery.metrics import DeliveryMetrics
from butler_messenger.delivery.store import DeliveryStore
from butler_messenger.delivery.worker import DeliveryWorker
from butler_messenger.settings import MessengerConfig

__all__ = ["runner_of", "worker_of"]

LANES: Final = ("reply", "send")
"""Replies go first; the starvation guard lets sends through (MSG-8)."""
_DRAIN_S: Final = 12.0


def worker_of(
    pool: Pool, given: Given, ends: Ends, metrics: DeliveryMetrics, circuits: Circuits
) -> DeliveryWorker:
    store = DeliveryStore(pool)
    return DeliveryWorker(
        store=store,
        channels=given.channels,
        rules={name: _rules(given.config, name) for name in given.channels},
        circuits=circuits,
        carrier=Carrier(
            file_settings(given.config, given.env, given.channels),
            store,
            Readers(pool, given.config.butler.language),
            circuits,
            metrics,
            given.clock,
        ),
        metrics=metrics,
        clock=given.clock,
        draw=random.random,
        new_id=given.new_id,
        on_terminal=ends.tell,
        waiters=ends.waiters,
    )


def _rules(config: MessengerConfig, channel: str) -> ChannelRules:
    again = {i for i in ("send", "reply") if config.guarantee(channel, i) == "at_least_once"}
    return ChannelRules(config.retry_policy(channel), frozenset(again), config.delivery.slo.retry_factor)


def runner_of(queue: LeasedQueue, worker: DeliveryWorker, given: Given) -> QueueRunner:
    buffer = given.config.buffer
    return QueueRunner(
        queue,
        TierBuffer[UUID](
            LANES, capacity=buffer.queue_capacity, max_consecutive=buffer.max_consecutive_same_tier
        ),
        worker.deliver,
        on_exhausted=worker.give_up,
        workers=given.config.delivery.worker_count,
        scanner_interval_s=buffer.scanner_interval_s,
        scanner_grace_s=buffer.scanner_grace_s,
        scanner_batch=buffer.scanner_batch_size,
        drain_s=_DRAIN_S,
    )
