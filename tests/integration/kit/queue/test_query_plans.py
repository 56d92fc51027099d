"""With 100,000 waiting rows every statement of the queue goes through an index."""

from __future__ import annotations

import uuid

import pytest

from butler_kit.db import acquire
from butler_kit.queue import LeasedQueue
from tests.support.workqueue import item, make_work_table

ROWS = 100_000
FILL = f"""
INSERT INTO test_work (item_id, lane, source, thread_key, attempt, available_at, enqueued_at)
SELECT lpad(to_hex(n), 32, '0')::uuid, (ARRAY['high_priority', 'interactive', 'default'])[1 + n % 3],
       (ARRAY['telegram', 'email', 'api'])[1 + n % 7 % 3], CASE WHEN n % 4 > 0 THEN 't' || n % 20000 END,
       n % 2, clock_now() - make_interval(secs => {ROWS} - n), clock_now() - make_interval(secs => {ROWS} - n)
FROM generate_series(1, {ROWS}) AS n
"""
IDS, LEASES = [item(1), item(2)], [uuid.UUID(int=0), uuid.UUID(int=1)]
ARGUMENTS = {
    "enqueue": ([item(ROWS + 1)], ["default"], ["api"], ["t1"], [0.0]),
    "claim": (item(1), LEASES[0], 30.0),
    "free": (item(1),),
    "claim_head": ("t7", LEASES[0], 30.0),
    "head": ("t7",),
    "due": (50, 10.0, [item(number) for number in range(1, 101)], ["interactive"]),
    "next_due": (),
    "renew": (IDS, LEASES, 30.0),
    "defer": (item(1), LEASES[0], 5.0, 0),
    "fail": (item(1), LEASES[0], 5.0, True),
    "unblock": (item(1), LEASES[0], None, 0),
    "finish": (item(1), LEASES[0]),
    "remove": (item(1),),
    "wake": (item(1),),
}

ONCE = {"depth", "release_former"}
"""For a person who looks, and at a process start: these read the whole of it."""


@pytest.fixture
async def filled(provisioned):
    pool = await (await provisioned("finance")).pool("finance")
    await make_work_table(pool)
    async with acquire(pool) as connection:
        await connection.execute(FILL)
        await connection.execute("ANALYZE test_work")
    return pool


def nodes(plan):
    yield plan
    for child in plan.get("Plans", ()):
        yield from nodes(child)


async def plan_of(connection, sql, arguments):
    explained = await connection.fetchval(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT json) {sql}", *arguments)
    return explained[0]["Plan"]


@pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
async def test_no_statement_scans_the_table(filled, mode):
    queue = LeasedQueue(filled, "test_work")
    assert set(queue._sql) == {*ARGUMENTS, *ONCE}
    async with acquire(filled) as connection:
        await connection.execute(f"SET plan_cache_mode = {mode}")
        for name, arguments in ARGUMENTS.items():
            transaction = connection.transaction()
            await transaction.start()
            plan = await plan_of(connection, queue._sql[name], arguments)
            await transaction.rollback()
            scanned = [node for node in nodes(plan) if node["Node Type"] == "Seq Scan"]
            assert not scanned, name
            touched = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
            assert touched < 12_000, (name, touched)


async def test_the_hot_table_has_room_for_updates_in_place_and_is_vacuumed_early(filled):
    async with acquire(filled) as connection:
        options = await connection.fetchval("SELECT reloptions FROM pg_class WHERE relname = 'test_work'")
    assert {"fillfactor=70", "autovacuum_vacuum_scale_factor=0.01"} <= set(options)
