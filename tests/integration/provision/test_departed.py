"""A butler that is gone: no login, data kept or dropped, and nothing of anybody else's touched."""

from __future__ import annotations

import asyncpg
import pytest

from butler_kit.db.faults import DRIVER_ERRORS, is_lost
from butler_provision.departed import Departed, departed, retire_departed
from butler_provision.plans import Member
from butler_provision.prepare import Prepared, prepare
from butler_provision.urls import AdminUrl, parse_admin_url
from tests.support.database import Database

SWITCHBOARD = Member("switchboard", "switchboard", uid="u-switchboard")
GARDEN = Member("specialist", "garden", uid="u-1")
FINANCE = Member("specialist", "finance", uid="u-2")


@pytest.fixture(params=["SUPERUSER", "NOSUPERUSER CREATEROLE"])
async def admin(request: pytest.FixtureRequest, fresh_database: Database) -> AdminUrl:
    """Either kind of administrator; roles are the server's, so each has names of its own."""
    server, name = fresh_database.server, fresh_database.name
    role = f"steward_{name}"
    await server.execute(f"CREATE ROLE {role} LOGIN {request.param} PASSWORD 'p'")
    await server.execute(f"ALTER DATABASE {name} OWNER TO {role}")
    return parse_admin_url(str(server.postgres.dsn(role, "p", database=name)))


@pytest.fixture
def names(fresh_database: Database) -> tuple[str, str]:
    """Butlers whose roles no other test of this server has."""
    return f"garden-{fresh_database.name}".replace("_", "-"), f"finance-{fresh_database.name}".replace(
        "_", "-"
    )


async def start(admin: AdminUrl, name: str, uid: str) -> Prepared:
    member = Member("specialist", name.replace("-", "_"), uid=uid)
    return await prepare(member, admin, wait_s=30.0, tell=print)


async def gone(admin: AdminUrl, name: str, uid: str, *, drop: bool = False) -> list[str]:
    told = await retire_departed([Departed(name, uid, drop)], admin, tell=print)
    return list(told)


async def value(url: str, query: str) -> object:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(query)
    finally:
        await connection.close()


async def test_a_retained_butler_s_role_cannot_log_in_and_its_data_stays(
    admin: AdminUrl, names: tuple[str, str]
) -> None:
    garden, finance = names
    first, other = await start(admin, garden, "u-1"), await start(admin, finance, "u-2")
    schema = garden.replace("-", "_")
    await value(first.url, f"CREATE TABLE {schema}.kept AS SELECT 7 AS n")
    assert await gone(admin, garden, "u-1") == ["retained"]
    assert await gone(admin, garden, "u-1") == ["retained"]
    with pytest.raises(asyncpg.InvalidAuthorizationSpecificationError):
        await asyncpg.connect(first.url)
    assert await value(admin.text, f"SELECT n FROM {schema}.kept") == 7
    assert await value(other.url, "SELECT 1") == 1

    back = await start(admin, garden, "u-3")
    assert await value(back.url, f"SELECT n FROM {schema}.kept") == 7


async def test_sessions_that_were_open_end_with_the_login(admin: AdminUrl, names: tuple[str, str]) -> None:
    garden, _ = names
    connection = await asyncpg.connect((await start(admin, garden, "u-1")).url)
    await gone(admin, garden, "u-1")
    with pytest.raises(DRIVER_ERRORS) as ended:
        await connection.fetchval("SELECT 1")
    assert is_lost(ended.value)


async def test_a_butler_that_came_back_under_the_same_name_is_left_alone(
    admin: AdminUrl, names: tuple[str, str]
) -> None:
    garden, _ = names
    await start(admin, garden, "u-1")
    back = await start(admin, garden, "u-3")
    assert await gone(admin, garden, "u-1", drop=True) == ["left"]
    assert await value(back.url, "SELECT 1") == 1


async def test_what_is_to_be_dropped_leaves_no_schema_and_no_role(
    admin: AdminUrl, names: tuple[str, str]
) -> None:
    garden, finance = names
    await start(admin, garden, "u-1")
    other = await start(admin, finance, "u-2")
    assert await gone(admin, garden, "u-1", drop=True) == ["dropped"]
    assert await gone(admin, garden, "u-1", drop=True) == ["dropped"]
    schema = garden.replace("-", "_")
    assert await value(admin.text, f"SELECT count(*) FROM pg_namespace WHERE nspname = '{schema}'") == 0
    assert await value(admin.text, f"SELECT count(*) FROM pg_roles WHERE rolname LIKE 'butler%{schema}'") == 0
    assert await value(other.url, "SELECT 1") == 1
    assert await value((await start(admin, garden, "u-3")).url, "SELECT 1") == 1


async def test_a_schema_that_provisioning_did_not_mark_is_nobody_s_to_take(
    admin: AdminUrl, names: tuple[str, str]
) -> None:
    garden, _ = names
    schema = garden.replace("-", "_")
    await prepare(Member("specialist", schema), admin, wait_s=30.0, tell=print)
    assert await gone(admin, garden, "u-1", drop=True) == ["left"]


async def test_a_drop_that_would_take_somebody_s_view_along_drops_nothing(
    admin: AdminUrl, names: tuple[str, str]
) -> None:
    garden, _ = names
    first = await start(admin, garden, "u-1")
    schema = garden.replace("-", "_")
    await value(first.url, f"CREATE TABLE {schema}.kept AS SELECT 7 AS n")
    await value(admin.text, "CREATE SCHEMA reports")
    await value(admin.text, f"CREATE VIEW reports.garden AS SELECT n FROM {schema}.kept")
    assert await gone(admin, garden, "u-1", drop=True) == ["retained"]
    assert await value(admin.text, "SELECT n FROM reports.garden") == 7


async def test_a_role_that_another_database_of_the_server_knows_is_left_alone(
    admin: AdminUrl, names: tuple[str, str], fresh_database: Database
) -> None:
    garden, _ = names
    first = await start(admin, garden, "u-1")
    other = f"other_{fresh_database.name}"
    await fresh_database.server.execute(f"CREATE DATABASE {other}")
    try:
        await fresh_database.server.execute(
            f"GRANT CONNECT ON DATABASE {other} TO butler_{garden.replace('-', '_')}"
        )
        assert await gone(admin, garden, "u-1", drop=True) == ["left"]
        assert await value(first.url, "SELECT 1") == 1
    finally:
        await fresh_database.server.execute(f"DROP DATABASE {other}")


async def test_a_database_that_refuses_keeps_nobody_from_starting(admin: AdminUrl) -> None:
    wrong = parse_admin_url(admin.text.replace(":p@", ":wrong@"))
    said: list[str] = []
    assert await retire_departed([departed("garden=u-1", drop=True)], wrong, tell=said.append) == {}
    assert "keep their logins for now" in said[0]
