"""Drops days of the heartbeat log, and a month with its last day, while beats are being written (D38)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import asyncpg

from butler_kit.db import Connection, NamedQueries
from butler_kit.db.partitions import PUT_OFF, Partition, alone, detach, drop
from butler_kit.telemetry import get_logger
from butler_rollups.errors import LockHeld
from butler_rollups.models import Job

__all__ = ["DroppedDay", "drop_days"]

_SQL: Final = NamedQueries("butler_rollups", "sql/heartbeat_days.sql")
_log = get_logger(__name__)

_KEY: Final = f"butlers.rollup.{Job.PRUNE.value}"
"""The lock of the job's runs, as `try_lock` takes it."""
MOST_DAYS: Final = 400


@dataclass(frozen=True, slots=True)
class DroppedDay:
    """What a dropped day contained."""

    rows: int
    first_at: datetime | None
    last_at: datetime | None


async def drop_days(connection: Connection, before: datetime) -> tuple[DroppedDay, ...]:
    """Drop the days that end by `before`, the oldest first. Raises `LockHeld` while another run prunes."""
    dropped: list[DroppedDay] = []
    async with alone(connection, _KEY) as mine:
        if not mine:
            raise LockHeld(
                "prune: another run holds the lock; this one has nothing to add, try again when it is done"
            )
        try:
            for _ in range(MOST_DAYS):
                day = await connection.fetchrow(_SQL["oldest_day"], before)
                if day is None:
                    break
                dropped.append(await _drop(connection, _part(day, of=day["name"][:-2])))
            for row in await connection.fetch(_SQL["empty_months"], before):
                month = _part(row, of="connector_heartbeat_log")
                await detach(connection, month)
                await drop(connection, month)
        except PUT_OFF:
            _log.warning(
                "heartbeat_drop_put_off", why="an older transaction uses the log; the next run goes on"
            )
    return tuple(dropped)


async def _drop(connection: Connection, day: Partition) -> DroppedDay:
    await detach(connection, day)
    async with connection.transaction():
        [held] = await connection.fetch(_SQL.render("held_by", table=day.table))
        await drop(connection, day)
    return DroppedDay(held["rows"], held["first_at"], held["last_at"])


def _part(row: asyncpg.Record, *, of: str) -> Partition:
    return Partition(row["name"], of, row["attached"], row["leaving"])
