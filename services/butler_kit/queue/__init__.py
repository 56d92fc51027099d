"""The one leased work queue of all services (D11): durable rows, in-memory lanes, workers."""

from butler_kit.queue.buffer import LANES, Put, Taken, TierBuffer
from butler_kit.queue.decisions import (
    Decision,
    Defer,
    Finish,
    Finished,
    QueueObserver,
    SilentObserver,
    Unblock,
    after_error,
)
from butler_kit.queue.leases import Due, Lease, LeasedQueue, LeaseLost, Unblocked, WorkItem
from butler_kit.queue.runner import Handler, QueueRunner

__all__ = [
    "LANES",
    "Decision",
    "Defer",
    "Due",
    "Finish",
    "Finished",
    "Handler",
    "Lease",
    "LeaseLost",
    "LeasedQueue",
    "Put",
    "QueueObserver",
    "QueueRunner",
    "SilentObserver",
    "Taken",
    "TierBuffer",
    "Unblock",
    "Unblocked",
    "WorkItem",
    "after_error",
]
