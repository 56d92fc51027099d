"""The hot path and the scanners of two replicas race for every row: one processing a lease, one lease at a time."""

from __future__ import annotations

import asyncio
from collections import Counter
from uuid import UUID

import pytest

from butler_kit.db import Pool, acquire
from butler_kit.queue import LANES, Finish, Lease, LeasedQueue, QueueRunner, TierBuffer
from tests.support.database import Provision
from tests.support.workqueue import fill, give_up, item, make_work_table

ITEMS = 150


class Worked:
    """What the handlers of all replicas did."""

    def __init__(self) -> None:
        self.leases: list[UUID] = []
        self.items: Counter[UUID] = Counter()
        self.in_hand: set[UUID] = set()
        self.all_done = asyncio.Event()

    async def handle(self, lease: Lease) -> Finish:
        assert lease.item_id not in self.in_hand, "two handlers at one row"
        self.in_hand.add(lease.item_id)
        self.leases.append(lease.lease_id)
        self.items[lease.item_id] += 1
        await asyncio.sleep(0.005)
        self.in_hand.discard(lease.item_id)
        if len(self.items) == ITEMS:
            self.all_done.set()
        return Finish()


def replica(pool: Pool, worked: Worked) -> QueueRunner:
    """Scans all the time and gives young rows no grace, so that it wants what the hot path has in its hands."""
    return QueueRunner(
        LeasedQueue(pool, "test_work"),
        TierBuffer(LANES, capacity=ITEMS * 2, max_consecutive=10),
        worked.handle,
        on_exhausted=give_up,
        workers=4,
        scanner_interval_s=0.01,
        scanner_grace_s=0.0,
        scanner_batch=50,
    )


async def test_each_row_is_processed_under_one_lease_though_scanners_and_hot_paths_race(
    provisioned: Provision,
):
    pool = await (await provisioned("finance")).pool("finance", max_size=20)
    await make_work_table(pool)
    worked, queue = Worked(), LeasedQueue(pool, "test_work")
    replicas = [replica(pool, worked) for _ in range(2)]
    running = [asyncio.create_task(one.run()) for one in replicas]
    for number in range(1, ITEMS + 1):
        await fill(queue, number, thread=f"t{number % 30}" if number % 3 else None)
        for one in replicas:
            one.offer(item(number), "default", "api")
    async with asyncio.timeout(90):
        await worked.all_done.wait()
    for one in replicas:
        one.stop()
    await asyncio.gather(*running)
    assert set(worked.items.values()) == {1}
    assert len(worked.leases) == len(set(worked.leases)) == ITEMS
    async with acquire(pool) as connection:
        assert await connection.fetchval("SELECT count(*) FROM test_work") == 0


@pytest.mark.parametrize("claimers", [16])
async def test_of_all_who_claim_a_row_at_once_one_gets_it(provisioned: Provision, claimers: int):
    pool = await (await provisioned("finance")).pool("finance", max_size=20)
    await make_work_table(pool)
    queue = LeasedQueue(pool, "test_work")
    for number in range(1, 11):
        await fill(queue, number)
        leases = await asyncio.gather(*(queue.claim(item(number)) for _ in range(claimers)))
        assert sum(lease is not None for lease in leases) == 1
