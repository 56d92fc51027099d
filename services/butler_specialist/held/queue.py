"""The queue of calls that wait: each is asked about until it is decided, then made and told of (D11)."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from butler_kit.db import Pool
from butler_kit.queue import LeasedQueue, QueueRunner, TierBuffer
from butler_specialist.held.handler import HeldWorker

__all__ = ["held_runner"]

_WORKERS: Final = 2
_LOOK_EVERY_S: Final = 2.0
"""What another process wrote, or left."""


def held_runner(
    pool: Pool, worker: HeldWorker, *, schema: str, replica: str | None, drain_s: float
) -> QueueRunner:
    """Works on the calls of one butler, beside any other replica of it."""
    return QueueRunner(
        LeasedQueue(pool, f"{schema}.held_call_work", replica=replica),
        TierBuffer[UUID](("call",)),
        worker.process,
        on_exhausted=worker.give_up,
        workers=_WORKERS,
        scanner_interval_s=_LOOK_EVERY_S,
        scanner_grace_s=0.0,
        on_time=True,
        drain_s=drain_s,
    )
