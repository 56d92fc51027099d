"""A window is published wholly, once, by one run at a time, or not at all (SWB-22.5)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from uuid import UUID

import pytest

from butler_kit.db import Connection
from butler_rollups.errors import DataCheckFailed, LockHeld, SourcePruned
from butler_rollups.models import Job, Window
from butler_rollups.publish import lock, publish
from butler_rollups.sql_engine import SqlEngine
from tests.support.database import Server
from tests.support.rollups.desk import Desk, connect, open_desk
from tests.support.rollups.fleets import BEGIN, HOUR, Shape, fleet_of
from tests.support.rollups.oracle import hours_of


@pytest.fixture(scope="module")
def desk(postgres_server: Server) -> Iterator[Desk]:
    with open_desk(postgres_server) as opened:
        yield opened


class Broken(SqlEngine):
    """Ends, or answers nonsense, once its stage is filled."""

    def __init__(self, then: str | type[Exception]) -> None:
        self._then = then

    async def stage(self, connection: Connection, job: Job, window: Window, run_id: UUID) -> None:
        await super().stage(connection, job, window, run_id)
        if not isinstance(self._then, str):
            raise self._then("between stage and publish")
        await connection.execute(self._then)


@pytest.mark.spec("SWB-22.5")
def test_a_crash_between_stage_and_publishing_leaves_the_old_rows_and_the_next_run_mends_them(desk: Desk):
    fleet = fleet_of(random.Random(1), Shape())
    desk.fill(fleet)
    desk.publish(SqlEngine(), Job.HOURLY, BEGIN, BEGIN + HOUR)
    before = desk.stored()
    with pytest.raises(ConnectionError):
        desk.publish(Broken(ConnectionError), Job.HOURLY, BEGIN, fleet.end)
    assert desk.stored() == before
    desk.publish(SqlEngine(), Job.HOURLY, BEGIN, fleet.end)
    assert desk.hours() == hours_of(fleet.beats, BEGIN, fleet.end)


def test_of_two_runs_at_once_one_is_told_to_try_again(desk: Desk):
    fleet = fleet_of(random.Random(3), Shape())
    desk.fill(fleet)
    other = desk.run(connect(desk.database))
    try:
        held = other.transaction()
        desk.run(held.start())
        desk.run(lock(other, Job.HOURLY))
        with pytest.raises(LockHeld):
            desk.publish(SqlEngine(), Job.HOURLY, BEGIN, fleet.end)
        assert desk.stored() == [[], [], []]
        midnight = BEGIN.replace(hour=0)
        desk.publish(SqlEngine(), Job.FANOUT, midnight, midnight + timedelta(days=1))  # another job may
        desk.run(held.rollback())
        desk.publish(SqlEngine(), Job.HOURLY, BEGIN, fleet.end)
    finally:
        desk.run(other.close(timeout=10))
    assert desk.hours() == hours_of(fleet.beats, BEGIN, fleet.end)


@pytest.mark.parametrize(
    ("nonsense", "said"),
    [
        ("healthy_count = healthy_count + 1", "beats whose state"),
        ("messages_ingested = -1", "a negative volume"),
        ("hour = hour + interval '30 minutes'", "an hour outside the window"),
        ("heartbeat_interval_s = 'NaN'", "a beat interval"),
    ],
)
def test_nonsense_of_an_engine_is_never_published(desk: Desk, nonsense: str, said: str):
    fleet = fleet_of(random.Random(4), Shape())
    desk.fill(fleet)
    with pytest.raises(DataCheckFailed, match=said):
        desk.publish(Broken(f"UPDATE rollup_stage_hourly SET {nonsense}"), Job.HOURLY, BEGIN, fleet.end)
    assert desk.stored() == [[], [], []]


def test_two_rows_of_one_key_are_never_published(desk: Desk):
    fleet = fleet_of(random.Random(5), Shape())
    desk.fill(fleet)
    twice = "INSERT INTO rollup_stage_hourly SELECT * FROM rollup_stage_hourly"
    with pytest.raises(DataCheckFailed, match="two rows of one key"):
        desk.publish(Broken(twice), Job.HOURLY, BEGIN, fleet.end)
    assert desk.stored() == [[], [], []]


def test_a_window_that_is_still_open_is_written_and_not_recorded(desk: Desk):
    fleet = fleet_of(random.Random(6), Shape())
    desk.fill(fleet)
    desk.publish(SqlEngine(), Job.HOURLY, BEGIN, fleet.end, closed_until=BEGIN + HOUR)
    assert desk.hours() == hours_of(fleet.beats, BEGIN, fleet.end)
    assert desk.recorded(Job.HOURLY) == [BEGIN]
    desk.publish(SqlEngine(), Job.HOURLY, fleet.end, fleet.end + HOUR, closed_until=BEGIN + HOUR)
    assert desk.recorded(Job.HOURLY) == [BEGIN]


def test_a_window_whose_beats_were_pruned_keeps_its_rows(desk: Desk):
    before = datetime(2026, 2, 28, 23, tzinfo=BEGIN.tzinfo)
    desk.empty()
    with pytest.raises(SourcePruned, match="is there from 2026-03-01T00:00:00Z on"):
        desk.publish(SqlEngine(), Job.HOURLY, before, before + HOUR)
    with pytest.raises(SourcePruned):
        desk.publish(
            SqlEngine(), Job.FANOUT, before.replace(hour=0), before.replace(hour=0) + timedelta(days=1)
        )


def test_a_row_whose_first_beat_was_pruned_is_not_replaced_by_a_guess(postgres_server: Server):
    """An instance that is older than the log and has no beat before the window: its difference is unknown."""
    fleet = fleet_of(random.Random(9), Shape(connectors=1, restart=0, silence=0, reset=0, hours=6))
    with open_desk(postgres_server) as desk:
        desk.fill(fleet)
        second = BEGIN.replace(hour=0) + timedelta(days=1)
        desk.publish(SqlEngine(), Job.HOURLY, BEGIN, fleet.end)
        known = desk.hours()
        # The first hours lie before midnight; their day goes.
        desk.run(desk.connection.execute("SELECT drop_heartbeat_day($1) FROM generate_series(1, 28)", second))
        window = Window(second, second + HOUR)
        with pytest.raises(SourcePruned, match="1 stored rows are counted from were pruned"):
            desk.run(
                publish(
                    desk.connection, SqlEngine(), Job.HOURLY, window, closed_until=window.end, strict=True
                )
            )
        kept = desk.publish(SqlEngine(), Job.HOURLY, second, fleet.end)
        assert (kept.kept, kept.changed, kept.deleted) == (1, 0, 0)
        assert desk.hours() == known
        desk.run(desk.connection.execute("DELETE FROM connector_stats_hourly"))
        desk.publish(SqlEngine(), Job.HOURLY, second, second + HOUR)
        (row,) = desk.hours().values()
        first = min(beat.messages_ingested for beat in fleet.beats if beat.received_at >= second)
        assert row["messages_ingested"] < first
