"""Which database errors mean that the database is away, and what a caller sees then.

An outage becomes `TargetUnavailable` (retryable), an exceeded statement or acquire time `TimedOut`; every
other error of the database is a defect of ours and passes through unchanged. A database that cannot store is
away too: a full disk, an exhausted quota, no connection left.
"""

from __future__ import annotations

import asyncpg

from butler_contracts.errors import TargetUnavailable, TimedOut

__all__ = ["is_collision", "is_outage", "lacks_partition", "raise_fault"]

_OUTAGES: tuple[type[BaseException], ...] = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.IdleSessionTimeoutError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.InsufficientResourcesError,  # disk full, out of memory, too many connections
    asyncpg.PostgresIOError,
    asyncpg.InternalClientError,  # the protocol broke off in the middle: that connection is lost
    asyncpg.ReadOnlySQLTransactionError,  # it became a standby
)
_COLLISIONS = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError)
_CLOSED = ("connection is closed", "connection was closed", "pool is clos", "connection has been released")
_STORAGE = frozenset({"md.c", "fd.c", "xlog.c", "slru.c"})
"""PostgreSQL's sources that read and write files: an exhausted quota or file size has no code of its own there."""


def is_outage(error: BaseException) -> bool:
    """Whether `error` says that the database cannot be reached, cannot store or is going down."""
    if isinstance(error, TimeoutError):  # an OSError since Python 3.11, but a matter of deadlines
        return False
    if isinstance(error, asyncpg.InterfaceError):
        return any(mark in str(error) for mark in _CLOSED)
    if type(error) is asyncpg.InternalServerError:
        return error.server_source_filename in _STORAGE
    return isinstance(error, _OUTAGES)


def is_collision(error: BaseException) -> bool:
    """Whether the same transaction would pass when tried again: a deadlock or a serialisation failure."""
    return isinstance(error, _COLLISIONS)


def lacks_partition(error: BaseException, table: str) -> bool:
    """Whether `error` says that `table` has no partition for a row (PostgreSQL names no constraint then)."""
    return (
        isinstance(error, asyncpg.CheckViolationError)
        and error.constraint_name is None
        and error.table_name == table
    )


def raise_fault(error: BaseException, doing: str) -> None:
    """Raise `TargetUnavailable` for an outage, `TimedOut` for a cancelled statement; return for anything else."""
    if isinstance(error, asyncpg.QueryCanceledError):
        raise TimedOut(f"database: {doing} took longer than its statement timeout") from error
    if is_outage(error):
        raise TargetUnavailable(f"database unavailable while {doing}: {type(error).__name__}") from error
