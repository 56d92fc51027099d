"""A run that is killed leaves what was there; the next one does what it could not (SWB-22.5)."""

from __future__ import annotations

import random
import signal
from collections.abc import Iterator

import pytest

from butler_rollups.models import Job
from butler_rollups.progress import watermark_of
from butler_rollups.sql_engine import SqlEngine
from tests.support.database import Server
from tests.support.rollups.desk import Desk, open_desk
from tests.support.rollups.fleets import BEGIN, HOUR, Shape, fleet_of
from tests.support.rollups.killing import kill_at, run_to_its_end
from tests.support.rollups.oracle import hours_of

RUN = ("hourly", "--windows", "auto", "--max-windows", "12")
FULL_STAGE, ALL_BUT_COMMITTED = "connector_stats_hourly", "rollup_run"
"""What a run is about to write when its stage is full; and when its rows are merged, the vanished ones deleted."""


@pytest.fixture(scope="module")
def desk(postgres_server: Server) -> Iterator[Desk]:
    with open_desk(postgres_server) as opened:
        yield opened


@pytest.mark.spec("SWB-22.5")
@pytest.mark.parametrize("table", [FULL_STAGE, ALL_BUT_COMMITTED])
def test_a_killed_run_leaves_the_old_rows_and_no_stage_and_the_next_one_is_right(desk: Desk, table: str):
    fleet = fleet_of(random.Random(2), Shape())
    desk.fill(fleet)
    desk.publish(SqlEngine(), Job.HOURLY, BEGIN, BEGIN + HOUR)
    # A row to insert, one to delete.
    desk.run(
        desk.connection.execute(
            "UPDATE connector_stats_hourly SET endpoint_identity = 'gone'"
            " WHERE endpoint_identity = 'source-0'"
        )
    )
    before = desk.stored()
    killed = kill_at(desk, table, *RUN)
    assert killed.status == -signal.SIGKILL
    assert killed.during == killed.after == before
    assert desk.run(watermark_of(desk.connection, Job.HOURLY)) == BEGIN + HOUR
    assert run_to_its_end(desk, *RUN) == 0
    assert desk.hours() == hours_of(fleet.beats, BEGIN, fleet.end)
    assert desk.recorded(Job.HOURLY) == [BEGIN + number * HOUR for number in range(13)]
    assert desk.stored()[-1] == []
