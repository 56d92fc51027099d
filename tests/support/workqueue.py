"""A butler's schema with one work table, made from the queue component's own SQL."""

from __future__ import annotations

from importlib import resources
from uuid import UUID

from butler_kit.db import Pool, acquire
from butler_kit.queue import Finish, Lease, LeasedQueue

PARTS = ("work_table", "work_failures")
"""The files that make a work table, in order; each is a migration of every service that has one."""


def work_table_sql(table: str, part: str) -> str:
    text = resources.files("butler_kit.queue").joinpath(f"sql/{part}.sql").read_text(encoding="utf-8")
    return text.replace("work_table", table)


async def give_up(lease: Lease, error: BaseException) -> Finish:
    """What a test's runner does with a row that nobody can work on, unless the test is about that."""
    return Finish()


async def make_work_table(pool: Pool, table: str = "test_work") -> None:
    async with acquire(pool) as connection:
        for part in PARTS:
            await connection.execute(work_table_sql(table, part))


def item(number: int) -> UUID:
    return UUID(int=number)


async def fill(
    queue: LeasedQueue, *numbers: int, lane="default", source="api", thread=None, delay_s=0.0
) -> None:
    for number in numbers:
        await queue.enqueue(
            None, item_id=item(number), lane=lane, source=source, thread_key=thread, available_in_s=delay_s
        )
