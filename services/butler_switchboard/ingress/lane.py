"""The admission lane's own connection: one plan for every batch, not returned between two (CNX-03.4).

It stays out of the pool as long as it works, because its planner settings must not reach anybody else: it is returned
closed. Invariant: after any error except a data error, the next batch gets another connection; after a lost
connection, a new one: the others in the pool were most likely lost with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import asyncpg

from butler_kit.db import Connection, NamedQueries, Pool
from butler_kit.db.faults import DRIVER_ERRORS, is_lost
from butler_switchboard.ingress.rows import AdmissionRow, Admitted, column_arrays

__all__ = ["POISON", "Lane"]

_SQL: Final = NamedQueries("butler_switchboard", "sql/ingress.sql")
_ADMIT_BATCH: Final = _SQL["admit_batch"]
_PLAN_ONCE: Final = _SQL["plan_once"]

POISON: Final = (
    asyncpg.DataError,
    asyncpg.IntegrityConstraintViolationError,
    asyncpg.ProgramLimitExceededError,
)
"""Errors that one row can cause its batch: text that cannot be stored, an index row too long."""

_CLOSE_S: Final = 2.0


class Lane:
    """Writes batches one after another; two tasks must not call `write` at once."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._connection: Connection | None = None

    async def write(self, rows: Sequence[AdmissionRow]) -> list[Admitted]:
        """Write a batch in one transaction; return what was decided for each row. Raises asyncpg's errors."""
        try:
            connection = self._connection or await self._open()
            records = await connection.fetch(_ADMIT_BATCH, *column_arrays(rows))
        except POISON:
            raise
        except BaseException as error:
            await self.close()
            if is_lost(error):
                await self._pool.expire_connections()
            raise
        return [Admitted(*record) for record in records]

    async def close(self) -> None:
        """Close the connection and give it up, whatever state it is in."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await asyncio.shield(_give_up(self._pool, connection))

    async def _open(self) -> Connection:
        connection = await self._pool.acquire()
        self._connection = connection
        try:
            await connection.execute(_PLAN_ONCE)
        except BaseException:
            await self.close()
            raise
        return connection


async def _give_up(pool: Pool, connection: Any) -> None:
    try:
        await connection.close(timeout=_CLOSE_S)
    except DRIVER_ERRORS:
        # A broken connection may be back in the pool already, as a free slot.
        with suppress(asyncpg.InterfaceError):
            connection.terminate()
    finally:
        await pool.release(connection)
