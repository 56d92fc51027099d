"""A household's Switchboard database whose clock a test may set, and connectors that beat by it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest_asyncio

from butler_kit.db import init_connection
from butler_rollups.models import STEP, Job, JobReport
from butler_rollups.run import Asked, run
from butler_rollups.sql_engine import SqlEngine
from tests.support.database import Database, Form, Server
from tests.support.rollups.fleets import Beat
from tests.support.switchboard import SWITCHBOARD_PLAN

NOON = datetime(2026, 3, 29, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
_TABLES = (
    "message_inbox", "rollup_run", "connector_stats_hourly", "connector_stats_daily", "connector_fanout_daily",
    "routing_quality_daily", "route_plan", "subroute", "correction", "backfill_jobs", "connector_registry",
)  # fmt: skip
_OLD = (
    "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'connector_heartbeat_log'::regclass"
)


@dataclass
class House:
    """`at` sets the database's clock; `beats` fills the log every half hour, three messages a beat."""

    database: Database
    connection: asyncpg.Connection
    counted: dict[str, int] = field(default_factory=dict)

    async def at(self, moment: datetime) -> None:
        """What `clock_now()` says from now on (give or take what the test takes)."""
        real: datetime = await self.connection.fetchval("SELECT now()")
        shift = f"{(moment - real).total_seconds()} seconds"
        await self.connection.execute("SELECT set_config('butlers.clock_shift', $1, false)", shift)
        for function in ("make_heartbeat_days", "make_inbox_months"):
            await self.connection.execute(f"SELECT {function}($1, $1)", moment)

    async def beats(self, start: datetime, end: datetime, *, endpoint: str = "box") -> None:
        rows = []
        for number in range(int((end - start) / timedelta(minutes=30))):
            self.counted[endpoint] = self.counted.get(endpoint, 0) + 3
            at = start + number * timedelta(minutes=30) + timedelta(seconds=1)
            uptime = self.counted[endpoint] * 600.0
            count = self.counted[endpoint]
            rows.append(
                Beat(
                    "imap", endpoint, UUID(int=1), at, at, "healthy", None, uptime, 1800.0, count, 0, 0, 0, 0
                ).row()
            )
        await self.connection.copy_records_to_table("connector_heartbeat_log", records=rows)

    async def idle(self, job: Job, start: datetime, end: datetime) -> None:
        """Runs of a time without a source, which nobody waits for here."""
        await self.connection.execute(
            "INSERT INTO rollup_run SELECT $1, at, at + $4::interval, 0, 0, 'sql', 'v', at"
            " FROM generate_series($2::timestamptz, $3::timestamptz - $4::interval, $4::interval) AS at"
            " ON CONFLICT DO NOTHING",
            job.value,
            start,
            end,
            STEP[job],
        )

    async def backfill(self) -> UUID:
        """A backfill that has not ended."""
        job: UUID = await self.value(
            "INSERT INTO backfill_jobs (job_id, connector_type, endpoint_identity, date_from, date_to, status,"
            " created_by, created_at, updated_at) VALUES (gen_random_uuid(), 'imap', 'box', '2020-01-01',"
            " '2020-01-02', 'paused', 'ada', clock_now(), clock_now()) RETURNING job_id"
        )
        return job

    async def run(
        self, job: Job, start: datetime | None = None, end: datetime | None = None, **more: Any
    ) -> JobReport:
        return await run(self.connection, SqlEngine(), Asked(job, start, end, **more))

    async def row(self, statement: str) -> asyncpg.Record:
        found = await self.connection.fetchrow(statement)
        assert found is not None
        return found

    async def value(self, statement: str, *arguments: object) -> Any:
        return await self.connection.fetchval(statement, *arguments)

    async def volumes(self) -> Sequence[int]:
        """Messages by hour, in order."""
        rows = await self.connection.fetch(
            "SELECT messages_ingested FROM connector_stats_hourly ORDER BY hour"
        )
        return [row[0] for row in rows]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def database(postgres_server: Server) -> AsyncIterator[Database]:
    database = await postgres_server.copy(Form((SWITCHBOARD_PLAN,)))
    yield database
    await database.close()


@pytest_asyncio.fixture(loop_scope="module")
async def house(database: Database) -> AsyncIterator[House]:
    """An empty one at noon; what was in the database before is gone."""
    settings = {"search_path": "switchboard", "timezone": "UTC"}
    connection = await asyncpg.connect(database.dsn("switchboard"), server_settings=settings)
    await init_connection(connection)
    for table in await connection.fetch(_OLD):
        await connection.execute(f"DROP TABLE {table[0]}")
    await connection.execute("; ".join(f"DELETE FROM {name}" for name in _TABLES))
    house = House(database, connection)
    await house.at(NOON)
    yield house
    await connection.close(timeout=20)
