"""The benchmark's environment: the embedded PostgreSQL, Switchboard's schema, a week of a fleet's heartbeats."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import asyncpg

from butler_cli.local.postgres import EmbeddedPostgres
from butler_kit.db import Connection, MigrationSource, NamedQueries, SchemaPlan, provision
from butler_rollups.models import Window

__all__ = ["DAY", "HOUR", "WEEK", "Place", "open_place"]

_QUERIES: Final = NamedQueries("bench.rollups", "fleet.sql")
_PLAN: Final = SchemaPlan(
    "switchboard",
    "butler_switchboard",
    "bench",
    (MigrationSource("switchboard", "butler_switchboard", "sql/migrations"),),
)
_START: Final = datetime(2026, 11, 8, tzinfo=UTC)
_BEATS_A_DAY: Final = 720
_BEATS_A_STATEMENT: Final = 60
WEEK: Final = Window(_START, _START + timedelta(days=7))
DAY: Final = Window(_START + timedelta(days=5), _START + timedelta(days=6))
HOUR: Final = Window(DAY.start + timedelta(hours=13), DAY.start + timedelta(hours=14))


class Place:
    """A server with the product's own settings, except for more memory and WAL and no autovacuum."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        settings = {"shared_buffers": "512MB", "max_wal_size": "8GB", "autovacuum": "off"}
        self.postgres = EmbeddedPostgres(folder, settings=settings)

    @property
    def dsn(self) -> str:
        return self.postgres.dsn(_PLAN.role, _PLAN.password, _PLAN.schema)

    @property
    def server_pid(self) -> int:
        if (pid := self.postgres.pid) is None:
            raise RuntimeError("PostgreSQL has ended")
        return pid

    async def prepare(self, connectors: int) -> int:
        """Migrate and insert the week's heartbeats; return their number."""
        await provision(self.postgres.admin_dsn, [_PLAN])
        async with self.connection() as connection:
            await connection.execute("SELECT make_heartbeat_days($1, $2)", WEEK.start, WEEK.end)
            for first in range(0, 7 * _BEATS_A_DAY, _BEATS_A_STATEMENT):
                last = first + _BEATS_A_STATEMENT
                await connection.execute(_QUERIES["fill"], connectors, first, last, WEEK.start, timeout=None)
            await connection.execute(_QUERIES["settle"])
            count: int = await connection.fetchval("SELECT count(*) FROM connector_heartbeat_log")
        await self._as_administrator("VACUUM (ANALYZE)", "CHECKPOINT")
        return count

    async def forget(self) -> None:
        """Empty the statistics, as on the first day."""
        await self._as_administrator(
            "TRUNCATE switchboard.connector_stats_hourly, switchboard.rollup_run, switchboard.rollup_stage_hourly"
        )

    async def checkpoint(self) -> None:
        await self._as_administrator("CHECKPOINT")

    async def _as_administrator(self, *statements: str) -> None:
        admin = await asyncpg.connect(self.postgres.admin_dsn)
        try:
            for statement in statements:
                await admin.execute(statement)
        finally:
            await admin.close()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        connection = await asyncpg.connect(self.dsn, server_settings={"timezone": "UTC"})
        try:
            yield connection
        finally:
            await connection.close()


@contextmanager
def open_place() -> Iterator[Place]:
    """Run a server in a private folder, which is removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="butlers-bench-rollups-"))
    place = Place(folder)
    try:
        place.postgres.start()
        yield place
    finally:
        place.postgres.stop(deadline_s=10)
        shutil.rmtree(folder, ignore_errors=True)
