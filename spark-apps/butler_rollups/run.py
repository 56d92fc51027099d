"""One run of a job: selects the windows, computes and publishes them span by span (SWB-22, CNX-13, D34, D40).

Invariant: each span is published or not on its own, so a run that ends early leaves whole windows, and the next one
continues from there.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from butler_contracts.errors import ButlerError
from butler_kit.db import Connection
from butler_rollups.engine import Engine
from butler_rollups.errors import BadArguments, DataCheckFailed, SourcePruned
from butler_rollups.models import STEP, Job, JobReport, Window, text_of
from butler_rollups.progress import progress_of, published_of, watermark_of
from butler_rollups.prune import prune
from butler_rollups.publish import publish
from butler_rollups.queries import QUERIES, RUNS
from butler_rollups.windows import (
    MOST,
    TRAILING,
    automatic,
    begins,
    check_begun,
    closed_until,
    floor,
    given,
    spans,
    watermark,
)

__all__ = ["Asked", "run"]

BACKFILLS_SINCE: Final = timedelta(days=31)
"""How long ago a backfill may have ended for its hours to be computed again."""
CORRECTIONS_SINCE: Final = timedelta(days=31)
"""How long ago a correction may have been made that a published day does not include yet."""
SETTLES: Final = timedelta(hours=1)
"""The last messages of a backfill are routed after it has ended; writes under way are seen later."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a run has to do: a window, the windows of a backfill, or (neither) what is due."""

    job: Job
    start: datetime | None = None
    end: datetime | None = None
    backfill: UUID | None = None
    trailing: int = TRAILING
    most: int = MOST

    @property
    def window(self) -> Window | None:
        """The given window; raises `BadArguments` if it is not one."""
        if self.start is None or self.end is None:
            return None
        return given(self.job, self.start, self.end)


async def run(connection: Connection, engine: Engine, asked: Asked) -> JobReport:
    """Perform the run. Raises the errors of `butler_rollups.errors`; what was published before stays."""
    started = time.monotonic()
    job = asked.job
    if job is Job.PRUNE:
        pruned = await prune(connection)
        return JobReport(job, engine.name, pruned=pruned, seconds=time.monotonic() - started)
    now: datetime = await connection.fetchval(RUNS["now"])
    plan = await _plan(connection, asked, now)
    reports = []
    for window in spans(plan.windows, most=engine.most_buckets * STEP[job]):
        if job is Job.DAILY:
            await _check_hours(connection, window, now)
        until, strict = closed_until(job, now), asked.window is not None
        reports.append(await publish(connection, engine, job, window, closed_until=until, strict=strict))
    if plan.refused is not None:
        raise plan.refused
    done = await progress_of(connection, job)
    return JobReport(
        job, engine.name, tuple(reports), (), done.watermark, done.lag_s, time.monotonic() - started
    )


@dataclass(frozen=True, slots=True)
class _Plan:
    """What can be done now, and why the rest cannot (raised once the other windows are published)."""

    windows: Sequence[Window]
    refused: ButlerError | None = None


async def _plan(connection: Connection, asked: Asked, now: datetime) -> _Plan:
    if asked.window is not None:
        check_begun(asked.job, asked.window, now)
        return _Plan((asked.window,))
    source_from: datetime | None = await connection.fetchval(QUERIES[asked.job]["source_starts_at"])
    if asked.backfill is not None:
        return await _plan_backfill(connection, asked.job, asked.backfill, source_from)
    return await _plan_due(connection, asked, now, source_from)


async def _plan_due(
    connection: Connection, asked: Asked, now: datetime, source_from: datetime | None
) -> _Plan:
    job = asked.job
    until = ready = closed_until(job, now)
    refused = None
    hours = await watermark_of(connection, Job.HOURLY) if job is Job.DAILY else None
    if hours is not None and floor(hours, STEP[job]) < until:
        ready = floor(hours, STEP[job])
        refused = DataCheckFailed(_missing(f"daily up to {text_of(until)}", hours))
    published = await published_of(connection, job)
    known = [moment for moment in (source_from, begins(job, published)) if moment is not None]
    windows = automatic(
        job,
        mark=watermark(job, published),
        until=ready,
        since=max(known, default=None),
        trailing=asked.trailing,
        most=asked.most,
        dirty=await _dirty(connection, job, now),
    )
    return _Plan(windows, refused)


async def _plan_backfill(
    connection: Connection, job: Job, backfill: UUID, source_from: datetime | None
) -> _Plan:
    if not await connection.fetchval(RUNS["backfill_known"], backfill):
        raise BadArguments(f"--backfill: job {backfill} is not known; `butlers backfills` lists them")
    starts = await _starts_of(connection, job, backfill)
    there = [start for start in starts if source_from is not None and start >= source_from]
    refused = None
    if len(there) < len(starts):
        refused = SourcePruned(
            f"{job.value}: the source of {len(starts) - len(there)} windows of backfill {backfill} was pruned; "
            "their stored rows stay as they are, the others are up to date"
        )
    return _Plan([Window(start, start + STEP[job]) for start in there], refused)


async def _starts_of(connection: Connection, job: Job, backfill: UUID) -> list[datetime]:
    """Return the windows of `job` in which messages of a backfill were received."""
    hours = await connection.fetch(RUNS["backfill_hours"], backfill)
    return sorted({floor(row["hour"], STEP[job]) for row in hours})


async def _dirty(connection: Connection, job: Job, now: datetime) -> set[datetime]:
    """Return the windows that have changed since they were published: by a backfill (D34) or a label (D71).

    History does not count for the quality of routing.
    """
    if job is Job.QUALITY:
        rows = await connection.fetch(QUERIES[job]["corrected_days"], now - CORRECTIONS_SINCE, SETTLES)
        return {row["window_start"] for row in rows}
    dirty: set[datetime] = set()
    for row in await connection.fetch(RUNS["backfills"], now - BACKFILLS_SINCE):
        starts = await _starts_of(connection, job, row["job_id"])
        settled = row["finished_at"] + SETTLES
        stale = await connection.fetch(RUNS["published_before"], job.value, starts, settled)
        dirty.update(one["window_start"] for one in stale)
    return dirty


async def _check_hours(connection: Connection, window: Window, now: datetime) -> None:
    """Refuse a day if one of its finished hours is not published (SWB-22.2)."""
    # Before the first beat there was nothing to roll up.
    first = begins(Job.HOURLY, await published_of(connection, Job.HOURLY)) or window.start
    over = min(window.end, closed_until(Job.HOURLY, now))
    missing: datetime | None = await connection.fetchval(
        RUNS["hourly_missing"], max(window.start, first), over
    )
    if missing is not None:
        raise DataCheckFailed(_missing(f"daily {window}", missing))


def _missing(what: str, hour: datetime) -> str:
    return f"{what}: the hour of {text_of(hour)} is not rolled up; run `butlers-rollups hourly` first"
