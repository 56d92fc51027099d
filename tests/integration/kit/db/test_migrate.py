"""Migrations: applied once and in order, refused when files and database disagree."""

from __future__ import annotations

import asyncio
import sys

import asyncpg
import pytest

from butler_kit.db import KIT_MIGRATIONS, MigrationError, MigrationSource, load_migrations, migrate

SOURCE = MigrationSource("demo", "migratedpackage")
ONE = ("0001_first.sql", "CREATE TABLE first (id int);")
TWO = ("0002_second.sql", "CREATE TABLE second (id int);")


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Writes the demo package's migration files, replacing earlier ones."""
    package = tmp_path / "migratedpackage"
    folder = package / "migrations"
    folder.mkdir(parents=True)
    package.joinpath("__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "migratedpackage", raising=False)

    def write(*entries):
        for old in folder.iterdir():
            old.unlink()
        for name, text in entries:
            folder.joinpath(name).write_bytes(text.encode())

    return write


class Runner:
    """Migrates the demo package into one database."""

    def __init__(self, database):
        self.database = database

    async def __call__(self):
        dsn = self.database.admin_dsn
        return await migrate(dsn, schema="finance", role="butler_finance", sources=[SOURCE])


@pytest.fixture
async def run(provisioned):
    database = await provisioned("finance")

    return Runner(database)


async def tables(run):
    connection = await run.database.admin()
    rows = await connection.fetch("SELECT tablename, tableowner FROM pg_tables WHERE schemaname = 'finance'")
    await connection.close()
    return {row["tablename"]: row["tableowner"] for row in rows}


async def test_pending_migrations_are_applied_in_order_and_once(files, run):
    files(ONE)
    assert await run() == ("demo 0001_first",)
    files(ONE, TWO)
    assert await run() == ("demo 0002_second",)
    assert await run() == ()
    assert (await tables(run))["second"] == "butler_finance"


async def test_the_kit_s_own_tables_come_first(run):
    assert {"sessions", "schema_migrations"} <= set(await tables(run))
    assert [migration.title for migration in load_migrations(KIT_MIGRATIONS)][:2] == ["clock", "sessions"]


async def test_a_changed_file_is_refused(files, run):
    files(ONE)
    await run()
    files((ONE[0], ONE[1] + " -- harmless?"))
    with pytest.raises(MigrationError, match="demo 0001_first was changed"):
        await run()


async def test_other_line_ends_are_no_change(files, run):
    files((ONE[0], "SELECT 1;\nSELECT 2;\n"))
    await run()
    files((ONE[0], "SELECT 1;\r\nSELECT 2;\r\n"))
    assert await run() == ()


async def test_a_database_of_a_newer_version_is_refused(files, run):
    files(ONE, TWO)
    await run()
    files(ONE)
    with pytest.raises(MigrationError, match=r"0002_second, which this program does not know.*newer version"):
        await run()


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (["0002_second.sql"], "expected migration 0001"),
        (["0001_a.sql", "0003_c.sql"], "expected migration 0002"),
        (["0001_a.sql", "0001_b.sql"], "expected migration 0002"),
        (["1_a.sql"], "NNNN_title"),
    ],
)
async def test_gaps_and_stray_names_are_refused(files, run, names, problem):
    files(*((name, "SELECT 1") for name in names))
    with pytest.raises(MigrationError, match=problem):
        await run()


async def test_a_failing_migration_leaves_nothing_of_itself_and_keeps_the_earlier_ones(files, run):
    files(ONE, ("0002_broken.sql", "CREATE TABLE half (id int); SELECT 1 / 0;"))
    with pytest.raises(MigrationError, match=r"demo 0002_broken failed: division by zero"):
        await run()
    assert "half" not in await tables(run)
    files(ONE, TWO)
    assert await run() == ("demo 0002_second",)


async def test_two_migrators_at_once_apply_everything_once(files, run):
    files((ONE[0], ONE[1] + "SELECT pg_sleep(0.2);"), TWO)
    results = await asyncio.gather(*(run() for _ in range(3)))
    assert sorted(results, key=len) == [(), (), ("demo 0001_first", "demo 0002_second")]


async def test_a_migrator_that_waits_in_vain_says_so(files, run):
    files(ONE)
    holder = await run.database.admin()
    await holder.execute("SELECT pg_advisory_lock(hashtextextended('butlers.migrate:finance', 0))")
    with pytest.raises(MigrationError, match="another process has been migrating"):
        await migrate(
            run.database.admin_dsn, schema="finance", role="butler_finance", sources=[SOURCE], wait_s=1
        )
    await holder.close()
    assert await run() == ("demo 0001_first",)


async def test_a_migration_waits_only_briefly_for_tables_an_older_replica_uses(files, run):
    files(ONE)
    await run()
    reader = await run.database.admin()
    transaction = reader.transaction()
    await transaction.start()
    await reader.fetch("SELECT * FROM finance.first")
    files(ONE, ("0002_alter.sql", "ALTER TABLE first ADD COLUMN more int;"))
    migrating = asyncio.create_task(run())
    other = await run.database.admin()
    async with asyncio.timeout(90):
        while not await other.fetchval("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)"):
            await asyncio.sleep(0.01)
        await other.fetch("SELECT * FROM finance.first")
        await transaction.commit()
        assert await migrating == ("demo 0002_alter",)
    await reader.close()
    await other.close()


async def test_a_migration_cannot_leave_its_role(files, run):
    files(("0001_escape.sql", "CREATE TABLE public.mine (id int);"))
    with pytest.raises(MigrationError, match="permission denied"):
        await run()


async def test_an_unreachable_database_is_the_driver_s_error(unused_tcp_port):
    with pytest.raises((OSError, asyncpg.PostgresError)):
        await migrate(f"postgresql://x@127.0.0.1:{unused_tcp_port}/y", schema="s", role="r", sources=[])


async def test_a_newer_database_is_taken_as_it_is_by_whoever_asks_for_that(files, run, caplog):
    files(ONE, TWO)
    await run()
    files(ONE)
    dsn = run.database.admin_dsn
    assert (
        await migrate(dsn, schema="finance", role="butler_finance", sources=[SOURCE], allow_newer=True) == ()
    )
    assert "schema finance is newer than this program and is left as it is: demo 0002_second" in caplog.text
    assert {"first", "second"} <= set(await tables(run))
