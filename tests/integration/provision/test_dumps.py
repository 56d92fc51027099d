"""A household's database is dumped while it works, and made again on a server that never knew it, or not at all."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest

from butler_kit.db import Connection
from butler_provision.plans import Member
from butler_provision.prepare import Shown, prepare, prepare_dashboard
from butler_provision.urls import parse_admin_url
from tests.support.database import Server, running_server
from tests.support.dumps import Dumps
from tests.support.helm import CHARTS

MEMBERS = (
    Member("switchboard", "switchboard", uid="u-1"),
    Member("messenger", "messenger", readers=("switchboard",), uid="u-2"),
    Member("specialist", "finance", uid="u-3"),
)
RIGHTS = """
SELECT n.nspname || '.' || c.relname AS name, c.relowner::regrole::text AS owner,
    (SELECT array_agg(a::text ORDER BY a::text) FROM unnest(c.relacl) AS a
        WHERE NOT a::text LIKE c.relowner::regrole || '=%') AS rights
FROM pg_class AS c INNER JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname IN ('switchboard', 'messenger', 'shared', 'finance')
UNION ALL
SELECT p.oid::regprocedure::text, p.proowner::regrole::text, p.proacl::text[]
FROM pg_proc AS p WHERE p.pronamespace::regnamespace::text IN ('switchboard', 'messenger', 'shared', 'finance')
UNION ALL
SELECT nspname || ': ' || coalesce(obj_description(oid, 'pg_namespace'), ''), nspowner::regrole::text,
    (SELECT array_agg(a::text ORDER BY a::text) FROM unnest(nspacl) AS a
        WHERE NOT a::text LIKE nspowner::regrole || '=%')
FROM pg_namespace WHERE nspname IN ('switchboard', 'messenger', 'shared', 'finance', 'public')
UNION ALL
SELECT 'database', datdba::regrole::text,
    (SELECT array_agg(a::text ORDER BY a::text) FROM unnest(datacl) AS a)
FROM pg_database WHERE datname = current_database()
"""
"""Whose each thing is and what others may do with it; what an owner may, it may anyway."""
GUIDE = (CHARTS.parent / "docs" / "guides" / "backup.md").read_text("utf-8")
UNDER_WAY = GUIDE[GUIDE.index("SELECT 'request'") :].partition(";")[0]
"""What the guide has a person ask before anything goes on."""
COUNTING = (
    "CREATE TABLE finance.counted (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, half boolean)"
)
PAIR = "INSERT INTO finance.counted (half) VALUES (false), (true)"


@pytest.fixture
def server() -> Iterator[Server]:
    with running_server() as made:
        yield made


@pytest.fixture
def dumps(tmp_path: Path) -> Dumps:
    (tmp_path / "dumps").mkdir()
    return Dumps(tmp_path / "dumps")


@asynccontextmanager
async def administering(server: Server) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(server.postgres.admin_dsn)
    try:
        yield connection
    finally:
        await connection.close()


async def start(server: Server) -> None:
    """What the init steps of all pods do."""
    admin = parse_admin_url(server.postgres.admin_dsn)
    for member in MEMBERS:
        await prepare(member, admin, wait_s=30, tell=print)
    await prepare_dashboard(Shown(), admin, wait_s=30, tell=print)


async def rights(server: Server) -> dict[str, tuple[str, list[str] | None]]:
    async with administering(server) as connection:
        return {row["name"]: (row["owner"], row["rights"]) for row in await connection.fetch(RIGHTS)}


async def counted(server: Server) -> list[int]:
    async with administering(server) as connection:
        rows = await connection.fetch("SELECT number FROM finance.counted ORDER BY number")
        return [row["number"] for row in rows]


async def settle(server: Server) -> None:
    """A household with something to lose."""
    await start(server)
    async with administering(server) as connection:
        await connection.execute(f"{COUNTING}; ALTER TABLE finance.counted OWNER TO butler_finance")
        await connection.execute(PAIR)


async def write(server: Server, stop: asyncio.Event) -> None:
    """Two rows in each transaction, so that half of one would show."""
    async with administering(server) as connection:
        while not stop.is_set():
            await connection.execute(PAIR)


async def databases(server: Server) -> list[str]:
    async with administering(server) as connection:
        rows = await connection.fetch(
            "SELECT datname FROM pg_database WHERE datname LIKE 'butlers%' ORDER BY 1"
        )
        return [row["datname"] for row in rows]


async def test_a_dump_of_a_working_household_is_the_same_household_on_a_server_that_never_knew_it(
    server: Server, dumps: Dumps
) -> None:
    await settle(server)
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(write(server, stop))
        made = await dumps.back_up(server.postgres.admin_dsn)
        stop.set()
    assert made.code == 0, made.text
    [name] = dumps.names()
    assert re.fullmatch(r"butlers-\d{8}T\d{6}Z\.dump", name)
    assert (dumps.folder / name).stat().st_mode & 0o777 == 0o600
    with running_server() as other:
        done = await dumps.restore(other.postgres.admin_dsn)
        assert (done.code, f"butlers is as of {name}" in done.text) == (0, True), done.text
        kept = await counted(other)
        assert len(kept) >= 2
        assert len(kept) % 2 == 0, "half a transaction"
        assert kept == (await counted(server))[: len(kept)]
        await start(other)
        assert await rights(other) == await rights(server)
        async with administering(other) as connection:
            assert await connection.fetch(UNDER_WAY) == []
        url = parse_admin_url(other.postgres.admin_dsn)
        prepared = await prepare(MEMBERS[2], url, wait_s=30, tell=print)
        assert (prepared.applied, prepared.open_to_all) == ((), False)
        finance = await asyncpg.connect(prepared.url)
        try:
            await finance.execute(PAIR)
        finally:
            await finance.close()
        assert (await counted(other))[-1] > kept[-1], "numbers go on behind the last"


async def test_a_dump_that_is_cut_off_or_not_there_restores_nothing(server: Server, dumps: Dumps) -> None:
    await settle(server)
    assert (await dumps.back_up(server.postgres.admin_dsn)).code == 0
    [name] = dumps.names()
    whole = (dumps.folder / name).read_bytes()
    for length in (len(whole) - 1000, len(whole) // 2, 100, 0):
        (dumps.folder / name).write_bytes(whole[:length])
        done = await dumps.restore(server.postgres.admin_dsn, REPLACE="yes")
        assert (done.code, "is damaged; nothing was changed" in done.text) == (1, True), done.text
    done = await dumps.restore(server.postgres.admin_dsn, FILE="butlers-none.dump", REPLACE="yes")
    assert (
        done.code,
        f"there is no butlers-none.dump; nothing was changed. There are: {name}" in done.text,
    ) == (1, True)
    assert await databases(server) == ["butlers"]
    assert len(await counted(server)) == 2


async def test_a_household_that_is_up_or_has_data_is_not_restored_over_unless_told(
    server: Server, dumps: Dumps
) -> None:
    await settle(server)
    assert (await dumps.back_up(server.postgres.admin_dsn)).code == 0
    async with administering(server) as connection:
        await connection.execute(PAIR)
        done = await dumps.restore(server.postgres.admin_dsn, REPLACE="yes")
        assert (done.code, "butlers is connected to butlers; suspend the household" in done.text) == (1, True)
    done = await dumps.restore(server.postgres.admin_dsn)
    assert (done.code, "REPLACE=yes moves it aside" in done.text) == (1, True), done.text
    assert await databases(server) == ["butlers"]
    assert len(await counted(server)) == 4

    done = await dumps.restore(server.postgres.admin_dsn, REPLACE="yes")
    assert done.code == 0, done.text
    assert len(await counted(server)) == 2
    [now, aside] = await databases(server)
    assert (now, aside) == ("butlers", done.text.split()[-1])
    kept = await asyncpg.connect(server.admin_dsn(aside))
    try:
        assert await kept.fetchval("SELECT count(*) FROM finance.counted") == 4, (
            "what was there is still there"
        )
    finally:
        await kept.close()
    before = await counted(server)
    await server.execute(f"ALTER DATABASE {aside} RENAME TO kept")
    again = await dumps.restore(server.postgres.admin_dsn, REPLACE="yes")
    assert again.code == 0, again.text
    assert await counted(server) == before, "a second time changes nothing"
    await start(server)


async def test_what_an_interrupted_restore_left_is_no_obstacle(server: Server, dumps: Dumps) -> None:
    await settle(server)
    assert (await dumps.back_up(server.postgres.admin_dsn)).code == 0
    await server.execute("CREATE DATABASE butlers_restoring")
    done = await dumps.restore(server.postgres.admin_dsn, REPLACE="yes")
    assert done.code == 0, done.text
    assert "butlers_restoring" not in await databases(server)


async def test_the_last_dumps_are_kept_and_a_failure_removes_none(server: Server, dumps: Dumps) -> None:
    await settle(server)
    for day in (1, 2, 3):
        (dumps.folder / f"butlers-2026010{day}T031500Z.dump").write_text("whole")
    (dumps.folder / "butlers-20260104T031500Z.dump.part").write_text("half")
    (dumps.folder / "notes.txt").write_text("not ours")
    made = await dumps.back_up(server.postgres.admin_dsn, keep=3)
    assert made.code == 0, made.text
    first, second, newest, other = dumps.names()
    assert (first, second) == ("butlers-20260102T031500Z.dump", "butlers-20260103T031500Z.dump")
    assert (newest.startswith("butlers-202601"), other) == (False, "notes.txt")

    refused = await dumps.back_up(server.postgres.admin_dsn.replace("/butlers", "/nowhere"), keep=1)
    assert (refused.code, "nothing was written" in refused.text) == (1, True)
    empty = await dumps.back_up(server.admin_dsn("postgres"), keep=1)
    assert (empty.code, "holds no butler; nothing was written" in empty.text) == (1, True), empty.text
    assert dumps.names() == [first, second, newest, other]
