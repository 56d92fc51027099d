"""How waiting rows become batches and how a poisoned batch is split (pure; `admission.py` runs them)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from butler_switchboard.ingress.rows import AdmissionRow

__all__ = ["MAX_BATCH_BYTES", "MAX_BATCH_ROWS", "batch_length", "halves"]

T = TypeVar("T")

MAX_BATCH_ROWS = 128
"""Above this a batch gains nothing and the tail waits longer."""

MAX_BATCH_BYTES = 1_000_000
"""A batch of large mails is bound by one backend compressing them; keep its neighbours' wait short."""


def batch_length(waiting: Sequence[AdmissionRow]) -> int:
    """Return how many waiting rows go next: all, up to the row and byte bounds, and always at least one."""
    size = 0
    for count, row in enumerate(waiting[:MAX_BATCH_ROWS]):
        size += row.size_bytes
        if count and size > MAX_BATCH_BYTES:
            return count
    return min(len(waiting), MAX_BATCH_ROWS)


def halves(batch: list[T]) -> tuple[list[T], list[T]]:
    """Return the two parts to try separately when the database refuses the data of the whole."""
    middle = len(batch) // 2
    return batch[:middle], batch[middle:]
