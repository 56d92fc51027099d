"""Two Messengers on one database: one send a message, one order a thread (MSG-7, MSG-10, D11)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_kit.queue import LeasedQueue, LeaseLost
from butler_messenger.delivery.store import DeliveryStore
from tests.integration.messenger.household import ADA, Place, envelope, notify
from tests.integration.messenger.test_dead_letters import TEXT, refused
from tests.support.telegram_api import Fault


@pytest.mark.spec("MSG-7", "MSR-04.2", "CON-4.2")
async def test_the_same_message_given_to_both_is_sent_once(place: Place) -> None:
    place.telegram.script(Fault("sendMessage", "slow", count=1, delay_s=0.5))
    wish = notify(idempotency_key="x")
    async with place.messenger("answer_wait_s = 2.0") as one, place.messenger("answer_wait_s = 2.0") as two:
        answers = await asyncio.gather(*(m.notify(wish, subrequest_id=uuid4()) for m in (one, two) * 4))
    assert len({a.delivery.delivery_id for a in answers if a.delivery is not None}) == 1
    assert len(place.telegram.sent) == 1


@pytest.mark.spec("MSG-10")
async def test_a_thread_keeps_its_order_whichever_replica_was_given_its_messages(place: Place) -> None:
    place.telegram.script(Fault("sendMessage", "status", count=1, status=409))
    subrequests = [uuid4() for _ in range(12)]
    async with place.messenger("answer_wait_s = 0.0") as one, place.messenger("answer_wait_s = 0.0") as two:
        for number, subrequest_id in enumerate(subrequests):
            wish = notify(str(number), idempotency_key=str(number))
            await (one, two)[number % 2].execute(envelope(wish, subrequest_id=subrequest_id))
        for subrequest_id in subrequests:
            await place.switchboard.completed(subrequest_id)
    assert [sent["text"] for sent in place.telegram.sent] == [f"[finance] {number}" for number in range(12)]
    assert {sent["chat_id"] for sent in place.telegram.sent} == {ADA}


@pytest.mark.spec("MSG-10")
async def test_a_replay_comes_after_what_its_thread_has_confirmed_since(place: Place) -> None:
    receipts = "SELECT * FROM delivery_receipts ORDER BY received_at"
    async with place.messenger() as messenger, place.messenger() as other:
        letter = await refused(place, messenger)
        for text in ("second", "third"):
            told = (await messenger.notify(notify(text, idempotency_key=text))).delivery
            assert told is not None
            await place.until_status(told.delivery_id, "sent")
        confirmed = await place.rows(receipts)
        which = {"dead_letter_id": str(letter["dead_letter_id"])}
        answer = await other.tool("messenger_dead_letter_replay", which)
    assert answer["status"] == "sent"
    sent = [message["text"] for message in place.telegram.sent]
    assert sent == ["[finance] second", "[finance] third", f"[finance] {TEXT}"]
    after = await place.rows(receipts)
    assert after[:2] == confirmed
    assert str(after[2]["delivery_id"]) == answer["delivery_id"]


def _wish(key: str, *, origin: str) -> dict[str, Any]:
    return envelope(notify(recipient=str(ADA), idempotency_key=key, origin=origin), origin=origin)


async def test_the_bound_on_deliveries_in_flight_holds_over_replicas(place: Place) -> None:
    place.telegram.script(Fault("sendMessage", "hang", count=100))
    extra = "answer_wait_s = 0.0\nmax_in_flight = 5"
    async with place.messenger(extra) as one, place.messenger(extra) as two:
        responses = await asyncio.gather(
            *(
                m.execute(_wish(f"{n}{m is one}", origin=("finance", "health")[n % 2]))
                for n in range(6)
                for m in (one, two)
            )
        )
        place.telegram.clear_faults()
    assert [r.status for r in responses].count("ok") == 5
    assert {r.error.error_class.value for r in responses if r.error is not None} == {"overload_rejected"}


async def test_a_report_is_made_once_and_survives_a_switchboard_that_is_away(place: Place) -> None:
    url, place.switchboard.url = place.switchboard.url, "http://127.0.0.1:9/mcp"
    subrequest_id = uuid4()
    async with place.messenger("answer_wait_s = 0") as messenger:
        await messenger.execute(envelope(notify(idempotency_key="x"), subrequest_id=subrequest_id))
        await place.telegram.until(lambda api: len(api.sent) == 1)
    place.switchboard.url = url
    [row] = await place.rows("SELECT * FROM delivery_requests")
    assert row["reported_at"] is None
    await place.pool.execute("UPDATE delivery_requests SET report_due_at = clock_now()")
    async with place.messenger(), place.messenger():
        completion = await place.switchboard.completed(subrequest_id)
        assert completion.status == "ok"
        async with asyncio.timeout(90):
            while (await place.row(str(row["delivery_id"])))["reported_at"] is None:
                await asyncio.sleep(0.02)
    assert [c.subrequest_id for c in place.switchboard.completions] == [subrequest_id]
    assert len(place.telegram.sent) == 1
    card = place.switchboard.registrations[-1]
    offered = set()
    async with place.messenger() as messenger:
        for token in (place.keys.switchboard(), messenger.operator()):
            offered |= await messenger.listed_tools(token)
    assert set(card["tools"]) == offered
    assert card["description"] == "Outbound delivery execution plane for Telegram and Email"


async def test_a_worker_that_lost_its_lease_cannot_mark_and_so_never_calls(place: Place) -> None:
    place.telegram.script(Fault("sendMessage", "status", count=1, status=429, retry_after_s=600))
    async with place.messenger("answer_wait_s = 0.2") as messenger:
        answer = await messenger.notify(notify(idempotency_key="x"))
    assert answer.delivery is not None
    delivery_id = UUID(answer.delivery.delivery_id)
    await place.pool.execute("UPDATE delivery_work SET available_at = clock_now()")
    queue, store = LeasedQueue(place.pool, "messenger.delivery_work"), DeliveryStore(place.pool)
    stale = await queue.claim(delivery_id)
    assert stale is not None
    await place.database.shift_clock(timedelta(seconds=40))
    current = await queue.claim(delivery_id)
    assert current is not None
    with pytest.raises(LeaseLost):
        await store.mark(stale, attempt=2, part=0, tool="telegram_send_message")
    assert await place.rows("SELECT 1 FROM delivery_marker") == []
    await store.mark(current, attempt=2, part=0, tool="telegram_send_message")
    assert len(await place.rows("SELECT 1 FROM delivery_marker")) == 1
