"""Connection pools of one butler: its role, its schema, explicit JSON, deadlines everywhere.

JSON and jsonb columns take and give Python objects. Text is refused as a top-level value, because a caller who has
already serialised would store a JSON string instead of the object (double encoding); to pass JSON text, cast it in
SQL: `$1::text::json`.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeAlias

import asyncpg

from butler_contracts.errors import TargetUnavailable, TimedOut
from butler_kit.db.arrays import ArraysKnown
from butler_kit.db.faults import (
    DRIVER_ERRORS,
    is_locked_out,
    is_outage,
    raise_fault,
    said_of,
    was_closed_meanwhile,
)
from butler_kit.tls import distrust

if TYPE_CHECKING:
    from asyncpg.pool import PoolConnectionProxy

    Pool: TypeAlias = asyncpg.Pool[asyncpg.Record]
    Connection: TypeAlias = asyncpg.Connection[asyncpg.Record] | PoolConnectionProxy[asyncpg.Record]
else:
    Pool = asyncpg.Pool
    Connection = asyncpg.Connection

__all__ = [
    "IDLE_S",
    "Connection",
    "Pool",
    "UrlSource",
    "acquire",
    "answers",
    "init_connection",
    "open_pool",
    "transaction",
]

_log = logging.getLogger(__name__)

_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 2.0
IDLE_S = 60.0
"""Long enough that traffic never waits for a connection twice, short enough that a burst's memory is soon free."""


UrlSource: TypeAlias = str | Callable[[], str]
"""A URL, or a function for the current one, called for each new connection: its password may have changed."""


async def open_pool(
    url: UrlSource,
    schema: str | Sequence[str],
    *,
    name: str,
    min_size: int = 2,
    max_size: int = 10,
    connect_deadline_s: float = 30.0,
    statement_timeout_s: float = 30.0,
    read_only: bool = False,
    idle_s: float = IDLE_S,
) -> Pool:
    """Open a pool whose connections see `schema` first and are called `name` in `pg_stat_activity`.

    Several schemas are searched in order. With `read_only` a statement that writes is refused, whatever the role may.
    Connections idle for `idle_s` seconds are closed, down to `min_size`: each is a process of the database with
    megabytes of its own.

    Waits with growing pauses for a database that is still starting, at most `connect_deadline_s`; then raises
    `TargetUnavailable`. The error for a missing database, or a wrong password that cannot change, is raised at once.
    """
    schemas = (schema,) if isinstance(schema, str) else tuple(schema)
    settings = _server_settings(schemas, name, statement_timeout_s)
    if read_only:
        settings["default_transaction_read_only"] = "on"
    deadline = time.monotonic() + connect_deadline_s
    pause_s = _FIRST_PAUSE_S
    while True:
        try:
            pool: Pool = await asyncpg.create_pool(
                connect=_connector(url),
                min_size=min_size,
                max_size=max_size,
                init=init_connection,
                connection_class=ArraysKnown,
                reset=_keep_session,
                server_settings=settings,
                command_timeout=statement_timeout_s + 5,
                timeout=max(1.0, min(10.0, deadline - time.monotonic())),
                max_inactive_connection_lifetime=idle_s,
            )
            return pool
        except DRIVER_ERRORS as error:
            if not _may_pass(error, url):
                raise
            if time.monotonic() + pause_s > deadline:
                raise TargetUnavailable(
                    f"{name}: the database did not answer within {connect_deadline_s:g} s "
                    f"({distrust(error) or said_of(error)}); is it running and is BUTLERS_DATABASE_URL right?"
                ) from error
        await asyncio.sleep(pause_s * random.uniform(0.8, 1.2))
        pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)


def _connector(url: UrlSource) -> Any:
    """Return the function with which the pool makes each of its connections."""

    async def connect(_: object = None, **settings: Any) -> Connection:
        connection: Connection = await asyncpg.connect(url if isinstance(url, str) else url(), **settings)
        return connection

    return connect


def _may_pass(error: BaseException, url: UrlSource) -> bool:
    """Return whether to try again; a URL from a function may have the new password next time."""
    if is_locked_out(error):
        return not isinstance(url, str)
    return is_outage(error) or isinstance(error, TimeoutError)


def acquire(
    pool: Pool, *, timeout_s: float = 5.0, doing: str = "using it"
) -> AbstractAsyncContextManager[Connection]:
    """Acquire a connection of `pool` within `timeout_s`.

    Raises `TargetUnavailable` (retryable) when the database is away, also when it goes away inside the
    block, and when a transaction collides with another; `TimedOut` when every connection stays busy or a
    statement exceeds its time.
    """
    return _Borrowed(pool, timeout_s, doing)


@asynccontextmanager
async def transaction(
    pool: Pool, *, timeout_s: float = 5.0, doing: str = "writing"
) -> AsyncIterator[Connection]:
    """Acquire a connection inside one transaction, committed at the end of the block; errors as `acquire`."""
    async with acquire(pool, timeout_s=timeout_s, doing=doing) as connection, connection.transaction():
        yield connection


async def answers(pool: Pool, *, timeout_s: float = 1.0) -> None:
    """Check that the database answers, for readiness. Errors as `acquire`."""
    async with acquire(pool, timeout_s=timeout_s, doing="checking readiness") as connection:
        await connection.fetchval("SELECT 1")


async def init_connection(connection: Connection) -> None:
    """Make a connection read and write `json` and `jsonb` as Python objects."""
    for typename in ("json", "jsonb"):
        await connection.set_type_codec(
            typename, schema="pg_catalog", encoder=_to_json, decoder=json.loads, format="text"
        )


async def _keep_session(connection: Connection) -> None:
    """Reset nothing when a connection goes back, besides asyncpg's own rollback of an open transaction.

    Asyncpg's default is one more round trip for every use (`RESET ALL`, `UNLISTEN *`, advisory unlocks). Sessions
    here have nothing to reset: settings are made with `SET LOCAL`, advisory locks are a transaction's.
    """


def _to_json(value: Any) -> str:
    if isinstance(value, str | bytes | bytearray):
        raise TypeError("a JSON parameter takes an object, not text; cast JSON text with ::text::json")
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _server_settings(schemas: Sequence[str], name: str, statement_timeout_s: float) -> dict[str, str]:
    return {
        "application_name": name,
        "search_path": ", ".join('"' + schema.replace('"', '""') + '"' for schema in schemas),
        "statement_timeout": str(int(statement_timeout_s * 1000)),
        "idle_in_transaction_session_timeout": "60000",
        "timezone": "UTC",
        "jit": "off",
        # Statements look rows up by key: replanning costs more than running them. Proved by tests/faults/plans.
        "plan_cache_mode": "force_generic_plan",
    }


class _Borrowed(AbstractAsyncContextManager[Connection]):
    """Context manager of `acquire`; entered for nearly every statement, so a class and not two generators."""

    __slots__ = ("_connection", "_doing", "_pool", "_timeout_s")

    def __init__(self, pool: Pool, timeout_s: float, doing: str) -> None:
        self._pool = pool
        self._timeout_s = timeout_s
        self._doing = doing

    async def __aenter__(self) -> Connection:
        try:
            self._connection = await self._pool.acquire(timeout=self._timeout_s)
        except TimeoutError as error:
            raise TimedOut(
                f"database: no free connection within {self._timeout_s:g} s while {self._doing}"
            ) from error
        except Exception as error:
            raise_fault(error, self._doing)
            raise
        return self._connection

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, asyncpg.InternalClientError):
            self._connection.terminate()
        gone = was_closed_meanwhile(error, self._connection)
        await _release(self._pool, self._connection)
        if gone:
            raise TargetUnavailable(f"database: the connection was closed while {self._doing}") from error
        if error is not None:
            raise_fault(error, self._doing)


async def _release(pool: Pool, connection: Any) -> None:
    """Give a connection back, even when cancelled meanwhile: the pool shields that itself.

    A connection that breaks while it is reset is closed by the pool; its work is done.
    """
    try:
        await pool.release(connection, timeout=5.0)
    except DRIVER_ERRORS as error:
        _log.warning("a database connection broke while it was given back: %s", type(error).__name__)
