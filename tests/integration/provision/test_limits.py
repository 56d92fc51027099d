"""A butler's role has so many connections and no more, and no way into anything but its household's database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

import asyncpg
import pytest

from butler_contracts.errors import TargetUnavailable
from butler_kit.db import Connection, acquire, is_outage, is_over_limit, open_pool
from butler_provision.plans import DASHBOARD_LIMIT, DASHBOARD_ROLE, Member
from butler_provision.prepare import Prepared, Shown, prepare, prepare_dashboard
from butler_provision.urls import AdminUrl, parse_admin_url
from tests.support.database import Database, Server, running_server

FINANCE = Member("specialist", "finance", connection_limit=4)
GARDEN = Member("specialist", "garden", connection_limit=4)
UNLIMITED = replace(FINANCE, connection_limit=None)


@pytest.fixture(scope="module")
def postgres_server() -> Iterator[Server]:
    """One on which no other test has made roles: an administrator who is no superuser may not change those."""
    with running_server() as server:
        yield server


@pytest.fixture(params=["SUPERUSER", "NOSUPERUSER CREATEROLE"])
async def admin(request: pytest.FixtureRequest, fresh_database: Database) -> AsyncIterator[AdminUrl]:
    """Whoever prepares the database, with all rights or with those that the guide asks for."""
    server, name = fresh_database.server, fresh_database.name
    await server.execute(f"CREATE ROLE steward LOGIN PASSWORD 'x' {request.param}")
    await server.execute(f"ALTER DATABASE {name} OWNER TO steward")
    yield parse_admin_url(str(server.postgres.dsn("steward", "x", database=name)))
    await server.execute(f"ALTER DATABASE {name} OWNER TO butlers")
    async with connected(fresh_database.admin_dsn) as connection:
        await connection.execute("REASSIGN OWNED BY steward TO butlers; DROP OWNED BY steward")


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


async def start(admin: AdminUrl, member: Member = FINANCE) -> Prepared:
    return await prepare(member, admin, wait_s=30.0, tell=print)


async def limits(admin: AdminUrl) -> dict[str, int]:
    async with connected(admin.text) as connection:
        rows = await connection.fetch("SELECT rolname, rolconnlimit FROM pg_roles WHERE rolconnlimit >= 0")
    return {row["rolname"]: row["rolconnlimit"] for row in rows}


async def nobody_left(admin: AdminUrl, role: str) -> None:
    """The server notices the end of a connection a moment after whoever closed it."""
    async with connected(admin.text) as connection, asyncio.timeout(10):
        while await connection.fetchval("SELECT count(*) FROM pg_stat_activity WHERE usename = $1", role):
            await asyncio.sleep(0.02)


async def test_a_role_gets_no_connection_past_its_limit_and_the_others_go_on(admin: AdminUrl) -> None:
    finance, garden = await start(admin), await start(admin, GARDEN)
    async with AsyncExitStack() as stack:
        for _ in range(4):
            await stack.enter_async_context(connected(finance.url))
        with pytest.raises(asyncpg.TooManyConnectionsError) as refused:
            await asyncpg.connect(finance.url)
        assert is_over_limit(refused.value)
        assert is_outage(refused.value), "a matter of time, not of the program"
        async with connected(garden.url) as connection:
            assert await connection.fetchval("SELECT current_user") == "butler_garden"
        assert (await start(admin)).url == finance.url, "its password is known to be right all the same"
    await nobody_left(admin, "butler_finance")
    async with connected(finance.url) as connection:
        assert await connection.fetchval("SELECT 1") == 1


async def test_a_service_without_a_connection_says_why_and_goes_on_by_itself(admin: AdminUrl) -> None:
    url = (await start(admin)).url
    pool = await open_pool(url, "finance", name="finance", min_size=0)
    async with AsyncExitStack() as stack:
        for _ in range(4):
            await stack.enter_async_context(connected(url))
        with pytest.raises(TargetUnavailable, match=r"reading: its role has all the connections .* limit"):
            async with acquire(pool, doing="reading"):
                pass
        with pytest.raises(TargetUnavailable, match=r"has all the connections .*connectionLimit"):
            await open_pool(url, "finance", name="finance", connect_deadline_s=0.2)
    await nobody_left(admin, "butler_finance")
    async with acquire(pool) as connection:
        assert await connection.fetchval("SELECT 1") == 1
    await pool.close()


async def test_a_household_of_the_release_before_gets_its_limits_while_it_runs(admin: AdminUrl) -> None:
    async with connected((await start(admin, UNLIMITED)).url) as replica:
        assert await limits(admin) == {}
        await start(admin)
        assert await limits(admin) == {"butler_finance": 4}
        assert await replica.fetchval("SELECT 1") == 1


async def test_a_limit_grows_at_once_and_shrinks_when_nobody_is_connected(admin: AdminUrl) -> None:
    async with connected((await start(admin)).url):
        await start(admin, replace(FINANCE, connection_limit=9))
        assert await limits(admin) == {"butler_finance": 9}
        await start(admin)
        assert await limits(admin) == {"butler_finance": 9}, "what runs may need it yet"
    await nobody_left(admin, "butler_finance")
    await start(admin)
    assert await limits(admin) == {"butler_finance": 4}


async def test_nobody_else_is_limited(fresh_database: Database, admin: AdminUrl) -> None:
    await fresh_database.server.execute("CREATE ROLE diary LOGIN PASSWORD 'x' CONNECTION LIMIT 7")
    await start(admin)
    await prepare_dashboard(Shown(), admin, wait_s=30.0, tell=print)
    ours = {"butler_finance": 4, DASHBOARD_ROLE: DASHBOARD_LIMIT}
    assert await limits(admin) == ours | {"diary": 7}


async def catalogs(database: Database) -> list[Any]:
    """Whatever says who may do what."""
    asked = (
        "SELECT rolname, rolconnlimit, rolcanlogin, rolinherit, rolpassword, shobj_description(oid, 'pg_authid') "
        "FROM pg_authid ORDER BY 1",
        "SELECT roleid::regrole::text, member::regrole::text, admin_option FROM pg_auth_members ORDER BY 1, 2",
        "SELECT datname, datdba::regrole::text, datacl::text FROM pg_database ORDER BY 1",
        "SELECT nspname, nspowner::regrole::text, nspacl::text FROM pg_namespace ORDER BY 1",
        "SELECT oid::regclass::text, relowner::regrole::text, relacl::text FROM pg_class ORDER BY oid",
        "SELECT oid::regprocedure::text, proacl::text FROM pg_proc ORDER BY oid",
    )
    async with connected(database.admin_dsn) as connection:
        return [[tuple(row) for row in await connection.fetch(query)] for query in asked]


async def test_a_second_run_changes_nothing(fresh_database: Database, admin: AdminUrl) -> None:
    for member in (FINANCE, GARDEN):
        await start(admin, member)
    before = await catalogs(fresh_database)
    for member in (FINANCE, GARDEN):
        await start(admin, member)
    assert await catalogs(fresh_database) == before


@pytest.fixture
async def neighbour(fresh_database: Database) -> AsyncIterator[Database]:
    """Another household's database on the same server."""
    database = Database(fresh_database.server, await fresh_database.server.create())
    yield database
    await database.close()


async def test_a_butler_of_another_household_of_the_server_does_not_get_in(
    fresh_database: Database, neighbour: Database
) -> None:
    await start(parse_admin_url(neighbour.admin_dsn), GARDEN)
    own = parse_admin_url(fresh_database.admin_dsn)
    url = (await start(own)).url
    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="permission denied for database"):
        await asyncpg.connect(url, database=neighbour.name)
    await fresh_database.server.execute("CREATE ROLE passer LOGIN PASSWORD 'x'")
    for database in (fresh_database, neighbour):
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="permission denied for database"):
            await asyncpg.connect(fresh_database.server.postgres.dsn("passer", "x", database=database.name))


async def test_butlers_make_no_temporary_tables_and_read_no_large_object_of_another(
    admin: AdminUrl,
) -> None:
    finance, garden = await start(admin), await start(admin, GARDEN)
    async with connected(finance.url) as connection:
        number = await connection.fetchval("SELECT lo_from_bytea(0, 'secret'::bytea)")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute("CREATE TEMPORARY TABLE notes (body text)")
    async with connected(garden.url) as connection:
        for statement in (
            "SELECT lo_get($1)",
            "SELECT lo_unlink($1)",
            "SELECT data FROM pg_largeobject WHERE loid = $1",
        ):
            with pytest.raises(asyncpg.PostgresError, match=r"permission denied|must be owner"):
                await connection.execute(statement.replace("$1", str(number)))
