"""Spark writes nothing by itself: its rows go through the publishing transaction, or nobody sees them (SWB-22.5)."""

from __future__ import annotations

import random
import signal
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest

from butler_contracts.errors import InternalFailure
from butler_kit.db import Connection
from butler_rollups.models import Job, Window
from butler_rollups.progress import watermark_of
from butler_rollups.spark.engine import SparkEngine
from butler_rollups.sql_engine import SqlEngine
from tests.support.rollups.desk import Desk, connect, stored
from tests.support.rollups.fleets import BEGIN, HOUR, Shape, fleet_of
from tests.support.rollups.killing import kill_at, run_to_its_end
from tests.support.rollups.oracle import hours_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.xdist_group("spark")


class Crashing(SparkEngine):
    """Looks with another connection's eyes once the stage is full, then ends."""

    def __init__(self, desk: Desk, session: SparkSession) -> None:
        super().__init__(desk.database.dsn("switchboard"), session=session)
        self._desk = desk
        self.staged = 0
        self.seen: list[Any] = []

    async def stage(self, connection: Connection, job: Job, window: Window, run_id: UUID) -> None:
        await super().stage(connection, job, window, run_id)
        self.staged = await connection.fetchval("SELECT count(*) FROM rollup_stage_hourly")
        other = await connect(self._desk.database)
        try:
            self.seen = await stored(other)
        finally:
            await other.close(timeout=10)
        raise ConnectionError("between stage and publish")


@pytest.mark.spec("SWB-22.5")
def test_a_stage_is_never_seen_and_a_crash_before_publishing_leaves_the_old_rows(
    desk: Desk, spark: SparkSession
):
    fleet = fleet_of(random.Random(1), Shape())
    desk.fill(fleet)
    desk.publish(SqlEngine(), Job.HOURLY, BEGIN, BEGIN + HOUR)
    before = desk.stored()
    crashing = Crashing(desk, spark)
    with pytest.raises(ConnectionError):
        desk.publish(crashing, Job.HOURLY, BEGIN, fleet.end)
    assert crashing.staged > 0
    assert crashing.seen == before
    assert desk.stored() == before
    again = SparkEngine(desk.database.dsn("switchboard"), session=spark)
    desk.publish(again, Job.HOURLY, BEGIN, fleet.end)
    assert desk.hours() == hours_of(fleet.beats, BEGIN, fleet.end)


@pytest.mark.spec("SWB-22.5")
def test_a_run_that_is_killed_with_a_full_stage_leaves_the_old_rows_and_the_next_one_is_right(
    desk: Desk, spark: SparkSession
):
    """The program itself, with a Java of its own, killed when it is about to publish what Spark computed."""
    fleet = fleet_of(random.Random(3), Shape())
    desk.fill(fleet)
    desk.publish(SqlEngine(), Job.HOURLY, BEGIN, BEGIN + HOUR)
    before = desk.stored()
    hourly = ("hourly", "--engine", "spark", "--max-windows", "12")
    killed = kill_at(desk, "connector_stats_hourly", *hourly)
    assert killed.status == -signal.SIGKILL
    assert killed.during == killed.after == before
    assert desk.run(watermark_of(desk.connection, Job.HOURLY)) == BEGIN + HOUR
    assert run_to_its_end(desk, *hourly) == 0
    assert desk.hours() == hours_of(fleet.beats, BEGIN, fleet.end)
    assert desk.stored()[-1] == []


def test_every_slice_is_read_at_the_moment_of_the_publishing_transaction(desk: Desk, spark: SparkSession):
    from butler_rollups.spark.io import Reader, Source

    fleet = fleet_of(random.Random(2), Shape(hours=14))
    window = Window(BEGIN, fleet.end)
    source = Source.from_dsn(desk.database.dsn("switchboard"), "switchboard")
    desk.fill(fleet)

    async def counted_while_beats_come_in() -> int:
        publishing = await connect(desk.database)
        try:
            async with publishing.transaction():
                snapshot = await publishing.fetchval("SELECT pg_export_snapshot()")
                await desk.connection.execute(
                    "INSERT INTO connector_heartbeat_log SELECT * FROM connector_heartbeat_log"
                )
                beats = Reader(spark, source, snapshot).rows("beats", window, slice_by="received_at")
                assert beats.rdd.getNumPartitions() == 2
                return beats.count()
        finally:
            await publishing.close(timeout=10)

    assert desk.run(counted_while_beats_come_in()) == len(fleet.beats)


def test_a_failure_inside_spark_is_one_line_without_the_password(desk: Desk, spark: SparkSession):
    dsn = desk.database.dsn("switchboard").replace("password-of", "wrong-word-of")
    with pytest.raises(InternalFailure, match="password authentication failed") as failure:
        desk.publish(SparkEngine(dsn, session=spark), Job.HOURLY, BEGIN, BEGIN + HOUR)
    assert "\n" not in failure.value.message
    assert "wrong-word" not in failure.value.message
