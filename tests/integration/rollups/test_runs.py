"""A run does what is due: from the watermark, with the windows before it again, and what a backfill has changed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from butler_rollups.errors import BadArguments, DataCheckFailed, SourcePruned
from butler_rollups.models import Job
from butler_rollups.progress import progress_of
from tests.integration.rollups.conftest import DAY, HOUR, NOON, House
from tests.support.rollups.messages import Message, add_messages

pytestmark = pytest.mark.asyncio(loop_scope="module")
MIDNIGHT = NOON.replace(hour=0)


@pytest.mark.spec("SWB-22.1")
async def test_a_run_takes_the_closed_hours_that_are_not_there_and_moves_the_watermark(house: House):
    await house.beats(NOON - 4 * HOUR, NOON + HOUR)
    await house.at(NOON + timedelta(minutes=5, seconds=30))
    first = await house.run(Job.HOURLY)
    assert (first.watermark, first.lag_s) == (NOON, 0)
    assert await house.volumes() == [6, 6, 6, 6]
    again = await house.run(Job.HOURLY)
    assert [(one.window.start, one.changed) for one in again.windows] == [(NOON - 2 * HOUR, 0)]
    await house.at(NOON + HOUR + timedelta(minutes=5, seconds=30))
    assert (await house.run(Job.HOURLY)).watermark == NOON + HOUR
    assert await house.volumes() == [6, 6, 6, 6, 6]


async def test_runs_that_were_missed_heal_by_themselves_and_a_late_beat_is_counted_by_the_next_run(
    house: House,
):
    await house.beats(NOON - 2 * HOUR, NOON)
    await house.at(NOON + timedelta(minutes=6))
    await house.run(Job.HOURLY)
    await house.beats(NOON, NOON + 30 * HOUR)
    await house.beats(NOON - HOUR, NOON, endpoint="late")
    await house.at(NOON + 30 * HOUR + timedelta(minutes=6))
    behind = await progress_of(house.connection, Job.HOURLY)
    assert (behind.watermark, behind.lag_s) == (NOON, 30 * 3600)
    assert (await house.run(Job.HOURLY)).watermark == NOON + 30 * HOUR
    assert sum(await house.volumes()) == 6 * 32 + 6


async def test_an_hour_without_beats_gives_no_row_and_moves_the_watermark(house: House):
    assert (await house.run(Job.HOURLY)).windows == ()
    await house.beats(NOON - 3 * HOUR, NOON - 2 * HOUR)
    await house.at(NOON + timedelta(minutes=6))
    done = await house.run(Job.HOURLY)
    assert (done.watermark, await house.volumes()) == (NOON, [6])


async def test_a_given_window_that_is_still_open_is_written_and_the_watermark_stays(house: House):
    await house.beats(NOON, NOON + HOUR / 2)
    await house.at(NOON + timedelta(minutes=20))
    done = await house.run(Job.HOURLY, NOON, NOON + HOUR)
    assert (await house.volumes(), done.windows[0].rows) == ([3], 1)
    assert await house.value("SELECT count(*) FROM rollup_run") == 0
    await house.at(NOON + HOUR + timedelta(minutes=6))
    assert (await house.run(Job.HOURLY)).watermark == NOON + HOUR


async def test_a_given_window_is_published_in_spans_and_one_that_lies_ahead_is_refused(house: House):
    await house.at(NOON - 30 * HOUR)
    await house.at(NOON + timedelta(minutes=6))
    await house.beats(NOON - 30 * HOUR, NOON)
    done = await house.run(Job.HOURLY, NOON - 30 * HOUR, NOON)
    assert [one.rows for one in done.windows] == [24, 6]
    with pytest.raises(BadArguments, match="lies ahead; the hour of now ends at 2026-03-29T13:00:00Z"):
        await house.run(Job.HOURLY, NOON, NOON + 2 * HOUR)
    with pytest.raises(SourcePruned, match="0001-01-01T00:00:00Z to 0001-01-02T00:00:00Z: its source"):
        await house.run(Job.HOURLY, datetime(1, 1, 1, tzinfo=UTC), NOON)
    assert await house.value("SELECT count(*) FROM rollup_run") == 30


async def test_hours_that_were_lost_before_they_were_computed_are_let_go_by_hand(house: House):
    """As the runbook says it: forgetting what was published before the hole lets the runs go on after it."""
    await house.beats(MIDNIGHT - 3 * DAY, MIDNIGHT - 3 * DAY + HOUR)
    await house.at(MIDNIGHT - 3 * DAY + timedelta(minutes=70))
    await house.run(Job.HOURLY)
    await house.beats(MIDNIGHT - 2 * DAY, MIDNIGHT)
    await house.at(MIDNIGHT + timedelta(minutes=15))
    lost = "SELECT drop_heartbeat_day($1) FROM generate_series(1, 40)"
    await house.connection.execute(lost, MIDNIGHT - 2 * DAY)
    await house.run(Job.HOURLY)
    assert (await progress_of(house.connection, Job.HOURLY)).lag_s > 0
    with pytest.raises(DataCheckFailed, match="the hour of 2026-03-26T01:00:00Z is not rolled up"):
        await house.run(Job.DAILY)
    await house.connection.execute(
        "DELETE FROM rollup_run WHERE job IN ('hourly', 'daily') AND window_start < $1", MIDNIGHT - 2 * DAY
    )
    assert (await house.run(Job.HOURLY)).lag_s == 0
    assert (await house.run(Job.DAILY)).watermark == MIDNIGHT
    # The first beat after the hole is counted from one that was lost, so its three messages are not known.
    assert await house.value("SELECT sum(messages_ingested) FROM connector_stats_hourly") == 6 + 48 * 6 - 3


async def test_hours_before_the_first_window_that_was_given_are_not_forgotten(house: House):
    await house.beats(NOON - 4 * HOUR, NOON)
    await house.at(NOON + timedelta(minutes=6))
    await house.run(Job.HOURLY, NOON - HOUR, NOON)
    assert (await progress_of(house.connection, Job.HOURLY)).watermark == NOON - 4 * HOUR
    await house.run(Job.HOURLY)
    assert await house.volumes() == [6, 6, 6, 6]


@pytest.mark.spec("SWB-22.2", "CNX-13.2")
async def test_the_daily_run_sums_the_day_before(house: House):
    await house.beats(MIDNIGHT - 3 * HOUR, MIDNIGHT + HOUR)
    await house.connection.execute(
        "UPDATE connector_heartbeat_log SET state = 'error' WHERE messages_ingested = 6"
    )
    await house.at(MIDNIGHT + timedelta(minutes=15))
    await house.run(Job.HOURLY)
    done = await house.run(Job.DAILY)
    assert done.watermark == MIDNIGHT
    row = await house.row("SELECT * FROM connector_stats_daily")
    assert (row["day"], row["messages_ingested"], row["heartbeat_count"]) == ((MIDNIGHT - DAY).date(), 18, 6)
    # One of six beats was not healthy; six of 48 expected ones came.
    assert (str(row["uptime_pct"]), str(row["coverage_pct"])) == ("83.33", "12.50")


@pytest.mark.spec("SWB-22.2")
async def test_a_day_with_an_hour_missing_is_refused(house: House):
    await house.beats(MIDNIGHT - 3 * HOUR, MIDNIGHT + HOUR)
    await house.at(MIDNIGHT - HOUR + timedelta(minutes=15))
    await house.run(Job.HOURLY)
    await house.at(MIDNIGHT + timedelta(minutes=15))
    said = "the hour of 2026-03-28T23:00:00Z is not rolled up; run `butlers-rollups hourly` first"
    with pytest.raises(DataCheckFailed, match=said):
        await house.run(Job.DAILY)
    with pytest.raises(DataCheckFailed, match=said):
        await house.run(Job.DAILY, MIDNIGHT - DAY, MIDNIGHT)
    assert await house.value("SELECT count(*) FROM connector_stats_daily") == 0
    await house.run(Job.HOURLY)
    assert (await house.run(Job.DAILY)).windows[-1].changed == 1


@pytest.mark.spec("SWB-22.2")
async def test_uptime_of_a_day_without_beats_is_null_not_zero(house: House):
    """Rows without beats come only from elsewhere; they divide by nothing."""
    await house.beats(MIDNIGHT - 3 * HOUR, MIDNIGHT)
    await house.at(MIDNIGHT + timedelta(minutes=15))
    await house.run(Job.HOURLY)
    await house.connection.execute("UPDATE connector_stats_hourly SET heartbeat_count = 0, healthy_count = 0")
    await house.run(Job.DAILY)
    row = await house.row("SELECT uptime_pct, coverage_pct FROM connector_stats_daily")
    assert tuple(row) == (None, None)


@pytest.mark.spec("SWB-22.3", "CNX-13.3")
async def test_outcomes_that_change_after_midnight_are_counted_by_the_next_two_runs(house: House):
    late = Message(UUID(int=7), MIDNIGHT - HOUR, "api", "internal", "door", None)
    await add_messages(house.connection, [late])
    await house.at(MIDNIGHT + timedelta(minutes=15))
    assert (await house.run(Job.FANOUT)).watermark == MIDNIGHT
    assert await house.value("SELECT count(*) FROM connector_fanout_daily") == 0
    routed = """UPDATE message_inbox SET dispatch_outcomes = '[{"target_butler": "finance"}]'"""
    await house.connection.execute(routed)
    await house.at(MIDNIGHT + DAY + timedelta(minutes=15))
    await house.run(Job.FANOUT)
    row = await house.row("SELECT * FROM connector_fanout_daily")
    expected = ("webhook", "door", "finance", (MIDNIGHT - DAY).date(), 1)
    assert tuple(row)[:5] == expected


async def test_a_backfill_in_a_household_s_first_hour_is_counted_in_its_hour_and_its_day(house: House):
    await house.beats(NOON, NOON + HOUR / 2)
    job = await house.backfill()
    await add_messages(
        house.connection, [Message(UUID(int=8), NOON, "email", "imap", "box", None, backfill=job)]
    )
    await house.at(NOON + timedelta(minutes=40))
    for asked in (Job.HOURLY, Job.DAILY):
        done = await house.run(asked, backfill=job)
        assert [(one.rows, one.source_rows) for one in done.windows] == [(1, 1)]
    row = await house.row("SELECT * FROM connector_stats_daily")
    assert (row["day"], row["heartbeat_count"]) == (MIDNIGHT.date(), 1)
    assert await house.value("SELECT count(*) FROM rollup_run") == 0


async def test_what_a_backfill_received_long_ago_is_counted_again_once_it_has_ended(house: House):
    """D34: the windows in which its messages were received, though no trailing run reaches them any more."""
    job = await house.backfill()
    old = Message(UUID(int=8), MIDNIGHT - 6 * DAY, "email", "imap", "box", None, backfill=job)
    await add_messages(house.connection, [old])
    await house.run(Job.FANOUT)
    await house.connection.execute(
        """UPDATE message_inbox SET dispatch_outcomes = '[{"target_butler": "health"}]'"""
    )
    await house.run(Job.FANOUT)
    assert await house.value("SELECT count(*) FROM connector_fanout_daily") == 0
    asked = await house.run(Job.FANOUT, backfill=job)
    assert (asked.windows[0].window.start, asked.windows[0].changed) == (MIDNIGHT - 6 * DAY, 1)
    await house.connection.execute("DELETE FROM connector_fanout_daily")
    await house.connection.execute("UPDATE backfill_jobs SET status = 'completed', finished_at = clock_now()")
    assert (await house.run(Job.FANOUT)).windows[0].window.start == MIDNIGHT - 6 * DAY
    assert await house.value("SELECT target_butler FROM connector_fanout_daily") == "health"
    with pytest.raises(BadArguments, match="is not known"):
        await house.run(Job.FANOUT, backfill=UUID(int=9))
    # Its hours of heartbeats are gone; what is there of it is computed all the same.
    with pytest.raises(SourcePruned, match="the source of 1 windows"):
        await house.connection.execute("SELECT drop_heartbeat_day($1) FROM generate_series(1, 40)", MIDNIGHT)
        await house.run(Job.HOURLY, backfill=job)
