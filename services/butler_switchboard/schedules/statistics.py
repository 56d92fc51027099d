"""Connector statistics by the clock: run here in SQL, or left to Spark and only watched (SWB-22, SWB-25.2, D40).

Invariant: a failure of one job stops none of the others of its schedule.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, Protocol

from butler_contracts.errors import ButlerError
from butler_kit.db import Pool, acquire
from butler_kit.service import repeat
from butler_rollups.models import STATISTICS, Job, JobReport, text_of
from butler_rollups.progress import Progress, progress_of
from butler_rollups.run import Asked, run
from butler_rollups.sql_engine import SqlEngine

__all__ = ["Statistics"]

MEASURE_S: Final = 60.0
Engine = Literal["sql", "spark"]


class LagEvents(Protocol):
    def rollup_lag(self, job: str, seconds: float) -> None: ...


class Statistics:
    """`hourly`, `daily` and `prune` are native jobs; `run` keeps the lag of all of them measured."""

    def __init__(self, pool: Pool, engine: Engine, events: LagEvents) -> None:
        self._pool = pool
        self._engine = engine
        self._events = events

    async def hourly(self) -> Mapping[str, Any]:
        """The hours that are due."""
        return await self._perform(Job.HOURLY)

    async def daily(self) -> Mapping[str, Any]:
        """The days that are due, and who answered whom on them."""
        return await self._perform(Job.DAILY, Job.FANOUT)

    async def prune(self) -> Mapping[str, Any]:
        """What is old enough goes."""
        return await self._perform(Job.PRUNE)

    async def run(self, stopping: asyncio.Event) -> None:
        """Measure the lag until stopped."""
        await repeat(self.measure, every_s=MEASURE_S, stopping=stopping, what="rollup lag")

    async def measure(self) -> dict[Job, Progress]:
        """Tell how far behind each job is."""
        found = {}
        async with acquire(self._pool, doing="measuring the lag of statistics") as connection:
            for job in STATISTICS:
                found[job] = await progress_of(connection, job)
                self._events.rollup_lag(job.value, found[job].lag_s)
        return found

    async def _perform(self, *jobs: Job) -> Mapping[str, Any]:
        if self._engine == "spark":
            return await self._delegated(jobs)
        done: dict[str, Any] = {}
        failures: list[ButlerError] = []
        for job in jobs:
            try:
                done[job.value] = _told(await self._run(job))
            except ButlerError as failure:
                failures.append(failure)
        await self.measure()
        if failures:
            raise failures[0]
        return done

    async def _run(self, job: Job) -> JobReport:
        async with acquire(self._pool, doing=f"rolling up {job.value}") as connection:
            return await run(connection, SqlEngine(), Asked(job))

    async def _delegated(self, jobs: Sequence[Job]) -> Mapping[str, Any]:
        """Spark's own schedule runs them; here is only told how far it is."""
        found = await self.measure()
        return {"delegated": True} | {
            job.value: {"watermark": _moment(found[job]), "lag_s": found[job].lag_s}
            for job in jobs
            if job in found
        }


def _told(report: JobReport) -> dict[str, Any]:
    """What `schedule_runs` keeps of a run: sums, not every window."""
    document = report.to_json()
    return {**document, "windows": len(report.windows)}


def _moment(progress: Progress) -> str | None:
    return None if progress.watermark is None else text_of(progress.watermark)
