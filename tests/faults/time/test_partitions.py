"""Months of the inbox: made when the clock runs ahead of the sweep, never dropped with a request that is unfinished."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import asyncpg
import pytest

from butler_contracts.heartbeat import ConnectorHeartbeatV1
from butler_contracts.ingest import PolicyTier
from butler_contracts.keys import dedupe_key
from butler_contracts.parse import parse
from butler_contracts.triage import PASS_THROUGH
from butler_kit.db import Connection, NamedQueries, Pool, lacks_partition, partitions
from butler_kit.time import new_uuid7
from butler_switchboard.dispatch.store import DispatchStore
from butler_switchboard.ingress.context import Decisions, admission_row
from butler_switchboard.ingress.rows import column_arrays
from butler_switchboard.ingress.senders import SenderDecision
from butler_switchboard.operations.retention import Retention, RetentionPolicy
from butler_switchboard.registry.beats import ConnectorStore
from butler_switchboard.registry.liveness import BeatKind, LivenessPolicy
from tests.integration.switchboard.ingress.conftest import FixedDay, Opened, open_door
from tests.support.database import Database, Provision
from tests.support.switchboard import BOT, new_switchboard_database, telegram

__all__ = ["open_door"]

_ADMIT_BATCH = NamedQueries("butler_switchboard", "sql/ingress.sql")["admit_batch"]
TWO_MONTHS = timedelta(days=61)
FIVE_MONTHS = timedelta(days=153)
"""Beyond every month that the last sweep made."""


@pytest.fixture
async def database(provisioned: Provision) -> Database:
    return await new_switchboard_database(provisioned)


async def months(pool: Pool) -> list[str]:
    rows = await pool.fetch(
        "SELECT child.relname FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid"
        " WHERE inhparent = 'message_inbox'::regclass ORDER BY 1"
    )
    return [row["relname"] for row in rows]


def month_of(moment: datetime) -> str:
    return f"message_inbox_{moment:%Y%m}"


@pytest.mark.parametrize("jump", [TWO_MONTHS, FIVE_MONTHS, -TWO_MONTHS, -FIVE_MONTHS])
async def test_a_message_is_accepted_whatever_month_the_clock_jumped_to_before_any_sweep(
    open_door: Opened, jump: timedelta
):
    now = datetime.now(UTC)
    before, after = await open_door(), await open_door(clock=FixedDay(now + jump))
    await before.ingest(telegram(1))
    answers = await asyncio.gather(*(after.ingest(telegram(number)) for number in range(2, 12)))
    for answer in answers:
        assert (await after.row(answer.request_id))["lifecycle_state"] == "accepted"
    assert await after.count("inbox_work") == 11
    again = await before.ingest(telegram(2))
    assert (again.request_id, again.duplicate) == (answers[0].request_id, True)
    assert month_of(now + jump) in await months(after.pool)


async def test_a_batch_over_several_missing_months_is_accepted_as_a_whole(open_door: Opened):
    door = await open_door()
    moments = [datetime.now(UTC) + timedelta(days=days) for days in (-200, -100, 0, 150, 400)]
    doors = [await open_door(clock=FixedDay(moment)) for moment in moments]
    await asyncio.gather(*(one.ingest(telegram(number)) for number, one in enumerate(doors)))
    assert {month_of(moment) for moment in moments} <= set(await months(door.pool))
    assert await door.count("message_inbox") == len(moments)


async def test_a_row_before_the_oldest_month_is_kept_while_its_request_is_unfinished(open_door: Opened):
    """The work row is as young as the database's clock says; only the id tells which month the request lies in."""
    old = datetime.now(UTC) - FIVE_MONTHS
    door = await open_door(clock=FixedDay(old))
    answer = await door.ingest(telegram(1))
    retention = Retention(door.pool, RetentionPolicy())
    assert (await retention.sweep()).dropped == ()
    assert (await door.row(answer.request_id))["lifecycle_state"] == "accepted"
    await door.pool.execute("DELETE FROM inbox_work")
    assert month_of(old) in (await retention.sweep()).dropped


async def test_a_drop_that_waited_for_a_writer_leaves_the_months_new_request_alone(open_door: Opened):
    """The writer commits while the drop waits for its lock: what it has just accepted must not go with the month."""
    old = datetime.now(UTC) - FIVE_MONTHS
    door = await open_door(clock=FixedDay(old))
    await door.ingest(telegram(1))
    await door.pool.execute("UPDATE message_inbox SET final_state_at = now()")
    await door.pool.execute("DELETE FROM inbox_work")
    writer = await door.pool.acquire()
    transaction = writer.transaction()
    await transaction.start()
    request_id = await _write_like_admission(writer, old)
    sweeping = asyncio.create_task(Retention(door.pool, RetentionPolicy()).sweep())
    await _waits_for_a_lock(door.pool)
    await transaction.commit()
    await door.pool.release(writer)
    assert (await sweeping).dropped == ()
    assert (await door.row(request_id))["lifecycle_state"] == "accepted"


async def test_a_writer_that_holds_the_old_month_too_long_puts_the_drop_off_and_loses_nothing(
    open_door: Opened,
):
    old = datetime.now(UTC) - FIVE_MONTHS
    door = await open_door(clock=FixedDay(old))
    await door.ingest(telegram(1))
    await door.pool.execute("DELETE FROM inbox_work")
    retention = Retention(door.pool, RetentionPolicy())
    async with door.pool.acquire() as writer, writer.transaction():
        await writer.execute("UPDATE message_inbox SET final_state_at = now()")
        assert (await retention.sweep()).dropped == ()
    assert await door.count(month_of(old)) == 1
    assert month_of(old) in (await retention.sweep()).dropped


async def test_a_request_that_was_left_in_a_leaving_month_waits_for_it_to_come_back(
    open_door: Opened, monkeypatch: pytest.MonkeyPatch
):
    """The writer took longer than a sweep waits: the month is out of sight until the next one."""
    monkeypatch.setattr(partitions, "WAIT_S", 1)
    old = datetime.now(UTC) - FIVE_MONTHS
    door = await open_door(clock=FixedDay(old))
    await door.ingest(telegram(1))
    await door.pool.execute("UPDATE message_inbox SET final_state_at = now()")
    await door.pool.execute("DELETE FROM inbox_work")
    store, retention = DispatchStore(door.pool), Retention(door.pool, RetentionPolicy())
    async with door.pool.acquire() as writer, writer.transaction():
        request_id = await _write_like_admission(writer, old)
        assert (await retention.sweep()).dropped == ()
    assert (await store.load(request_id), await store.is_away(request_id)) == (None, True)
    assert (await retention.sweep()).dropped == ()
    found = await store.load(request_id)
    assert found is not None
    assert found.request_id == request_id
    assert not await store.is_away(request_id)


async def test_there_is_no_default_partition_that_could_fill_and_stop_the_upkeep(open_door: Opened):
    door = await open_door()
    await Retention(door.pool, RetentionPolicy()).sweep()
    defaults = await door.pool.fetch(
        "SELECT partrelid::regclass::text FROM pg_partitioned_table WHERE partdefid <> 0"
    )
    assert not defaults
    with pytest.raises(asyncpg.CheckViolationError) as refused:
        await door.pool.execute(
            "INSERT INTO connector_heartbeat_log SELECT 'x', 'y', gen_random_uuid(), now() - interval '9 months',"
            " now(), 'healthy', NULL, 1, 120, 0, 0, 0, 0, 0"
        )
    assert lacks_partition(refused.value, "connector_heartbeat_log")


@pytest.mark.parametrize("jump", [TWO_MONTHS, FIVE_MONTHS])
async def test_a_beat_is_taken_after_a_clock_jump_before_any_sweep(
    open_door: Opened, database: Database, jump: timedelta
):
    door = await open_door()
    store = ConnectorStore(door.pool, LivenessPolicy())
    instance = str(uuid4())
    assert await store.take(beat(instance, uptime_s=10), age_s=0.0) is BeatKind.FIRST
    await database.shift_clock(jump)
    assert await store.take(beat(instance, uptime_s=10 + jump.total_seconds()), age_s=0.0) is BeatKind.NEXT
    assert await door.count("connector_heartbeat_log") == 2
    assert [row["liveness"] for row in await store.all()] == ["online"]


def beat(
    instance_id: str, *, uptime_s: float, cursor: tuple[str, datetime] | None = None
) -> ConnectorHeartbeatV1:
    """A beat of the household's bot, with its cursor and since when that is so."""
    checkpoint = {"cursor": cursor[0], "updated_at": cursor[1].isoformat()} if cursor else None
    return parse(
        ConnectorHeartbeatV1,
        {
            **({"checkpoint": checkpoint} if checkpoint else {}),
            "schema_version": "connector.heartbeat.v1",
            "connector": {
                "connector_type": "telegram_bot",
                "endpoint_identity": BOT,
                "instance_id": instance_id,
                "version": "1.0",
            },
            "status": {"state": "healthy", "uptime_s": uptime_s},
            "counters": {},
            "sent_at": datetime.now(UTC).isoformat(),
        },
    )


async def _write_like_admission(connection: Connection, at: datetime) -> UUID:
    """One more request of that moment, as the admission lane writes it, in the caller's transaction."""
    envelope = telegram(99)
    decisions = Decisions(
        dedupe_key(envelope),
        SenderDecision("household", "allow", False, "test"),
        PASS_THROUGH,
        PolicyTier.INTERACTIVE,
    )
    row = admission_row(envelope, new_uuid7(at), decisions)
    await connection.fetch(_ADMIT_BATCH, *column_arrays([row]))
    return row.request_id


async def _waits_for_a_lock(pool: Pool) -> None:
    async with asyncio.timeout(60):
        while not await pool.fetchval("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)"):
            await asyncio.sleep(0.01)
