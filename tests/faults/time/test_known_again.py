"""What peers got wrong about copies and cursors: redelivery after a drop, copies at once, beats without a cursor."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import asyncpg

from butler_switchboard.operations.retention import Retention, RetentionPolicy
from butler_switchboard.registry.beats import ConnectorStore
from butler_switchboard.registry.liveness import LivenessPolicy
from tests.faults.time.test_partitions import beat
from tests.integration.switchboard.ingress.conftest import FixedDay, Opened, database, open_door
from tests.support.database import Database
from tests.support.switchboard import BOT, telegram
from tests.support.switchboard_service import until

__all__ = ["database", "open_door"]


async def test_a_redelivery_after_its_month_was_dropped_is_answered_with_the_same_request(open_door: Opened):
    """Ancestor fault d: the look-up went to the dropped table, the constraint to another, the caller got an error."""
    long_ago = datetime.now(UTC) - timedelta(days=44)
    past, door = await open_door(clock=FixedDay(long_ago)), await open_door()
    first = await past.ingest(telegram(1))
    await door.pool.execute("DELETE FROM inbox_work")
    swept = await Retention(door.pool, RetentionPolicy(inbox_days=1)).sweep()
    assert f"message_inbox_{long_ago:%Y%m}" in swept.dropped
    copies = await asyncio.gather(*(door.ingest(telegram(1)) for _ in range(8)))
    assert {(one.request_id, one.duplicate) for one in copies} == {(first.request_id, True)}
    assert await door.count("inbox_work") == 0


async def test_sixty_four_copies_through_two_replicas_are_one_row_and_one_request(open_door: Opened):
    """Ancestor fault e."""
    doors = [await open_door() for _ in range(2)]
    copies = await asyncio.gather(*(doors[n % 2].ingest(telegram(7)) for n in range(64)))
    assert len({one.request_id for one in copies}) == 1
    assert [one.duplicate for one in copies].count(False) == 1
    for table in ("message_inbox", "ingest_dedupe", "inbox_work"):
        assert await doors[0].count(table) == 1


async def test_every_dedupe_look_up_goes_through_the_key_s_index(open_door: Opened, database: Database):
    """Ancestor fault f: a second look-up by content had no index and grew with the inbox."""
    door = await open_door()
    await door.pool.execute(
        "INSERT INTO ingest_dedupe"
        " SELECT 'old:' || n, gen_random_uuid(), now(), 'f' FROM generate_series(1, 30000) AS n"
    )
    await door.pool.execute("ANALYZE ingest_dedupe")
    admin = await database.admin()
    await admin.execute("SELECT pg_stat_reset()")
    for number in (1, 2, 1, 2):
        await door.ingest(telegram(number))

    # A session tells its statistics when it ends.
    await admin.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )

    async def counted() -> asyncpg.Record | None:
        seen = await admin.fetchrow(
            "SELECT seq_scan, idx_scan FROM pg_stat_user_tables WHERE relname = 'ingest_dedupe'"
        )
        return seen if seen is not None and seen["idx_scan"] >= 4 else None

    seen = await until(counted, what="four look-ups by index", deadline_s=90)
    await admin.close()
    assert seen["seq_scan"] == 0


async def test_a_cursor_survives_every_beat_that_brings_none_or_an_older_one(open_door: Opened):
    """Ancestor fault h: one heartbeat without a checkpoint erased the saved cursor."""
    door = await open_door()
    store, instance, now = ConnectorStore(door.pool, LivenessPolicy()), str(uuid4()), datetime.now(UTC)
    await store.take(beat(instance, uptime_s=10, cursor=("41", now)), age_s=0.0)
    await store.take(beat(instance, uptime_s=20, cursor=None), age_s=0.0)
    await store.take(beat(instance, uptime_s=30, cursor=("7", now - timedelta(hours=1))), age_s=0.0)
    assert [row["checkpoint_cursor"] for row in await store.all()] == ["41"]
    restarted = str(uuid4())
    await store.take(beat(restarted, uptime_s=1, cursor=None), age_s=0.0)
    assert [row["checkpoint_cursor"] for row in await store.all()] == ["41"]
    await store.take(beat(restarted, uptime_s=2, cursor=("42", now + timedelta(seconds=1))), age_s=0.0)
    (row,) = await store.all()
    assert (row["endpoint_identity"], row["checkpoint_cursor"]) == (BOT, "42")
