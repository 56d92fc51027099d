"""Drops whole months of the inbox while the others are being read and written (SWB-02.2, SWB-11.2).

Invariant: a month that holds an unfinished request stays, or comes back, since one may have been written until the
month was detached.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog

from butler_kit.db import Connection, NamedQueries
from butler_kit.db.partitions import PUT_OFF, Partition, alone, detach, drop

__all__ = ["drop_months"]

_SQL = NamedQueries("butler_switchboard", "sql/partitions.sql")
_log = structlog.get_logger(__name__)

_KEY: Final = "switchboard.months"


@dataclass(frozen=True)
class _Month:
    """A month of the inbox and its bounds as SQL has them."""

    part: Partition
    start: str
    end: str


async def drop_months(connection: Connection, before: datetime) -> tuple[str, ...]:
    """Drop the months that end by `before`, oldest first, up to the first that holds an unfinished request.

    Return their names. One replica does it at a time; another one finds nothing to do.
    """
    dropped: list[str] = []
    async with alone(connection, _KEY) as mine:
        for month in await _months(connection, before) if mine else ():
            try:
                gone = await _drop(connection, month)
            except PUT_OFF:
                _log.warning(
                    "partition_drop_put_off", month=month.part.name, why="an older transaction uses the inbox"
                )
                break
            if not gone:
                break
            dropped.append(month.part.name)
    return tuple(dropped)


async def _months(connection: Connection, before: datetime) -> list[_Month]:
    rows = await connection.fetch(_SQL["inbox_months"], before)
    return [
        _Month(
            Partition(row["name"], "message_inbox", row["attached"], row["leaving"]),
            row["start_at"],
            row["end_at"],
        )
        for row in rows
    ]


async def _drop(connection: Connection, month: _Month) -> bool:
    """Take the remaining steps; return False if the month stays."""
    part = month.part
    if part.attached and not part.leaving and await _holds_work(connection, month):
        return False
    await detach(connection, part)
    if await _holds_work(connection, month):
        bounds = {"start": f"'{month.start}'", "end": f"'{month.end}'"}
        await connection.execute(_SQL.render("attach_month", month=part.table, **bounds))
        _log.warning("partition_came_back", month=part.name, why="it holds an unfinished request")
        return False
    await drop(connection, part)
    return True


async def _holds_work(connection: Connection, month: _Month) -> bool:
    return bool(await connection.fetchval(_SQL["month_holds_work"], month.end))
