"""Counts what a leased queue does under the names of SWB-42.2; fits `butler_kit.queue`'s `QueueObserver`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from butler_kit.telemetry.metrics import Metrics

__all__ = ["BufferMetrics"]


@dataclass(frozen=True, slots=True)
class BufferMetrics:
    """The durable buffer's counters; `metrics` must declare `BUFFER` and `SWITCHBOARD`."""

    metrics: Metrics

    def enqueued(self, path: Literal["hot", "cold"]) -> None:
        """Count a reference that entered the memory queues."""
        self.metrics.count("butlers.buffer.enqueue_total", path=path)

    def backpressure(self, lane: str) -> None:
        """Count a reference that was left to the scanner."""
        self.metrics.count("butlers.buffer.backpressure_total", lane=lane)

    def recovered(self, count: int) -> None:
        """Count the rows that the scanner took up."""
        self.metrics.count("butlers.buffer.scanner_recovered_total", count)

    def taken(self, lane: str, *, starvation_override: bool) -> None:
        """Count a reference that a worker took, by tier."""
        self.metrics.count(
            "butlers.switchboard.queue.dequeue_by_tier",
            policy_tier=lane,
            starvation_override=str(starvation_override).lower(),
        )

    def waited_ms(self, milliseconds: float) -> None:
        """Record the time from receipt to the start of processing."""
        self.metrics.observe("butlers.buffer.process_latency_ms", milliseconds)
