"""Prunes old statistics, and reports what was removed (SWB-22.4, SWB-17.4, D38).

Invariant: nothing is removed that an unpublished window, or one that will be computed again, is made from. Pruned
windows are no longer recorded as published either, so that nobody computes them again from nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from butler_kit.db import Connection, NamedQueries
from butler_kit.telemetry import get_logger
from butler_rollups.heartbeat_days import drop_days
from butler_rollups.models import STEP, Job, Pruned, text_of
from butler_rollups.progress import watermark_of
from butler_rollups.publish import lock
from butler_rollups.queries import RUNS
from butler_rollups.windows import DAYS_KEPT, TRAILING, floor

__all__ = ["PRUNE", "keep_from", "prune"]

PRUNE: Final = NamedQueries("butler_rollups", "sql/prune.sql")
HEARTBEATS: Final = timedelta(days=7)
HOURS: Final = timedelta(days=30)
CHUNK: Final = 5_000
MOST_CHUNKS: Final = 2_000
_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of statistics: the job of its windows, their retention, and the job computed from them."""

    name: str
    query: str
    job: Job
    age: timedelta
    needed_by: Job


_TABLES: Final = (
    _Table("connector_stats_hourly", "forget_hours", Job.HOURLY, HOURS, Job.DAILY),
    _Table("connector_stats_daily", "forget_days", Job.DAILY, DAYS_KEPT, Job.DAILY),
    _Table("connector_fanout_daily", "forget_fanout", Job.FANOUT, DAYS_KEPT, Job.FANOUT),
    _Table("routing_quality_daily", "forget_quality", Job.QUALITY, DAYS_KEPT, Job.QUALITY),
)


def keep_from(now: datetime, age: timedelta, mark: datetime | None, job: Job) -> datetime:
    """Return the moment before which everything may go: old enough, and behind the windows that `job` recomputes.

    `mark` is the watermark of `job`; None means that there is nothing to compute it from.
    """
    old = now - age
    cut = old if mark is None else min(old, mark - TRAILING * STEP[job])
    return floor(cut, timedelta(days=1))


async def prune(connection: Connection) -> tuple[Pruned, ...]:
    """Drop and delete what is old enough, one day or chunk per transaction. Raises `LockHeld`."""
    now: datetime = await connection.fetchval(RUNS["now"])
    beats = await _prune_heartbeats(
        connection, keep_from(now, HEARTBEATS, await watermark_of(connection, Job.HOURLY), Job.HOURLY)
    )
    pruned = [beats]
    for table in _TABLES:
        mark = await watermark_of(connection, table.needed_by)
        pruned.append(await _prune_rows(connection, table, keep_from(now, table.age, mark, table.needed_by)))
    for one in pruned:
        if one.rows or one.partitions:
            _log.info("statistics_pruned", **one.to_json())
    return tuple(pruned)


async def _prune_heartbeats(connection: Connection, before: datetime) -> Pruned:
    days = await drop_days(connection, before)
    seen = [moment for day in days for moment in (day.first_at, day.last_at) if moment is not None]
    first, last = (text_of(min(seen)), text_of(max(seen))) if seen else (None, None)
    return Pruned("connector_heartbeat_log", sum(day.rows for day in days), first, last, len(days))


async def _prune_rows(connection: Connection, table: _Table, before: datetime) -> Pruned:
    rows = 0
    seen: list[str] = []
    for _ in range(MOST_CHUNKS):
        async with connection.transaction():
            await lock(connection, Job.PRUNE)
            # First the record that they are published: rows are deleted a chunk at a time.
            await connection.execute(PRUNE["forget_runs"], table.job.value, before, CHUNK)
            gone = await connection.fetchrow(PRUNE[table.query], before, CHUNK)
        if gone is not None and gone["rows"]:
            rows += gone["rows"]
            seen.extend(gone[end].isoformat().replace("+00:00", "Z") for end in ("first", "last"))
        if gone is None or gone["rows"] < CHUNK:
            break
    return Pruned(table.name, rows, min(seen, default=None), max(seen, default=None))
