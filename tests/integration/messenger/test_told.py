"""An end that the answer tells is not told again; one that it does not tell always is (D17, D18)."""

from __future__ import annotations

import asyncio
from uuid import uuid4

from butler_contracts.route import RouteResponseV1
from tests.integration.messenger.household import ADA, Place, envelope, eventually, notify
from tests.support.telegram_api import Fault


async def test_an_end_that_the_answer_tells_is_not_reported_again(place: Place) -> None:
    told, untold = uuid4(), uuid4()
    async with place.messenger() as messenger:
        answer = await messenger.execute(envelope(notify(idempotency_key="told"), subrequest_id=told))
        state = answer.notify_response()
        assert state is not None
        assert state.delivery is not None
        assert state.delivery.state == "sent"
        row = await place.row(str(state.delivery.delivery_id))
        assert row["reported_at"] is not None
        assert row["report_due_at"] is None
        place.telegram.script(Fault("sendMessage", "slow", count=1, delay_s=3.0))
        late = await messenger.execute(envelope(notify(idempotency_key="untold"), subrequest_id=untold))
        queued = late.notify_response()
        assert queued is not None
        assert queued.delivery is not None
        assert queued.delivery.state == "queued"
        assert (await place.switchboard.completed(untold)).status == "ok"
    assert [completion.subrequest_id for completion in place.switchboard.completions] == [untold]


async def test_whoever_asks_again_for_a_told_end_gets_it_again(place: Place) -> None:
    wish, subrequest_id = notify(idempotency_key="again"), uuid4()
    async with place.messenger() as messenger:
        first = await messenger.execute(envelope(wish, subrequest_id=subrequest_id))
        again = await messenger.execute(envelope(wish, subrequest_id=subrequest_id))
    assert first.notify_response() == again.notify_response()
    assert len(place.telegram.sent) == 1


async def test_an_asker_who_was_promised_the_end_waits_for_its_writing(place: Place) -> None:
    """The database is slow in the moment of the receipt: the answer says `sent`, and no report follows."""
    async with place.messenger("answer_wait_s = 2") as messenger:
        holding = await place.pool.acquire()
        blocked = holding.transaction()
        await blocked.start()
        await holding.execute("LOCK TABLE delivery_receipts IN EXCLUSIVE MODE")
        asking = asyncio.create_task(messenger.execute(envelope(notify(idempotency_key="slow"))))
        await eventually(lambda: len(place.telegram.sent) == 1)
        await asyncio.sleep(2.1)
        await blocked.rollback()
        await place.pool.release(holding)
        answer = (await asking).notify_response()
    assert answer is not None
    assert answer.delivery is not None
    assert answer.delivery.state == "sent"
    assert place.switchboard.completions == []


async def test_a_full_house_is_counted_exactly_although_most_admissions_are_not(place: Place) -> None:
    """While there is plenty of room nobody waits for the others; the last places are still given out one by one."""
    place.telegram.script(Fault("sendMessage", "slow", count=100, delay_s=30.0))
    at_once = asyncio.Semaphore(12)

    async def wish(number: int) -> RouteResponseV1:
        async with at_once:
            origin = ("finance", "health")[number % 2]
            said = notify(recipient=str(ADA), idempotency_key=f"n{number}", origin=origin)
            return await messenger.execute(envelope(said, origin=origin))

    async with place.messenger("max_in_flight = 100\nanswer_wait_s = 0") as messenger:
        answers = await asyncio.gather(*(wish(number) for number in range(112)))
        under_way = await place.pool.fetchval("SELECT count(*) FROM delivery_work")
        stored = await place.pool.fetchval("SELECT count(*) FROM delivery_requests")
        place.telegram.clear_faults()
    refused = [answer.error.error_class.value for answer in answers if answer.error is not None]
    assert under_way <= 100
    assert stored == 112 - len(refused)
    # Whatever ended meanwhile, at the provider's own pace, has made room for as many.
    assert 100 <= stored <= 100 + (stored - under_way)
    assert refused
    assert set(refused) == {"overload_rejected"}
