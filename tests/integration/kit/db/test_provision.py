"""A schema and a role per butler: what each may do, and what nobody else may."""

from __future__ import annotations

import asyncpg
import pytest

from butler_kit.db import Grant, SchemaPlan, provision

FINANCE = SchemaPlan("finance", "butler_finance", "one")
HEALTH = SchemaPlan("health", "butler_health", "two")


async def connect(database, role, password, schema):
    return await asyncpg.connect(database.server.postgres.dsn(role, password, schema, database=database.name))


async def test_a_role_works_in_its_own_schema(fresh_database):
    result = await provision(fresh_database.admin_dsn, [FINANCE, HEALTH])
    assert result.role_isolation
    connection = await connect(fresh_database, "butler_finance", "one", "finance")
    await connection.execute("CREATE TABLE notes (body text)")
    assert await connection.fetchval("SELECT count(*) FROM finance.notes") == 0
    assert await connection.fetchval("SELECT count(*) FROM sessions") == 0
    await connection.close()


@pytest.mark.spec("CON-2.9")
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM finance.sessions",
        "CREATE TABLE finance.mine (body text)",
        "CREATE TABLE public.mine (body text)",
        "CREATE SCHEMA elsewhere",
        "SELECT finance.clock_now()",
        "SET ROLE butler_finance",
        "CREATE ROLE another",
    ],
)
async def test_a_role_cannot_touch_what_is_not_its_own(fresh_database, statement):
    await provision(fresh_database.admin_dsn, [FINANCE, HEALTH])
    connection = await connect(fresh_database, "butler_health", "two", "health")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute(statement)
    await connection.close()


async def test_a_role_without_a_schema_here_cannot_connect(fresh_database):
    await fresh_database.server.execute("CREATE ROLE stranger LOGIN PASSWORD 'x'")
    await provision(fresh_database.admin_dsn, [FINANCE])
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connect(fresh_database, "stranger", "x", None)


async def test_a_grant_opens_the_named_tables_for_reading_only(fresh_database):
    open_sessions = SchemaPlan(
        "finance", "butler_finance", "one", grants=(Grant("butler_health", ("sessions",)),)
    )
    await provision(fresh_database.admin_dsn, [open_sessions, HEALTH])
    connection = await connect(fresh_database, "butler_health", "two", "health")
    assert await connection.fetch("SELECT * FROM finance.sessions") == []
    for statement in ("DELETE FROM finance.sessions", "SELECT * FROM finance.schema_migrations"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(statement)
    await connection.close()


async def test_a_grant_waits_for_its_table_and_its_role(fresh_database):
    wanted = Grant("butler_barn", ("sessions", "of_tomorrow"), schema="lodge")
    lodge = SchemaPlan("lodge", "butler_lodge", "one", grants=(wanted,))
    await provision(fresh_database.admin_dsn, [lodge])
    await provision(fresh_database.admin_dsn, [SchemaPlan("barn", "butler_barn", "two", grants=(wanted,))])
    connection = await connect(fresh_database, "butler_barn", "two", "barn")
    assert await connection.fetch("SELECT * FROM lodge.sessions") == []
    await connection.close()


async def test_provisioning_again_changes_the_password_and_applies_nothing(fresh_database):
    first = await provision(fresh_database.admin_dsn, [FINANCE])
    again = await provision(fresh_database.admin_dsn, [SchemaPlan("finance", "butler_finance", "new")])
    assert first.applied["finance"]
    assert again.applied == {"finance": ()}
    with pytest.raises(asyncpg.InvalidPasswordError):
        await connect(fresh_database, "butler_finance", "one", "finance")
    await (await connect(fresh_database, "butler_finance", "new", "finance")).close()


@pytest.fixture
async def limited_admin(fresh_database):
    """Makes an administrator who owns the database, with or without the right to create roles."""

    async def make(attributes):
        server = fresh_database.server
        await server.execute(f"CREATE ROLE lodger LOGIN PASSWORD 'x' {attributes}")
        await server.execute(f"ALTER DATABASE {fresh_database.name} OWNER TO lodger")
        return server.postgres.dsn("lodger", "x", database=fresh_database.name)

    yield make
    await fresh_database.server.execute(f"ALTER DATABASE {fresh_database.name} OWNER TO butlers")


async def test_without_the_right_to_create_roles_one_role_owns_every_schema(fresh_database, limited_admin):
    dsn = await limited_admin("NOCREATEROLE")
    result = await provision(dsn, [FINANCE, HEALTH])
    assert not result.role_isolation
    assert result.roles == {"finance": "lodger", "health": "lodger"}
    connection = await asyncpg.connect(dsn)
    assert await connection.fetch("SELECT * FROM finance.sessions") == []
    await connection.close()


async def test_an_administrator_who_is_no_superuser_still_isolates_the_butlers(fresh_database, limited_admin):
    dsn = await limited_admin("CREATEROLE")
    lodge = SchemaPlan("lodge", "butler_lodge", "a")
    barn = SchemaPlan("barn", "butler_barn", "b")
    for _ in range(2):
        result = await provision(dsn, [lodge, barn])
        assert result.role_isolation
    connection = await connect(fresh_database, "butler_lodge", "a", "lodge")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute("SELECT * FROM barn.sessions")
    await connection.close()


async def test_a_password_is_never_part_of_a_plan_s_text():
    assert "'one'" not in repr(FINANCE)
