"""Publishes one window exactly once: lock, stage, check, merge, delete, record, commit (SWB-22.5, D40).

Invariants: a reader of the tables sees a window before or after a run, never in between; an unchanged window writes
no row; a stored row whose source was pruned is never replaced; only closed windows are recorded.
"""

from __future__ import annotations

from datetime import datetime
from importlib.metadata import version
from uuid import UUID, uuid4

import asyncpg

from butler_kit.db import Connection
from butler_rollups.engine import PATIENCE_S, Engine
from butler_rollups.errors import DataCheckFailed, LockHeld, SourcePruned
from butler_rollups.models import Job, Window, WindowReport, text_of
from butler_rollups.queries import QUERIES, RUNS

__all__ = ["lock", "publish"]


async def publish(
    connection: Connection,
    engine: Engine,
    job: Job,
    window: Window,
    *,
    closed_until: datetime,
    strict: bool = False,
) -> WindowReport:
    """Compute `window` and replace its stored rows; windows up to `closed_until` count as done.

    `strict` refuses a window in which a stored row would have to be kept. Raises `LockHeld`, `SourcePruned`,
    `DataCheckFailed`; nothing has changed then.
    """
    run_id = uuid4()
    queries = QUERIES[job]
    async with connection.transaction():
        await connection.execute(RUNS["patient"], str(int(PATIENCE_S * 1000)))
        await lock(connection, job)
        await _check_source(connection, job, window)
        try:
            await engine.stage(connection, job, window, run_id)
        except asyncpg.UniqueViolationError as error:
            raise DataCheckFailed(
                f"{job.value} {window}: {engine.name} gave two rows of one key; {error.detail}"
            ) from error
        # An engine may read on its own connections, and the source may have been pruned meanwhile.
        await _check_source(connection, job, window)
        await _check_stage(connection, job, window, run_id)
        kept: int = await connection.fetchval(queries["unknown"], *((run_id,) if job is Job.HOURLY else ()))
        if kept and strict:
            raise SourcePruned(
                f"{job.value} {window}: the beats that {kept} stored rows are counted from were pruned; "
                "they stay as they are"
            )
        changed = _count(await connection.execute(queries["merge"], run_id, timeout=PATIENCE_S))
        deleted = _count(
            await connection.execute(
                queries["delete_vanished"], run_id, window.start, window.end, timeout=PATIENCE_S
            )
        )
        totals = await connection.fetchrow(queries["totals"], run_id)
        closed = min(window.end, closed_until)
        if closed > window.start:
            code = version("butlers")
            await connection.execute(queries["record"], run_id, window.start, closed, engine.name, code)
        await connection.execute(queries["clear"], run_id)
    rows, source_rows = (totals["rows"], totals["source_rows"]) if totals is not None else (0, 0)
    return WindowReport(window, rows, source_rows, changed, deleted, kept)


async def lock(connection: Connection, job: Job) -> None:
    """Be the only run of this job until the transaction ends. Raises `LockHeld`."""
    if not await connection.fetchval(RUNS["try_lock"], job.value):
        raise LockHeld(
            f"{job.value}: another run holds the lock; this one has nothing to add, try again when it is done"
        )


async def _check_source(connection: Connection, job: Job, window: Window) -> None:
    starts_at: datetime | None = await connection.fetchval(QUERIES[job]["source_starts_at"])
    if starts_at is None or window.start < starts_at:
        since = f"is there from {text_of(starts_at)} on" if starts_at else "is gone"
        raise SourcePruned(f"{job.value} {window}: its source {since}; the stored rows stay as they are")


async def _check_stage(connection: Connection, job: Job, window: Window, run_id: UUID) -> None:
    problem: str | None = await connection.fetchval(QUERIES[job]["check"], run_id, window.start, window.end)
    if problem is not None:
        raise DataCheckFailed(
            f"{job.value} {window}: the computed rows have {problem}; nothing was published"
        )


def _count(status: str) -> int:
    return int(status.rpartition(" ")[2])
