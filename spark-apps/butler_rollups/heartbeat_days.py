"""Lets days of the heartbeat log go, and a month with the last of its days, while beats go on being written (D38).

A day is detached from its month concurrently, which locks nobody out and may not be part of a transaction, and dropped
when nobody can reach it any more. What an earlier run left between two steps is ended first.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import asyncpg

from butler_kit.db import Connection, NamedQueries, quote_identifier
from butler_kit.telemetry import get_logger
from butler_rollups.errors import LockHeld
from butler_rollups.models import Job

__all__ = ["DroppedDay", "drop_days"]

_SQL: Final = NamedQueries("butler_rollups", "sql/heartbeat_days.sql")
_log = get_logger(__name__)

WAIT_S: Final = 10
"""How long older transactions are waited for; the next run goes on where this one gave up."""
MOST_DAYS: Final = 400


@dataclass(frozen=True, slots=True)
class DroppedDay:
    """What was in a day that is gone."""

    rows: int
    first_at: datetime | None
    last_at: datetime | None


async def drop_days(connection: Connection, before: datetime) -> tuple[DroppedDay, ...]:
    """Drop the days that end by `before`, the oldest first. Raises `LockHeld` while another run prunes."""
    dropped: list[DroppedDay] = []
    async with _alone(connection):
        try:
            for _ in range(MOST_DAYS):
                day = await connection.fetchrow(_SQL["oldest_day"], before)
                if day is None:
                    break
                dropped.append(await _drop(connection, day))
            for month in await connection.fetch(_SQL["empty_months"], before):
                await _detach(connection, month, quote_identifier("connector_heartbeat_log"))
                await connection.execute(_SQL.render("drop_table", table=quote_identifier(month["name"])))
        except (asyncpg.QueryCanceledError, asyncpg.LockNotAvailableError):
            _log.warning(
                "heartbeat_drop_put_off", why="an older transaction uses the log; the next run goes on"
            )
    return tuple(dropped)


@asynccontextmanager
async def _alone(connection: Connection) -> AsyncIterator[None]:
    if not await connection.fetchval(_SQL["lock_session"], Job.PRUNE.value):
        raise LockHeld(
            "prune: another run holds the lock; this one has nothing to add, try again when it is done"
        )
    try:
        await connection.execute(_SQL["wait_at_most"], str(WAIT_S * 1000))
        yield
    finally:
        if not connection.is_closed():
            await connection.execute(_SQL["wait_as_before"])
            await connection.execute(_SQL["unlock_session"], Job.PRUNE.value)


async def _drop(connection: Connection, day: asyncpg.Record) -> DroppedDay:
    table = quote_identifier(day["name"])
    await _detach(connection, day, quote_identifier(day["name"][:-2]))
    async with connection.transaction():
        [held] = await connection.fetch(_SQL.render("held_by", table=table))
        await connection.execute(_SQL.render("drop_table", table=table))
    return DroppedDay(held["rows"], held["first_at"], held["last_at"])


async def _detach(connection: Connection, part: asyncpg.Record, parent: str) -> None:
    if part["attached"]:
        step = "finish_detach" if part["leaving"] else "detach"
        await connection.execute(_SQL.render(step, parent=parent, table=quote_identifier(part["name"])))
