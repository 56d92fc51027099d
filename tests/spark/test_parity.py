"""Oracle = SQL = Spark: of any fleet, whole and window by window, in whatever zone Java's clock is (SWB-22, CNX-13)."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import UUID

import pytest

from butler_rollups.models import Job, Window
from butler_rollups.spark.engine import SparkEngine
from butler_rollups.sql_engine import SqlEngine
from butler_rollups.windows import buckets
from tests.support.rollups.decisions import add_decisions, quality_of, some_decisions, stored_quality
from tests.support.rollups.desk import Desk
from tests.support.rollups.fleets import BEGIN, HOUR, Fleet, Shape, fleet_of
from tests.support.rollups.messages import Message, add_messages
from tests.support.rollups.oracle import days_of, fanout_of, hours_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.xdist_group("spark")

DAY = timedelta(days=1)
MIDNIGHT = BEGIN.replace(hour=0)
LONG = Shape(connectors=5, hours=30, restart=0.05, silence=0.03, reset=0.03)
"""Longer than one connection reads, over two midnights."""


@pytest.fixture
def engine(spark: SparkSession, desk: Desk) -> SparkEngine:
    return SparkEngine(desk.database.dsn("switchboard"), session=spark)


def unchanged(desk: Desk, engine: SparkEngine, job: Job, start: datetime, end: datetime) -> bool:
    """Spark finds every row there as it would write it, none missing and none too many."""
    report = desk.publish(engine, job, start, end)
    return (report.changed, report.deleted, report.rows > 0) == (0, 0, True)


def messages_of(fleet: Fleet) -> list[Message]:
    """One of every kind for each of the fleet's beats in turn."""
    kinds = (("telegram", "telegram"), ("email", "imap"), ("email", "gmail"), ("api", "internal"))
    fates = (None, (), ("finance",), ("finance", "health"), ("travel", "travel"))
    return [
        Message(
            UUID(int=number), beat.received_at, *kinds[number % 4], beat.endpoint_identity, fates[number % 5]
        )
        for number, beat in enumerate(fleet.beats, start=1)
    ]


@pytest.mark.spec("SWB-22.1", "CNX-13.1", "SWB-22.2", "CNX-13.2", "SWB-22.5")
@pytest.mark.parametrize("seed", [1, 2])
def test_spark_computes_what_the_oracle_and_sql_do(desk: Desk, engine: SparkEngine, seed: int):
    fleet = fleet_of(random.Random(seed), LONG)
    expected = hours_of(fleet.beats, BEGIN, fleet.end)
    last_midnight = MIDNIGHT + 3 * DAY
    desk.fill(fleet)
    desk.publish(engine, Job.HOURLY, BEGIN, fleet.end)
    desk.publish(engine, Job.DAILY, MIDNIGHT, last_midnight)
    assert desk.hours() == expected
    assert desk.days() == days_of(expected)
    for job, start, end in ((Job.HOURLY, BEGIN, fleet.end), (Job.DAILY, MIDNIGHT, last_midnight)):
        by_sql = desk.publish(SqlEngine(), job, start, end)
        assert (by_sql.changed, by_sql.deleted) == (0, 0)
        assert unchanged(desk, engine, job, start, end)


@pytest.mark.spec("SWB-22.1", "SWB-22.5")
def test_spark_computes_single_windows_in_any_order(desk: Desk, engine: SparkEngine):
    fleet = fleet_of(random.Random(3), Shape(hours=6, restart=0.05, silence=0.05, reset=0.05))
    desk.fill(fleet)
    hours = list(buckets(Job.HOURLY, Window(BEGIN, fleet.end)))
    random.Random(3).shuffle(hours)
    for hour in hours:
        desk.publish(engine, Job.HOURLY, hour.start, hour.end)
    assert desk.hours() == hours_of(fleet.beats, BEGIN, fleet.end)


@pytest.mark.spec("SWB-22.3", "CNX-13.3")
def test_spark_counts_who_answered_whom(desk: Desk, engine: SparkEngine):
    messages = messages_of(fleet_of(random.Random(4), LONG))
    desk.empty()
    desk.run(add_messages(desk.connection, messages))
    desk.publish(engine, Job.FANOUT, MIDNIGHT, MIDNIGHT + 3 * DAY)
    assert desk.fanout() == fanout_of((m.connector, m.endpoint, m.received_at, m.butlers) for m in messages)


@pytest.mark.spec("SWB-37.1")
def test_spark_counts_how_good_routing_was_as_the_oracle_and_sql_do(desk: Desk, engine: SparkEngine):
    decisions = some_decisions(random.Random(8), MIDNIGHT, 300)
    desk.empty()
    desk.run(add_decisions(desk.connection, decisions))
    desk.publish(engine, Job.QUALITY, MIDNIGHT, MIDNIGHT + 2 * DAY)
    assert desk.run(stored_quality(desk.connection)) == quality_of(decisions)
    by_sql = desk.publish(SqlEngine(), Job.QUALITY, MIDNIGHT, MIDNIGHT + 2 * DAY)
    assert (by_sql.changed, by_sql.deleted) == (0, 0)
    assert unchanged(desk, engine, Job.QUALITY, MIDNIGHT, MIDNIGHT + 2 * DAY)


@pytest.mark.parametrize(
    ("zone", "begin"),
    [
        ("Asia/Kolkata", BEGIN),  # its hours begin at half past ours
        ("America/New_York", datetime(2026, 3, 8, 3, tzinfo=UTC)),  # its clocks go forward at 07:00
    ],
)
def test_no_time_zone_of_java_moves_an_hour_or_a_day(
    desk: Desk, engine: SparkEngine, zone_of_java: Callable[[str], None], zone: str, begin: datetime
):
    fleet = fleet_of(random.Random(5), replace(LONG, begin=begin, connectors=2))
    messages = messages_of(fleet)
    midnight = begin.replace(hour=0)
    windows = [
        (Job.HOURLY, begin, fleet.end),
        (Job.DAILY, midnight, midnight + 2 * DAY),
        (Job.FANOUT, midnight, midnight + 2 * DAY),
    ]
    desk.fill(fleet)
    desk.run(add_messages(desk.connection, messages))
    for window in windows:
        desk.publish(SqlEngine(), *window)
    zone_of_java(zone)
    for window in windows:
        assert unchanged(desk, engine, *window)


@pytest.mark.spec("SWB-22.1")
def test_volumes_that_no_number_holds_stop_at_the_highest(desk: Desk, engine: SparkEngine):
    highest = 2**63 - 1
    fleet = fleet_of(random.Random(6), Shape(connectors=1, hours=1, restart=0.0, silence=0.0))
    once = {beat.received_at: beat for beat in fleet.beats}.values()
    extreme = [
        replace(beat, messages_ingested=highest if number % 2 else 0) for number, beat in enumerate(once)
    ]
    desk.empty()
    desk.add(extreme)
    desk.publish(SqlEngine(), Job.HOURLY, BEGIN, BEGIN + 2 * HOUR)
    assert unchanged(desk, engine, Job.HOURLY, BEGIN, BEGIN + 2 * HOUR)
    assert max(row["messages_ingested"] for row in desk.hours().values()) == highest
