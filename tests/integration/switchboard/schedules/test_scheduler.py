"""Scheduled jobs run once over all replicas, natively or through the runtime, and a failure stops nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, get_args
from zoneinfo import ZoneInfo

import pytest

from butler_contracts.errors import TimedOut
from butler_kit.config import ScheduleConfig
from butler_kit.db import Pool
from butler_kit.telemetry import BUFFER, SPAWNER, SWITCHBOARD, Metrics
from butler_kit.time import SystemClock
from butler_resources.kinds.schedules import Job
from butler_switchboard.operations.audit import Audit
from butler_switchboard.registry.beats import ConnectorStore
from butler_switchboard.registry.butlers import Butlers
from butler_switchboard.registry.liveness import LivenessPolicy
from butler_switchboard.registry.records import Declaration, Registration
from butler_switchboard.registry.store import ButlerStore
from butler_switchboard.schedules.inventory import native_jobs, schedules_of
from butler_switchboard.schedules.memories import Memories
from butler_switchboard.schedules.names import (
    ELIGIBILITY_SWEEP,
    MEMORY_CLEANUP,
    MEMORY_CONSOLIDATION,
    NATIVE,
    STATS_DAILY,
    STATS_HOURLY,
    STATS_PRUNING,
)
from butler_switchboard.schedules.scheduler import Repeatable, Schedule, Scheduler
from butler_switchboard.schedules.statistics import Statistics
from butler_switchboard.settings import SwitchboardConfig
from butler_switchboard.telemetry import SwitchboardMetrics
from tests.support.database import Database, Provision
from tests.support.manifests import config_of
from tests.support.switchboard import butler, switchboard_database

MINUTES = timedelta(minutes=1)
NOBODY: Any = None
"""No butler is asked for anything."""


def scheduled(*entries: dict[str, str], **spec: Any) -> tuple[Schedule, ...]:
    """What Switchboard runs by the clock when its manifest has these schedules."""
    wanted = {"role": "switchboard", "runtime": {"family": "codex"}, "schedules": list(entries), **spec}
    return schedules_of(config_of(SwitchboardConfig, wanted).butler, prompted)


def prompted(entry: ScheduleConfig, zone: ZoneInfo) -> Schedule:
    """An entry with a prompt, as a schedule of which nothing is known but its clock."""

    async def act(due: datetime, late: timedelta) -> Mapping[str, Any]:
        return {"prompt": entry.prompt}

    return Schedule(entry.name, entry.cron, zone=zone, repeatable=Repeatable(act, timedelta(days=1)))


def own(*entries: dict[str, str]) -> tuple[Schedule, ...]:
    """Only those that the manifest names."""
    names = {entry["name"] for entry in entries}
    return tuple(schedule for schedule in scheduled(*entries) if schedule.name in names)


@pytest.fixture(scope="module")
def begin() -> timedelta:
    """Shifts the clock to a minute past a five-minute mark, whatever the time of the test."""
    now = datetime.now(UTC)
    return MINUTES - timedelta(minutes=now.minute % 5, seconds=now.second)


class Time:
    """The database's clock, as minutes since the test began."""

    def __init__(self, database: Database, begin: timedelta) -> None:
        self._database = database
        self._begin = begin

    async def set(self, since_begin: timedelta) -> None:
        await self._database.shift_clock(self._begin + since_begin)


@pytest.fixture
async def database(provisioned: Provision) -> Database:
    return await switchboard_database(provisioned)


@pytest.fixture
async def time(database: Database, begin: timedelta) -> Time:
    clock = Time(database, begin)
    await clock.set(timedelta(0))
    return clock


@pytest.fixture
async def pool(database: Database, time: Time) -> Pool:
    return await database.pool("switchboard")


class Process:
    """One replica's scheduler, with what it ran."""

    def __init__(self, pool: Pool, *schedules: Schedule, name: str = "replica-1") -> None:
        self.ran: list[str] = []
        self.pool = pool
        self.metrics = Metrics((*SWITCHBOARD, *SPAWNER, *BUFFER))
        self.events = SwitchboardMetrics(self.metrics)
        self.audit = Audit(pool, self.metrics)
        self.jobs = {"count": self._count, "break": self._break, "sleep": self._sleep}
        self.scheduler = Scheduler(
            pool=pool,
            schedules=schedules,
            jobs=self.jobs,
            audit=self.audit,
            events=self.events,
            clock=SystemClock(),
            replica=name,
        )

    async def _count(self) -> dict[str, int]:
        self.ran.append("count")
        return {"counted": len(self.ran)}

    async def _break(self) -> dict[str, int]:
        self.ran.append("break")
        raise TimedOut("the database did not answer in time")

    async def _sleep(self) -> dict[str, int]:
        await asyncio.sleep(0.2)
        return await self._count()

    async def runs(self) -> list[tuple[str, str]]:
        rows = await self.pool.fetch("SELECT job, status FROM schedule_runs ORDER BY claimed_at, job")
        return [(row["job"], row["status"]) for row in rows]


COUNT = Schedule("counting", "*/5 * * * *", job="count")


async def test_what_never_ran_has_missed_nothing(pool: Pool, time: Time):
    process = Process(pool, COUNT)
    assert await process.scheduler.run_due() == []


@pytest.mark.spec("SWB-25.2")
async def test_a_native_job_runs_when_it_is_due_without_the_runtime(pool: Pool, time: Time):
    process = Process(pool, COUNT)
    await process.scheduler.run_due()
    await time.set(5 * MINUTES)
    assert await process.scheduler.run_due() == ["counting"]
    assert await process.scheduler.run_due() == []
    assert process.ran == ["count"]
    assert await pool.fetchval("SELECT count(*) FROM sessions") == 0
    detail = await pool.fetchval("SELECT detail FROM schedule_runs WHERE status = 'done'")
    assert detail == {"counted": 1}


async def test_two_replicas_run_a_due_job_once(pool: Pool, time: Time):
    entry = Schedule("sleeping", "*/5 * * * *", job="sleep")
    replicas = [Process(pool, entry, name=f"replica-{number}") for number in range(4)]
    for replica in replicas:
        await replica.scheduler.run_due()
    await time.set(5 * MINUTES)
    await asyncio.gather(*(replica.scheduler.run_due() for replica in replicas))
    assert sum(len(replica.ran) for replica in replicas) == 1
    assert await replicas[0].runs() == [("sleeping", "done")]


async def test_after_an_hour_away_only_the_latest_missed_run_is_caught_up(pool: Pool, time: Time):
    process = Process(pool, COUNT)
    await process.scheduler.run_due()
    await time.set(5 * MINUTES)
    await process.scheduler.run_due()
    await time.set(65 * MINUTES)
    restarted = Process(pool, COUNT)
    assert await restarted.scheduler.run_due() == ["counting"]
    assert await restarted.scheduler.run_due() == []
    assert await pool.fetchval("SELECT count(*) FROM schedule_runs") == 2


async def test_a_clock_that_jumps_ahead_and_back_neither_repeats_nor_silences_a_job(pool: Pool, time: Time):
    process = Process(pool, COUNT)
    await process.scheduler.run_due()
    await time.set(5 * MINUTES)
    assert await process.scheduler.run_due() == ["counting"]
    await time.set(timedelta(days=1))
    assert await process.scheduler.run_due() == ["counting"]
    await time.set(6 * MINUTES)
    assert await process.scheduler.run_due() == [], "that run was made"
    await time.set(10 * MINUTES)
    assert await process.scheduler.run_due() == ["counting"], "the day ahead does not count"


async def test_a_failed_job_is_recorded_and_the_others_run(pool: Pool, time: Time):
    process = Process(pool, Schedule("breaking", "*/5 * * * *", job="break"), COUNT)
    await process.scheduler.run_due()
    await time.set(5 * MINUTES)
    assert await process.scheduler.run_due() == ["breaking", "counting"]
    assert await process.runs() == [("breaking", "failed"), ("counting", "done")]
    await process.audit.flush()
    error = await pool.fetchval("SELECT error FROM dashboard_audit_log WHERE actor = 'schedule:breaking'")
    assert error == "the database did not answer in time"
    assert process.metrics.value("butlers.switchboard.schedule_run", job="breaking", outcome="failed") == 1


async def test_a_job_that_nobody_knows_fails_readably(pool: Pool, time: Time):
    process = Process(pool, Schedule("odd", "*/5 * * * *", job="unheard-of"))
    await process.scheduler.run_due()
    await time.set(5 * MINUTES)
    await process.scheduler.run_due()
    detail = await pool.fetchval("SELECT detail FROM schedule_runs")
    assert "'unheard-of'" in detail["error"]


async def test_the_loop_runs_what_is_due_and_ends_when_it_is_told(pool: Pool, time: Time):
    first = Process(pool, COUNT)
    await first.scheduler.run_due()
    await time.set(5 * MINUTES)
    await first.scheduler.run_due()
    await time.set(10 * MINUTES)
    process, stopping = Process(pool, COUNT), asyncio.Event()
    loop = asyncio.create_task(process.scheduler.run(stopping))
    async with asyncio.timeout(90):
        while not process.ran:
            await asyncio.sleep(0.02)
        stopping.set()
        await loop
    assert process.ran == ["count"]


@pytest.mark.spec("SWB-10.5")
async def test_the_eligibility_sweep_of_the_inventory_runs_every_five_minutes_without_the_runtime(
    pool: Pool, time: Time
):
    process = Process(pool, *(entry for entry in scheduled() if entry.name == ELIGIBILITY_SWEEP))
    store, connectors = ButlerStore(pool), ConnectorStore(pool, LivenessPolicy())
    butlers = Butlers(pool=pool, store=store, audit=process.audit, events=process.events)
    statistics = Statistics(pool, "sql", process.events)
    process.scheduler._jobs.update(native_jobs(butlers, connectors, statistics, Memories(NOBODY, NOBODY)))
    assert [entry.cron for entry in process.scheduler._schedules] == ["*/5 * * * *"]
    await process.scheduler.run_due()
    await butlers.declare("finance", Declaration("specialist", "http://127.0.0.1:1/mcp"), actor="operator")
    await butlers.register(butler("finance"), Registration(tools=("route.execute",)))
    await time.set(5 * MINUTES)
    assert await process.scheduler.run_due() == [ELIGIBILITY_SWEEP]
    assert await pool.fetchval("SELECT eligibility_state FROM butler_registry") == "stale"
    assert (
        await pool.fetchval("SELECT actor FROM eligibility_log ORDER BY entry_id DESC LIMIT 1")
        == ELIGIBILITY_SWEEP
    )
    assert await pool.fetchval("SELECT count(*) FROM sessions") == 0


@pytest.mark.spec("SWB-25.1")
def test_the_inventory_has_the_specified_hours_and_runs_natively():
    inventory = {entry.name: entry for entry in scheduled()}
    assert inventory[STATS_HOURLY] == Schedule("connector-stats-hourly-rollup", "5 * * * *", job=STATS_HOURLY)
    assert inventory[STATS_DAILY] == Schedule("connector-stats-daily-rollup", "15 0 * * *", job=STATS_DAILY)
    assert inventory[STATS_PRUNING] == Schedule("connector-stats-pruning", "30 1 * * *", job=STATS_PRUNING)
    assert inventory[MEMORY_CONSOLIDATION] == Schedule(
        "memory-consolidation", "0 */6 * * *", job=MEMORY_CONSOLIDATION
    )
    assert inventory[MEMORY_CLEANUP] == Schedule("memory-episode-cleanup", "0 4 * * *", job=MEMORY_CLEANUP)
    sweep = Schedule("eligibility-sweep", "*/5 * * * *", job=ELIGIBILITY_SWEEP)
    assert inventory[ELIGIBILITY_SWEEP] == sweep
    assert len(inventory) == 6
    assert {entry.repeatable for entry in inventory.values()} == {None}


def test_a_schedule_of_the_manifest_replaces_ours_of_the_same_name_and_is_meant_in_the_household_s_zone():
    sweep = {"name": ELIGIBILITY_SWEEP, "cron": "*/2 * * * *", "job": ELIGIBILITY_SWEEP, "timezone": "UTC"}
    digest = {"name": "digest", "cron": "0 7 * * *", "prompt": "Sum up."}
    ours = tuple(one for one in scheduled() if one.name != ELIGIBILITY_SWEEP)
    *native, prompt = scheduled(sweep, digest, household={"timezone": "Europe/Berlin"})
    assert native == [
        *ours,
        Schedule(ELIGIBILITY_SWEEP, "*/2 * * * *", job=ELIGIBILITY_SWEEP, zone=ZoneInfo("UTC")),
    ]
    assert (prompt.name, prompt.cron, prompt.zone) == ("digest", "0 7 * * *", ZoneInfo("Europe/Berlin"))


def test_every_job_that_a_manifest_may_name_is_there_and_no_other():
    entries = [{"name": name, "cron": "0 1 * * *", "job": name} for name in NATIVE]
    assert {entry.job for entry in own(*entries)} == set(NATIVE)
    assert set(get_args(Job)) == set(NATIVE) == {entry.job for entry in scheduled()}
