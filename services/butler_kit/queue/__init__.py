"""The one leased work queue of all services (D11): durable rows, in-memory lanes, workers."""

from butler_kit.queue.buffer import LANES, Put, Taken, TierBuffer
from butler_kit.queue.decisions import (
    MAX_ATTEMPTS,
    Decision,
    Defer,
    Finish,
    Finished,
    QueueObserver,
    SilentObserver,
    Unblock,
    after_error,
    after_outage,
    is_outage,
)
from butler_kit.queue.handling import Handler, OnExhausted
from butler_kit.queue.leases import Due, Lease, LeasedQueue, LeaseLost, Unblocked, WorkItem
from butler_kit.queue.runner import QueueRunner

__all__ = [
    "LANES",
    "MAX_ATTEMPTS",
    "Decision",
    "Defer",
    "Due",
    "Finish",
    "Finished",
    "Handler",
    "Lease",
    "LeaseLost",
    "LeasedQueue",
    "OnExhausted",
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
    "after_outage",
    "is_outage",
]
