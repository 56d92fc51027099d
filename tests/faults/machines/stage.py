"""Where the machines run: a database whose clock stands still until a rule moves it, and how much is tried.

Without a seed the same bounded choice of runs is made every time; with one more of them, drawn by it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from butler_kit.db import Pool, SchemaPlan, open_pool
from tests.support.database import Form, Server

__all__ = ["START", "Effort", "Stage", "frozen_stage"]

START = datetime(2026, 1, 1, tzinfo=UTC)
MORE = 6
"""How many times as many runs a seed makes."""

T = TypeVar("T")


@dataclass(frozen=True)
class Effort:
    """How much a machine tries."""

    seed: int | None

    def check(self, machine: type[RuleBasedStateMachine], *, examples: int, steps: int) -> None:
        if self.seed is not None:
            machine = seed(self.seed)(machine)
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=examples if self.seed is None else examples * MORE,
                stateful_step_count=steps,
                deadline=None,
                database=None,
                derandomize=self.seed is None,
                suppress_health_check=list(HealthCheck),
            ),
            _min_steps=steps // 2,
        )


@dataclass
class Stage:
    """One event loop, one database, one clock that both the database and the code under test read."""

    loop: asyncio.AbstractEventLoop
    pool: Pool
    schema: str
    _now: datetime = field(default=START)

    def do(self, awaitable: Awaitable[T]) -> T:
        return self.loop.run_until_complete(awaitable)

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return (self._now - START).total_seconds()

    def pass_time(self, by: timedelta) -> None:
        self.set_time(self._now + by)

    def set_time(self, at: datetime) -> None:
        self._now = at
        self.do(self.pool.execute("UPDATE machine_clock SET at = $1", at))

    def empty(self, *tables: str) -> None:
        """A new run begins: nothing is stored, the clock is at its start."""
        self.do(self.pool.execute(f"TRUNCATE {', '.join(tables)} RESTART IDENTITY"))
        self.set_time(START)

    def run(self, statements: str) -> None:
        self.do(self.pool.execute(statements))


@contextmanager
def frozen_stage(server: Server, plans: tuple[SchemaPlan, ...], schema: str) -> Iterator[Stage]:
    """A migrated database of one's own; `clock_now()` says what the stage says."""
    loop = asyncio.new_event_loop()
    database = loop.run_until_complete(server.copy(Form(plans)))
    try:
        pool = loop.run_until_complete(
            open_pool(database.dsn(schema), schema, name="machine", min_size=0, max_size=6)
        )
        stage = Stage(loop, pool, schema)
        stage.run(
            "CREATE TABLE machine_clock (at timestamptz NOT NULL);"
            "INSERT INTO machine_clock VALUES ('2026-01-01 00:00Z');"
            "CREATE OR REPLACE FUNCTION clock_now() RETURNS timestamptz LANGUAGE sql STABLE"
            f" AS $$ SELECT at FROM {schema}.machine_clock $$"
        )
        # Connections keep the plans that they have made with the function as it was.
        loop.run_until_complete(pool.expire_connections())
        yield stage
        pool.terminate()
    finally:
        loop.run_until_complete(database.close())
        loop.close()
