"""A process started again under its name takes back what its former life held, and nothing else."""

from __future__ import annotations

import asyncio

import pytest

from butler_kit.queue import LANES, Finish, LeasedQueue, LeaseLost, QueueRunner, TierBuffer
from tests.support.workqueue import fill, give_up, item, make_work_table


@pytest.fixture
async def pool(provisioned):
    database = await provisioned("finance")
    pool = await database.pool("finance")
    await make_work_table(pool)
    return pool


def life(pool, replica: str | None) -> LeasedQueue:
    return LeasedQueue(pool, "test_work", lease_s=30, replica=replica)


async def test_what_a_former_life_held_is_free_at_once_and_its_word_is_refused(pool):
    former, now = life(pool, "finance"), life(pool, "finance")
    await fill(former, 1, 2)
    held = await former.claim(item(1))
    assert held is not None
    assert await now.claim(item(1)) is None

    assert await now.release_former() == 1

    assert await now.claim(item(1)) is not None
    with pytest.raises(LeaseLost):
        await former.finish(held)


async def test_neither_ones_own_leases_nor_those_of_others_are_released(pool):
    own, other, nameless = life(pool, "finance"), life(pool, "travel"), life(pool, None)
    await fill(own, 1, 2, 3)
    leases = [await own.claim(item(1)), await other.claim(item(2)), await nameless.claim(item(3))]
    assert all(leases)
    assert await own.release_former() == 0
    assert await nameless.release_former() == 0
    for number in (1, 2, 3):
        assert await own.claim(item(number)) is None


async def test_a_released_row_keeps_its_place_in_its_thread_and_its_attempts(pool):
    former, now = life(pool, "finance"), life(pool, "finance")
    await fill(former, 1, 2, thread="ada")
    await former.claim(item(1))
    await now.release_former()
    assert await now.claim(item(2)) is None
    again = await now.claim(item(1))
    assert again is not None
    assert again.attempt == 2


async def test_a_runner_takes_up_what_its_former_life_held(pool):
    former = life(pool, "finance")
    await fill(former, 1)
    await former.claim(item(1))
    done = asyncio.Event()

    async def handler(lease):
        done.set()
        return Finish()

    runner = QueueRunner(
        life(pool, "finance"),
        TierBuffer(LANES),
        handler,
        on_exhausted=give_up,
        workers=1,
        scanner_interval_s=60,
        scanner_grace_s=60,
    )
    task = asyncio.create_task(runner.run())
    try:
        async with asyncio.timeout(60):
            await done.wait()
    finally:
        runner.stop()
        await task
    assert await former.depth() == {}
