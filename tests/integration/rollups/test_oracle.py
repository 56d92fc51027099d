"""The SQL engine computes what the oracle does: of any fleet, whole, window by window, in any order (SWB-22)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from butler_rollups.models import Job, Window
from butler_rollups.sql_engine import SqlEngine
from butler_rollups.windows import buckets
from tests.support.database import Server
from tests.support.rollups.desk import Desk, open_desk
from tests.support.rollups.fleets import BEGIN, HOUR, VOLUMES, Shape, fleet_of
from tests.support.rollups.oracle import days_of, hours_of

DAY = timedelta(days=1)
MIDNIGHT = BEGIN.replace(hour=0)
SEEDS = st.integers(0, 2**32)
SHAPES = st.builds(
    Shape,
    connectors=st.integers(1, 3),
    hours=st.integers(1, 8),
    restart=st.sampled_from((0.0, 0.05)),
    overlap=st.booleans(),
    silence=st.sampled_from((0.0, 0.05)),
    twice=st.sampled_from((0.0, 0.1)),
    reset=st.sampled_from((0.0, 0.05)),
)
SLOW = settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate),
)


@pytest.fixture(scope="module")
def desk(postgres_server: Server) -> Iterator[Desk]:
    with open_desk(postgres_server) as opened:
        yield opened


@pytest.mark.spec("SWB-22.1", "CNX-13.1", "CNX-11.9")
@given(seed=SEEDS, shape=SHAPES)
@SLOW
def test_hours_hold_what_the_oracle_says_whole_and_window_by_window_in_any_order(
    desk: Desk, seed: int, shape: Shape
):
    fleet = fleet_of(random.Random(seed), shape)
    expected = hours_of(fleet.beats, BEGIN, fleet.end)
    desk.fill(fleet)
    desk.publish(SqlEngine(), Job.HOURLY, BEGIN, fleet.end)
    assert desk.hours() == expected
    desk.fill(fleet)
    hours = list(buckets(Job.HOURLY, Window(BEGIN, fleet.end)))
    random.Random(len(fleet.beats)).shuffle(hours)
    for hour in hours:
        desk.publish(SqlEngine(), Job.HOURLY, hour.start, hour.end)
    assert desk.hours() == expected


@pytest.mark.spec("SWB-22.2", "CNX-13.2")
@given(seed=SEEDS, shape=SHAPES)
@SLOW
def test_days_hold_the_sums_of_their_hours(desk: Desk, seed: int, shape: Shape):
    fleet = fleet_of(random.Random(seed), shape)
    desk.fill(fleet)
    desk.publish(SqlEngine(), Job.HOURLY, BEGIN, fleet.end)
    expected = days_of(hours_of(fleet.beats, BEGIN, fleet.end))
    for start in (MIDNIGHT, MIDNIGHT + DAY):
        desk.publish(SqlEngine(), Job.DAILY, start, start + DAY)
    assert desk.days() == expected


@pytest.mark.spec("SWB-22.5")
@given(seed=SEEDS, shape=SHAPES)
@SLOW
def test_a_run_again_writes_nothing(desk: Desk, seed: int, shape: Shape):
    fleet = fleet_of(random.Random(seed), shape)
    desk.fill(fleet)
    windows = ((Job.HOURLY, BEGIN, fleet.end), (Job.DAILY, MIDNIGHT, MIDNIGHT + 2 * DAY))
    for window in windows:
        desk.publish(SqlEngine(), *window)
    before = desk.everything()
    again = [desk.publish(SqlEngine(), *window) for window in windows]
    assert [(one.changed, one.deleted) for one in again] == [(0, 0), (0, 0)]
    assert desk.everything() == before


@given(seed=SEEDS)
@SLOW
def test_what_connectors_really_did_is_what_is_counted(seed: int):
    """The oracle itself: without lost counters it finds the increments that the fleet was made of."""
    fleet = fleet_of(random.Random(seed), Shape(reset=0.0))
    counted: dict[object, Counter[str]] = {}
    for (_, endpoint, hour), row in hours_of(fleet.beats, BEGIN, fleet.end).items():
        counted[endpoint, hour] = Counter({name: row[name] for name in VOLUMES})
    assert counted == {
        key: Counter({name: true[name] for name in VOLUMES}) for key, true in fleet.true.items()
    }


@pytest.mark.parametrize(
    ("timezone", "begin"),
    [
        ("Asia/Kolkata", BEGIN),
        ("Europe/Berlin", BEGIN),  # its clocks go forward at 01:00 of our night
        ("America/New_York", datetime(2026, 3, 8, 3, tzinfo=UTC)),  # and its at 07:00
    ],
)
def test_no_time_zone_of_a_session_moves_an_hour_or_a_day(desk: Desk, timezone: str, begin: datetime):
    fleet = fleet_of(random.Random(5), Shape(begin=begin))
    expected = hours_of(fleet.beats, begin, fleet.end)
    midnight = begin.replace(hour=0)
    desk.fill(fleet)
    desk.session_in(timezone)
    try:
        desk.publish(SqlEngine(), Job.HOURLY, begin, fleet.end)
        desk.publish(SqlEngine(), Job.DAILY, midnight, midnight + 2 * DAY)
    finally:
        desk.session_in("UTC")
    assert desk.hours() == expected
    assert desk.days() == days_of(expected)
    assert len(desk.recorded(Job.HOURLY)) == (fleet.end - begin) // HOUR
    assert desk.recorded(Job.DAILY) == [midnight, midnight + DAY]


@pytest.mark.spec("SWB-22.1")
def test_late_beats_are_counted_when_their_hour_is_computed_again(desk: Desk):
    fleet = fleet_of(random.Random(7), Shape())
    late = [beat for beat in fleet.beats if beat.received_at >= fleet.end - HOUR][:2]
    assert late
    desk.fill(fleet)
    desk.run(
        desk.connection.execute(
            "DELETE FROM connector_heartbeat_log WHERE received_at = ANY ($1)", [b.received_at for b in late]
        )
    )
    desk.publish(SqlEngine(), Job.HOURLY, BEGIN, fleet.end)
    assert desk.hours() != hours_of(fleet.beats, BEGIN, fleet.end)
    desk.add([beat for beat in fleet.beats if beat.received_at in {one.received_at for one in late}])
    again = desk.publish(SqlEngine(), Job.HOURLY, fleet.end - HOUR, fleet.end)
    assert again.changed
    assert desk.hours() == hours_of(fleet.beats, BEGIN, fleet.end)


@pytest.mark.spec("SWB-22.5")
def test_rows_that_the_source_no_longer_gives_go(desk: Desk):
    fleet = fleet_of(random.Random(8), Shape())
    desk.fill(fleet)
    desk.publish(SqlEngine(), Job.HOURLY, BEGIN, fleet.end)
    desk.run(
        desk.connection.execute("DELETE FROM connector_heartbeat_log WHERE endpoint_identity = 'source-0'")
    )
    gone = desk.publish(SqlEngine(), Job.HOURLY, BEGIN, fleet.end)
    assert gone.deleted
    rest = [beat for beat in fleet.beats if beat.endpoint_identity != "source-0"]
    assert desk.hours() == hours_of(rest, BEGIN, fleet.end)
