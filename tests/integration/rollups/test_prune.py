"""Old statistics go, each after its time, and nothing that is still needed does (SWB-22.4, SWB-17.4)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from uuid import UUID

import asyncpg
import pytest
import structlog.testing

from butler_kit.db import partitions
from butler_rollups.errors import LockHeld, SourcePruned
from butler_rollups.models import Job
from butler_rollups.publish import lock
from tests.integration.rollups.conftest import DAY, HOUR, NOON, House
from tests.support.rollups.messages import Message, add_messages

pytestmark = pytest.mark.asyncio(loop_scope="module")
MIDNIGHT = NOON.replace(hour=0)
SOON = timedelta(minutes=15)


async def days_of_log(house: House) -> list[str]:
    rows = await house.connection.fetch(
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'connector_heartbeat_log_%' ORDER BY 1"
    )
    return [row["relname"].rpartition("_")[2] for row in rows]


@pytest.mark.spec("SWB-22.4", "SWB-17.4")
async def test_each_table_keeps_its_time_and_what_went_is_logged(house: House):
    start = MIDNIGHT - 3 * DAY
    await house.beats(start, MIDNIGHT)
    await house.connection.execute(
        "INSERT INTO connector_fanout_daily VALUES ('imap', 'box', 'finance', $1, 5, now())", start.date()
    )
    await house.connection.execute(
        "INSERT INTO connector_registry (connector_type, endpoint_identity, instance_id, instance_started_at, state,"
        " uptime_s, counters, first_seen_at, registered_via, last_heartbeat_at, eligibility_state,"
        " eligibility_updated_at) VALUES ('imap', 'box', gen_random_uuid(), $1, 'healthy', 1, '{}', $1, 'self', $1,"
        " 'stale', $1)",
        start,
    )
    for after, kept in (
        (DAY, (72, 3, 1)),
        (27 * DAY, (72, 3, 1)),
        (30 * DAY, (0, 3, 1)),
        (362 * DAY, (0, 3, 1)),
        (365 * DAY, (0, 0, 0)),
    ):
        await house.at(MIDNIGHT + after + SOON)
        for job in (Job.HOURLY, Job.DAILY, Job.FANOUT):
            if after > DAY:
                await house.idle(job, MIDNIGHT + DAY, MIDNIGHT + after)
            await house.run(job)
        with structlog.testing.capture_logs() as logs:
            report = await house.run(Job.PRUNE)
        tables = ("connector_stats_hourly", "connector_stats_daily", "connector_fanout_daily")
        assert tuple([await house.value(f"SELECT count(*) FROM {name}") for name in tables]) == kept
        told = {entry["table"]: entry for entry in logs if entry["event"] == "statistics_pruned"}
        gone = {one.table: one for one in report.pruned if one.rows or one.partitions}
        assert set(told) == set(gone)
        if after == 27 * DAY:
            beats = told["connector_heartbeat_log"]
            assert (beats["rows"], beats["first"], beats["last"]) == (
                144, "2026-03-26T00:00:01Z", "2026-03-28T23:30:01Z",
            )  # fmt: skip
            assert await house.value("SELECT count(*) FROM connector_heartbeat_log") == 0
        if after == 30 * DAY:
            hours = told["connector_stats_hourly"]
            assert (hours["rows"], hours["first"]) == (72, "2026-03-26T00:00:00Z")
    assert await house.value("SELECT count(*) FROM connector_registry") == 1


@pytest.mark.spec("SWB-22.4")
@pytest.mark.parametrize("job", [Job.FANOUT, Job.QUALITY])
async def test_a_message_that_outlives_the_statistics_of_its_day_does_not_hold_up_new_days(
    house: House, job: Job
):
    old = Message(UUID(int=1), MIDNIGHT - HOUR, "email", "imap", "box", ("finance",))
    await add_messages(house.connection, [old])
    await house.at(MIDNIGHT + SOON)
    await house.run(job)
    await house.idle(job, MIDNIGHT, MIDNIGHT + 366 * DAY)
    await house.at(MIDNIGHT + 366 * DAY + SOON)
    await house.run(job)
    await house.run(Job.PRUNE)
    await house.at(MIDNIGHT + 367 * DAY + SOON)
    report = await house.run(job)
    assert (report.watermark, report.lag_s) == (MIDNIGHT + 367 * DAY, 0)
    assert report.windows[-1].window.end == MIDNIGHT + 367 * DAY
    assert await house.value("SELECT count(*) FROM message_inbox") == 1


@pytest.mark.spec("SWB-22.4", "SWB-17.4")
async def test_a_day_of_the_log_goes_whole_after_seven_days_and_its_month_with_the_last_one(house: House):
    await house.at(MIDNIGHT + 8 * DAY + SOON)
    await house.run(Job.PRUNE)
    assert (await days_of_log(house))[0] == "20260330"
    await house.at(MIDNIGHT + 14 * DAY)
    await house.run(Job.PRUNE)
    assert (await days_of_log(house))[0] == "20260405"
    assert await house.value("SELECT to_regclass('connector_heartbeat_log_202603')") is None


@pytest.mark.spec("SWB-22.4")
async def test_what_is_not_rolled_up_yet_is_not_pruned(house: House):
    await house.beats(MIDNIGHT - DAY, MIDNIGHT)
    await house.at(MIDNIGHT + 60 * DAY)
    await house.run(Job.PRUNE)
    assert await house.value("SELECT count(*) FROM connector_heartbeat_log") == 48
    while (await house.run(Job.HOURLY)).lag_s:
        pass
    await house.run(Job.PRUNE)
    assert await house.value("SELECT count(*) FROM connector_heartbeat_log") == 0
    # The day before the beats is not summed yet, so its hours stay though they are older than thirty days.
    assert len(await house.volumes()) == 24
    while (await house.run(Job.DAILY)).lag_s:
        pass
    await house.run(Job.PRUNE)
    assert await house.volumes() == []
    with pytest.raises(SourcePruned):
        await house.run(Job.DAILY, MIDNIGHT - DAY, MIDNIGHT)
    assert await house.value("SELECT messages_ingested FROM connector_stats_daily") == 144


async def test_the_windows_that_will_be_computed_again_keep_their_beats(house: House):
    await house.beats(MIDNIGHT - HOUR, MIDNIGHT + HOUR)
    await house.at(MIDNIGHT + HOUR + SOON)
    await house.run(Job.HOURLY)
    await house.at(MIDNIGHT + 20 * DAY)
    await house.run(Job.PRUNE)
    # Published up to one o'clock; the hour before midnight is the second of the two that a run computes again.
    assert await house.value("SELECT count(*) FROM connector_heartbeat_log") == 4


async def test_two_prunings_at_once_are_one(house: House):
    other = await asyncpg.connect(
        house.database.dsn("switchboard"), server_settings={"search_path": "switchboard"}
    )
    try:
        async with other.transaction():
            await lock(other, Job.PRUNE)
            with pytest.raises(LockHeld):
                await house.run(Job.PRUNE)
    finally:
        await other.close(timeout=10)
    await house.run(Job.PRUNE)


@asynccontextmanager
async def somebody(house: House) -> AsyncIterator[asyncpg.Connection]:
    """Somebody else's session."""
    dsn, settings = house.database.dsn("switchboard"), {"search_path": "switchboard"}
    connection = await asyncpg.connect(dsn, server_settings=settings)
    try:
        yield connection
    finally:
        await connection.close(timeout=10)


async def test_a_log_that_somebody_reads_is_pruned_by_the_next_run(
    house: House, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(partitions, "WAIT_S", 1)
    await house.at(MIDNIGHT + 20 * DAY)
    async with somebody(house) as reader, reader.transaction():
        await reader.fetch("SELECT * FROM connector_heartbeat_log LIMIT 1")
        before = await days_of_log(house)
        await house.run(Job.PRUNE)
        assert await days_of_log(house) == before
        leaving = await house.value("SELECT count(*) FROM pg_inherits WHERE inhdetachpending")
    assert leaving == 1
    await house.run(Job.PRUNE)
    assert await days_of_log(house) != before
    assert await house.value("SELECT count(*) FROM pg_inherits WHERE inhdetachpending") == 0


async def test_nobody_is_held_up_by_a_drop_that_waits_for_an_old_transaction(house: House):
    await house.at(MIDNIGHT + 20 * DAY)
    async with (
        asyncio.timeout(90),
        somebody(house) as reader,
        somebody(house) as writer,
        reader.transaction(),
    ):
        await reader.fetch("SELECT * FROM connector_heartbeat_log LIMIT 1")
        pruning = asyncio.create_task(house.run(Job.PRUNE))
        while not await writer.fetchval("SELECT count(*) FROM pg_inherits WHERE inhdetachpending"):
            await asyncio.sleep(0.01)
        await writer.execute("DELETE FROM connector_heartbeat_log WHERE connector_type = 'nobody'")
        assert not pruning.done(), "the writer did not wait for the drop"
    await asyncio.wait_for(pruning, 90)


async def test_what_a_killed_run_has_detached_and_not_dropped_goes_with_the_next_one(house: House):
    await house.beats(MIDNIGHT - DAY, MIDNIGHT)
    day = f"connector_heartbeat_log_{MIDNIGHT - DAY:%Y%m%d}"
    await house.connection.execute(f"ALTER TABLE {day[:-2]} DETACH PARTITION {day} CONCURRENTLY")
    await house.at(MIDNIGHT + 20 * DAY)
    await house.run(Job.PRUNE)
    assert await house.value(f"SELECT to_regclass('{day}')") is None


async def test_a_month_goes_with_the_last_of_its_days(house: House):
    await house.at(MIDNIGHT + 70 * DAY)
    await house.run(Job.PRUNE)
    months = await house.connection.fetch(
        "SELECT relname FROM pg_class WHERE relkind = 'p' AND relname ~ 'connector_heartbeat_log_[0-9]{6}$'"
    )
    kept = {name[:6] for name in await days_of_log(house)}
    assert {row["relname"].rpartition("_")[2] for row in months} == kept
    assert f"{MIDNIGHT:%Y%m}" not in kept
