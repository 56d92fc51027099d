"""The upkeep runs at the start, again soon after a failure, and ends when it is told."""

from __future__ import annotations

import asyncio
import random

import pytest

from butler_contracts.errors import TargetUnavailable
from butler_kit.db import Pool
from butler_switchboard.operations.retention import Retention, RetentionPolicy
from butler_switchboard.schedules.maintenance import Maintenance
from tests.support.database import Provision
from tests.support.switchboard import new_switchboard_database


@pytest.fixture
async def pool(provisioned: Provision) -> Pool:
    database = await new_switchboard_database(provisioned)
    return await database.pool("switchboard")


async def months(pool: Pool) -> int:
    count: int = await pool.fetchval(
        "SELECT count(*) FROM pg_inherits WHERE inhparent = 'message_inbox'::regclass"
    )
    return count


@pytest.mark.spec("SWB-02.2")
async def test_partitions_are_made_at_the_start_and_the_loop_ends_on_request(pool: Pool):
    stopping = asyncio.Event()
    loop = asyncio.create_task(
        Maintenance(Retention(pool, RetentionPolicy()), rng=random.Random(1), first_s=0).run(stopping)
    )
    async with asyncio.timeout(90):
        while await months(pool) < 3:
            await asyncio.sleep(0.05)
        stopping.set()
        await loop


async def test_the_first_month_is_there_before_the_first_sweep_which_is_ended_like_any_other(pool: Pool):
    made = await Retention(pool, RetentionPolicy()).prepare()
    today = f"connector_heartbeat_log_{await pool.fetchval('SELECT now()'):%Y%m}"
    assert today in made
    assert await months(pool) in (1, 2)
    stopping = asyncio.Event()
    loop = asyncio.create_task(
        Maintenance(Retention(pool, RetentionPolicy()), rng=random.Random(1), first_s=3_600).run(stopping)
    )
    await asyncio.sleep(0)
    stopping.set()
    await loop
    assert await months(pool) in (1, 2)


@pytest.mark.spec("SWB-02.2")
async def test_the_sweep_comes_again_and_again_until_it_is_told_to_end(pool: Pool):
    class Counted(Retention):
        swept = 0

        async def sweep(self):
            self.swept += 1
            if self.swept == 3:
                stopping.set()
            return await super().sweep()

    retention, stopping = Counted(pool, RetentionPolicy()), asyncio.Event()
    async with asyncio.timeout(90):
        await Maintenance(retention, rng=random.Random(1), first_s=0, every_s=0.01).run(stopping)
    assert retention.swept == 3


async def test_a_sweep_that_fails_is_tried_again(pool: Pool):
    class FailsOnce(Retention):
        tries = 0

        async def sweep(self):
            self.tries += 1
            if self.tries == 1:
                raise TargetUnavailable("the database is away")
            return await super().sweep()

    retention, stopping = FailsOnce(pool, RetentionPolicy()), asyncio.Event()
    loop = asyncio.create_task(
        Maintenance(retention, retry_s=0.01, rng=random.Random(1), first_s=0).run(stopping)
    )
    async with asyncio.timeout(90):
        while await months(pool) < 3:
            await asyncio.sleep(0.05)
        stopping.set()
        await loop
    assert retention.tries == 2
