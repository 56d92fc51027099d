"""Which database errors mean that the database is away, and what a caller sees then.

An outage becomes `TargetUnavailable` (retryable), an exceeded statement or acquire time `TimedOut`; every
other error of the database is a defect of ours and passes through unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg

from butler_contracts.errors import TargetUnavailable, TimedOut

__all__ = ["is_outage", "translated_faults"]

_OUTAGES: tuple[type[BaseException], ...] = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
    asyncpg.DiskFullError,
    asyncpg.OutOfMemoryError,
)
_CLOSED = ("connection is closed", "connection was closed", "pool is clos", "connection has been released")


def is_outage(error: BaseException) -> bool:
    """Whether `error` says that the database cannot be reached or is going down."""
    if isinstance(error, TimeoutError):  # an OSError since Python 3.11, but a matter of deadlines
        return False
    if isinstance(error, asyncpg.InterfaceError):
        return any(mark in str(error) for mark in _CLOSED)
    return isinstance(error, _OUTAGES)


@contextmanager
def translated_faults(doing: str) -> Iterator[None]:
    """Turn outages into `TargetUnavailable` and cancelled statements into `TimedOut`, naming `doing`."""
    try:
        yield
    except asyncpg.QueryCanceledError as error:
        raise TimedOut(f"database: {doing} took longer than its statement timeout") from error
    except (asyncpg.InterfaceError, asyncpg.PostgresError, OSError) as error:
        if not is_outage(error):
            raise
        raise TargetUnavailable(f"database unavailable while {doing}: {type(error).__name__}") from error
