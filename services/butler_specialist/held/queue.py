"""The queue of held calls: each is asked about until decided, then made and reported (D11)."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from butler_kit.db import Pool
from butler_kit.queue import LeasedQueue, QueueRunner, TierBuffer
from butler_specialist.held.handler import HeldWorker

__all__ = ["held_runner"]

_WORKERS: Final = 2
_LOOK_EVERY_S: Final = 2.0
"""How often to look for what another process wrote or left behind."""


def held_runner(
    pool: Pool, worker: HeldWorker, *, schema: str, replica: str | None, drain_s: float
) -> QueueRunner:
    """Return the runner for one butler's held calls, alongside its other replicas."""
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
