"""A Messenger that stood still past its lease: its late word never undoes what another has done since (D41, §11)."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.errors import ErrorClass
from butler_kit.queue import Lease, LeasedQueue, LeaseLost
from butler_messenger.delivery.outcomes import Failure
from butler_messenger.delivery.reports import OutcomeReporter
from butler_messenger.delivery.states import Status
from butler_messenger.delivery.store import AttemptResult, DeliveryStore, Work
from tests.faults.ledger import LEDGER
from tests.integration.messenger.household import Client, Place, envelope, messenger_process, notify
from tests.support.nursery import Child
from tests.support.telegram_api import Fault

LEASE = timedelta(seconds=40)
REFUSED = Failure(ErrorClass.TARGET_UNAVAILABLE, "refused", retryable=True)


@asynccontextmanager
async def process(place: Place) -> AsyncIterator[tuple[Child, Client]]:
    """A Messenger of its own; killed at the end if it still runs."""
    config = place.folder / "butler.toml"
    config.write_text(place.config_text("answer_wait_s = 0.0"), encoding="utf-8")
    child, port = await messenger_process(config, "never", place.env | {"PATH": ""})
    client = Client(place, f"http://127.0.0.1:{port}")
    try:
        yield child, client
    finally:
        await client.aclose()
        if child.returncode is None:
            child.kill()
        await child.wait()


async def in_call(place: Place) -> UUID:
    """Wait until a provider call is marked; its delivery."""
    async with asyncio.timeout(90):
        while True:
            rows = await place.rows("SELECT delivery_id FROM delivery_marker")
            if rows:
                found: UUID = rows[0]["delivery_id"]
                return found
            await asyncio.sleep(0.01)


async def test_a_stalled_messengers_late_receipt_resolves_what_its_rescuer_called_uncertain(
    messenger_place: Place,
) -> None:
    place = messenger_place
    place.telegram.script(Fault("sendMessage", "slow", count=1, delay_s=1.0))
    async with process(place) as (child, stalled):
        await stalled.execute(envelope(notify("one", idempotency_key="x")))
        delivery_id = str(await in_call(place))
        child.send_signal(signal.SIGSTOP)
        LEDGER.outages += 1
        await place.database.shift_clock(LEASE)
        async with place.messenger() as rescuer:
            await place.until_status(delivery_id, "uncertain")
            await rescuer.notify(notify("two", idempotency_key="y"))
            child.send_signal(signal.SIGCONT)
            await place.until_status(delivery_id, "sent")
    texts = [sent["text"] for sent in place.telegram.sent]
    # While it was uncertain the owner may have been told so.
    assert sorted(text for text in texts if text.startswith("[finance]")) == [
        "[finance] one",
        "[finance] two",
    ]
    LEDGER.messages += 2


async def taken_over(place: Place) -> tuple[DeliveryStore, Lease, Lease, Work]:
    """A delivery whose first worker is stale and whose second one is in its provider call."""
    place.telegram.script(Fault("sendMessage", "status", count=1, status=429, retry_after_s=600))
    async with place.messenger("answer_wait_s = 0.2") as messenger:
        answer = await messenger.notify(notify(idempotency_key="x"))
    assert answer.delivery is not None
    delivery_id = UUID(answer.delivery.delivery_id)
    await place.pool.execute("UPDATE delivery_work SET available_at = clock_now()")
    queue, store = LeasedQueue(place.pool, "messenger.delivery_work"), DeliveryStore(place.pool)
    stale = await queue.claim(delivery_id)
    assert stale is not None
    work = await store.load(delivery_id)
    assert work is not None
    await place.database.shift_clock(LEASE)
    current = await queue.claim(delivery_id)
    assert current is not None
    await store.mark(current, attempt=3, part=0, tool="telegram_send_message")
    return store, stale, current, work


@pytest.mark.parametrize(
    "word", ["put back", "throttled", "left open", "failed", "resumed", "interrupted", "taken back"]
)
async def test_a_stale_worker_cannot_say_that_nothing_was_sent(messenger_place: Place, word: str) -> None:
    """Else the marker of the call under way would go, and a crash in it would be followed by a second send."""
    place = messenger_place
    store, stale, _, work = await taken_over(place)
    result = AttemptResult(2, 0, "telegram_send_message", "failed", 5.0, REFUSED)
    says = {
        "put back": lambda: store.put_back(stale, result),
        "throttled": lambda: store.throttled(stale, work.delivery, result, pause_s=9.0, whole=True),
        "left open": lambda: store.leave_open(stale, result),
        "failed": lambda: store.end(stale, Status.FAILED, REFUSED, result=result),
        "resumed": lambda: store.resume(stale, work, REFUSED),
        "interrupted": lambda: store.end_interrupted(stale, work, Status.UNCERTAIN, REFUSED),
        "taken back": lambda: store.unmark(stale, attempt=3),
    }
    with pytest.raises(LeaseLost):
        await says[word]()
    [marker] = await place.rows("SELECT attempt FROM delivery_marker")
    assert marker["attempt"] == 3
    assert (await place.row(str(stale.item_id)))["status"] == "in_progress"


async def test_a_stale_workers_receipt_is_kept_and_ends_the_delivery(messenger_place: Place) -> None:
    place = messenger_place
    store, stale, current, _ = await taken_over(place)
    sent = AttemptResult(2, 0, "telegram_send_message", "sent", 5.0)
    completed = await store.complete(stale, sent, "41", told=False)
    assert completed.delivery is not None
    assert not completed.out_of_queue
    assert await store.end(current, Status.FAILED, REFUSED, result=sent) is None
    assert (await place.row(str(stale.item_id)))["status"] == "sent"


class LateReceipt:
    """A Switchboard that is told of an end; while it hears the first one, the stale worker's receipt arrives."""

    def __init__(self, store: DeliveryStore, stale: Lease) -> None:
        self._store = store
        self._stale = stale
        self.told: list[str] = []

    async def call(
        self, tool: str, args: dict[str, Any], *, timeout_s: float | None = None
    ) -> dict[str, Any]:
        self.told.append(args["route_response"]["result"]["notify_response"]["delivery"]["state"])
        if len(self.told) == 1:
            sent = AttemptResult(2, 0, "telegram_send_message", "sent", 5.0)
            await self._store.complete(self._stale, sent, "41", told=False)
        return {}


async def test_a_receipt_that_arrives_while_uncertain_is_reported_is_reported_too(
    messenger_place: Place,
) -> None:
    place = messenger_place
    store, stale, current, _ = await taken_over(place)
    await store.end(current, Status.UNCERTAIN, REFUSED)
    switchboard = LateReceipt(store, stale)
    reporter = OutcomeReporter(place.pool, switchboard)
    assert await reporter.report_due() == 1
    assert (await place.row(str(stale.item_id)))["reported_at"] is None
    assert await reporter.report_due() == 1
    assert await reporter.report_due() == 0
    assert switchboard.told == ["uncertain", "sent"]
    row = await place.row(str(stale.item_id))
    assert (row["status"], row["report_due_at"]) == ("sent", None)
    assert row["reported_at"] is not None


@pytest.mark.faults_full
async def test_two_messengers_and_one_is_killed_each_message_is_seen_once_and_in_order(
    messenger_place: Place,
) -> None:
    place = messenger_place
    place.telegram.script(Fault("sendMessage", "slow", count=4, delay_s=0.3))
    subrequests = [uuid4() for _ in range(16)]
    async with place.messenger("answer_wait_s = 0.0") as stays:
        async with process(place) as (child, dies):
            for number, subrequest_id in enumerate(subrequests):
                wish = notify(str(number), idempotency_key=str(number))
                await (stays, dies)[number % 2].execute(envelope(wish, subrequest_id=subrequest_id))
            child.kill()
            await child.wait()
            LEDGER.kills += 1
        await place.database.shift_clock(LEASE)
        for subrequest_id in subrequests:
            await place.switchboard.completed(subrequest_id)
    seen = [int(sent["text"].split()[-1]) for sent in place.telegram.sent]
    assert seen == sorted(set(seen)), "doubled or out of order"
    rows = await place.rows("SELECT status, notify_request FROM delivery_requests")
    unseen = {
        int(row["notify_request"]["delivery"]["message"]) for row in rows if row["status"] == "uncertain"
    }
    assert set(range(16)) - set(seen) <= unseen
    assert {row["status"] for row in rows} <= {"sent", "uncertain"}
    LEDGER.messages += len(subrequests)
    LEDGER.uncertain += len(unseen)
