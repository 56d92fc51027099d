"""A backup is restored into the household of today: an older version's, or one with a butler that is none any more."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import pytest

from butler_cli.local.backup import write_backup
from butler_cli.local.postgres import EmbeddedPostgres
from butler_cli.local.provision import provision_household
from butler_cli.local.restore import restore_backup
from butler_cli.local.secrets import Secrets
from butler_cli.local.state import StateDir
from butler_resources.kinds import load_manifests

MANIFESTS = load_manifests(Path(__file__).parents[3] / "examples" / "demo")
NOW = datetime(2026, 11, 23, 5, tzinfo=UTC)
KEPT = "CREATE TABLE finance.kept AS SELECT 1 AS number; ALTER TABLE finance.kept OWNER TO butler_finance"
OLDER = """
ALTER TABLE switchboard.connector_registry DROP COLUMN undeclared_at CASCADE;
DROP TABLE switchboard.source_leases, switchboard.source_standbys, switchboard.source_documents CASCADE;
DROP TABLE switchboard.learned_rule;
DROP TABLE switchboard.service_level, switchboard.service_level_change, switchboard.service_level_tally CASCADE;
DELETE FROM switchboard.schema_migrations WHERE source = 'switchboard' AND number >= 34;
DELETE FROM switchboard.schema_definitions WHERE source = 'switchboard' AND title = 'dashboard_views';
DROP TABLE switchboard.session_transcripts;
DELETE FROM switchboard.schema_migrations WHERE source = 'kit' AND number >= 3;
"""
"""As the version before migration 34, and the kit's migration 3, has it."""
DEPARTED = """
CREATE ROLE butler_garden;
CREATE SCHEMA garden AUTHORIZATION butler_garden;
CREATE TABLE garden.records (text text);
ALTER TABLE garden.records OWNER TO butler_garden;
GRANT SELECT ON garden.records TO butler_garden;
INSERT INTO garden.records VALUES ('the roses are cut in March');
"""
"""What a butler leaves that was taken out of the manifests."""
OWNERS = """
SELECT tableowner || ' ' || count(*) FILTER (WHERE tablename IN ('source_leases', 'kept')) FROM pg_tables
WHERE schemaname IN ('switchboard', 'finance') GROUP BY tableowner ORDER BY tableowner
"""
READERS = """
SELECT DISTINCT grantee::text FROM information_schema.role_table_grants
WHERE table_schema = 'switchboard' AND table_name = 'dashboard_connectors' AND grantee <> 'butler_switchboard'
"""
OPEN = """
SELECT count(*) FROM pg_database AS d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) AS a
WHERE d.datname = current_database() AND a.grantee = 0
"""


@contextmanager
def running(state: StateDir) -> Iterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(state.root)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def settle(state: StateDir, *changes: str) -> None:
    """A household's database, with these changes."""
    with running(state) as server:
        known = Secrets(state, {}, MANIFESTS)
        asyncio.run(provision_household(MANIFESTS, admin_dsn=server.admin_dsn, dsn=server.dsn, known=known))
        for change in changes:
            asyncio.run(execute(server.admin_dsn, change))


async def execute(dsn: str, statements: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(statements)
    finally:
        await connection.close()


async def answers(dsn: str, query: str) -> list[object]:
    connection = await asyncpg.connect(dsn)
    try:
        return [row[0] for row in await connection.fetch(query)]
    finally:
        await connection.close()


def asked(state: StateDir, *queries: str) -> list[list[object]]:
    with running(state) as server:
        return [asyncio.run(answers(server.admin_dsn, query)) for query in queries]


@pytest.mark.parametrize("change", [OLDER, DEPARTED], ids=["an older version's", "with a butler of then"])
def test_a_backup_is_restored_with_the_owners_rights_and_tables_of_today(tmp_path: Path, change: str) -> None:
    state, file = StateDir.at(tmp_path / "state"), tmp_path / "kept.tar"
    state.create()
    settle(state, KEPT, change)
    write_backup(state, file, now=NOW, version="0")
    _, aside = restore_backup(file, state, MANIFESTS, replace=True, now=NOW)
    assert aside is not None
    owners, readers, is_open, kept = asked(state, OWNERS, READERS, OPEN, "SELECT number FROM finance.kept")
    assert owners == ["butler_finance 1", "butler_switchboard 1"]
    assert (readers, is_open, kept) == (["butler_dashboard"], [0], [1])
    settle(state)


def test_what_a_butler_of_then_kept_is_restored_and_nobody_else_may_read_it(tmp_path: Path) -> None:
    state, file = StateDir.at(tmp_path / "state"), tmp_path / "kept.tar"
    state.create()
    settle(state, DEPARTED)
    write_backup(state, file, now=NOW, version="0")
    restore_backup(file, state, MANIFESTS, replace=True, now=NOW)
    whose = "SELECT DISTINCT tableowner::text FROM pg_tables WHERE schemaname = 'garden'"
    kept, owners = asked(state, "SELECT text FROM garden.records", whose)
    assert (kept, owners) == (["the roses are cut in March"], ["butlers"])
