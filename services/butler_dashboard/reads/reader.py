"""Access to the views: one pool of a read-only role, and the settings that every read needs.

A missing view is an outage, not a defect: the service that owns it creates it at its next start.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

import asyncpg

from butler_contracts.errors import TargetUnavailable
from butler_contracts.liveness import LivenessPolicy
from butler_kit.db import Connection, NamedQueries, Pool, acquire

__all__ = ["Reader"]

_SQL: Final = NamedQueries("butler_dashboard", "sql/views.sql")
_ACQUIRE_S: Final = 3.0
_NOT_THERE: Final = (
    asyncpg.UndefinedTableError,
    asyncpg.UndefinedColumnError,
    asyncpg.UndefinedFunctionError,
    asyncpg.InvalidSchemaNameError,
    asyncpg.InsufficientPrivilegeError,
)


@dataclass(frozen=True, slots=True)
class Reader:
    """The pool and settings of all reads; `timezone` determines when the household's day begins."""

    pool: Pool
    policy: LivenessPolicy
    timezone: ZoneInfo

    @asynccontextmanager
    async def connection(self, doing: str) -> AsyncIterator[Connection]:
        """Acquire a connection for one answer. Raises `TargetUnavailable` or `TimedOut`."""
        async with acquire(self.pool, timeout_s=_ACQUIRE_S, doing=doing) as connection:
            try:
                yield connection
            except _NOT_THERE as error:
                raise TargetUnavailable(
                    f"the views for {doing} are not there yet, or not for the dashboard's role "
                    f"({type(error).__name__}); is the service that owns them up to date?"
                ) from error

    @asynccontextmanager
    async def moment(self, doing: str) -> AsyncIterator[Connection]:
        """Acquire a connection that reads one consistent snapshot."""
        async with (
            self.connection(doing) as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            yield connection

    async def check(self) -> None:
        """Check that both services' views can be read. Raises the errors of `connection`."""
        for name in _SQL.names():
            async with self.connection("checking readiness") as connection:
                await connection.execute(_SQL[name])
