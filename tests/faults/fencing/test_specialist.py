"""Two specialists on one database, one of them slow or standing still: sessions and answers are not doubled (D12)."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from butler_contracts.parse import parse
from butler_contracts.route import RouteEnvelopeV1
from butler_kit.queue import LeasedQueue, LeaseLost
from butler_specialist.store.inbox import RouteInbox
from tests.faults.ledger import LEDGER
from tests.integration.specialist.household import Place, envelope, id_of, request_context
from tests.support.loopback import free_port

LEASE = timedelta(seconds=60)


async def test_a_slow_worker_is_not_overtaken_while_it_lives(
    specialist_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twelve messages, two replicas, and sessions that take several looks of the other's scanner."""
    from butler_specialist.profiles.finance.profile import FinanceProfile

    respond = FinanceProfile.respond

    async def slowly(self: FinanceProfile, *args: Any) -> Any:
        await asyncio.sleep(1.2)
        return await respond(self, *args)

    monkeypatch.setattr(FinanceProfile, "respond", slowly)
    place = specialist_place
    work = [envelope(f"Paid {n}.00 EUR for tea", context=request_context("api")) for n in range(1, 13)]
    runtime = "max_concurrent_sessions = 3"
    async with place.specialist(runtime=runtime) as one, place.specialist(runtime=runtime) as two:
        for data in work:
            await asyncio.gather(one.execute(data), two.execute(data))
        for data in work:
            await place.switchboard.completed(id_of(data))
            await place.until_state(id_of(data), "processed")
    assert await place.pool.fetchval("SELECT count(*) FROM sessions") == len(work)
    assert await place.pool.fetchval("SELECT max(runs) FROM route_inbox") == 1
    assert len(await place.records()) == len(place.switchboard.completions) == len(work)
    LEDGER.messages += len(work)


async def test_a_specialist_that_stood_still_past_its_lease_records_and_tells_nothing_twice(
    specialist_place: Place,
) -> None:
    place = specialist_place
    held = asyncio.Event()

    async def gate(tool: str, _: Mapping[str, Any]) -> None:
        if tool == "route.started" and len(place.switchboard.order) == 1:
            await held.wait()

    place.switchboard.gate = gate
    data = envelope("Paid 42.50 EUR for groceries")
    async with place.process(free_port()) as (child, stalled):
        await stalled.execute(data)
        await place.switchboard.until(lambda: "route.started" in place.switchboard.order)
        child.send_signal(signal.SIGSTOP)
        LEDGER.outages += 1
        await place.database.shift_clock(LEASE)
        async with place.specialist():
            await place.switchboard.completed(id_of(data))
            await place.until_state(id_of(data), "processed")
            held.set()
            child.send_signal(signal.SIGCONT)
            # The next message of the thread shows that the stalled one works again and has come past the first.
            await stalled.done(envelope("Paid 1 EUR for tea"))
    assert len(await place.records()) == 2
    assert [n.delivery.message for n in place.switchboard.notifies].count(
        place.switchboard.notifies[0].delivery.message
    ) == 1
    assert [c.subrequest_id for c in place.switchboard.completions].count(id_of(data)) == 1
    LEDGER.messages += 2


async def test_a_stale_worker_begins_no_session_and_keeps_no_answer(specialist_place: Place) -> None:
    place = specialist_place
    data = parse(RouteEnvelopeV1, envelope("Paid 42.50 EUR for groceries"))
    queue = LeasedQueue(place.pool, "route_work")
    inbox = RouteInbox(place.pool, capacity=10)
    assert await inbox.accept(data, lane="default", thread_key=None, teller="api:ada")
    subrequest_id = data.subrequest.subrequest_id
    stale = await queue.claim(subrequest_id)
    assert stale is not None
    await place.database.shift_clock(LEASE)
    with pytest.raises(LeaseLost):
        await inbox.begin(stale)
    current = await queue.claim(subrequest_id)
    assert current is not None
    assert await inbox.begin(current) == 1
    work = await inbox.find(subrequest_id)
    assert work is not None
    for word in (
        lambda: inbox.begin(stale),
        lambda: inbox.keep_notify_response(stale, work, {"status": "error"}),
        lambda: inbox.use_fallback(stale),
    ):
        with pytest.raises(LeaseLost):
            await word()
    row = await place.route(subrequest_id)
    assert (row["runs"], row["notify_response"]) == (1, None)
