"""How late the product's own runner sends, in real time: reminders that are due within seconds, on an idle process."""

from __future__ import annotations

import asyncio
import random
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from uuid import UUID, uuid4

from bench.reminders.population import Planned, fill
from butler_contracts.notify import NotifyDeliveryOutcome, NotifyRequestV1, NotifyResponseV1
from butler_kit.db import Pool
from butler_kit.telemetry import REMINDER, Metrics
from butler_specialist.metrics import ReminderMetrics
from butler_specialist.remind.handler import ReminderWorker
from butler_specialist.remind.queue import reminder_runner
from butler_specialist.store.reminders import ReminderStore

__all__ = ["latenesses_ms"]

_AHEAD_S = 3.0


class _Listener:
    """Records what is sent, and when."""

    def __init__(self, count: int) -> None:
        self.told: dict[str, datetime] = {}
        self.all = asyncio.Event()
        self._count = count

    async def notify(self, request: NotifyRequestV1) -> NotifyResponseV1:
        self.told.setdefault(request.delivery.idempotency_key or "", datetime.now(UTC))
        if len(self.told) == self._count:
            self.all.set()
        outcome = NotifyDeliveryOutcome(channel="telegram", delivery_id=str(uuid4()), state="queued")
        return NotifyResponseV1(status="ok", delivery=outcome)


async def latenesses_ms(pool: Pool, *, schema: str, count: int, within_s: float) -> list[float]:
    """Return the sorted milliseconds from each due time to its message; `count` due times spread over `within_s`."""
    chance, start = random.Random(1), datetime.now(UTC) + timedelta(seconds=_AHEAD_S)
    planned = [
        Planned(
            UUID(int=2**64 + number),
            start + timedelta(seconds=chance.uniform(0, within_s)),
            "Europe/Berlin",
            None,
            timedelta(hours=1),
        )
        for number in range(count)
    ]
    await fill(pool, planned)
    listener = _Listener(count)
    worker = ReminderWorker(
        own_name=schema,
        store=ReminderStore(pool),
        switchboard=cast(Any, listener),
        metrics=ReminderMetrics(Metrics(REMINDER)),
        of_records=cast(Any, None),  # no reminder here comes from a record
    )
    runner = reminder_runner(pool, worker, schema=schema, replica=None, drain_s=5.0)
    stopping = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(runner.run_until(stopping))
        async with asyncio.timeout(_AHEAD_S + within_s + 60):
            await listener.all.wait()
        stopping.set()
    return sorted(
        (listener.told[f"reminder:{one.reminder_id}:{one.due_at.isoformat()}"] - one.due_at).total_seconds()
        * 1000
        for one in planned
    )
