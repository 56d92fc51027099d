"""The database goes and comes back under a busy Switchboard: refusals are retryable, nothing is lost or doubled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

import asyncpg
import pytest

from tests.faults.ledger import LEDGER
from tests.faults.postgres.instance import Instance
from tests.faults.postgres.traffic import readiness, under_way
from tests.support.switchboard_service import Household, until

pytestmark = pytest.mark.xdist_group("own-postgres")

End = Callable[[Instance], None]


@pytest.mark.parametrize("end", [Instance.stop, pytest.param(Instance.crash, marks=pytest.mark.faults_full)])
async def test_a_restarted_database_loses_nothing_and_everything_goes_on_by_itself(
    home: Household, instance: Instance, end: End
):
    async with home.run() as running:
        async with under_way(running) as traffic:
            for _ in range(2):
                end(instance)
                await traffic.refused()
                status, checks = await readiness(running.url)
                assert status == 503
                assert checks["database"] != "ok"
                assert "password" not in checks["database"]
                instance.start()
                await traffic.more_accepted(6)
                await until(lambda: _is_ready(running.url), what="ready again")
        await traffic.settled()


async def _is_ready(url: str) -> bool:
    return (await readiness(url))[0] == 200


async def test_terminated_backends_cost_a_retry_and_no_message(home: Household, instance: Instance):
    async with home.run() as running:
        async with under_way(running) as traffic:
            for _ in range(5):
                assert await instance.terminate_backends(home.database.name)
                await traffic.more_accepted(6)
        await traffic.settled()


@pytest.mark.faults_full
async def test_three_hundred_idle_connections_shut_nobody_out_for_good(home: Household):
    """They take every place the server has; whoever is in goes on, whoever needs a new place is refused retryably."""
    crowd: list[asyncpg.Connection] = []
    async with home.run() as running:
        async with under_way(running) as traffic:
            LEDGER.outages += 1
            await _crowd_in(crowd, home.database.dsn("switchboard"), 300)
            assert len(crowd) < 300, "the server has more places than the crowd needs"
            await traffic.more_accepted(12)
            await asyncio.gather(*(one.close() for one in crowd))
            await traffic.more_accepted(12)
        await traffic.settled()


async def _crowd_in(crowd: list[asyncpg.Connection], dsn: str, count: int) -> None:
    """Three hundred knock, a few at a time; who gets in stays."""

    async def knock() -> None:
        async with few:
            with suppress(asyncpg.TooManyConnectionsError):
                crowd.append(await asyncpg.connect(dsn, timeout=60))

    few = asyncio.Semaphore(8)
    await asyncio.gather(*(knock() for _ in range(count)))


async def test_an_exhausted_pool_refuses_retryably_and_recovers(home: Household):
    """A lock on the work table holds every connection of the pool until it is let go."""
    async with home.run() as running:
        async with under_way(running) as traffic:
            LEDGER.outages += 1
            blocker = await home.database.admin()
            try:
                async with blocker.transaction():
                    await blocker.execute("LOCK TABLE switchboard.inbox_work IN ACCESS EXCLUSIVE MODE")
                    await traffic.refused()
            finally:
                await blocker.close()
            await traffic.more_accepted(12)
        assert set(traffic.refusals) <= {"target_unavailable", "timeout", "overload_rejected"}
        await traffic.settled()


@pytest.mark.faults_full
async def test_a_database_that_stands_still_is_told_of_and_loses_nothing(home: Household, instance: Instance):
    """No connection breaks and nothing answers: only deadlines tell, a sender's own or Switchboard's."""
    async with home.run() as running:
        async with under_way(running) as traffic:
            instance.freeze()
            try:

                async def refused() -> bool:
                    return bool(traffic.refusals)

                await until(refused, what="a typed refusal", deadline_s=90)
                status, checks = await readiness(running.url)
                assert status == 503
                assert checks["database"] != "ok"
            finally:
                instance.thaw()
            await until(lambda: _is_ready(running.url), what="ready again", deadline_s=90)
            await traffic.more_accepted(12)
        assert set(traffic.refusals) <= {"target_unavailable", "timeout", "overload_rejected"}
        await traffic.settled()


@pytest.mark.faults_full
async def test_an_old_snapshot_that_is_held_open_stops_nothing(home: Household):
    """Dead rows cannot be removed behind it; the queue goes on over them and is as it was once it is gone."""
    async with home.run() as running:
        holder = await home.database.admin()
        try:
            transaction = holder.transaction(isolation="repeatable_read")
            await transaction.start()
            await holder.fetchval("SELECT count(*) FROM switchboard.inbox_work")
            LEDGER.outages += 1
            async with under_way(running) as traffic:
                await traffic.more_accepted(60)
            await traffic.settled()
            await transaction.rollback()
        finally:
            await holder.close()
        assert await home.pool.fetchval("SELECT count(*) FROM inbox_work") == 0
