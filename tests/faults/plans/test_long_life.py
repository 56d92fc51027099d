"""Years of finished messages behind it, Switchboard starts and works as on its first day (it reads none of them)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from butler_kit.db import Pool, acquire
from butler_rollups.models import OF_MESSAGES
from butler_rollups.run import Asked, run
from butler_rollups.sql_engine import SqlEngine
from tests.support.database import Provision
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, household, until

GROWN = ("message_inbox", "ingest_dedupe", "route_plan", "subroute", "sessions")
FINISHED = """
SELECT make_inbox_months(now() - interval '70 days', now());
CREATE TEMPORARY TABLE n AS SELECT n, gen_random_uuid() AS id, now() - n * interval '60 days' / {rows} AS at
FROM generate_series(1, {rows}) AS n;
INSERT INTO message_inbox
SELECT id, at, 'ingest.v1', 'telegram', 'telegram', 'bot', '1001', '1', n::text, n::text, NULL, 'interactive', 'full',
       'household', 'allow', 'old:' || n, '{{}}', '{{}}', 'an old message', 'parsed', NULL, NULL, NULL, NULL, NULL, at
FROM n;
INSERT INTO ingest_dedupe SELECT 'old:' || n, id, at, 'f' FROM n;
INSERT INTO route_plan
SELECT id, at, at, id, 'rules', 'm', 'p', 'runtime', 0.9, false, 'routed', 'parallel', 'all', 'continue', '{{}}' FROM n;
INSERT INTO subroute (subrequest_id, request_id, received_at, segment_id, target, attempt, position, state)
SELECT id, id, at, 's1', 'finance', 1, 0, 'ok' FROM n;
INSERT INTO sessions (session_id, kind, trigger_source, request_id, family, started_at, status)
SELECT id, 'route', 'message', id, 'rules', at, 'ok' FROM n;
DROP TABLE n;
"""


@pytest.fixture
async def home(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Household]:
    async with household(provisioned, tmp_path, "finance", "general") as made:
        yield made


@pytest.mark.parametrize("rows", [20_000, pytest.param(1_500_000, marks=pytest.mark.faults_full)])
async def test_a_start_and_a_message_read_no_finished_row(home: Household, rows: int):
    admin = await home.database.admin()
    try:
        await admin.execute("SET search_path = switchboard; SET synchronous_commit = off")
        await admin.execute(FINISHED.format(rows=rows), timeout=600)
        await _count(home.pool)
        await admin.execute("VACUUM ANALYZE", timeout=600)
        # What the vacuum itself read is told before the reset, not a second after it.
        await admin.execute("SELECT pg_stat_force_next_flush()")
        await admin.execute("SELECT pg_stat_reset()")
        async with home.run() as running:
            accepted = await running.accepted(telegram(1, "I paid 12 EUR for lunch"))
            assert (await home.settled(accepted))["lifecycle_state"] == "parsed"
            await running.switchboard.parts.retention.sweep()
        # A session tells its statistics when it ends.
        await until(lambda: _alone(admin), what="Switchboard's sessions have ended")
        scans = await admin.fetch(
            "SELECT relname, seq_scan, seq_tup_read FROM pg_stat_user_tables WHERE schemaname = 'switchboard'"
            " AND relname ~ ANY ($1) AND seq_tup_read > 0",
            [f"^{table}" for table in GROWN],
        )
        assert not scans
        assert await admin.fetchval(
            "SELECT sum(idx_scan) > 0 FROM pg_stat_user_tables WHERE relname ~ '^message_inbox'"
        )
    finally:
        await admin.close()


async def _count(pool: Pool) -> None:
    """Roll the old messages up, as the jobs of their days did: a month is read before it goes if it is not counted."""
    async with acquire(pool, doing="counting old messages") as connection:
        for job in OF_MESSAGES:
            await run(connection, SqlEngine(), Asked(job))


async def _alone(admin: asyncpg.Connection) -> bool:
    return bool(
        await admin.fetchval(
            "SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = current_database()"
            " AND application_name = 'switchboard'"
        )
    )
