"""Removal of partitions from a table that stays in use.

A partition is detached first, concurrently: nobody is locked out, only older transactions are waited for. It is
dropped when nobody can reach it any more. Each step runs by itself, since a concurrent detach may not be part of a
transaction; the next run finishes what an earlier one left between two steps.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import asyncpg

from butler_kit.db.pool import Connection
from butler_kit.db.queries import NamedQueries, quote_identifier

__all__ = ["PUT_OFF", "Partition", "alone", "detach", "drop"]

_SQL: Final = NamedQueries("butler_kit.db", "sql/partitions.sql")
WAIT_S: Final = 10
"""How many seconds to wait for older transactions."""
PUT_OFF: Final = (asyncpg.QueryCanceledError, asyncpg.LockNotAvailableError)
"""Errors of a step that waited too long: the next run goes on there."""


@dataclass(frozen=True, slots=True)
class Partition:
    """A table that is, was, or is ceasing to be (`leaving`) a part of `parent`."""

    name: str
    parent: str
    attached: bool
    leaving: bool

    @property
    def table(self) -> str:
        return quote_identifier(self.name)


@asynccontextmanager
async def alone(connection: Connection, key: str) -> AsyncIterator[bool]:
    """Lock `key` and limit how long a step waits, until the block ends; yield whether the lock was free."""
    if not await connection.fetchval(_SQL["lock"], key):
        yield False
        return
    try:
        await connection.execute(_SQL["wait_at_most"], str(WAIT_S * 1000))
        yield True
    finally:
        if not connection.is_closed():
            await connection.execute(_SQL["wait_as_before"])
            await connection.execute(_SQL["unlock"], key)


async def detach(connection: Connection, partition: Partition) -> None:
    """Detach it, or finish a detach that was begun; do nothing if it is detached. Raises one of `PUT_OFF`."""
    if not (partition.attached or partition.leaving):
        return
    step = "finish_detach" if partition.leaving else "detach"
    parent = quote_identifier(partition.parent)
    await connection.execute(_SQL.render(step, parent=parent, table=partition.table))


async def drop(connection: Connection, partition: Partition) -> None:
    """Drop a detached partition. Raises one of `PUT_OFF`."""
    await connection.execute(_SQL.render("drop", table=partition.table))
