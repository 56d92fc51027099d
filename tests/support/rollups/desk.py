"""A database of Switchboard to try roll-ups on: put beats in, run windows, read tables back."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, TypeVar

import asyncpg

from butler_kit.db import Connection, init_connection
from butler_rollups.engine import Engine
from butler_rollups.models import Job, Window, WindowReport
from butler_rollups.publish import publish
from tests.support.database import Database, Form, Server
from tests.support.rollups.fleets import BEGIN, VOLUMES, Beat, Fleet
from tests.support.rollups.oracle import COUNTS, Key
from tests.support.switchboard import SWITCHBOARD_PLAN

__all__ = ["Desk", "connect", "open_desk", "stored"]

T = TypeVar("T")
LATER = datetime.max.replace(tzinfo=BEGIN.tzinfo)
_TABLES = (
    "connector_stats_hourly",
    "connector_stats_daily",
    "connector_fanout_daily",
    "routing_quality_daily",
    "rollup_run",
)
_DECIDED = ("route_plan", "subroute", "correction")


@dataclass
class Desk:
    """`run` brings a coroutine to its end on the desk's own loop: property tests are plain functions."""

    database: Database
    connection: asyncpg.Connection
    runner: asyncio.Runner

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def empty(self) -> None:
        """Forget beats, messages and statistics."""
        names = ("connector_heartbeat_log", "message_inbox", *_DECIDED, *_TABLES)
        self.run(self.connection.execute("; ".join(f"DELETE FROM {name}" for name in names)))

    def session_in(self, timezone: str) -> None:
        """Whatever a session's time zone is, the tables are in UTC."""
        self.run(self.connection.execute(f"SET TIME ZONE '{timezone}'"))

    def add(self, beats: Iterable[Beat]) -> None:
        rows = [beat.row() for beat in beats]
        self.run(self.connection.copy_records_to_table("connector_heartbeat_log", records=rows))

    def fill(self, fleet: Fleet) -> None:
        self.empty()
        self.add(fleet.beats)

    def publish(
        self, engine: Engine, job: Job, start: datetime, end: datetime, *, closed_until: datetime = LATER
    ) -> WindowReport:
        return self.run(publish(self.connection, engine, job, Window(start, end), closed_until=closed_until))

    def hours(self) -> dict[Key, dict[str, Any]]:
        """`connector_stats_hourly` in the oracle's form."""
        names = (*VOLUMES, *COUNTS, "expected_count", "max_gap_s")
        return self._table("connector_stats_hourly", "hour", names)

    def days(self) -> dict[Key, dict[str, Any]]:
        names = (*VOLUMES, *COUNTS, "expected_count", "max_gap_s", "uptime_pct", "coverage_pct")
        return self._table("connector_stats_daily", "day", names)

    def fanout(self) -> dict[tuple[str, str, str, date], int]:
        rows = self.run(self.connection.fetch("SELECT * FROM connector_fanout_daily"))
        names = ("connector_type", "endpoint_identity", "target_butler", "day")
        return {tuple(row[name] for name in names): row["message_count"] for row in rows}

    def recorded(self, job: Job) -> list[datetime]:
        """The windows that count as published."""
        rows = self.run(
            self.connection.fetch("SELECT * FROM rollup_run WHERE job = $1 ORDER BY 2", job.value)
        )
        return [row["window_start"] for row in rows]

    def everything(self) -> list[list[Any]]:
        """All rows of all statistics, moments of computing included."""
        return [
            [
                tuple(row)
                for row in self.run(self.connection.fetch(f"SELECT * FROM {name} ORDER BY 1, 2, 3, 4"))
            ]
            for name in _TABLES[:-1]
        ]

    def stored(self) -> list[Any]:
        """What is there of hours, for whoever looks by the desk's connection: rows, windows, stage."""
        return self.run(stored(self.connection))

    def _table(self, table: str, when: str, names: Sequence[str]) -> dict[Key, dict[str, Any]]:
        rows = self.run(self.connection.fetch(f"SELECT * FROM {table}"))
        return {
            (row["connector_type"], row["endpoint_identity"], row[when]): {name: row[name] for name in names}
            for row in rows
        }


async def stored(connection: Connection) -> list[Any]:
    """As `Desk.stored`, by any connection."""
    tables = ("connector_stats_hourly", "rollup_run", "rollup_stage_hourly")
    return [await connection.fetch(f"SELECT * FROM {name} ORDER BY 1, 2, 3") for name in tables]


async def connect(database: Database) -> asyncpg.Connection:
    """As Switchboard's role, in UTC."""
    settings = {"search_path": "switchboard", "timezone": "UTC"}
    connection = await asyncpg.connect(database.dsn("switchboard"), server_settings=settings)
    await init_connection(connection)
    return connection


@contextmanager
def open_desk(server: Server) -> Iterator[Desk]:
    """A fresh database with partitions around `BEGIN`."""
    with asyncio.Runner() as runner:
        database = runner.run(server.copy(Form((SWITCHBOARD_PLAN,), lived=_around_begin)))
        connection = runner.run(connect(database))
        try:
            yield Desk(database, connection, runner)
        finally:
            runner.run(connection.close(timeout=10))
            runner.run(database.close())


async def _around_begin(database: Database) -> None:
    connection = await connect(database)
    for function in ("make_heartbeat_days", "make_inbox_months"):
        await connection.execute(f"SELECT {function}($1, $1)", BEGIN)
    await connection.close()
