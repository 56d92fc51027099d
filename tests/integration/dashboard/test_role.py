"""The dashboard's role reads its views and can do nothing else, whoever is prepared first."""

from __future__ import annotations

import asyncpg
import pytest

from butler_contracts.errors import TargetUnavailable, ValidationFailed
from butler_kit.db import quote_identifier
from butler_provision.plans import DASHBOARD_PEOPLE, DASHBOARD_ROLE, DASHBOARD_VIEWS, KEPT, Member
from butler_provision.prepare import Shown, prepare, prepare_dashboard
from butler_provision.urls import parse_admin_url
from tests.support.dashboard import DASHBOARD_PLAN, dashboard_dsn, dashboard_pool, dashboard_served

RELATIONS = """
SELECT n.nspname AS schema, c.relname AS name, c.relkind::text AS kind
FROM pg_class AS c INNER JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
"""

SHOWN = {
    (schema, view)
    for role, names in DASHBOARD_VIEWS.items()
    for schema in (("finance", "general") if role == "specialist" else (role,))
    for view in names
} | {("shared", DASHBOARD_PEOPLE)}
REFUSED = (
    asyncpg.InsufficientPrivilegeError,
    asyncpg.WrongObjectTypeError,
    asyncpg.ObjectNotInPrerequisiteStateError,
)
"""Not allowed, no table, or a view that nobody could write through."""


async def test_it_reads_every_view_no_table_and_writes_nothing(database, admin):
    relations = await admin.fetch(RELATIONS)
    views = {
        (row["schema"], row["name"])
        for row in relations
        if row["name"].startswith("dashboard_") and row["kind"] == "v"
    }
    assert views == SHOWN
    connection = await asyncpg.connect(dashboard_dsn(database))
    try:
        for row in relations:
            name = quote_identifier(f"{row['schema']}.{row['name']}")
            if row["name"] in KEPT:
                # Sign-ins and links are all that it keeps.
                await connection.fetch(f"SELECT FROM {name} LIMIT 1")
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await connection.execute(f"UPDATE {name} SET expires_at = now()")
                continue
            if (row["schema"], row["name"]) in views:
                await connection.fetch(f"SELECT * FROM {name} LIMIT 1")
            else:
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await connection.fetch(f"SELECT FROM {name} LIMIT 1")
            for write in (f"DELETE FROM {name}", f"INSERT INTO {name} DEFAULT VALUES", f"TRUNCATE {name}"):
                with pytest.raises(REFUSED):
                    await connection.execute(write)
        for making in (
            "CREATE TABLE switchboard.mine ()", "CREATE TABLE public.mine ()", "CREATE TEMPORARY TABLE mine ()",
            "CREATE SCHEMA mine", f"ALTER ROLE {DASHBOARD_ROLE} CREATEROLE",
        ):  # fmt: skip
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(making)
    finally:
        await connection.close()


async def test_its_pool_refuses_writes_and_long_statements_by_itself(database):
    async with dashboard_pool(database) as pool:
        with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
            await pool.execute("CREATE TEMPORARY TABLE mine ()")
        assert await pool.fetchval("SHOW search_path") == '"switchboard", "messenger"'


@pytest.mark.parametrize("dashboard_first", [True, False])
async def test_views_can_be_read_whoever_is_prepared_first(fresh_database, tmp_path, dashboard_first):
    admin = parse_admin_url(fresh_database.admin_dsn)
    # Roles belong to the server, which other tests use too.
    await fresh_database.server.forget_role(DASHBOARD_ROLE)
    members = (
        Member("switchboard", "switchboard"),
        Member("messenger", "messenger", readers=("switchboard",)),
        Member("specialist", "finance"),
        Member("specialist", "general"),
    )
    try:
        if dashboard_first:
            made = await prepare_dashboard(Shown(), admin, wait_s=60, tell=print)
        for member in members:
            await prepare(member, admin, wait_s=60, tell=print)
        if not dashboard_first:
            made = await prepare_dashboard(Shown(), admin, wait_s=60, tell=print)
        assert (made.role_isolation, made.applied) == (True, ())
        connection = await asyncpg.connect(made.url)
        try:
            assert await connection.fetchval("SELECT current_user") == DASHBOARD_ROLE
            for schema, view in SHOWN:
                assert await connection.fetch(f"SELECT * FROM {schema}.{view}") == []
        finally:
            await connection.close()
    finally:
        await fresh_database.server.execute(
            f"ALTER ROLE {DASHBOARD_ROLE} PASSWORD '{DASHBOARD_PLAN.password}'"
        )


async def test_no_butler_takes_the_dashboard_s_name(fresh_database):
    admin = parse_admin_url(fresh_database.admin_dsn)
    with pytest.raises(ValidationFailed, match="cannot be called 'dashboard'"):
        await prepare(Member("specialist", "dashboard"), admin, wait_s=60, tell=print)


async def test_views_that_are_not_there_yet_are_an_outage_that_says_so(database, admin, tmp_path):
    await admin.execute("DROP VIEW messenger.dashboard_deliveries CASCADE")
    async with dashboard_served(database, tmp_path / "keys") as served:
        with pytest.raises(TargetUnavailable, match="views for checking readiness are not there yet"):
            await served.reader.check()
        answer = await served.http.get("/api/deliveries")
        assert (answer.status_code, answer.json()["error"]["class"]) == (503, "target_unavailable")
        assert (await served.http.get("/api/requests")).status_code == 200
