"""A database in which another application lives: it keeps what it has and what it may do."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from butler_contracts.errors import ValidationFailed
from butler_kit.db import Connection
from butler_provision.plans import Member
from butler_provision.prepare import Prepared, prepare
from butler_provision.urls import parse_admin_url
from tests.support.database import Database

FINANCE = Member("specialist", "finance")
MESSENGER = Member("messenger", "messenger", readers=("switchboard",))


class Diary:
    """An application that connects as `diary` by what everybody may, and keeps its notes where it likes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Connection]:
        url = self._database.server.postgres.dsn("diary", "x", database=self._database.name)
        connection = await asyncpg.connect(url)
        try:
            yield connection
        finally:
            await connection.close()

    async def writes(self, table: str) -> None:
        """All that it does in a day."""
        async with self.connected() as connection:
            await connection.execute("CREATE TEMPORARY TABLE draft (body text)")
            await connection.execute(f"INSERT INTO {table} VALUES ('dear diary')")

    async def settles(self, schema: str) -> str:
        """Its table in a schema, made by the database's owner as installers do."""
        admin = await self._database.admin()
        try:
            await admin.execute(
                f"CREATE SCHEMA IF NOT EXISTS {schema}; GRANT USAGE ON SCHEMA {schema} TO PUBLIC"
            )
            await admin.execute(f"CREATE TABLE {schema}.pages (body text)")
            await admin.execute(f"GRANT ALL ON {schema}.pages TO diary")
        finally:
            await admin.close()
        return f"{schema}.pages"


@pytest.fixture
async def diary(fresh_database: Database) -> Diary:
    await fresh_database.server.execute("CREATE ROLE diary LOGIN PASSWORD 'x'")
    return Diary(fresh_database)


async def start(database: Database, member: Member = FINANCE) -> Prepared:
    return await prepare(member, parse_admin_url(database.admin_dsn), wait_s=30.0, tell=print)


@pytest.mark.parametrize("schema", ["public", "diary"])
async def test_an_application_that_was_there_first_keeps_its_rights(
    fresh_database: Database, diary: Diary, schema: str
) -> None:
    pages = await diary.settles(schema)
    await diary.writes(pages)
    for _ in range(2):
        prepared = await start(fresh_database)
        assert prepared.role_isolation
        assert prepared.open_to_all, "and that is told"
        await diary.writes(pages)


async def test_the_butlers_are_kept_apart_from_it_all_the_same(
    fresh_database: Database, diary: Diary
) -> None:
    await diary.settles("diary")
    await start(fresh_database)
    async with diary.connected() as connection:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.fetch("SELECT * FROM finance.route_inbox")


async def test_a_database_that_was_empty_is_closed_and_what_is_given_later_stays(
    fresh_database: Database, diary: Diary
) -> None:
    assert not (await start(fresh_database)).open_to_all
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await diary.writes("nothing")
    await fresh_database.server.execute(
        f"GRANT CONNECT, TEMPORARY ON DATABASE {fresh_database.name} TO PUBLIC"
    )
    pages = await diary.settles("diary")
    assert (await start(fresh_database)).open_to_all
    await diary.writes(pages)


@pytest.mark.parametrize(("schema", "member"), [("finance", FINANCE), ("shared", MESSENGER)])
async def test_a_schema_of_somebody_else_is_refused_and_left_as_it_is(
    fresh_database: Database, diary: Diary, schema: str, member: Member
) -> None:
    pages = await diary.settles(schema)
    with pytest.raises(ValidationFailed, match=f"schema {schema} .* has pages .* another name"):
        await start(fresh_database, member)
    await diary.writes(pages)
    admin = await fresh_database.admin()
    owner = "SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = $1"
    assert await admin.fetchval(owner, schema) == "butlers"
    await admin.close()


async def test_an_empty_schema_that_was_made_for_a_butler_is_taken(fresh_database: Database) -> None:
    admin = await fresh_database.admin()
    await admin.execute("CREATE SCHEMA finance")
    await admin.close()
    assert (await start(fresh_database)).applied
