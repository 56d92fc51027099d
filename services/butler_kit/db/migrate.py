"""Forward-only schema migrations: numbered, checksummed, one transaction each.

Invariant: the applied migrations in a schema's ledger `schema_migrations` match the files byte for byte. One migrator
works on a schema at a time (advisory lock); a second one waits, then finds nothing to do. Statements wait for table
locks only briefly and are retried, so that a running older replica is never blocked behind a migration. Migrations
only go forward and expand before they contract, so an older replica beside a newer one works on the newer tables;
deployments with replicas set `allow_newer`. Functions and views follow, in their current form (ADR 0029).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

import asyncpg

from butler_kit.db.migration_files import (
    KIT_MIGRATIONS,
    Definition,
    Migration,
    MigrationError,
    MigrationSource,
    load_definitions,
    load_migrations,
)
from butler_kit.db.pool import Connection
from butler_kit.db.queries import NamedQueries, quote_identifier
from butler_kit.db.repeatable import pending_definitions

__all__ = ["migrate"]

_log = logging.getLogger(__name__)

_QUERIES = NamedQueries("butler_kit.db", "sql/migrate.sql")
_TAKE_LOCK = _QUERIES["take_lock"]
_RELEASE_LOCK = _QUERIES["release_lock"]
_CREATE_LEDGER = _QUERIES["create_ledger"]
_APPLIED = _QUERIES["applied"]
_RECORD = _QUERIES["record"]
_CREATE_DEFINITIONS = _QUERIES["create_definitions"]
_DEFINED = _QUERIES["defined"]
_RECORD_DEFINITION = _QUERIES["record_definition"]

_LOCK_ATTEMPTS = 6


async def migrate(
    target: str | Connection,
    *,
    schema: str,
    role: str,
    sources: Sequence[MigrationSource],
    wait_s: float = 60.0,
    allow_newer: bool = False,
) -> tuple[str, ...]:
    """Bring `schema` up to date as `role`, the kit's own migrations first; returns the labels applied.

    Raises `MigrationError` when an applied file changed or vanished, when the database is newer than these
    files, or when another migrator keeps the lock longer than `wait_s`. With `allow_newer` a newer database is
    accepted as it is: nothing is undone, and a line in the log names what is unknown here.
    """
    if isinstance(target, str):
        connection: Connection = await asyncpg.connect(target, timeout=min(wait_s, 10.0))
        try:
            return await _migrate(connection, schema, role, sources, wait_s, allow_newer)
        finally:
            await connection.close(timeout=5.0)
    return await _migrate(target, schema, role, sources, wait_s, allow_newer)


async def _migrate(
    connection: Connection,
    schema: str,
    role: str,
    sources: Sequence[MigrationSource],
    wait_s: float,
    allow_newer: bool,
) -> tuple[str, ...]:
    files = [m for source in (KIT_MIGRATIONS, *sources) for m in load_migrations(source)]
    definitions = [d for source in (KIT_MIGRATIONS, *sources) for d in load_definitions(source)]
    await _lock(connection, schema, wait_s)
    try:
        async with connection.transaction():
            await _enter(connection, schema, role)
            await connection.execute(_CREATE_LEDGER)
            await connection.execute(_CREATE_DEFINITIONS)
            rows = await connection.fetch(_APPLIED)
            defined = {(row["source"], row["title"]): row for row in await connection.fetch(_DEFINED)}
        applied = {(row["source"], row["number"]): row for row in rows}
        if allow_newer:
            applied = _without_newer(files, applied, schema)
        undefined = pending_definitions(definitions, defined, schema, allow_newer=allow_newer)
        pending: list[Migration | Definition] = [*_pending(files, applied, schema), *undefined]
        for one in pending:
            await _apply(connection, schema, role, one)
        return tuple(one.label for one in pending)
    finally:
        if not connection.is_closed():
            await connection.execute(_RELEASE_LOCK, schema)


async def _lock(connection: Connection, schema: str, wait_s: float) -> None:
    await connection.execute(f"SET lock_timeout = {int(wait_s * 1000)}")
    try:
        await connection.execute(_TAKE_LOCK, schema, timeout=wait_s + 5)
    except asyncpg.LockNotAvailableError as error:
        raise MigrationError(
            f"schema {schema}: another process has been migrating it for {wait_s:g} s; try again when it ends"
        ) from error
    finally:
        await connection.execute("SET lock_timeout = 0")


async def _enter(connection: Connection, schema: str, role: str) -> None:
    await connection.execute(f"SET LOCAL ROLE {quote_identifier(role)}")
    await connection.execute(f"SET LOCAL search_path = {quote_identifier(schema)}")


def _without_newer(
    files: Sequence[Migration], applied: dict[tuple[str, int], asyncpg.Record], schema: str
) -> dict[tuple[str, int], asyncpg.Record]:
    """Return `applied` without what follows the last file known here; files are numbered without gaps."""
    last = {migration.source: migration.number for migration in files}
    newer = [key for key in applied if key[1] > last.get(key[0], 0)]
    if newer:
        labels = ", ".join(
            f"{source} {number:04d}_{applied[source, number]['title']}" for source, number in newer
        )
        _log.warning("schema %s is newer than this program and is left as it is: %s", schema, labels)
    return {key: row for key, row in applied.items() if key not in newer}


def _pending(
    files: Sequence[Migration], applied: dict[tuple[str, int], asyncpg.Record], schema: str
) -> list[Migration]:
    known = {(migration.source, migration.number): migration for migration in files}
    for key, row in applied.items():
        label = f"{row['source']} {row['number']:04d}_{row['title']}"
        migration = known.get(key)
        if migration is None:
            raise MigrationError(
                f"schema {schema}: the database has {label}, which this program does not know; "
                "the database was made by a newer version: start that version or restore a backup"
            )
        if migration.checksum != row["checksum"]:
            raise MigrationError(
                f"schema {schema}: {migration.label} was changed after it had been applied; "
                "restore the file and put the change into a new migration"
            )
    pending = [migration for migration in files if (migration.source, migration.number) not in applied]
    for migration in pending:
        if any(key[0] == migration.source and key[1] > migration.number for key in applied):
            raise MigrationError(
                f"schema {schema}: {migration.label} was never applied but later ones were; "
                "the ledger schema_migrations has a gap"
            )
    return pending


async def _record(connection: Connection, applied: Migration | Definition) -> None:
    if isinstance(applied, Definition):
        await connection.execute(
            _RECORD_DEFINITION, applied.source, applied.title, applied.revision, applied.checksum
        )
    else:
        await connection.execute(_RECORD, applied.source, applied.number, applied.title, applied.checksum)


async def _apply(connection: Connection, schema: str, role: str, migration: Migration | Definition) -> None:
    for attempt in range(1, _LOCK_ATTEMPTS + 1):
        try:
            async with connection.transaction():
                await _enter(connection, schema, role)
                await connection.execute(
                    "SET LOCAL lock_timeout = '2s'; SET LOCAL statement_timeout = '10min'"
                )
                await connection.execute(migration.sql)
                await _enter(connection, schema, role)
                await _record(connection, migration)
            return
        except asyncpg.LockNotAvailableError as error:
            if attempt == _LOCK_ATTEMPTS:
                raise MigrationError(
                    f"schema {schema}: {migration.label} could not lock its tables in {attempt} attempts; "
                    "a long transaction holds them"
                ) from error
            await asyncio.sleep(0.2 * attempt)
        except asyncpg.PostgresError as error:
            raise MigrationError(f"schema {schema}: {migration.label} failed: {error}") from error
