"""A run whose effect has a key is made again until it ends or its time is over; never twice beside itself."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest

from butler_contracts.errors import TargetUnavailable
from butler_kit.db import Pool
from butler_switchboard.schedules.scheduler import REPEATED_AFTER, Repeatable, Schedule
from tests.integration.switchboard.schedules.test_scheduler import (
    MINUTES,
    Process,
    Time,
    begin,
    database,
    pool,
    time,
)

__all__ = ["begin", "database", "pool", "time"]

LATE = timedelta(minutes=3)


class Act:
    """What is done for a due time; `away` times it cannot be."""

    def __init__(self, away: int = 0) -> None:
        self.away = away
        self.done: list[tuple[datetime, timedelta]] = []

    async def __call__(self, due: datetime, late: timedelta) -> Mapping[str, Any]:
        if self.away:
            self.away -= 1
            raise TargetUnavailable("messenger is away", retryable=True)
        self.done.append((due, late))
        return {"told": 1}

    def schedule(self) -> Schedule:
        return Schedule("digest:ada", "*/5 * * * *", job="digest", repeatable=Repeatable(self, LATE))


@pytest.fixture
async def act(pool: Pool, time: Time) -> Act:
    """One that was done five minutes ago."""
    act = Act()
    process = Process(pool, act.schedule())
    await process.scheduler.run_due()
    await time.set(5 * MINUTES)
    assert await process.scheduler.run_due() == ["digest:ada"]
    act.done.clear()
    return act


async def statuses(pool: Pool) -> list[str]:
    rows = await pool.fetch("SELECT status FROM schedule_runs ORDER BY due_at")
    return [row["status"] for row in rows]


async def test_what_was_put_off_is_done_later_once_by_whichever_replica_comes_first(
    pool: Pool, time: Time, act: Act
) -> None:
    act.away = 1
    await time.set(10 * MINUTES)
    replicas = [Process(pool, act.schedule(), name=f"replica-{number}") for number in range(3)]
    await asyncio.gather(*(replica.scheduler.run_due() for replica in replicas))
    assert act.done == [], "nobody takes it over at once"
    assert await statuses(pool) == ["done", "running"]
    await time.set(10 * MINUTES + REPEATED_AFTER + timedelta(seconds=1))
    await asyncio.gather(*(replica.scheduler.run_due() for replica in replicas))
    await asyncio.gather(*(replica.scheduler.run_due() for replica in replicas))
    [(_, late)] = act.done
    assert late >= REPEATED_AFTER
    assert await statuses(pool) == ["done", "done"]


async def test_what_a_dead_process_had_claimed_is_done_by_the_next(pool: Pool, time: Time, act: Act) -> None:
    await time.set(10 * MINUTES)
    dead = Process(pool, act.schedule(), name="dead").scheduler
    due = await dead._due(act.schedule())
    assert due is not None
    assert await dead._claim(act.schedule(), due) is not None
    await time.set(11 * MINUTES)
    await Process(pool, act.schedule(), name="next").scheduler.run_due()
    assert [done for done, _ in act.done] == [due]


async def test_after_a_while_away_it_is_done_late_and_past_its_time_not_at_all(
    pool: Pool, time: Time, act: Act
) -> None:
    await time.set(9 * MINUTES + LATE - timedelta(seconds=20))
    await Process(pool, act.schedule()).scheduler.run_due()
    assert len(act.done) == 1
    await time.set(14 * MINUTES + LATE + timedelta(seconds=5))
    assert await Process(pool, act.schedule()).scheduler.run_due() == []
    assert len(act.done) == 1


async def test_a_clock_that_jumps_back_does_not_do_it_again(pool: Pool, time: Time, act: Act) -> None:
    await time.set(10 * MINUTES)
    process = Process(pool, act.schedule())
    await process.scheduler.run_due()
    for minutes in (4, 7, 10):
        await time.set(minutes * MINUTES)
        await process.scheduler.run_due()
    assert len(act.done) == 1


async def test_members_are_counted_together(pool: Pool, time: Time, act: Act) -> None:
    await time.set(10 * MINUTES)
    process = Process(pool, act.schedule())
    await process.scheduler.run_due()
    assert process.metrics.value("butlers.switchboard.schedule_run", job="digest", outcome="done") == 1
