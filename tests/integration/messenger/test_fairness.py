"""A noisy butler holds up nobody else: who waits takes turns by origin and channel, and replies go first (MSG-8)."""

from __future__ import annotations

import asyncio
from uuid import UUID, uuid4

import asyncpg
import pytest

from butler_kit.db import NamedQueries, Pool
from butler_messenger.admission.store import AdmissionStore
from tests.faults.plans.explain import run_prepared
from tests.integration.messenger.admissions import limits_of, new_delivery
from tests.integration.messenger.gated_channel import GatedChannel
from tests.integration.messenger.household import BEN, Place, envelope, notify, request_context

NOISE = 10_000
ROOMY = limits_of(places=20 * NOISE, per_minute=20 * NOISE, channels={"telegram": 20 * NOISE})


@pytest.mark.spec("MSG-8")
async def test_a_reply_waits_for_one_provider_call_of_a_noisy_butler_and_anothers_send_for_two(
    place: Place,
) -> None:
    let_go = asyncio.Semaphore(0)

    async def until_let_go() -> None:
        await let_go.acquire()

    channel = GatedChannel(until_let_go)
    for n in range(60):
        await AdmissionStore(place.pool).admit(new_delivery(to=str(n)), ROOMY)
    await place.pool.execute("UPDATE delivery_work SET enqueued_at = enqueued_at - interval '1 minute'")
    extra = "worker_count = 1\nanswer_wait_s = 0.0"
    async with place.messenger(extra, channels={"telegram": channel}) as messenger:
        await asyncio.wait_for(channel.called.wait(), 90)
        for said in (
            notify("a reminder", origin="health", recipient=str(BEN), idempotency_key="r"),
            notify("an answer", origin="general", intent="reply", context=request_context()),
        ):
            answer = await messenger.execute(envelope(said, origin=said["origin_butler"]))
            assert answer.error is None
        for _ in range(4):
            channel.called.clear()
            let_go.release()
            await asyncio.wait_for(channel.called.wait(), 90)
        for _ in range(60):
            let_go.release()
    texts = [text.split("] ")[-1] for text in channel.sent]
    assert texts.index("an answer") == 1
    assert texts.index("a reminder") <= 3


async def waiting(pool: Pool) -> UUID:
    """Ten thousand sends of one butler in five hundred chats, and one reply of another: its id."""
    await pool.execute(
        "INSERT INTO delivery_work (item_id, lane, source, thread_key, available_at, enqueued_at)"
        " SELECT gen_random_uuid(), 'send', 'finance/telegram', 'telegram:' || n % 500, at, at"
        f" FROM generate_series(1, {NOISE}) AS n, LATERAL (SELECT clock_now() - interval '1 minute' AS at) AS t"
    )
    reply = uuid4()
    await pool.execute(
        "INSERT INTO delivery_work (item_id, lane, source, thread_key, available_at, enqueued_at)"
        " SELECT $1, 'reply', 'health/telegram', 'telegram:1', at, at"
        " FROM (SELECT clock_now() - interval '30 s' AS at) AS t",
        reply,
    )
    await pool.execute(
        "INSERT INTO delivery_work (item_id, lane, source, thread_key, available_at, enqueued_at)"
        " SELECT gen_random_uuid(), 'send', 'health/telegram', 'telegram:own', at, at"
        " FROM (SELECT clock_now() - interval '30 s' AS at) AS t"
    )
    await pool.execute("ANALYZE delivery_work")
    return reply


@pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
async def test_who_is_next_is_found_without_reading_all_that_a_noisy_butler_has_waiting(
    place: Place, mode: str
) -> None:
    await waiting(place.pool)
    queries = NamedQueries("butler_kit.queue", "sql/leases.sql")
    connection = await asyncpg.connect(place.database.dsn("messenger"))
    try:
        await connection.execute("SET search_path = messenger, public")
        due = queries["due"].replace("{table}", "delivery_work")
        rows = await connection.fetch(due, 50, 0.0, [], [])
        assert {row["source"] for row in rows[:3]} == {"finance/telegram", "health/telegram"}
        looked = await run_prepared(connection, due, (50, 0.0, [], []), mode=mode)
        claim = queries["claim"].replace("{table}", "delivery_work")
        [own] = [row for row in rows if row["source"] == "health/telegram"]
        taken = await run_prepared(connection, claim, (own["item_id"], uuid4(), 30.0), mode=mode)
    finally:
        await connection.close()
    assert (looked.scanned, taken.scanned) == (frozenset(), frozenset())
    assert looked.discarded_rows + taken.discarded_rows <= 1500, (looked, taken)
    assert looked.pages <= 2000, looked
    assert taken.pages <= 50, taken
