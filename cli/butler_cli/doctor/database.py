"""Probe the database of a running household: whether it answers, and whether it fits this version."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

import asyncpg

from butler_cli.doctor.findings import Finding, finding
from butler_cli.doctor.rounds import LeftOut
from butler_cli.local.postgres import EmbeddedPostgres
from butler_cli.local.state import StateDir, read_json
from butler_kit.db import KIT_MIGRATIONS, NamedQueries, load_migrations
from butler_kit.db.faults import DRIVER_ERRORS
from butler_provision.plans import MIGRATIONS, SHARED_MIGRATIONS

__all__ = ["database"]

_SQL: Final = NamedQueries("butler_cli", "doctor/ledgers.sql")
_TIMEOUT_S: Final = 5.0
_ABOUT: Final = "database"
_SOURCES: Final = (KIT_MIGRATIONS, *MIGRATIONS.values(), SHARED_MIGRATIONS)


def database(state: StateDir) -> Sequence[Finding]:
    """Check the database; nothing is written, and only each schema's ledger of migrations is read."""
    if state.supervisor_pid() is None:
        raise LeftOut("the household is not up, and its database with it")
    known = read_json(state.endpoints_file)
    dsn = known["database"]["dsn"] if isinstance(known, dict) else None
    if not isinstance(dsn, str):
        raise LeftOut("the household is still starting")
    log = f"{EmbeddedPostgres(state.root).log_file} has the reason; butlers restart starts it again"
    try:
        applied = asyncio.run(_applied(dsn))
    except (TimeoutError, *DRIVER_ERRORS) as failure:
        return [finding("broken", _ABOUT, f"does not answer ({type(failure).__name__})", log)]
    return _compared(applied)


def _compared(applied: dict[tuple[str, str], int]) -> Sequence[Finding]:
    """Compare each schema's newest migration with the newest file of the same source."""
    newest = {source.name: len(load_migrations(source)) for source in _SOURCES}
    found = []
    for (schema, source), number in applied.items():
        want = newest.get(source, number)
        if number < want:
            said = f"schema {schema} is {want - number} migrations behind this version"
            found.append(finding("broken", _ABOUT, said, "butlers restart migrates it"))
        elif number > want:
            said = f"schema {schema} was made by a newer version than this command"
            found.append(finding("risk", _ABOUT, said, "update this command, or restore a backup"))
    return found


async def _applied(dsn: str) -> dict[tuple[str, str], int]:
    """Schema and source → the number of the newest migration that it has."""
    async with asyncio.timeout(_TIMEOUT_S * 2):
        connection = await asyncpg.connect(dsn, timeout=_TIMEOUT_S, command_timeout=_TIMEOUT_S)
        try:
            applied: dict[tuple[str, str], int] = {}
            for row in await connection.fetch(_SQL["schemas"]):
                for entry in await connection.fetch(row["statement"]):
                    applied[row["schema"], entry["source"]] = entry["newest"]
            return applied
        finally:
            await connection.close(timeout=_TIMEOUT_S)
