"""The administrator's password changes while replicas run: those go on connecting, new ones use the new one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from butler_kit.db import Connection, open_pool, provision
from butler_provision.plans import DASHBOARD_ROLE, Member, plans_of, role_password
from butler_provision.prepare import Prepared, Shown, find_url, prepare, prepare_dashboard
from butler_provision.urls import AdminUrl, parse_admin_url
from tests.support.database import Database, Server, running_server

FINANCE = Member("specialist", "finance")
MESSENGER = Member("messenger", "messenger", readers=("switchboard",))
ROLE = "butler_finance"
Rotate = Callable[[str], Awaitable[AdminUrl]]


@pytest.fixture(scope="module")
def postgres_server() -> Iterator[Server]:
    """One on which no other test has made roles: an administrator who is no superuser may not change those."""
    with running_server() as server:
        yield server


@pytest.fixture(params=["SUPERUSER", "NOSUPERUSER CREATEROLE"])
async def rotate(request: pytest.FixtureRequest, fresh_database: Database) -> AsyncIterator[Rotate]:
    """Gives the administrator another password, and then its URL."""
    server = fresh_database.server
    await server.execute(f"CREATE ROLE steward LOGIN {request.param}")
    await server.execute(f"ALTER DATABASE {fresh_database.name} OWNER TO steward")

    async def change(password: str) -> AdminUrl:
        await server.execute(f"ALTER ROLE steward PASSWORD '{password}'")
        return parse_admin_url(str(server.postgres.dsn("steward", password, database=fresh_database.name)))

    yield change
    await server.execute(f"ALTER DATABASE {fresh_database.name} OWNER TO butlers")
    owned = "REASSIGN OWNED BY steward TO butlers; DROP OWNED BY steward"
    admin = await fresh_database.admin()
    await admin.execute(owned)
    await admin.close()


async def start(admin: AdminUrl, member: Member = FINANCE) -> Prepared:
    return await prepare(member, admin, wait_s=30.0, tell=print)


async def as_the_release_before(admin: AdminUrl, member: Member = FINANCE) -> str:
    """What a pod of a release without stand-ins does; the URL that it uses."""
    password = role_password(admin.password, ROLE)
    await provision(admin.text, plans_of(member, password), allow_newer=True)
    return admin.as_role(ROLE, password)


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


async def works(url: str) -> bool:
    """Whether a new connection is the butler, in what it reads and in what it may change."""
    try:
        async with connected(url) as connection:
            assert await connection.fetchval("SELECT count(*) FROM finance.route_inbox") == 0
            await connection.execute("COMMENT ON TABLE finance.route_inbox IS 'only its owner may say so'")
            return bool(await connection.fetchval("SELECT current_user") == ROLE)
    except asyncpg.InvalidPasswordError:
        return False


async def test_a_replica_goes_on_opening_connections_after_another_began_with_the_new_password(
    rotate: Rotate,
) -> None:
    before = await start(await rotate("the-first-one"))
    pool = await open_pool(before.url, "finance", name="older-replica", min_size=1, max_size=2)
    try:
        admin = await rotate("the-second-one")
        after = await start(admin)
        assert after.url != before.url
        await pool.expire_connections()
        assert await pool.fetchval("SELECT count(*) FROM route_inbox") == 0
        assert await works(before.url)
        assert await works(after.url)
        assert (await start(admin)).url == after.url
        assert await works(before.url), "a third replica changed nothing"
    finally:
        await pool.close()


async def test_each_change_ends_the_password_before_the_last(rotate: Rotate) -> None:
    urls = [(await start(await rotate(f"number-{number}"))).url for number in range(4)]
    assert [await works(url) for url in urls] == [False, False, True, True]


async def test_replicas_that_start_at_once_after_a_change_agree(rotate: Rotate) -> None:
    before = await start(await rotate("the-first-one"))
    admin = await rotate("the-second-one")
    urls = {made.url for made in await asyncio.gather(*(start(admin) for _ in range(4)))}
    assert len(urls) == 1
    assert await works(before.url)
    assert await works(urls.pop())


async def test_a_job_gets_the_url_that_the_replicas_have_and_changes_nothing(rotate: Rotate) -> None:
    await start(await rotate("the-first-one"))
    admin = await rotate("the-second-one")
    early = await find_url(FINANCE, admin, wait_s=30.0, tell=print)
    assert not await works(early.url)
    assert (await start(admin)).url == early.url
    assert await works((await find_url(FINANCE, admin, wait_s=30.0, tell=print)).url)


async def test_what_either_of_them_makes_belongs_to_the_butler(rotate: Rotate) -> None:
    before = await start(await rotate("the-first-one"))
    after = await start(await rotate("the-second-one"))
    async with connected(after.url) as connection:
        await connection.execute("CREATE TABLE finance.notes (body text)")
    async with connected(before.url) as connection:
        await connection.execute(
            "INSERT INTO finance.notes VALUES ('x'); ALTER TABLE finance.notes ADD b int"
        )
        owner = "SELECT tableowner FROM pg_tables WHERE tablename = 'notes'"
        assert await connection.fetchval(owner) == ROLE


async def test_the_stand_in_may_do_no_more_than_the_butler(rotate: Rotate) -> None:
    await start(await rotate("the-first-one"), MESSENGER)
    await start(await rotate("the-first-one"))
    after = await start(await rotate("the-second-one"))
    async with connected(after.url) as connection:
        await connection.execute("RESET ROLE")
        for statement in (
            "SELECT * FROM messenger.route_inbox",
            "SET ROLE butler_messenger",
            "CREATE ROLE x",
        ):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(statement)


async def test_the_dashboard_goes_on_reading_too(rotate: Rotate) -> None:
    shown = Shown("switchboard", "messenger")
    before = await prepare_dashboard(shown, await rotate("the-first-one"), wait_s=30.0, tell=print)
    admin = await rotate("the-second-one")
    await start(admin, Member("switchboard", "switchboard"))
    after = await prepare_dashboard(shown, admin, wait_s=30.0, tell=print)
    for url in (before.url, after.url):
        async with connected(url) as connection:
            assert await connection.fetchval("SELECT current_user") == DASHBOARD_ROLE
            assert await connection.fetch("SELECT * FROM switchboard.dashboard_butlers") == []
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.fetch("SELECT * FROM switchboard.butler_registry")


async def test_an_upgrade_changes_no_password(rotate: Rotate) -> None:
    admin = await rotate("the-first-one")
    before = await as_the_release_before(admin)
    assert (await start(admin)).url == before
    assert await works(before)


async def test_an_upgrade_together_with_a_new_password_leaves_the_older_replicas_theirs(
    rotate: Rotate,
) -> None:
    before = await as_the_release_before(await rotate("the-first-one"))
    after = await start(await rotate("the-second-one"))
    assert await works(before)
    assert await works(after.url)


async def test_going_back_a_release_after_a_change_stops_neither_release(rotate: Rotate) -> None:
    await start(await rotate("the-first-one"))
    admin = await rotate("the-second-one")
    newer = await start(admin)
    older = await as_the_release_before(admin)
    assert await works(newer.url)
    assert await works(older)
    again = await start(admin)
    assert await works(again.url)
    assert await works(older), "and forward again"


async def test_a_change_under_the_release_before_is_found_by_the_next_one(rotate: Rotate) -> None:
    await start(await rotate("the-first-one"))
    await start(await rotate("the-second-one"))
    admin = await rotate("the-third-one")
    older = await as_the_release_before(admin)
    assert (await start(admin)).url == older
    newer = await start(await rotate("the-fourth-one"))
    assert await works(older)
    assert await works(newer.url)
