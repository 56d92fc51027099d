"""Classification of database errors: which mean that the database is away, and what a caller sees then.

An outage becomes `TargetUnavailable` (retryable); an exceeded statement or acquire timeout, or no answer at all,
becomes `TimedOut`. A collision of two transactions is retryable too: the same call passes when it is made again. Every
other database error is a defect of ours and passes through unchanged. A database that cannot store is away too: a full
disk, an exhausted quota, no connection left. So is one that refuses us: a password is being changed, or rights are not
granted yet, and the caller's request is not at fault.
"""

from __future__ import annotations

from typing import Protocol

import asyncpg

from butler_contracts.errors import TargetUnavailable, TimedOut

__all__ = [
    "DRIVER_ERRORS",
    "is_collision",
    "is_locked_out",
    "is_lost",
    "is_outage",
    "is_over_limit",
    "lacks_partition",
    "raise_fault",
    "said_of",
    "was_closed_meanwhile",
]

DRIVER_ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)
"""All that the driver raises when a statement fails, whatever the reason."""
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
_KEPT = (
    asyncpg.InsufficientResourcesError,
    asyncpg.PostgresIOError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.InternalServerError,
)
"""Outages that leave the connection as it is."""
_LOCKED_OUT = (
    asyncpg.InvalidAuthorizationSpecificationError,  # a wrong password among them
    asyncpg.InsufficientPrivilegeError,
)
_COLLISIONS = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError)
_CLOSED = ("connection is closed", "connection was closed", "pool is clos", "connection has been released")
_STORAGE = frozenset({"md.c", "fd.c", "xlog.c", "slru.c"})
"""PostgreSQL's sources that read and write files: an exhausted quota or file size has no code of its own there."""

_SAID: tuple[tuple[type[BaseException], str], ...] = (
    (asyncpg.DiskFullError, "the disk under it is full; free space there, or give its volume more"),
    (asyncpg.TooManyConnectionsError, "its server has all the connections it takes; raise max_connections"),
    (asyncpg.OutOfMemoryError, "its server has no memory left"),
    (asyncpg.ReadOnlySQLTransactionError, "it only reads at the moment, as a standby does"),
    (asyncpg.CannotConnectNowError, "it is starting or stopping"),
    (asyncpg.InvalidAuthorizationSpecificationError, "it refuses the role or its password"),
    (asyncpg.InsufficientPrivilegeError, "the role lacks a right there"),
    (asyncpg.InternalServerError, "it cannot write its files; look at its disk and quota"),
    (ConnectionRefusedError, "nothing listens at its address"),
)
"""Errors that an operator can act on, in words; for others the class has to do."""

_COUNTS_CONNECTIONS_OF_A_ROLE = "InitializeSessionUserId"
"""PostgreSQL's function behind `too many connections for role`, whose code says less and whose text is translated."""


class Closable(Protocol):
    """A connection, or a pool's proxy for one."""

    def is_closed(self) -> bool: ...


def is_outage(error: BaseException) -> bool:
    """Whether `error` says that the database cannot be reached, cannot store or is going down."""
    if isinstance(error, TimeoutError):  # an OSError since Python 3.11, but a matter of deadlines
        return False
    if isinstance(error, asyncpg.InterfaceError):
        return any(mark in str(error) for mark in _CLOSED)
    if type(error) is asyncpg.InternalServerError:
        return error.server_source_filename in _STORAGE
    return isinstance(error, _OUTAGES)


def is_lost(error: BaseException) -> bool:
    """Whether the connection is lost, and most likely every other existing one with it."""
    return is_outage(error) and not isinstance(error, _KEPT)


def is_locked_out(error: BaseException) -> bool:
    """Whether the database is up but denies us access or a right: for an operator to fix, usually soon."""
    return isinstance(error, _LOCKED_OUT)


def is_over_limit(error: BaseException) -> bool:
    """Whether the role has reached its own connection limit; the server may have room for others."""
    return (
        isinstance(error, asyncpg.TooManyConnectionsError)
        and getattr(error, "server_source_function", None) == _COUNTS_CONNECTIONS_OF_A_ROLE
    )


def said_of(error: BaseException) -> str:
    """Describe `error` in a few words for a person, with its class and nothing of its own text."""
    if is_over_limit(error):
        return "its role has all the connections that its limit allows; raise spec.database.connectionLimit"
    name = type(error).__name__
    said = next((words for kind, words in _SAID if isinstance(error, kind)), None)
    return f"{said} ({name})" if said is not None else name


def was_closed_meanwhile(error: BaseException | None, connection: Closable) -> bool:
    """Whether the driver went on with a connection that was closed between two steps of one statement.

    It takes its protocol from the connection at each step; a closed connection has none, hence an `AttributeError`.
    """
    return isinstance(error, AttributeError) and error.obj is None and _is_closed(connection)


def _is_closed(connection: Closable) -> bool:
    try:
        return connection.is_closed()
    except asyncpg.InterfaceError:  # the pool took it back when it was closed
        return True


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
    """Raise `TargetUnavailable` for an outage or a collision, `TimedOut` for a late answer; else return."""
    if isinstance(error, asyncpg.QueryCanceledError):
        raise TimedOut(f"database: {doing} took longer than its statement timeout") from error
    # Asyncpg's own timeout: a line that was cut silently, a disk that stands still.
    if isinstance(error, TimeoutError):
        raise TimedOut(f"database: no answer in time while {doing}") from error
    if is_collision(error):
        raise TargetUnavailable(
            f"database: {doing} collided with another transaction; it may be tried again"
        ) from error
    if is_outage(error) or is_locked_out(error):
        raise TargetUnavailable(f"database unavailable while {doing}: {said_of(error)}") from error
