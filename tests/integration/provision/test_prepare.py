"""Preparing one butler's part of the database: repeated, at once, in any order, by whoever may do how much."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import asyncpg
import pytest

from butler_contracts.errors import TargetUnavailable
from butler_kit.db import MigrationError
from butler_provision.plans import Member, role_password
from butler_provision.prepare import prepare
from butler_provision.urls import parse_admin_url
from tests.support.line import Line
from tests.support.loopback import HOST

SWITCHBOARD = Member("switchboard", "switchboard")
MESSENGER = Member("messenger", "messenger", readers=("switchboard",))
POST = Member("switchboard", "post")
POST_S_MESSENGER = Member("messenger", "messenger", readers=("post",))
FINANCE = Member("specialist", "finance")


class Place:
    """A database, and an administrator of it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.lines: list[str] = []

    async def prepare(self, member: Member, *, wait_s: float = 30.0):
        return await prepare(member, parse_admin_url(self.url), wait_s=wait_s, tell=self.lines.append)


@pytest.fixture
def place(fresh_database):
    return Place(fresh_database.admin_dsn)


@asynccontextmanager
async def connected(url):
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


async def test_a_service_connects_as_its_own_role_and_finds_its_tables(place):
    prepared = await place.prepare(FINANCE)
    assert prepared.role_isolation
    assert prepared.applied[:2] == ("kit 0001_clock", "kit 0002_sessions")
    async with connected(prepared.url) as connection:
        assert await connection.fetchval("SELECT current_user") == "butler_finance"
        assert await connection.fetchval("SELECT count(*) FROM finance.route_inbox") == 0


async def test_a_second_run_applies_nothing_and_changes_no_password(place):
    first = await place.prepare(FINANCE)
    async with connected(first.url) as older_replica:
        again = await place.prepare(FINANCE)
        assert (again.applied, again.url) == ((), first.url)
        assert await older_replica.fetchval("SELECT count(*) FROM finance.route_inbox") == 0


async def test_replicas_and_butlers_at_once_apply_everything_once(place):
    members = (SWITCHBOARD, MESSENGER, FINANCE) * 2
    results = await asyncio.gather(*(place.prepare(member) for member in members))
    for first, second in zip(results[:3], results[3:], strict=True):
        assert first.url == second.url
        assert sorted((bool(first.applied), bool(second.applied))) == [False, True]


@pytest.mark.parametrize("order", [(POST, POST_S_MESSENGER), (POST_S_MESSENGER, POST)])
async def test_switchboard_reads_the_contacts_whoever_comes_first(place, order):
    urls = {member.role: (await place.prepare(member)).url for member in order}
    async with connected(urls["switchboard"]) as connection:
        assert (
            await connection.fetch(
                "SELECT * FROM shared.contacts JOIN shared.contact_info USING (contact_id)"
            )
            == []
        )
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.fetch("SELECT * FROM shared.pending_actions")


async def test_switchboard_s_contacts_come_while_it_runs(place):
    switchboard = await place.prepare(SWITCHBOARD)
    async with connected(switchboard.url) as connection:
        with pytest.raises(asyncpg.UndefinedTableError):
            await connection.fetch("SELECT * FROM shared.contacts")
        await place.prepare(MESSENGER)
        assert await connection.fetch("SELECT * FROM shared.contacts") == []


async def test_an_older_program_takes_a_newer_database_as_it_is(place, fresh_database, caplog):
    await place.prepare(FINANCE)
    async with connected(fresh_database.admin_dsn) as admin:
        await admin.execute(
            "INSERT INTO finance.schema_migrations (source, number, title, checksum) VALUES "
            "('specialist', 90, 'a_column_of_tomorrow', 'x'), ('rollups', 1, 'a_component_of_tomorrow', 'x')"
        )
        again = await place.prepare(FINANCE)
        assert again.applied == ()
        assert "specialist 0090_a_column_of_tomorrow" in caplog.text
        kept = await admin.fetchval("SELECT count(*) FROM finance.schema_migrations WHERE checksum = 'x'")
        assert kept == 2


async def test_a_migration_that_changed_is_refused_even_so(place, fresh_database):
    await place.prepare(FINANCE)
    async with connected(fresh_database.admin_dsn) as admin:
        await admin.execute("UPDATE finance.schema_migrations SET checksum = 'x' WHERE source = 'specialist'")
    with pytest.raises(MigrationError, match="was changed after it had been applied"):
        await place.prepare(FINANCE)


@pytest.fixture
async def landlord(fresh_database):
    """Makes an administrator that owns the database, with the given attributes and password; gives its URL."""
    server = fresh_database.server
    await server.execute("CREATE ROLE landlord LOGIN")
    await server.execute(f"ALTER DATABASE {fresh_database.name} OWNER TO landlord")

    async def be(attributes: str, password: str) -> str:
        await server.execute(f"ALTER ROLE landlord {attributes} PASSWORD '{password}'")
        return str(server.postgres.dsn("landlord", password, database=fresh_database.name))

    yield be
    await server.execute(
        f"ALTER DATABASE {fresh_database.name} OWNER TO butlers; ALTER ROLE landlord NOSUPERUSER"
    )


async def test_without_the_right_to_create_roles_all_butlers_share_the_administrator_s(landlord):
    place = Place(await landlord("NOCREATEROLE", "a-password"))
    results = [await place.prepare(member) for member in (SWITCHBOARD, MESSENGER, FINANCE)]
    assert {(result.role_isolation, result.url) for result in results} == {(False, place.url)}
    async with connected(place.url) as connection:
        assert await connection.fetch("SELECT * FROM shared.contacts") == []
        assert await connection.fetch("SELECT * FROM finance.route_inbox") == []
    assert (await place.prepare(FINANCE)).applied == ()


async def test_a_butler_gets_its_own_role_once_the_administrator_may_make_one(landlord):
    byre = Member("specialist", "byre")
    shared = await Place(await landlord("NOCREATEROLE", "a-password")).prepare(byre)
    async with connected(shared.url) as older_replica:
        place = Place(await landlord("CREATEROLE", "a-password"))
        own = await place.prepare(byre)
        assert own.role_isolation
        assert own.applied == ()
        async with connected(own.url) as connection:
            assert await connection.fetchval("SELECT current_user") == "butler_byre"
            await connection.execute("ALTER TABLE byre.route_inbox ADD COLUMN tomorrow int")
            assert await connection.fetchval("SELECT byre.clock_now() IS NOT NULL")
        assert await older_replica.fetch("SELECT * FROM byre.route_inbox") == []


async def test_an_administrator_with_a_wrong_password_is_refused_at_once(place, fresh_database):
    role, database = "butlers", fresh_database.name
    wrong = Place(fresh_database.server.postgres.dsn(role, "wrong", database=database))
    with pytest.raises(asyncpg.InvalidPasswordError):
        await wrong.prepare(FINANCE)
    assert wrong.lines == []


@pytest.fixture
async def line(fresh_database):
    async with Line(fresh_database.server.postgres.port) as line:
        yield line


def through(line: Line, url: str, port: int) -> Place:
    return Place(url.replace(f"{HOST}:{port}", f"{HOST}:{line.port}"))


async def test_a_database_that_comes_back_is_waited_for(fresh_database, line):
    place = through(line, fresh_database.admin_dsn, fresh_database.server.postgres.port)
    await line.cut()
    preparing = asyncio.create_task(place.prepare(FINANCE))
    async with asyncio.timeout(90):
        while not place.lines:
            await asyncio.sleep(0.01)
    await line.mend()
    assert (await preparing).role_isolation
    assert place.lines[0].startswith(
        f"waiting for the database at {HOST}:{line.port}/{fresh_database.name}, 0 of 30 s"
    )


async def test_a_database_that_stays_away_is_told_in_one_line_without_a_secret(fresh_database, line):
    place = through(line, fresh_database.admin_dsn, fresh_database.server.postgres.port)
    await line.cut()
    with pytest.raises(TargetUnavailable, match=r"did not answer for 0\.5 s .* is it running") as caught:
        await place.prepare(FINANCE, wait_s=0.5)
    told = f"{caught.value} {place.lines}"
    assert parse_admin_url(place.url).password not in told
    assert "\n" not in str(caught.value)


def test_role_passwords_differ_and_follow_the_administrator_s() -> None:
    passwords = {role_password(admin, role) for admin in ("one", "two") for role in ("butler_a", "butler_b")}
    assert len(passwords) == 4
    assert role_password("one", "butler_a") in passwords
