"""`GET /ops/v1/rollups`: how far connector statistics are, for readers and the operator (SWB-22, D40)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict

from butler_kit.db import Pool, acquire
from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import Reader, handed
from butler_rollups.models import STATISTICS, STEP, Job
from butler_rollups.progress import progress_of

__all__ = ["RollupList", "RollupView", "Statistics", "reading_rollups"]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Where statistics are and who computes them."""

    pool: Pool
    engine: Literal["sql", "spark"]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RollupView(_Model):
    """One job. `watermark`: up to where every window is published, null before the first; `lag_s`: seconds of closed
    windows that wait; `window_s`: how long one is."""

    job: str
    watermark: AwareDatetime | None
    lag_s: float
    window_s: int


class RollupList(_Model):
    """Every job, and who computes."""

    engine: Literal["sql", "spark"]
    jobs: tuple[RollupView, ...]


reading_rollups = ops_router()
"""One path for readers and for the operator."""


@reading_rollups.get("/rollups")
async def rollups(statistics: Annotated[Statistics, handed(Statistics)], _: Reader) -> RollupList:
    """How far connector statistics are, and who computes them."""
    return RollupList(
        engine=statistics.engine, jobs=tuple([await _view(statistics.pool, job) for job in STATISTICS])
    )


async def _view(pool: Pool, job: Job) -> RollupView:
    async with acquire(pool, doing="reading the progress of statistics") as connection:
        progress = await progress_of(connection, job)
    window_s = STEP[job] // timedelta(seconds=1)
    return RollupView(job=job.value, watermark=progress.watermark, lag_s=progress.lag_s, window_s=window_s)
