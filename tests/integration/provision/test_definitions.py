"""A database of before the definitions had files of their own ends with the same functions and views as a new one."""

from __future__ import annotations

from importlib import import_module

import asyncpg
import pytest

from butler_kit.db import KIT_MIGRATIONS, MigrationSource, SchemaPlan, load_migrations, migrate, provision
from butler_kit.db.migration_files import load_definitions
from tests.support.database import Database

PLANS = [
    SchemaPlan(
        name, f"butler_{name}", "a password", (MigrationSource(name, f"butler_{owner}", "sql/migrations"),)
    )
    for name, owner in (("switchboard", "switchboard"), ("messenger", "messenger"), ("finance", "specialist"))
]
SHARED = MigrationSource("shared", "butler_messenger", "sql/shared_migrations")
DEFINED = """
SELECT n.nspname || '.' || p.oid::regprocedure::text AS name, pg_get_functiondef(p.oid) AS text
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = ANY ('{switchboard,messenger,finance}')
UNION ALL
SELECT schemaname || '.' || viewname, pg_get_viewdef((schemaname || '.' || viewname)::regclass)
FROM pg_views WHERE schemaname = ANY ('{switchboard,messenger,finance}')
"""
LAST_THAT_DEFINED = {"kit": 2, "switchboard": 21, "messenger": 12, "specialist": 6, "shared": 2}
"""The numbered migrations of before; the later ones leave functions and views to the files of their own."""
NEW = (
    {"finance.dashboard_records"}
    | {
        f"messenger.dashboard_{name}"
        for name in ("approval_rules", "approvals", "call_approvals", "service_levels", "suppressions")
    }
    | {
        f"switchboard.dashboard_{name}"
        for name in (
            "quality",
            "refusals",
            "rollout_counts",
            "rollouts",
            "runtimes",
            "switchboard_level",
            "usage",
        )
    }
)
"""Views that only the files of their own have ever made; so are functions of spending and of quality."""
GONE = {"drop_inbox_months", "drop_heartbeat_day"}
"""Functions that no program calls any more; they stay for the replicas of former releases."""


async def definitions_of(connection: asyncpg.Connection) -> dict[str, str]:
    return {row["name"]: row["text"] for row in await connection.fetch(DEFINED)}


async def make_as_before(connection: asyncpg.Connection) -> None:
    """Schemas as the numbered migrations alone leave them, which is all that the release before had."""
    for plan in PLANS:
        await connection.execute(f"CREATE SCHEMA {plan.schema}")
        # Roles are the server's, and another test of this one may have made it.
        if not await connection.fetchval("SELECT true FROM pg_roles WHERE rolname = $1", plan.role):
            await connection.execute(f"CREATE ROLE {plan.role}")
        await connection.execute(f"ALTER SCHEMA {plan.schema} OWNER TO {plan.role}")
        await migrate(connection, schema=plan.schema, role=plan.role, sources=plan.migrations)
        await connection.execute(f"DROP TABLE {plan.schema}.schema_definitions")


async def test_a_new_database_and_one_of_before_have_the_same_functions_and_views(
    fresh_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection: asyncpg.Connection = await fresh_database.admin()
    try:
        with monkeypatch.context() as former:
            former.setattr(import_module("butler_kit.db.migrate"), "load_definitions", lambda source: ())
            await make_as_before(connection)
        former_text = await definitions_of(connection)
        done = await provision(fresh_database.admin_dsn, PLANS)
        upgraded = await definitions_of(connection)
        assert all(done.applied[plan.schema] for plan in PLANS)
        for plan in PLANS:
            await connection.execute(f"DROP SCHEMA {plan.schema} CASCADE")
        await provision(fresh_database.admin_dsn, PLANS)
        new = await definitions_of(connection)
    finally:
        await connection.close()
    assert len(new) > 25
    assert upgraded == new
    ledger = {
        name for name in new if any(one in name for one in (".spending_", ".routing_decisions", ".may_see("))
    }
    assert sorted(new.keys() - former_text.keys() - NEW - ledger) == []
    assert sorted((former_text.keys() | NEW) - new.keys()) == []


def test_every_function_and_view_of_a_numbered_migration_stands_in_a_file_of_its_own() -> None:
    for source in (KIT_MIGRATIONS, SHARED, *(source for plan in PLANS for source in plan.migrations)):
        kept = " ".join(definition.sql for definition in load_definitions(source))
        for migration in load_migrations(source):
            names = names_of(migration.sql)
            assert {name for name in names if f" {name}" not in kept} <= GONE, migration.label
            assert not names or migration.number <= LAST_THAT_DEFINED[source_name(source)], (
                f"{migration.label}: change the file in definitions and raise its revision instead"
            )


def names_of(sql: str) -> set[str]:
    """What is created as a function or a view."""
    words = sql.replace("(", " ").split()
    return {
        words[index + 1]
        for index, word in enumerate(words[:-1])
        if word in ("FUNCTION", "VIEW") and words[index - 1] in ("CREATE", "REPLACE")
    }


def source_name(source: MigrationSource) -> str:
    return "specialist" if source.package == "butler_specialist" else source.name
