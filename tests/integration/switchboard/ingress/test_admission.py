"""Admission writes each message once, answers after the commit, and lets a bad row fail alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from butler_contracts.errors import OverloadRejected, TargetUnavailable, ValidationFailed
from butler_contracts.ingest import IngestEnvelopeV1, PolicyTier
from butler_contracts.keys import dedupe_key
from butler_contracts.triage import PASS_THROUGH
from butler_kit.db import Pool
from butler_kit.time import new_uuid7
from butler_switchboard.ingress.admission import Admission
from butler_switchboard.ingress.context import Decisions, admission_row
from butler_switchboard.ingress.rows import AdmissionRow, Admitted
from butler_switchboard.ingress.senders import SenderDecision
from butler_switchboard.operations.retention import Retention, RetentionPolicy
from tests.support.database import Database, Provision
from tests.support.switchboard import switchboard_database, telegram


@pytest.fixture
async def database(provisioned: Provision) -> Database:
    return await switchboard_database(provisioned)


@pytest.fixture
async def pool(database: Database) -> Pool:
    pool = await database.pool("switchboard")
    await Retention(pool, RetentionPolicy()).prepare()
    return pool


@pytest.fixture
async def admission(pool: Pool) -> AsyncIterator[Admission]:
    lane = Admission(pool)
    task = asyncio.create_task(lane.run())
    yield lane
    task.cancel()
    await asyncio.wait({task})


def row(envelope: IngestEnvelopeV1) -> AdmissionRow:
    decisions = Decisions(
        dedupe_key(envelope),
        SenderDecision("household", "allow", False, "test"),
        PASS_THROUGH,
        PolicyTier.INTERACTIVE,
    )
    return admission_row(envelope, new_uuid7(datetime.now(UTC)), decisions)


@pytest.mark.spec("CNX-01.3")
async def test_sixty_copies_at_once_become_one_request_and_share_its_id(admission: Admission, pool: Pool):
    copies = [row(telegram(7)) for _ in range(60)]
    answers = await asyncio.gather(*(admission.submit(copy) for copy in copies))
    assert len({answer.request_id for answer in answers}) == 1
    assert [answer.duplicate for answer in answers].count(False) == 1
    assert await pool.fetchval("SELECT count(*) FROM message_inbox") == 1
    assert await pool.fetchval("SELECT count(*) FROM inbox_work") == 1


async def test_copies_that_reach_two_replicas_at_once_become_one_request(admission: Admission, pool: Pool):
    other = Admission(pool)
    task = asyncio.create_task(other.run())
    try:
        rounds = [[row(telegram(number)) for number in range(40)] for _ in range(4)]
        lanes = (admission, other, admission, other)
        answers = await asyncio.gather(
            *(lane.submit(one) for lane, batch in zip(lanes, rounds, strict=True) for one in batch)
        )
    finally:
        task.cancel()
    assert len({answer.request_id for answer in answers}) == 40
    assert sum(not answer.duplicate for answer in answers) == 40
    assert await pool.fetchval("SELECT count(*) FROM message_inbox") == 40


async def test_a_row_that_the_database_refuses_fails_its_own_caller_only(admission: Admission, pool: Pool):
    rows = [row(telegram(number)) for number in range(20)]
    rows[7] = rows[7]._replace(text="a\x00b")
    answers = await asyncio.gather(*(admission.submit(one) for one in rows), return_exceptions=True)
    assert isinstance(answers[7], (ValidationFailed,)), answers[7]
    assert sum(isinstance(answer, Exception) for answer in answers) == 1
    assert await pool.fetchval("SELECT count(*) FROM message_inbox") == 19


async def test_the_same_key_with_other_content_is_told_as_a_conflict(admission: Admission):
    first = await admission.submit(row(telegram(9, "pay the rent")))
    again = await admission.submit(row(telegram(9, "pay the gas bill")))
    assert (again.request_id, again.duplicate, again.conflict) == (first.request_id, True, True)
    assert not (await admission.submit(row(telegram(9, "pay the rent")))).conflict


async def test_a_full_lane_refuses_with_a_hint_when_to_come_back(pool: Pool):
    idle = Admission(pool, max_in_flight=2)
    waiting = [asyncio.create_task(idle.submit(row(telegram(number)))) for number in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(OverloadRejected) as refused:
        await idle.submit(row(telegram(3)))
    assert refused.value.retry_after_s
    for task in waiting:
        task.cancel()


async def test_what_still_waits_when_the_lane_stops_is_answered_with_a_retryable_refusal(pool: Pool):
    lane = Admission(pool)
    task = asyncio.create_task(lane.run())
    await asyncio.sleep(0)
    submitted = asyncio.create_task(lane.submit(row(telegram(1))))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(TargetUnavailable) as refused:
        await submitted
    assert refused.value.retryable


async def test_rows_of_a_batch_queue_in_the_order_they_were_submitted(admission: Admission, pool: Pool):
    rows = [row(telegram(number)) for number in range(30)]
    await asyncio.gather(*(admission.submit(one) for one in rows))
    queued = await pool.fetch("SELECT item_id FROM inbox_work ORDER BY seq")
    assert [record["item_id"] for record in queued] == [one.request_id for one in rows]


async def test_a_caller_that_leaves_leaves_its_row_and_its_copies_are_answered(pool: Pool):
    lane = Admission(pool)
    leaver = asyncio.create_task(lane.submit(row(telegram(5))))
    await asyncio.sleep(0)
    stayer = asyncio.create_task(lane.submit(row(telegram(5))))
    await asyncio.sleep(0)
    leaver.cancel()
    await asyncio.wait({leaver})
    assert lane.in_flight == 1, "the row is still on its way"
    task = asyncio.create_task(lane.run())
    try:
        answer = await stayer
    finally:
        task.cancel()
        await asyncio.wait({task})
    assert answer.duplicate
    assert await pool.fetchval("SELECT request_id FROM message_inbox") == answer.request_id
    assert lane.in_flight == 0


async def test_keys_that_overlap_in_opposite_order_never_wait_in_a_circle(pool: Pool):
    lanes = [Admission(pool) for _ in range(3)]
    tasks = [asyncio.create_task(lane.run()) for lane in lanes]
    try:
        for start in range(0, 200, 40):
            numbers = list(range(start, start + 40))
            orders = (numbers, numbers[::-1], numbers[20:] + numbers[:20])
            answers = await asyncio.gather(
                *(
                    lane.submit(row(telegram(number)))
                    for lane, order in zip(lanes, orders, strict=True)
                    for number in order
                )
            )
            assert sum(not answer.duplicate for answer in answers) == 40
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    database = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    assert await pool.fetchval(database) == 0
    assert await pool.fetchval("SELECT count(*) FROM message_inbox") == 200


async def test_connections_that_are_cut_lose_and_double_nothing(admission: Admission, database: Database):
    await admission.submit(row(telegram(1)))

    async def until_accepted(number: int) -> Admitted:
        async with asyncio.timeout(60):
            while True:
                try:
                    return await admission.submit(row(telegram(number)))
                except TargetUnavailable as refused:
                    if not refused.retryable:
                        raise

    admin = await database.admin()
    try:
        for first in range(100, 600, 100):
            submitted = [asyncio.create_task(until_accepted(first + number)) for number in range(20)]
            await asyncio.sleep(0)
            await admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            answers = await asyncio.gather(*submitted)
            assert len({answer.request_id for answer in answers}) == 20
        assert await admin.fetchval("SELECT count(*) FROM switchboard.message_inbox") == 101
        assert await admin.fetchval("SELECT count(*) FROM switchboard.inbox_work") == 101
    finally:
        await admin.close()


async def test_known_and_new_messages_of_one_batch_get_each_their_own_answer(
    admission: Admission, pool: Pool
):
    known = {number: await admission.submit(row(telegram(number))) for number in range(0, 30, 3)}
    answers = await asyncio.gather(*(admission.submit(row(telegram(number))) for number in range(30)))
    for number, answer in enumerate(answers):
        assert answer.duplicate == (number in known)
        if answer.duplicate:
            assert answer.request_id == known[number].request_id
    assert await pool.fetchval("SELECT count(*) FROM message_inbox") == 30
    assert await pool.fetchval("SELECT count(*) FROM inbox_work") == 30


async def test_the_lanes_planner_settings_reach_nobody_else(database: Database):
    pool = await database.pool("switchboard", max_size=1)
    await Retention(pool, RetentionPolicy()).prepare()
    lane = Admission(pool)
    task = asyncio.create_task(lane.run())
    await lane.submit(row(telegram(1)))
    task.cancel()
    await asyncio.wait({task})
    assert await pool.fetchval("SHOW enable_seqscan") == "on"
    assert await pool.fetchval("SHOW enable_bitmapscan") == "on"
