"""How many connections a Switchboard has, at rest and at most; its audit log has its own (CON-2.9, ADR 0057)."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AsyncExitStack

import pytest

from butler_contracts.errors import TimedOut
from butler_kit.config import demand
from butler_kit.db import acquire
from butler_kit.mcp import ToolError
from butler_switchboard.operations.audit import AuditEntry
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running, until

QUERIES = 30
ENTRIES = 20


async def connected(home: Household) -> Counter[str]:
    """The connections of each pool, as the server counts them."""
    rows = await home.pool.fetch(
        "SELECT application_name, count(*) AS many FROM pg_stat_activity"
        " WHERE usename = current_user AND datname = current_database() GROUP BY application_name"
    )
    return Counter({row["application_name"]: row["many"] for row in rows})


def entry(number: int) -> AuditEntry:
    return AuditEntry("switchboard", "test", "pool.filled", f"entry {number}", "ok")


async def entries(home: Household) -> int:
    counted: int = await home.pool.fetchval(
        "SELECT count(*) FROM dashboard_audit_log WHERE operation = 'pool.filled'"
    )
    return counted


@pytest.mark.spec("CON-2.9")
async def test_two_connections_at_rest_ten_at_most_and_what_comes_beyond_waits_and_is_done(home: Household):
    async with home.run() as running:
        pool = running.switchboard.parts.pool
        assert (pool.get_min_size(), pool.get_max_size()) == (2, 10)
        most: Counter[str] = Counter()
        done: list[int] = []

        async def query(number: int) -> None:
            async with acquire(pool, timeout_s=60.0, doing="a test") as connection:
                await connection.fetchval("SELECT pg_sleep(0.15)")
            done.append(number)

        async with asyncio.TaskGroup() as group:
            for number in range(QUERIES):
                group.create_task(query(number))
            for number in range(ENTRIES):
                running.switchboard.parts.audit.record(entry(number))
            while len(done) < QUERIES:
                most |= await connected(home)
                await asyncio.sleep(0.02)
        await until(lambda: all_written(home), what="the audit's entries")
        most |= await connected(home)
    assert sorted(done) == list(range(QUERIES))
    assert most["switchboard"] == 10
    assert 1 <= most["switchboard-audit"] <= 2


async def all_written(home: Household) -> bool:
    return await entries(home) == ENTRIES


@pytest.mark.spec("CON-2.9")
async def test_the_audit_is_written_while_no_connection_of_the_others_is_free(home: Household):
    async with home.run() as running, AsyncExitStack() as held:
        parts = running.switchboard.parts
        await fill(running, held)
        for number in range(ENTRIES):
            parts.audit.record(entry(number))
        await until(lambda: all_written(home), what="the audit's entries")
        with pytest.raises(TimedOut):
            async with acquire(parts.pool, timeout_s=0.05):
                pass
        assert parts.pool.get_idle_size() == 0
        metrics = running.switchboard.metrics
        assert metrics.value("butlers.switchboard.audit_write_failed", action="pool.filled") == 0


@pytest.mark.spec("CON-2.9")
async def test_a_message_that_finds_no_connection_in_time_is_tried_again_and_never_lost(home: Household):
    async with home.run() as running:
        async with AsyncExitStack() as held:
            await fill(running, held)
            with pytest.raises(ToolError) as refused:
                await running.ingest(telegram(1, "I paid 40 euro for the gas bill"))
            assert refused.value.error is not None
            assert refused.value.error.retryable, "the connector keeps its event"
        request = await running.accepted(telegram(1, "I paid 40 euro for the gas bill"))
        row = await home.settled(request)
    assert row["lifecycle_state"] == "parsed"
    assert await home.pool.fetchval("SELECT count(*) FROM message_inbox") == 1


async def fill(running: Running, held: AsyncExitStack) -> None:
    """Take every connection that the pool has to give, also those that others give back meanwhile."""
    pool = running.switchboard.parts.pool
    while True:
        try:
            await held.enter_async_context(acquire(pool, timeout_s=2.0))
        except TimedOut:
            break
    assert pool.get_size() == demand.POOL_MOST
