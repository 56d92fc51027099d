"""A disk that is full under a busy Switchboard: what cannot be stored is refused retryably, what was accepted stays."""

from __future__ import annotations

import asyncio
import os

import pytest

from tests.faults.postgres.instance import FullDisk, Instance
from tests.faults.postgres.traffic import Traffic, beating, under_way
from tests.support.switchboard_service import Household, until

pytestmark = pytest.mark.xdist_group("own-postgres")

NO_ROOM_FOR_TABLES = 16 * 1024 * 1024
"""A whole segment of the journal still fits, a large table does not grow."""
NO_ROOM_FOR_THE_JOURNAL = 1024 * 1024
LARGE = os.urandom(30_000).hex()
LARGE_MESSAGES = 40
ALMOST_FULL = NO_ROOM_FOR_TABLES - 1024 * 1024
OLD_MESSAGE = """
WITH given AS (
    SELECT request_id, received_at
    FROM uuidv7() AS request_id, LATERAL uuid_extract_timestamp(request_id) AS received_at
)
INSERT INTO switchboard.message_inbox
SELECT
    request_id, received_at, 'ingest.v1', 'telegram', 'telegram', 'bot', '1001', NULL, 'old', NULL, NULL, 'default',
    'full', 'household', 'none', request_id::text, '{}',
    to_json((SELECT string_agg(md5(n::text), '') FROM generate_series(1, 30000) AS n)),
    'old', 'parsed', NULL, NULL, NULL, NULL, NULL, received_at
FROM given
"""
STORED = """
SELECT coalesce(max(pg_relation_size(reltoastrelid)), 0) FROM pg_class
WHERE relname LIKE 'message_inbox_%' AND reltoastrelid <> 0
"""


async def test_a_table_that_cannot_grow_refuses_what_is_large_and_takes_it_once_there_is_room(
    home: Household, instance: Instance
):
    """The server lives on; a refusal is never one that would make a connector give the message up."""
    disk = FullDisk(instance, NO_ROOM_FOR_TABLES)
    async with home.run() as running, beating(running):
        traffic = Traffic(running)
        await _almost_fill(home)
        disk.fill()
        try:
            async with asyncio.timeout(240), asyncio.TaskGroup() as sending:
                sending.create_task(_send_large(traffic, LARGE_MESSAGES))
                await traffic.refused()
                kept = dict(traffic.accepted)
                disk.empty()
        finally:
            disk.empty()
        assert set(traffic.refusals) == {"target_unavailable"}
        assert kept.items() <= traffic.accepted.items()
        assert len(traffic.accepted) == LARGE_MESSAGES
        await home.pool.execute("DELETE FROM message_inbox WHERE normalized_text = 'old'")
        await traffic.settled()


async def _almost_fill(home: Household) -> None:
    """Old messages, until the largest file is as good as full."""
    admin = await home.database.admin()
    try:
        while await admin.fetchval(STORED) < ALMOST_FULL:
            await admin.execute(OLD_MESSAGE)
    finally:
        await admin.close()


async def _send_large(traffic: Traffic, count: int) -> None:
    for number in range(count):
        await traffic.hand_over(number, number % 6, filler=LARGE)


async def test_a_journal_that_cannot_be_written_ends_the_server_and_no_accepted_message(
    home: Household, instance: Instance
):
    """PostgreSQL panics and cannot recover while the disk is full; it is started again when there is room.

    Where its journal stands decides how: it gives up and ends, or it tries to recover again and again.
    """
    disk = FullDisk(instance, NO_ROOM_FOR_THE_JOURNAL)
    async with home.run() as running:
        async with under_way(running) as traffic:
            disk.fill()
            await until(lambda: _panicked(instance), what="the server's end", deadline_s=120)
            await traffic.refused()
            instance.postgres.stop()
            instance.start()
            await traffic.more_accepted(12)
        await traffic.settled()


async def _panicked(instance: Instance) -> bool:
    return not instance.postgres.is_running() or "PANIC:" in instance.postgres.log_file.read_text()
