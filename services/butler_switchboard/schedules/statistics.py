"""Scheduled statistics: run here in SQL, or left to Spark and only watched (SWB-22, SWB-25.2, SWB-37.1, D40).

Invariant: a failed job does not stop the other jobs of its schedule.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Literal, Protocol

from butler_contracts.errors import ButlerError
from butler_kit.db import Connection, Pool, acquire
from butler_kit.service import repeat
from butler_kit.telemetry import get_logger
from butler_rollups.evaluation import evaluated
from butler_rollups.models import STATISTICS, Job, JobReport, text_of
from butler_rollups.progress import Progress, progress_of
from butler_rollups.quality import Dimension, Measure
from butler_rollups.run import Asked, run
from butler_rollups.sql_engine import SqlEngine

__all__ = ["Statistics"]

MEASURE_S: Final = 60.0
_log = get_logger(__name__)
Engine = Literal["sql", "spark"]


class LagEvents(Protocol):
    def rollup_lag(self, job: str, seconds: float) -> None: ...

    def routing_drift(self, dimension: str, measure: str, slices: int) -> None: ...


class Statistics:
    """`hourly`, `daily` and `prune` are native jobs; `run` keeps measuring the lag of all jobs, and drift."""

    def __init__(self, pool: Pool, engine: Engine, events: LagEvents) -> None:
        self._pool = pool
        self._engine = engine
        self._events = events
        self._judged_until: datetime | None = None

    async def hourly(self) -> Mapping[str, Any]:
        """Roll up the hours that are due."""
        return await self._perform(Job.HOURLY)

    async def daily(self) -> Mapping[str, Any]:
        """Roll up the days that are due, who answered whom on them, and how good routing was."""
        return await self._perform(Job.DAILY, Job.FANOUT, Job.QUALITY)

    async def prune(self) -> Mapping[str, Any]:
        """Delete statistics that are old enough."""
        return await self._perform(Job.PRUNE)

    async def run(self, stopping: asyncio.Event) -> None:
        """Measure lag and drift until stopped."""
        await repeat(self.measure, every_s=MEASURE_S, stopping=stopping, what="rollup lag")

    async def measure(self) -> dict[Job, Progress]:
        """Report how far behind each job is and, once another day is known, whether routing got worse."""
        found = {}
        async with acquire(self._pool, doing="measuring the lag of statistics") as connection:
            for job in STATISTICS:
                found[job] = await progress_of(connection, job)
                self._events.rollup_lag(job.value, found[job].lag_s)
            await self._judge(connection, found[Job.QUALITY].watermark)
        return found

    async def _judge(self, connection: Connection, until: datetime | None) -> None:
        """Judge the days once per replica, whichever process computed them."""
        if until is None or until == self._judged_until:
            return
        judged = await evaluated(connection)
        if judged is None:
            return
        report = judged.report
        slices = Counter((one.where.dimension, one.measure) for one in report.drifts)
        for dimension in Dimension:
            for measure in Measure:
                self._events.routing_drift(dimension.value, measure.value, slices[dimension, measure])
        if report.drifts:
            _log.warning("routing_drifts", until=report.until.isoformat(), found=len(report.drifts))
        self._judged_until = until

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
        """Return how far Spark is; its own schedule runs the jobs."""
        found = await self.measure()
        return {"delegated": True} | {
            job.value: {"watermark": _moment(found[job]), "lag_s": found[job].lag_s}
            for job in jobs
            if job in found
        }


def _told(report: JobReport) -> dict[str, Any]:
    """Return the part of a run that `schedule_runs` keeps: sums, not every window."""
    document = report.to_json()
    return {**document, "windows": len(report.windows)}


def _moment(progress: Progress) -> str | None:
    return None if progress.watermark is None else text_of(progress.watermark)
