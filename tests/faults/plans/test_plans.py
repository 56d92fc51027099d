"""No named query reads a growing table from end to end, sorts what has no bound or throws most of what it reads away.

Every `.sql` file of the services is found by itself, so that a new query without an expectation fails here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio

from butler_kit.db import Grant, NamedQueries, QueryFileError, SchemaPlan
from butler_messenger.sql import MIGRATIONS as MESSENGER
from butler_messenger.sql import SHARED_MIGRATIONS
from tests.faults.plans.catalogue import CATALOGUE, NO_SERVICE_QUERIES, SCHEMAS, Query
from tests.faults.plans.explain import Seen, run_prepared
from tests.faults.plans.rows import ROWS, fill, growing_tables
from tests.integration.specialist.household import plan_for
from tests.support.database import Database, Form, Server
from tests.support.switchboard import SWITCHBOARD_PLAN

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("plans")]

ROOT = Path(__file__).parents[3]
MOST_SORTED = 500
PASSWORD = "password-of-messenger"
READER = Grant("butler_switchboard", ("contacts", "contact_info"))
PLANS = (
    SWITCHBOARD_PLAN,
    SchemaPlan("messenger", "butler_messenger", PASSWORD, MESSENGER),
    SchemaPlan("shared", "butler_messenger", PASSWORD, SHARED_MIGRATIONS, (READER,)),
    plan_for("finance"),
)


@dataclass
class Filled:
    """The database, open as its superuser, and which of its tables grow."""

    connection: asyncpg.Connection
    growing: set[str]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def filled(postgres_server: Server) -> AsyncIterator[Filled]:
    database: Database = await postgres_server.copy(Form(PLANS))
    await fill(database)
    connection = await database.admin()
    try:
        yield Filled(connection, await growing_tables(connection))
    finally:
        await connection.close()
        await database.close()


def query_files() -> dict[str, NamedQueries]:
    """Every file of named queries below `services` and `spark-apps`, by its path."""
    found: dict[str, NamedQueries] = {}
    for path in sorted((*ROOT.glob("services/**/*.sql"), *ROOT.glob("spark-apps/**/*.sql"))):
        package, *inside = path.relative_to(ROOT).parts[1:]
        file = "/".join(inside)
        if "migrations" not in path.parent.name and "-- name:" in path.read_text("utf-8"):
            found[f"{package}/{file}"] = _queries(package, file)
    return found


def _queries(package: str, file: str) -> NamedQueries:
    try:
        return NamedQueries(package, file)
    except QueryFileError as error:
        raise AssertionError(f"{package}/{file} cannot be read: {error}") from error


FILES = query_files()
EXPECTED = [(file, name) for file, queries in CATALOGUE.items() for name in queries]


async def test_every_query_of_every_service_has_an_expectation():
    found = {
        (file, name)
        for file, queries in FILES.items()
        if file not in NO_SERVICE_QUERIES
        for name in queries.names()
    }
    assert found - set(EXPECTED) == set(), "add these to tests/faults/plans/catalogue.py"
    assert set(EXPECTED) - found == set(), "these are gone from the services"


async def test_every_table_that_grows_is_filled(filled: Filled):
    for table in sorted(filled.growing):
        parent = await filled.connection.fetchval(
            "SELECT inhparent::regclass FROM pg_inherits WHERE inhrelid = $1::text::regclass", table
        )
        if parent is None:
            rows = await filled.connection.fetchval(f"SELECT count(*) FROM {table}")
            assert rows >= ROWS, (
                f"{table} has {rows} rows: fill it in rows.py, or say there why it stays small"
            )


@pytest.mark.parametrize("file", list(CATALOGUE))
async def test_the_queries_of_a_file_look_up_what_they_need(filled: Filled, file: str):
    schema = next(schema for prefix, schema in SCHEMAS.items() if file.startswith(prefix))
    await filled.connection.execute(f"SET search_path = {schema}")
    problems: dict[str, list[str]] = {}
    for name, expected in CATALOGUE[file].items():
        sql = FILES[file][name].replace("{table}", "inbox_work").replace("{schema}", "finance")
        for mode in (expected.mode, "force_custom_plan") if expected.statement else ():
            seen = await run_prepared(
                filled.connection, sql, expected.arguments, mode=mode, before=expected.before
            )
            if found := list(_problems(seen, expected, filled.growing)):
                problems[f"{name}, {mode}"] = found
    assert not problems


def _problems(seen: Seen, expected: Query, growing: set[str]) -> Iterator[str]:
    scanned = seen.scanned & growing
    if expected.reads_all is not None:
        # Of a table that is counted as a whole, its key's index may be the cheaper copy to read.
        if not scanned <= {expected.reads_all[0]}:
            yield f"reads {sorted(scanned)} from end to end, not {expected.reads_all[0]} alone as it says"
        return
    if scanned:
        yield f"reads {', '.join(sorted(scanned))} from end to end"
    if seen.sorted_rows > MOST_SORTED:
        yield f"sorts {seen.sorted_rows:g} rows"
    if seen.discarded_rows > expected.most_discarded:
        yield f"throws {seen.discarded_rows:g} rows away"
    if seen.pages > expected.most_pages:
        yield f"touches {seen.pages} pages"
