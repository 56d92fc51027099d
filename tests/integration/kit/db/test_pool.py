"""Pools: the schema in front, JSON as objects, typed errors when the database is away."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from itertools import chain, repeat
from uuid import UUID, uuid4

import asyncpg
import pytest

from butler_contracts.errors import TargetUnavailable, TimedOut
from butler_kit.db import acquire, open_pool, transaction
from butler_kit.db.arrays import ELEMENTS, ArraysKnown
from butler_kit.db.faults import is_outage, raise_fault

LISTS = {
    "bool": [True, None],
    "int2": [1],
    "int4": [-2],
    "int8": [2**40],
    "float8": [0.5],
    "timestamptz": [datetime(2026, 1, 2, tzinfo=UTC)],
    "uuid": [UUID(int=7), None],
}
DOCUMENT = {"a": [1, 2.5, None, True], "text": "größe 🧾", "nested": {"quote": '"'}}


@pytest.mark.parametrize("kind", ["json", "jsonb"])
async def test_json_columns_take_and_give_objects(provisioned, kind):
    pool = await (await provisioned("finance")).pool("finance")
    async with acquire(pool) as connection:
        await connection.execute(f"CREATE TABLE kept (body {kind})")
        await connection.execute("INSERT INTO kept VALUES ($1)", DOCUMENT)
        assert await connection.fetchval("SELECT body FROM kept") == DOCUMENT
        assert await connection.fetchval("SELECT body ->> 'text' FROM kept") == DOCUMENT["text"]
        rows = await connection.fetch(f"SELECT * FROM unnest($1::{kind}[]) AS body", [DOCUMENT, {"x": 1}])
        assert [row["body"] for row in rows] == [DOCUMENT, {"x": 1}]


async def test_a_list_of_postgresql_s_own_types_costs_no_look_into_its_catalogue(provisioned):
    pool = await (await provisioned("finance")).pool("finance", max_size=1)
    asked: list[str] = []
    async with acquire(pool) as connection:
        connection.add_query_logger(lambda record: asked.append(record.query))
        for kind, value in LISTS.items():
            found = await connection.fetchrow(f"SELECT $1::{kind}[] AS listed, $1::{kind}[] = $1", value)
            assert found is not None
            assert found["listed"] == value
    assert [query for query in asked if "pg_type" in query] == []


async def test_a_list_of_a_type_of_one_s_own_is_looked_up(provisioned):
    pool = await (await provisioned("finance")).pool("finance", max_size=1)
    async with acquire(pool) as connection:
        await connection.execute("CREATE TYPE mood AS ENUM ('glad', 'tired')")
        found = await connection.fetchrow(
            "SELECT $1::mood[] AS moods, $2::uuid[] AS ids", ["glad"], [uuid4()]
        )
        assert found is not None
        assert found["moods"] == ["glad"]


async def test_the_arrays_that_are_known_are_those_of_this_postgresql(provisioned):
    pool = await (await provisioned("finance")).pool("finance", max_size=1)
    async with acquire(pool) as connection:
        rows = await connection.fetch(
            "SELECT a.oid, e.typname, e.oid AS element FROM pg_type a JOIN pg_type e ON e.oid = a.typelem "
            "WHERE a.oid = ANY($1::oid[])",
            list(ELEMENTS),
        )
    assert {row["oid"]: (row["typname"], row["element"]) for row in rows} == ELEMENTS


@pytest.mark.parametrize("value", [json.dumps(DOCUMENT), float("nan"), {"x": float("inf")}])
async def test_what_would_store_broken_json_is_refused(provisioned, value):
    pool = await (await provisioned("finance")).pool("finance")
    async with acquire(pool) as connection:
        with pytest.raises((asyncpg.DataError, TypeError, ValueError)):
            await connection.fetchval("SELECT $1::jsonb", value)
        assert await connection.fetchval("SELECT $1::text::jsonb", json.dumps(DOCUMENT)) == DOCUMENT


async def test_the_search_path_survives_a_connection_s_reuse(provisioned):
    pool = await (await provisioned("finance")).pool("finance", max_size=1)
    async with transaction(pool) as connection:
        await connection.execute("SET LOCAL search_path = public")
    async with acquire(pool) as connection:
        assert await connection.fetchval("SELECT current_schema()") == "finance"
        assert await connection.fetchval("SHOW application_name") == "test-finance"


async def test_a_transaction_is_undone_by_an_error(provisioned):
    pool = await (await provisioned("finance")).pool("finance")
    with pytest.raises(ZeroDivisionError):
        async with transaction(pool) as connection:
            await connection.execute("CREATE TABLE gone (x int)")
            raise ZeroDivisionError
    async with acquire(pool) as connection:
        assert await connection.fetchval("SELECT to_regclass('gone')") is None


@pytest.mark.spec("CON-2.9")
async def test_what_a_burst_opened_is_given_back_down_to_the_least(provisioned):
    database = await provisioned("finance")
    pool = await open_pool(database.dsn("finance"), "finance", name="quiet", idle_s=0.05)
    quiet = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'quiet'"
    async with asyncio.timeout(60), pool:
        async with AsyncExitStack() as burst:
            for _ in range(10):
                await burst.enter_async_context(acquire(pool))
            assert pool.get_size() == 10
        while pool.get_size() > 2:
            await asyncio.sleep(0.01)
        async with acquire(pool) as connection:
            while await connection.fetchval(quiet) > 2:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)  # four times as long as an idle connection above the least is kept
        async with acquire(pool) as connection:
            assert await connection.fetchval(quiet) == 2


async def test_a_pool_that_stays_busy_is_a_timeout(provisioned):
    pool = await (await provisioned("finance")).pool("finance", max_size=1)
    async with acquire(pool):
        with pytest.raises(TimedOut):
            async with acquire(pool, timeout_s=0.05):
                pass


async def test_a_database_that_goes_away_is_a_retryable_unavailability(provisioned):
    database = await provisioned("finance")
    pool = await database.pool("finance", max_size=1)
    with pytest.raises(TargetUnavailable) as caught:
        async with acquire(pool) as connection:
            with pytest.raises(asyncpg.PostgresError):
                await connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
            await connection.execute("SELECT 1")
    assert caught.value.retryable
    async with acquire(pool) as connection:
        assert await connection.fetchval("SELECT 1") == 1


async def test_a_connection_that_is_closed_between_two_steps_of_a_statement_is_an_outage(
    provisioned, monkeypatch
):
    pool = await (await provisioned("finance")).pool("finance", max_size=1)
    looks_up = ArraysKnown._introspect_types

    async def closed_first(connection, typeoids, timeout):
        connection.terminate()
        return await looks_up(connection, typeoids, timeout)

    async with acquire(pool) as connection:
        await connection.execute("CREATE TYPE mood AS ENUM ('glad', 'tired')")
    monkeypatch.setattr(ArraysKnown, "_introspect_types", closed_first)
    with pytest.raises(TargetUnavailable, match="closed while asking for moods"):
        async with acquire(pool, doing="asking for moods") as connection:
            await connection.fetch("SELECT $1::mood[] AS moods", ["glad"])


async def test_a_defect_of_ours_on_a_closed_connection_stays_one(provisioned):
    pool = await (await provisioned("finance")).pool("finance", max_size=1)
    with pytest.raises(AttributeError, match="no attribute 'wrong'"):
        async with acquire(pool) as connection:
            connection.terminate()
            getattr("ours", "wrong")  # noqa: B009 - mypy knows that it is not there


async def test_opening_waits_for_a_database_and_then_says_what_is_missing(unused_tcp_port):
    with pytest.raises(TargetUnavailable, match="BUTLERS_DATABASE_URL"):
        await open_pool(
            f"postgresql://x:y@127.0.0.1:{unused_tcp_port}/z",
            "finance",
            name="finance",
            connect_deadline_s=0.3,
        )


async def test_opening_goes_on_after_a_connection_that_the_server_ended_meanwhile(provisioned, monkeypatch):
    opened, ends = asyncpg.create_pool, [asyncpg.InternalClientError("another operation (2) is in progress")]

    def ended_once(*arguments, **settings):
        if ends:
            raise ends.pop()
        return opened(*arguments, **settings)

    monkeypatch.setattr(asyncpg, "create_pool", ended_once)
    dsn = (await provisioned("finance")).dsn("finance")
    async with asyncio.timeout(60), await open_pool(dsn, "finance", name="finance") as pool:
        assert await pool.fetchval("SELECT 1") == 1
    assert not ends


async def test_a_wrong_password_is_told_at_once(provisioned):
    database = await provisioned("finance")
    wrong = database.dsn("finance").replace("password-of-finance", "wrong")
    with pytest.raises(asyncpg.InvalidPasswordError):
        await open_pool(wrong, "finance", name="finance")


async def test_a_changed_password_is_read_for_the_next_connection_while_the_open_ones_stay(provisioned):
    database = await provisioned("finance")
    current = [database.dsn("finance")]
    pool = await open_pool(lambda: current[0], "finance", name="finance", min_size=1, max_size=2)
    async with asyncio.timeout(60), pool, acquire(pool) as kept:
        await database.server.execute(
            f"ALTER ROLE {await kept.fetchval('SELECT current_user')} PASSWORD 'another'"
        )
        with pytest.raises(TargetUnavailable, match="InvalidPasswordError") as caught:
            async with acquire(pool):
                pass
        assert caught.value.retryable
        assert await kept.fetchval("SELECT 1") == 1
        current[0] = current[0].replace("password-of-finance", "another")
        async with acquire(pool) as fresh:
            assert await fresh.fetchval("SELECT 1") == 1


async def test_opening_waits_for_a_password_that_may_still_change(provisioned):
    database = await provisioned("finance")
    right = database.dsn("finance")
    answers = chain([right.replace("password-of-finance", "old")], repeat(right))

    def url() -> str:
        return str(next(answers))

    async with asyncio.timeout(60), await open_pool(url, "finance", name="finance", min_size=1) as pool:
        assert await pool.fetchval("SELECT 1") == 1


async def test_a_right_that_is_not_granted_is_an_unavailability_and_no_defect(provisioned):
    pool = await (await provisioned("finance")).pool("finance")
    with pytest.raises(TargetUnavailable, match="InsufficientPrivilegeError"):
        async with acquire(pool) as connection:
            await connection.execute("SELECT * FROM pg_authid")


async def test_an_answer_that_never_comes_is_a_timeout(provisioned):
    """A cut line or a disk that stands still: only asyncpg's own `command_timeout` ends it."""
    pool = await (await provisioned("finance")).pool("finance", max_size=1)
    with pytest.raises(TimedOut, match="no answer in time"):
        async with acquire(pool, doing="reading") as connection:
            await connection.execute("SELECT pg_sleep(60)", timeout=0.05)
    async with acquire(pool) as connection:
        assert await connection.fetchval("SELECT 1") == 1


async def test_a_caller_s_own_deadline_is_not_the_database_s(provisioned):
    pool = await (await provisioned("finance")).pool("finance", max_size=1)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05), acquire(pool) as connection:
            await connection.execute("SELECT pg_sleep(60)")


async def test_a_statement_that_takes_too_long_is_a_timeout(provisioned):
    pool = await (await provisioned("finance")).pool("finance")
    with pytest.raises(TimedOut):
        async with acquire(pool) as connection:
            await connection.execute("SET statement_timeout = 20")
            await connection.execute("SELECT pg_sleep(30)")


async def test_of_two_transactions_that_wait_for_each_other_the_refused_one_may_be_tried_again(provisioned):
    pool = await (await provisioned("finance")).pool("finance")
    await pool.execute("CREATE TABLE kept (number integer PRIMARY KEY)")
    await pool.execute("INSERT INTO kept VALUES (1), (2)")
    both_hold_one = asyncio.Barrier(2)

    async def lock(first: int, second: int) -> None:
        async with transaction(pool, doing="locking") as connection:
            await connection.execute("SELECT number FROM kept WHERE number = $1 FOR UPDATE", first)
            await both_hold_one.wait()
            await connection.execute("SELECT number FROM kept WHERE number = $1 FOR UPDATE", second)

    ends = await asyncio.gather(lock(1, 2), lock(2, 1), return_exceptions=True)
    [refused] = [end for end in ends if end is not None]
    assert isinstance(refused, TargetUnavailable)
    assert refused.retryable
    assert refused.message == "database: locking collided with another transaction; it may be tried again"


async def test_the_database_s_clock_can_be_shifted(provisioned):
    database = await provisioned("finance")
    pool = await database.pool("finance")
    async with acquire(pool) as connection:
        assert await connection.fetchval("SELECT clock_now() = statement_timestamp()")
    await database.shift_clock(timedelta(days=62))
    async with acquire(pool) as connection:
        assert await connection.fetchval("SELECT clock_now() - statement_timestamp()") == timedelta(days=62)


async def test_a_cancelled_block_gives_its_connection_back(provisioned):
    pool = await (await provisioned("finance")).pool("finance", max_size=1)

    async def hold() -> None:
        async with acquire(pool) as connection:
            await connection.execute("SELECT pg_sleep(60)")

    holder = asyncio.create_task(hold())
    while pool.get_idle_size() == pool.get_size():
        await asyncio.sleep(0)
    holder.cancel()
    with pytest.raises(asyncio.CancelledError):
        await holder
    async with acquire(pool) as connection:
        assert await connection.fetchval("SELECT 1") == 1


async def test_a_session_that_is_being_ended_is_an_outage_and_not_given_out_again(provisioned):
    pool = await (await provisioned("finance")).pool("finance", max_size=1)
    with pytest.raises(TargetUnavailable):
        async with acquire(pool) as connection:
            ended = connection
            raise asyncpg.InternalClientError("cannot switch to state 12; another operation is in progress")
    async with acquire(pool) as connection:
        assert connection is not ended
        assert await connection.fetchval("SELECT 1") == 1


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ConnectionRefusedError(), True),
        (asyncpg.AdminShutdownError("x"), True),
        (asyncpg.ConnectionDoesNotExistError("x"), True),
        (asyncpg.InterfaceError("cannot perform operation: connection is closed"), True),
        (
            asyncpg.InternalClientError("cannot switch to state 11; another operation (2) is in progress"),
            True,
        ),
        (asyncpg.InterfaceError("the server expects 1 argument"), False),
        (asyncpg.DiskFullError("x"), True),
        (asyncpg.PostgresIOError("x"), True),
        (asyncpg.ReadOnlySQLTransactionError("x"), True),
        (asyncpg.InternalServerError("cache lookup failed"), False),
        (asyncpg.UniqueViolationError("x"), False),
        (TimeoutError(), False),
    ],
)
async def test_only_an_absent_database_counts_as_an_outage(error, expected):
    assert is_outage(error) is expected


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (asyncpg.DiskFullError("/x"), "the disk under it is full; free space there"),
        (asyncpg.ReadOnlySQLTransactionError("x"), "it only reads at the moment"),
        (asyncpg.InvalidPasswordError("x"), "it refuses the role or its password (InvalidPasswordError)"),
        (ConnectionRefusedError(), "nothing listens at its address"),
        (asyncpg.CrashShutdownError("secret"), "CrashShutdownError"),
    ],
)  # fmt: skip
async def test_an_outage_says_what_can_be_done_about_it_and_nothing_of_the_servers_own_text(error, said):
    with pytest.raises(TargetUnavailable) as raised:
        raise_fault(error, "writing")
    assert raised.value.message.startswith(f"database unavailable while writing: {said}")
    assert "secret" not in raised.value.message
