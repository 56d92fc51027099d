"""The queue of reminders: each waits in `reminder_work` until its moment and is claimed then (D11, D67)."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from butler_kit.config import demand
from butler_kit.db import Pool
from butler_kit.queue import LeasedQueue, QueueRunner, TierBuffer
from butler_specialist.remind.handler import ReminderWorker

__all__ = ["reminder_runner"]

_LOOK_EVERY_S: Final = 10.0
"""How often to look, besides their moments, for what a stopped replica left behind."""


def reminder_runner(
    pool: Pool, worker: ReminderWorker, *, schema: str, replica: str | None, drain_s: float
) -> QueueRunner:
    """Return a runner that tells each reminder at its moment, and overdue ones at once."""
    return QueueRunner(
        LeasedQueue(pool, f"{schema}.reminder_work", replica=replica),
        TierBuffer[UUID](("reminder",)),
        worker.process,
        on_exhausted=worker.give_up,
        workers=demand.REMINDERS,
        scanner_interval_s=_LOOK_EVERY_S,
        scanner_grace_s=0.0,
        on_time=True,
        drain_s=drain_s,
    )
