"""Statistics by the clock: run natively in SQL, or only watched where Spark runs them (SWB-22, SWB-25.2, D40)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from uuid import UUID

import pytest
import pytest_asyncio
import structlog.testing

from butler_contracts.errors import ButlerError
from butler_kit.db import Pool
from butler_kit.telemetry import SWITCHBOARD, Metrics
from butler_rollups.models import Job
from butler_rollups.publish import lock
from butler_switchboard.operations.retention import Retention, RetentionPolicy
from butler_switchboard.schedules.statistics import Statistics
from butler_switchboard.telemetry import SwitchboardMetrics
from tests.integration.rollups.conftest import DAY, HOUR, House, database, house
from tests.support.rollups.decisions import Decision, Part, add_decisions
from tests.support.rollups.messages import Message, add_messages

__all__ = ["database", "house"]

pytestmark = pytest.mark.asyncio(loop_scope="module")
MIDNIGHT = datetime.fromisoformat("2026-03-29T00:00:00Z")


class Watched:
    """Statistics over the house's database, with the lag that its metrics show."""

    def __init__(self, pool: Pool, engine: str) -> None:
        self.metrics = Metrics(SWITCHBOARD)
        self.pool = pool
        self.statistics = Statistics(pool, engine, SwitchboardMetrics(self.metrics))  # type: ignore[arg-type]

    def drifting(self, measure: str) -> float:
        return self.metrics.value("butlers.switchboard.routing_drift", dimension="household", measure=measure)

    def lag(self, job: Job) -> float:
        return self.metrics.value("butlers.rollup.lag_seconds", job=job.value)


@pytest_asyncio.fixture(loop_scope="module")
async def pool(house: House) -> AsyncIterator[Pool]:
    pool = await house.database.pool("switchboard", max_size=3)
    yield pool
    pool.terminate()


async def at(house: House, moment: datetime) -> None:
    """For the pool's sessions too."""
    await house.at(moment)
    await house.database.shift_clock(moment - datetime.now(MIDNIGHT.tzinfo))


@pytest.mark.spec("SWB-25.2", "SWB-22.1", "SWB-22.2", "SWB-22.3", "SWB-22.4")
async def test_the_native_jobs_roll_up_and_prune_on_switchboards_own_pool(house: House, pool: Pool):
    await house.beats(MIDNIGHT - 3 * HOUR, MIDNIGHT)
    await add_messages(
        house.connection, [Message(UUID(int=1), MIDNIGHT - HOUR, "email", "imap", "box", ("health",))]
    )
    watched = Watched(pool, "sql")
    await at(house, MIDNIGHT + timedelta(minutes=15))
    await watched.statistics.measure()
    assert [watched.lag(job) for job in (Job.HOURLY, Job.DAILY, Job.FANOUT)] == [3 * 3600, 0, 86_400]
    hourly = await watched.statistics.hourly()
    assert (hourly["hourly"]["changed"], hourly["hourly"]["watermark"]) == (3, "2026-03-29T00:00:00Z")
    daily = await watched.statistics.daily()
    assert {name: told["changed"] for name, told in daily.items()} == {"daily": 1, "fanout": 1, "quality": 0}
    assert [watched.lag(job) for job in (Job.HOURLY, Job.DAILY, Job.FANOUT)] == [0, 0, 0]
    await at(house, MIDNIGHT + 9 * DAY)
    await watched.statistics.hourly()
    gone = (await watched.statistics.prune())["prune"]["pruned"]
    assert next(one["rows"] for one in gone if one["table"] == "connector_heartbeat_log") == 6


@pytest.mark.spec("SWB-25.2")
async def test_a_daily_run_that_is_refused_does_not_keep_the_other_table_waiting(house: House, pool: Pool):
    await house.beats(MIDNIGHT - 3 * HOUR, MIDNIGHT)
    await add_messages(
        house.connection, [Message(UUID(int=1), MIDNIGHT - HOUR, "email", "imap", "box", ("health",))]
    )
    await at(house, MIDNIGHT + timedelta(minutes=15))
    with pytest.raises(ButlerError, match="run `butlers-rollups hourly` first"):
        await Watched(pool, "sql").statistics.daily()
    assert await house.value("SELECT count(*) FROM connector_fanout_daily") == 1


async def test_left_to_spark_a_job_only_tells_how_far_it_is(house: House, pool: Pool):
    await house.beats(MIDNIGHT - 3 * HOUR, MIDNIGHT)
    await at(house, MIDNIGHT + timedelta(minutes=15))
    watched = Watched(pool, "spark")
    assert await watched.statistics.hourly() == {
        "delegated": True,
        "hourly": {"watermark": "2026-03-28T21:00:00Z", "lag_s": 3 * 3600.0},
    }
    assert (await watched.statistics.prune())["delegated"]
    assert await watched.statistics.daily()
    assert watched.lag(Job.HOURLY) == 3 * 3600
    assert await house.value("SELECT count(*) FROM rollup_run") == 0


@pytest.mark.spec("SWB-37.1")
@pytest.mark.parametrize("engine", ["sql", "spark"])
async def test_a_drift_is_shown_by_whichever_engine_and_until_it_is_over(
    house: House, pool: Pool, engine: str
):
    wrong = [
        Decision(number, MIDNIGHT - (number % 35 + 1) * DAY, (Part("health", corrected=number % 70 < 7),))
        for number in range(1, 421)
    ]
    right = [Decision(1000 + number, MIDNIGHT + number % 7 * DAY, (Part("health"),)) for number in range(84)]
    for days in (-35, 7):
        await at(house, MIDNIGHT + days * DAY)
    await add_decisions(house.connection, [*wrong, *right])
    watched = Watched(pool, engine)
    seen = []
    for days in (-1, 0, 7):
        await at(house, MIDNIGHT + days * DAY + timedelta(minutes=15))
        await house.run(Job.QUALITY)
        await watched.statistics.measure()
        seen.append((watched.drifting("corrected"), watched.drifting("fallbacks")))
    assert seen == [(1, 0), (1, 0), (0, 0)]


@pytest.mark.spec("SWB-22.3")
async def test_messages_are_counted_before_their_month_goes(house: House, pool: Pool):
    await add_messages(
        house.connection, [Message(UUID(int=1), MIDNIGHT - HOUR, "email", "imap", "box", ("health",))]
    )
    await at(house, MIDNIGHT + 65 * DAY)
    swept = await Retention(pool, RetentionPolicy()).sweep()
    assert "message_inbox_202603" in swept.dropped
    assert await house.value("SELECT target_butler FROM connector_fanout_daily") == "health"


@pytest.mark.spec("SWB-37.1")
async def test_decisions_are_counted_before_the_month_of_their_messages_goes(house: House, pool: Pool):
    await add_decisions(house.connection, [Decision(1, MIDNIGHT - HOUR, (Part("health"),))])
    await at(house, MIDNIGHT + 65 * DAY)
    swept = await Retention(pool, RetentionPolicy()).sweep()
    assert "message_inbox_202603" in swept.dropped
    assert await house.value("SELECT count(*) FROM routing_quality_daily") == 2


async def test_a_month_that_cannot_be_counted_now_stays(house: House, pool: Pool):
    await add_messages(
        house.connection, [Message(UUID(int=1), MIDNIGHT - HOUR, "email", "imap", "box", ("health",))]
    )
    await at(house, MIDNIGHT + 65 * DAY)
    retention = Retention(pool, RetentionPolicy())
    async with house.connection.transaction():
        await lock(house.connection, Job.FANOUT)
        with structlog.testing.capture_logs() as logs:
            assert (await retention.sweep()).dropped == ()
    assert [entry["event"] for entry in logs].count("inbox_drop_put_off") == 1
    assert (await retention.sweep()).dropped
