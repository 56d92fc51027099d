"""What a provider has taken is written down through every absence of the database, and is never `uncertain` (D41)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_kit.db import transaction
from butler_kit.queue import Finish, Lease, LeasedQueue
from butler_kit.telemetry import MESSENGER, Metrics
from butler_kit.time import SystemClock
from butler_messenger.admission.store import AdmissionStore
from butler_messenger.delivery.breaker import CircuitPolicy
from butler_messenger.delivery.calls import ChannelRules
from butler_messenger.delivery.circuits import Circuits
from butler_messenger.delivery.decisions import RetryPolicy
from butler_messenger.delivery.metrics import DeliveryMetrics
from butler_messenger.delivery.store import DeliveryStore
from butler_messenger.delivery.worker import DeliveryWorker
from tests.integration.messenger.admissions import new_delivery
from tests.integration.messenger.gated_channel import GatedChannel, carries_nothing
from tests.integration.messenger.household import Place, eventually

ROLE = "butler_messenger"


class Outage:
    """The database lets Messenger's role in no more, as in the middle of a change of its password."""

    def __init__(self, place: Place) -> None:
        self._server = place.database.server

    async def begin(self) -> None:
        await self._server.execute(f"ALTER ROLE {ROLE} NOLOGIN")
        await self._server.execute(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{ROLE}'"
        )

    async def end(self) -> None:
        await self._server.execute(f"ALTER ROLE {ROLE} LOGIN")


@pytest.fixture
async def outage(place: Place):
    outage = Outage(place)
    yield outage
    await outage.end()


def worker_of(place: Place, channel: GatedChannel) -> DeliveryWorker:
    metrics, store = Metrics(MESSENGER), DeliveryStore(place.pool)
    circuits = Circuits(place.pool, CircuitPolicy(), metrics, draw=lambda: 0.5)
    return DeliveryWorker(
        store=store,
        channels={"telegram": channel},
        rules={"telegram": ChannelRules(RetryPolicy())},
        circuits=circuits,
        carrier=carries_nothing(place.pool, store, circuits, SystemClock()),
        metrics=DeliveryMetrics(metrics),
        clock=SystemClock(),
        draw=lambda: 0.5,
        new_id=uuid4,
        on_terminal=lambda _: None,
    )


async def admitted(place: Place) -> tuple[LeasedQueue, Lease]:
    queue = LeasedQueue(place.pool, "messenger.delivery_work")
    new = new_delivery("one")
    async with transaction(place.pool) as connection:
        await AdmissionStore(place.pool).insert(connection, new)
    lease = await queue.claim(new.delivery_id)
    assert lease is not None
    return queue, lease


async def states(place: Place, delivery_id: UUID) -> Any:
    return await place.rows(
        "SELECT d.status, (SELECT count(*) FROM delivery_receipts AS r WHERE r.delivery_id = d.delivery_id) AS receipts"
        " FROM delivery_requests AS d WHERE d.delivery_id = $1",
        delivery_id,
    )


async def test_a_receipt_is_kept_through_an_outage_that_outlives_the_lease(place: Place, outage: Outage):
    channel = GatedChannel(outage.begin)
    queue, lease = await admitted(place)
    worker = worker_of(place, channel)
    handler = asyncio.ensure_future(worker.deliver(lease))
    await asyncio.wait_for(channel.called.wait(), 90)
    await eventually(lambda: bool(worker._receipts._writing))
    handler.cancel("the lease is lost")  # as the queue's runner does when it may have run out
    await asyncio.wait({handler})
    assert handler.cancelled()
    await outage.end()
    await place.database.shift_clock(timedelta(seconds=60))
    again = await queue.claim(lease.item_id)
    if again is not None:  # else the receipt was first
        assert isinstance(await asyncio.wait_for(worker.deliver(again), 90), Finish)
    await worker.aclose()
    assert await states(place, lease.item_id) == [{"status": "sent", "receipts": 1}]
    assert channel.sent == ["hello"]


async def test_a_receipt_that_is_still_being_written_is_given_a_moment_at_the_end(
    place: Place, outage: Outage
):
    channel = GatedChannel(outage.begin)
    _, lease = await admitted(place)
    worker = worker_of(place, channel)
    handler = asyncio.ensure_future(worker.deliver(lease))
    await eventually(lambda: bool(worker._receipts._writing))
    handler.cancel()
    await asyncio.wait({handler})
    await outage.end()
    await worker.aclose()
    assert await states(place, lease.item_id) == [{"status": "sent", "receipts": 1}]
