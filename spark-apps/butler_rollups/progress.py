"""The progress of a job: the watermark and its lag, read from the database (SWB-22, D40)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from butler_kit.db import Connection
from butler_rollups.models import OF_MESSAGES, STEP, Job
from butler_rollups.queries import QUERIES, RUNS
from butler_rollups.windows import DAYS_KEPT, Published, floor, lag_s, watermark

__all__ = ["Progress", "progress_of", "published_of", "watermark_of"]


@dataclass(frozen=True, slots=True)
class Progress:
    """`watermark` is None with nothing to roll up yet; `lag_s` is the seconds of closed windows that wait."""

    watermark: datetime | None
    lag_s: float


async def published_of(connection: Connection, job: Job) -> Published:
    """Return what is recorded of a job, and the source that lies before it."""
    run = await connection.fetchrow(RUNS["published"], job.value)
    first, chain_end = (run["first_start"], run["chain_end"]) if run is not None else (None, None)
    bounds = [first]
    if job in OF_MESSAGES:
        now: datetime = await connection.fetchval(RUNS["now"])
        bounds.append(floor(now - DAYS_KEPT, STEP[job]))
    oldest: datetime | None = await connection.fetchval(QUERIES[job]["oldest_source"], *bounds)
    return Published(first, chain_end, oldest)


async def watermark_of(connection: Connection, job: Job) -> datetime | None:
    """Return the end of the gapless published windows of `job`; None if it has no source yet."""
    return watermark(job, await published_of(connection, job))


async def progress_of(connection: Connection, job: Job) -> Progress:
    """Return the progress of a job, by the database's clock."""
    mark = await watermark_of(connection, job)
    now: datetime = await connection.fetchval(RUNS["now"])
    return Progress(mark, lag_s(job, mark=mark, now=now))
