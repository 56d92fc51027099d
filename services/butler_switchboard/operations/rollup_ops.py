"""`GET /ops/v1/rollups`: how far connector statistics are, for readers and for the operator (SWB-22, D40)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict
from starlette.requests import Request

from butler_kit.auth import Caller, Role, require_role
from butler_kit.db import Pool, acquire
from butler_rollups.models import STATISTICS, STEP, Job
from butler_rollups.progress import progress_of

__all__ = ["RollupList", "RollupOps", "RollupView"]

_READERS: Final = (Role.OPERATOR, Role.DASHBOARD)
Endpoint = Callable[[Caller, Request], Awaitable[BaseModel]]


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


class RollupOps:
    """The endpoint; the ops API guards it and turns errors into answers."""

    def __init__(self, pool: Pool, engine: Literal["sql", "spark"]) -> None:
        self._pool = pool
        self._engine: Literal["sql", "spark"] = engine

    def endpoints(self) -> tuple[tuple[str, str, Endpoint], ...]:
        """Method, path below the prefix, and what answers."""
        return (("GET", "/rollups", self._list),)

    async def _list(self, caller: Caller, _: Request) -> BaseModel:
        require_role(caller, *_READERS)
        return RollupList(engine=self._engine, jobs=tuple([await self._view(job) for job in STATISTICS]))

    async def _view(self, job: Job) -> RollupView:
        async with acquire(self._pool, doing="reading the progress of statistics") as connection:
            progress = await progress_of(connection, job)
        window_s = STEP[job] // timedelta(seconds=1)
        return RollupView(
            job=job.value, watermark=progress.watermark, lag_s=progress.lag_s, window_s=window_s
        )
