"""Lets whole months of the inbox go, while everybody goes on reading and writing the others (SWB-02.2, SWB-11.2).

A month is detached first (concurrently: nobody is locked out, only older transactions are waited for) and dropped when
nobody can reach it any more. Invariant: a month that holds an unfinished request stays, or comes back: whoever wrote
into it until it was detached may have left one. Each step is of its own, since a detach may not be part of a
transaction; what an earlier sweep left between two steps is ended first.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import asyncpg
import structlog

from butler_kit.db import Connection, NamedQueries, quote_identifier

__all__ = ["drop_months"]

_SQL = NamedQueries("butler_switchboard", "sql/partitions.sql")
_log = structlog.get_logger(__name__)

WAIT_S: Final = 10
"""How long older transactions are waited for; the next sweep goes on where this one gave up."""


@dataclass(frozen=True)
class _Month:
    """A table of the inbox: its name, its bounds as SQL has them, and how it stands to the whole."""

    name: str
    start: str
    end: str
    attached: bool
    leaving: bool

    @property
    def table(self) -> str:
        return quote_identifier(self.name)


async def drop_months(connection: Connection, before: datetime) -> tuple[str, ...]:
    """Drop the months that end by `before`, oldest first, up to the first that holds an unfinished request.

    Returns their names. One replica does it at a time; another one finds nothing to do.
    """
    dropped: list[str] = []
    async with _alone(connection) as alone:
        for month in await _months(connection, before) if alone else ():
            try:
                gone = await _drop(connection, month)
            except (asyncpg.QueryCanceledError, asyncpg.LockNotAvailableError):
                _log.warning(
                    "partition_drop_put_off", month=month.name, why="an older transaction uses the inbox"
                )
                break
            if not gone:
                break
            dropped.append(month.name)
    return tuple(dropped)


@asynccontextmanager
async def _alone(connection: Connection) -> AsyncIterator[bool]:
    """Whether this session alone drops months, with the time that a step may wait; both end with the block."""
    if not await connection.fetchval(_SQL["lock_months"]):
        yield False
        return
    try:
        await connection.execute(_SQL["wait_for_months"], str(WAIT_S * 1000))
        yield True
    finally:
        if not connection.is_closed():
            await connection.execute(_SQL["wait_as_before"])
            await connection.execute(_SQL["unlock_months"])


async def _months(connection: Connection, before: datetime) -> list[_Month]:
    rows = await connection.fetch(_SQL["inbox_months"], before)
    return [
        _Month(row["name"], row["start_at"], row["end_at"], row["attached"], row["leaving"]) for row in rows
    ]


async def _drop(connection: Connection, month: _Month) -> bool:
    """Take the steps that are left; False when the month stays."""
    if month.leaving:
        await connection.execute(_SQL.render("finish_detach", month=month.table))
    elif month.attached:
        if await _holds_work(connection, month):
            return False
        await connection.execute(_SQL.render("detach_month", month=month.table))
    if await _holds_work(connection, month):
        bounds = {"start": f"'{month.start}'", "end": f"'{month.end}'"}
        await connection.execute(_SQL.render("attach_month", month=month.table, **bounds))
        _log.warning("partition_came_back", month=month.name, why="it holds an unfinished request")
        return False
    await connection.execute(_SQL.render("drop_month", month=month.table))
    return True


async def _holds_work(connection: Connection, month: _Month) -> bool:
    return bool(await connection.fetchval(_SQL["month_holds_work"], month.end))
