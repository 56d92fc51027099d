"""Partitions are there before they are needed, old months go, unfinished ones stay, keys outlive their messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from butler_kit.db import Pool, partitions
from butler_switchboard.operations.retention import Retention, RetentionPolicy
from butler_switchboard.policies import retention_policy
from butler_switchboard.settings import SwitchboardConfig
from tests.integration.switchboard.ingress.conftest import Door, FixedDay, Opened, open_door
from tests.support.database import Database, Provision
from tests.support.manifests import config_of
from tests.support.switchboard import new_switchboard_database, telegram

__all__ = ["open_door"]


def said(**retention: Any) -> RetentionPolicy:
    """How long Switchboard keeps what it has when its manifest says so of `retention`."""
    spec = {"role": "switchboard", "retention": retention}
    return retention_policy(config_of(SwitchboardConfig, spec).retention)


@pytest.fixture
async def database(provisioned: Provision) -> Database:
    return await new_switchboard_database(provisioned)


async def months(pool: Pool, table: str = "message_inbox") -> list[str]:
    rows = await pool.fetch(
        "SELECT child.relname FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid"
        " WHERE inhparent = $1::text::regclass ORDER BY 1",
        table,
    )
    return [row["relname"].removeprefix(f"{table}_") for row in rows]


def later(start: datetime, count: int) -> list[str]:
    """The names of `count` months from the one of `start`."""
    first = start.year * 12 + start.month - 1
    return [f"{number // 12:04d}{number % 12 + 1:02d}" for number in range(first, first + count)]


async def finish(door: Door) -> None:
    await door.pool.execute(
        "UPDATE message_inbox SET final_state_at = clock_now(), lifecycle_state = 'parsed'"
    )
    await door.pool.execute("DELETE FROM inbox_work")


@pytest.mark.spec("SWB-02.2")
async def test_two_months_later_new_months_exist_and_finished_old_ones_are_gone(
    open_door: Opened, database: Database
):
    door = await open_door()
    now = datetime.now(UTC)
    await door.ingest(telegram(1))
    await finish(door)
    await Retention(door.pool, said()).sweep()
    assert set(later(now, 3)) <= set(await months(door.pool))
    jump = timedelta(days=65)
    await database.shift_clock(jump)
    assert (await Retention(door.pool, said(inboxDays=120)).sweep()).dropped == ()
    swept = await Retention(door.pool, said()).sweep()
    names = await months(door.pool)
    assert set(later(now + jump, 3)) <= set(names)
    assert later(now, 1)[0] not in names
    assert f"message_inbox_{later(now, 1)[0]}" in swept.dropped
    assert await door.count("message_inbox") == 0
    future = await open_door(clock=FixedDay(now + jump))
    fresh = await future.ingest(telegram(2))
    assert (await future.row(fresh.request_id))["lifecycle_state"] == "accepted"
    kept = Retention(door.pool, said(keepInbox=True))
    await finish(door)
    await database.shift_clock(timedelta(days=200))
    assert (await kept.sweep()).dropped == ()


async def test_a_month_with_an_unfinished_request_is_kept(open_door: Opened, database: Database):
    door = await open_door()
    answer = await door.ingest(telegram(1))
    await database.shift_clock(timedelta(days=65))
    retention = Retention(door.pool, RetentionPolicy())
    await retention.sweep()
    assert (await door.row(answer.request_id))["lifecycle_state"] == "accepted"
    await finish(door)
    assert (await retention.sweep()).dropped
    assert await door.count("message_inbox") == 0


async def test_a_duplicate_is_still_known_after_its_message_was_dropped_and_forgotten_after_45_days(
    open_door: Opened, database: Database
):
    door = await open_door()
    first = await door.ingest(telegram(1))
    await finish(door)
    await door.pool.execute(f"DROP TABLE message_inbox_{later(datetime.now(UTC), 1)[0]}")
    await database.shift_clock(timedelta(days=44))
    await Retention(door.pool, RetentionPolicy()).sweep()
    again = await door.ingest(telegram(1))
    assert (again.request_id, again.duplicate) == (first.request_id, True)
    assert await door.count("inbox_work") == 0
    await database.shift_clock(timedelta(days=46))
    swept = await Retention(door.pool, RetentionPolicy()).sweep()
    assert swept.deleted["keys"] == 1
    assert await door.count("ingest_dedupe") == 0


@pytest.mark.parametrize("kept", [{"inboxDays": 120}, {"keepInbox": True}])
async def test_a_duplicate_is_known_for_as_long_as_its_message_is_kept(
    open_door: Opened, database: Database, kept: dict[str, Any]
):
    door = await open_door()
    first = await door.ingest(telegram(1))
    await finish(door)
    await database.shift_clock(timedelta(days=70))
    assert "keys" not in (await Retention(door.pool, said(**kept)).sweep()).deleted
    again = await door.ingest(telegram(1))
    assert (again.request_id, again.duplicate) == (first.request_id, True)


async def test_two_replicas_may_sweep_at_once(open_door: Opened, database: Database):
    door, other = await open_door(), await open_door()
    await database.shift_clock(timedelta(days=65))
    sweeps = (Retention(door.pool, RetentionPolicy()), Retention(other.pool, RetentionPolicy()))
    await asyncio.gather(*(one.sweep() for one in sweeps))
    names = await months(door.pool)
    assert len(names) == len(set(names)) >= 3


async def test_heartbeat_days_are_made_ahead_inside_their_months(open_door: Opened):
    door = await open_door()
    now = datetime.now(UTC)
    await Retention(door.pool, RetentionPolicy()).sweep()
    assert set(later(now, 3)) <= set(await months(door.pool, "connector_heartbeat_log"))
    month = f"connector_heartbeat_log_{now:%Y%m}"
    days = await door.pool.fetchval(
        "SELECT count(*) FROM pg_inherits WHERE inhparent = $1::text::regclass", month
    )
    following = (now.replace(day=1) + timedelta(days=32)).replace(day=1)
    assert days == (following - now.replace(day=1)).days


@pytest.fixture
async def reader(database: Database) -> AsyncIterator[asyncpg.Connection]:
    """Somebody else's session."""
    connection = await database.admin()
    yield connection
    await connection.close()


def month_of(moment: datetime) -> str:
    return f"message_inbox_{moment:%Y%m}"


async def test_nobody_is_held_up_by_a_drop_that_waits_for_an_old_transaction(
    open_door: Opened, database: Database, reader: asyncpg.Connection
):
    door, jump = await open_door(), timedelta(days=65)
    await door.ingest(telegram(1))
    await finish(door)
    await database.shift_clock(jump)
    later_door = await open_door(clock=FixedDay(datetime.now(UTC) + jump))
    await Retention(door.pool, RetentionPolicy()).prepare()
    async with asyncio.timeout(90), reader.transaction():
        await reader.fetch("SELECT * FROM switchboard.message_inbox")
        sweep = asyncio.create_task(Retention(door.pool, RetentionPolicy()).sweep())
        leaving = "SELECT count(*) FROM pg_inherits WHERE inhdetachpending"
        while not await door.pool.fetchval(leaving):
            await asyncio.sleep(0.01)
        fresh = await later_door.ingest(telegram(2))
        assert (await later_door.row(fresh.request_id))["lifecycle_state"] == "accepted"
        assert not sweep.done(), "the writer did not wait for the sweep"
    swept = await asyncio.wait_for(sweep, 90)
    assert month_of(datetime.now(UTC)) in swept.dropped


async def test_a_drop_that_gave_up_waiting_is_finished_by_the_next_sweep(
    open_door: Opened, database: Database, reader: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(partitions, "WAIT_S", 1)
    door = await open_door()
    await door.ingest(telegram(1))
    await finish(door)
    await database.shift_clock(timedelta(days=65))
    async with reader.transaction():
        await reader.fetch("SELECT * FROM switchboard.message_inbox")
        assert (await Retention(door.pool, RetentionPolicy()).sweep()).dropped == ()
    assert await door.pool.fetchval("SELECT count(*) FROM pg_inherits WHERE inhdetachpending") == 1
    timeouts = {row[0] for row in await door.pool.fetch("SELECT current_setting('statement_timeout')")}
    assert timeouts == {"30s"}, "the session's own time is given back"
    assert month_of(datetime.now(UTC)) in (await Retention(door.pool, RetentionPolicy()).sweep()).dropped


async def test_a_month_that_was_detached_and_not_dropped_goes_with_the_next_sweep(
    open_door: Opened, database: Database
):
    """As a sweep leaves it that is killed between the two."""
    door = await open_door()
    await door.ingest(telegram(1))
    await finish(door)
    month = month_of(datetime.now(UTC))
    await door.pool.execute(f"ALTER TABLE message_inbox DETACH PARTITION {month} CONCURRENTLY")
    await database.shift_clock(timedelta(days=65))
    assert month in (await Retention(door.pool, RetentionPolicy()).sweep()).dropped
    assert await door.pool.fetchval("SELECT to_regclass($1)", month) is None


async def test_a_month_comes_back_when_a_request_was_left_in_it(open_door: Opened, database: Database):
    """By whoever wrote into it until it was detached: the request is there again, and is never dropped unfinished."""
    door = await open_door()
    answer = await door.ingest(telegram(1))
    month = month_of(datetime.now(UTC))
    await door.pool.execute(f"ALTER TABLE message_inbox DETACH PARTITION {month} CONCURRENTLY")
    assert await door.count("message_inbox") == 0
    await database.shift_clock(timedelta(days=65))
    retention = Retention(door.pool, RetentionPolicy())
    assert (await retention.sweep()).dropped == ()
    assert (await door.row(answer.request_id))["lifecycle_state"] == "accepted"
    await finish(door)
    assert month in (await retention.sweep()).dropped


async def test_another_replica_leaves_the_drop_to_the_one_that_is_at_it(
    open_door: Opened, database: Database, reader: asyncpg.Connection
):
    door = await open_door()
    await door.ingest(telegram(1))
    await finish(door)
    await database.shift_clock(timedelta(days=65))
    await reader.execute("SELECT pg_advisory_lock(hashtextextended('switchboard.months', 0))")
    assert (await Retention(door.pool, RetentionPolicy()).sweep()).dropped == ()
    await reader.execute("SELECT pg_advisory_unlock(hashtextextended('switchboard.months', 0))")
    assert (await Retention(door.pool, RetentionPolicy()).sweep()).dropped


async def test_what_was_learned_goes_after_a_year_except_the_rules_in_force(
    open_door: Opened, database: Database
):
    door = await open_door()
    await door.pool.execute(
        "INSERT INTO learned_rule (rule_id, person, butler, texts, request_id, state, offered_at)"
        " SELECT gen_random_uuid(), gen_random_uuid(), 'finance', '{the bill}', gen_random_uuid(), state, clock_now()"
        " FROM unnest('{offered,in_force,declined,ended}'::text[]) AS state"
    )
    await database.shift_clock(timedelta(days=364))
    await Retention(door.pool, said()).sweep()
    assert await door.count("learned_rule") == 4
    await database.shift_clock(timedelta(days=366))
    swept = await Retention(door.pool, said()).sweep()
    assert swept.deleted["learned_rules"] == 3
    assert await door.pool.fetchval("SELECT state FROM learned_rule") == "in_force"
