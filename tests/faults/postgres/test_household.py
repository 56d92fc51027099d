"""A whole household of processes whose PostgreSQL is restarted, cut off and starved under load: all of it ends once."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg
import psutil
import pytest

from tests.faults.household import POSTGRES, SUPERVISOR, Field, outside_check
from tests.faults.ledger import LEDGER
from tests.flow.household.load import Shape
from tests.support.household import is_alive, until

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.xdist_group("database of a household"),
    pytest.mark.faults_full,
]

SHAPE = Shape(per_chat=4, per_mail_thread=2, per_post_thread=2)
EVERY_S = 10.0
NO_ROOM = 0


async def test_a_database_restarted_every_ten_seconds_loses_and_doubles_nothing(field: Field) -> None:
    loads = []
    for round_number in range(4):
        load = field.load(SHAPE)
        loads.append(load)
        await load.send()
        await asyncio.sleep(EVERY_S)
        await _end_database(field, signal.SIGINT if round_number % 2 else signal.SIGQUIT)
    await field.whole()
    await asyncio.gather(*(outside_check(load) for load in loads))


async def test_sessions_ended_again_and_again_lose_and_double_nothing(field: Field) -> None:
    load = field.load(SHAPE)
    await load.send()
    for _ in range(8):
        await asyncio.sleep(1)
        await _end_sessions(field)
    await outside_check(load)


async def test_a_disk_that_is_full_for_a_while_ends_no_household_and_loses_nothing(field: Field) -> None:
    """PostgreSQL panics, and cannot be started again until there is room; everything waits for it."""
    load = field.load(SHAPE)
    postmaster, supervisor = field.pid(POSTGRES), field.pid(SUPERVISOR)
    assert postmaster is not None
    assert supervisor is not None
    with _full_disk(postmaster, supervisor):
        await load.send()
        await until(lambda: _ended(postmaster), what="PostgreSQL ended")
        await until(lambda: _said(field, "trying again"), what="the supervisor says what is wrong")
        assert is_alive(supervisor)
    await field.whole()
    await outside_check(load)


async def _end_database(field: Field, number: signal.Signals) -> None:
    """Fast or immediate shutdown, as an operator or the machine would do; the supervisor starts it again."""
    pid = field.pid(POSTGRES)
    assert pid is not None
    LEDGER.kills += 1
    os.kill(pid, number)
    await until(lambda: _ended(pid), what="PostgreSQL ended")


async def _end_sessions(field: Field) -> None:
    LEDGER.outages += 1
    connection = await asyncpg.connect(field.running.household.endpoints["database"]["dsn"], timeout=30)
    try:
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
    finally:
        await connection.close()


@contextmanager
def _full_disk(postmaster: int, supervisor: int) -> Iterator[None]:
    """Neither the server nor what the supervisor starts in its place may make a file any longer."""
    LEDGER.outages += 1
    server = [psutil.Process(postmaster), *psutil.Process(postmaster).children(recursive=True)]
    _, hard = resource.prlimit(supervisor, resource.RLIMIT_FSIZE)
    for pid in (supervisor, *(process.pid for process in server)):
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (NO_ROOM, hard))
    try:
        yield
    finally:
        resource.prlimit(supervisor, resource.RLIMIT_FSIZE, (hard, hard))


async def _ended(pid: int) -> bool:
    return not is_alive(pid)


async def _said(field: Field, words: str) -> bool:
    return any(words in line for line in field.place.lines)
