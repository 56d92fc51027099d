"""What a provider has taken is written down through every absence of the database, and is never `uncertain` (D41)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.errors import TargetUnavailable
from butler_kit.db import Pool, transaction
from butler_kit.queue import Finish, Finished, Lease, LeasedQueue
from butler_kit.telemetry import MESSENGER, Metrics
from butler_kit.time import SystemClock
from butler_messenger.admission.store import AdmissionStore
from butler_messenger.delivery.breaker import CircuitPolicy
from butler_messenger.delivery.calls import ChannelRules
from butler_messenger.delivery.channels.port import Mark, Outgoing
from butler_messenger.delivery.circuits import Circuits
from butler_messenger.delivery.decisions import RetryPolicy
from butler_messenger.delivery.metrics import DeliveryMetrics
from butler_messenger.delivery.outcomes import ProviderOutcome
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


def worker_of(
    place: Place, channel: GatedChannel, *, store: DeliveryStore | None = None, timeout_s: float = 30.0
) -> DeliveryWorker:
    metrics = Metrics(MESSENGER)
    store = store or DeliveryStore(place.pool)
    circuits = Circuits(place.pool, CircuitPolicy(), metrics, draw=lambda: 0.5)
    return DeliveryWorker(
        store=store,
        channels={"telegram": channel},
        rules={"telegram": ChannelRules(RetryPolicy(timeout_s=timeout_s))},
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


class LosesTheMark(DeliveryStore):
    """Its first mark is committed, and the database's answer to it is lost."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(pool)
        self.lost = 0

    async def mark(self, lease: Lease, *, attempt: int, part: int, tool: str) -> None:
        await super().mark(lease, attempt=attempt, part=part, tool=tool)
        if not self.lost:
            self.lost += 1
            raise TargetUnavailable("database: the connection broke while marking a delivery")


class MarksSlowly(DeliveryStore):
    """A database with a full disk queue."""

    async def mark(self, lease: Lease, *, attempt: int, part: int, tool: str) -> None:
        await asyncio.sleep(0.5)
        await super().mark(lease, attempt=attempt, part=part, tool=tool)


class SlowChannel(GatedChannel):
    """Each of its two steps takes most of what the channel may take."""

    async def send(self, outgoing: Outgoing, *, part: int, mark: Mark) -> ProviderOutcome:
        await asyncio.sleep(0.6)
        return await super().send(outgoing, part=part, mark=mark)


async def at_once() -> None: ...


async def soon() -> None:
    await asyncio.sleep(0.6)


async def used(place: Place, delivery_id: UUID) -> Any:
    return await place.rows(
        "SELECT d.status, d.attempts_used, a.attempt, a.outcome"
        " FROM delivery_requests AS d JOIN delivery_attempts AS a USING (delivery_id) WHERE d.delivery_id = $1",
        delivery_id,
    )


SENT_AT_FIRST = [{"status": "sent", "attempts_used": 1, "attempt": 1, "outcome": "sent"}]


async def test_a_mark_whose_answer_was_lost_is_taken_back_and_the_message_goes_out(place: Place) -> None:
    channel = GatedChannel(at_once)
    _, lease = await admitted(place)
    worker = worker_of(place, channel, store=LosesTheMark(place.pool))
    with pytest.raises(TargetUnavailable):  # an outage for the queue, which claims the delivery again
        await worker.deliver(lease)
    assert channel.sent == []
    assert (await place.row(str(lease.item_id)))["status"] == "pending"
    assert isinstance(await worker.deliver(lease), Finished)
    await worker.aclose()
    assert channel.sent == ["hello"]
    assert await used(place, lease.item_id) == SENT_AT_FIRST


async def test_the_time_that_the_database_takes_to_mark_is_not_the_providers(place: Place) -> None:
    channel = GatedChannel(at_once)
    _, lease = await admitted(place)
    worker = worker_of(place, channel, store=MarksSlowly(place.pool), timeout_s=0.2)
    assert isinstance(await worker.deliver(lease), Finished)
    await worker.aclose()
    assert await used(place, lease.item_id) == SENT_AT_FIRST
    assert await place.rows("SELECT 1 FROM provider_circuit") == []


async def test_the_message_itself_has_all_the_time_of_its_channel(place: Place) -> None:
    channel = SlowChannel(soon)
    _, lease = await admitted(place)
    worker = worker_of(place, channel, timeout_s=1.0)
    assert isinstance(await worker.deliver(lease), Finished)
    await worker.aclose()
    assert await used(place, lease.item_id) == SENT_AT_FIRST
