"""Kills a run of `butlers-rollups` where it stands: a lock on the table that it is about to write holds it there.

The program knows nothing of it; that it stands there is what PostgreSQL says of who waits for the lock.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from butler_kit.db import Connection
from tests.support.rollups.desk import Desk, connect, stored
from tests.support.switchboard_service import until

__all__ = ["PROGRAM", "Killed", "kill_at", "run_to_its_end"]

PROGRAM = Path(sys.executable).with_name("butlers-rollups")
DEADLINE_S = 400.0
_WAITS = """
SELECT pid FROM pg_locks WHERE NOT granted AND relation = $1::regclass
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


@dataclass(frozen=True)
class Killed:
    """How the process ended; what others saw while it stood, and once PostgreSQL had noticed that it is gone."""

    status: int
    during: list[Any]
    after: list[Any]


def kill_at(desk: Desk, table: str, *arguments: str) -> Killed:
    """Start the program, SIGKILL it when it is about to write `table`."""
    return desk.run(_kill_at(desk, table, arguments))


def run_to_its_end(desk: Desk, *arguments: str) -> int:
    """Its exit code."""

    async def end() -> int:
        async with asyncio.timeout(DEADLINE_S):
            return await (await _start(desk, arguments)).wait()

    return desk.run(end())


async def _kill_at(desk: Desk, table: str, arguments: Sequence[str]) -> Killed:
    holder = await connect(desk.database)
    try:
        async with holder.transaction():
            await holder.execute(f"LOCK TABLE {table} IN SHARE MODE")
            process = await _start(desk, arguments)
            try:
                session = await until(
                    lambda: _waiting(desk.connection, table, process),
                    what=f"the run waits to write {table}",
                    deadline_s=DEADLINE_S,
                )
                during = await stored(desk.connection)
                process.kill()
                status = await process.wait()
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            # The lock is still held: nothing but the loss of the process ends its session.
            await until(
                lambda: _gone(desk.connection, session), what="its session has ended", deadline_s=DEADLINE_S
            )
            return Killed(status, during, await stored(desk.connection))
    finally:
        await holder.close(timeout=10)


async def _start(desk: Desk, arguments: Sequence[str]) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(str(PROGRAM), *arguments),
        env={**os.environ, "BUTLERS_DATABASE_URL": desk.database.dsn("switchboard")},
        stdout=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )


async def _waiting(connection: Connection, table: str, process: asyncio.subprocess.Process) -> int | None:
    assert process.returncode is None, f"ended with {process.returncode} before it wrote {table}"
    session: int | None = await connection.fetchval(_WAITS, table)
    return session


async def _gone(connection: Connection, session: int) -> bool:
    return not await connection.fetchval("SELECT count(*) FROM pg_stat_activity WHERE pid = $1", session)
