"""A delivery that nobody can work on ends, Switchboard hears of it, and its thread goes on (MSG-9, D11, D41)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

import pytest

from tests.integration.messenger.gated_channel import GatedChannel
from tests.integration.messenger.household import Client, Place, notify
from tests.support.next_version import grown


async def ended(place: Place, delivery_id: str) -> dict[str, object]:
    """Wait for the end of a delivery; no pause between its attempts is waited for."""
    async with asyncio.timeout(90):
        while await place.rows("SELECT 1 FROM delivery_work WHERE item_id = $1", UUID(delivery_id)):
            await place.pool.execute(
                "UPDATE delivery_work SET available_at = clock_now() WHERE lease_id IS NULL"
            )
            await asyncio.sleep(0.02)
    return await place.row(delivery_id)


@asynccontextmanager
async def one_thread(place: Place, damage: str) -> AsyncIterator[tuple[Client, GatedChannel, list[str]]]:
    """Three deliveries to one person; the second is damaged by SQL while it waits behind the first."""
    gate = asyncio.Event()
    channel = GatedChannel(gate.wait)  # type: ignore[arg-type]
    async with place.messenger("answer_wait_s = 0.0", channels={"telegram": channel}) as messenger:
        ids = []
        for text in ("first", "second", "third"):
            answer = await messenger.notify(notify(text, idempotency_key=text))
            assert answer.delivery is not None
            ids.append(answer.delivery.delivery_id)
        await asyncio.wait_for(channel.called.wait(), 90)
        await place.pool.execute(damage.format(second=ids[1]))
        gate.set()
        yield messenger, channel, ids


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE delivery_requests SET notify_request = '[]' WHERE delivery_id = '{second}'",
        "UPDATE delivery_requests SET error_class = 'of_the_next_version' WHERE delivery_id = '{second}'",
        "UPDATE delivery_requests SET route_context = '{{\"request_id\": 1}}' WHERE delivery_id = '{second}'",
    ],
    ids=["its content", "an error class", "where it came from"],
)
async def test_a_delivery_made_unreadable_fails_with_a_dead_letter_and_its_thread_goes_on(
    place: Place, damage: str
):
    async with one_thread(place, damage) as (_, channel, ids):
        row = await ended(place, ids[1])
        await place.until_status(ids[2], "sent")
    assert channel.sent == ["first", "third"]
    assert (row["status"], row["error_class"], row["error_retryable"]) == ("failed", "internal_error", False)
    [letter] = await place.rows("SELECT * FROM delivery_dead_letter")
    assert (str(letter["delivery_id"]), letter["reason"]) == (ids[1], "could not be worked on")


async def test_switchboard_is_told_of_a_delivery_that_was_given_up(place: Place):
    damage = "UPDATE delivery_requests SET notify_request = '[]' WHERE delivery_id = '{second}'"
    async with one_thread(place, damage) as (_, _, ids):
        await ended(place, ids[1])
        await place.until_reported(ids[1])
        completion = await place.switchboard.completed((await place.row(ids[1]))["subrequest_id"])
    assert completion.status == "error"


async def test_what_a_provider_may_have_is_uncertain_and_no_dead_letter(place: Place):
    damage = (
        "INSERT INTO delivery_marker SELECT '{second}', 0, 1, clock_now();"
        " UPDATE delivery_requests SET error_class = 'of_the_next_version' WHERE delivery_id = '{second}'"
    )
    async with one_thread(place, damage) as (_, channel, ids):
        row = await ended(place, ids[1])
        await place.until_status(ids[2], "sent")
    assert row["status"] == "uncertain"
    assert channel.sent == ["first", "third"]
    assert await place.rows("SELECT 1 FROM delivery_dead_letter") == []


async def test_an_end_that_cannot_be_read_keeps_no_other_end_from_being_told(place: Place):
    async def at_once() -> None: ...

    ids = []
    async with place.messenger(
        "answer_wait_s = 0.0", channels={"telegram": GatedChannel(at_once)}
    ) as messenger:
        for text in ("first", "second"):
            answer = await messenger.notify(notify(text, idempotency_key=text))
            assert answer.delivery is not None
            ids.append(answer.delivery.delivery_id)
            await place.until_reported(ids[-1])
    await place.pool.execute(
        "UPDATE delivery_requests SET reported_at = NULL, report_due_at = clock_now(), report_attempts = 0"
    )
    await place.pool.execute(
        "UPDATE delivery_requests SET error_class = 'of_the_next_version' WHERE delivery_id = $1",
        UUID(ids[0]),
    )
    async with place.messenger(channels={"telegram": GatedChannel(at_once)}):
        await place.until_reported(ids[1])
    unreadable = await place.row(ids[0])
    assert (unreadable["reported_at"], unreadable["report_attempts"]) == (None, 1)


async def test_what_the_next_version_stored_is_delivered_as_if_it_had_added_nothing(place: Place):
    """After `helm rollback`: a field more in every object of the wish and of where it came from."""
    async with one_thread(place, "SELECT 1") as (_, channel, ids):
        await place.until_status(ids[2], "sent")
    await place.pool.execute(
        "UPDATE delivery_requests SET status = 'pending', terminal_at = NULL, reported_at = NULL"
    )
    await place.pool.execute("DELETE FROM delivery_receipts")
    for row in await place.rows("SELECT * FROM delivery_requests"):
        await place.pool.execute(
            "UPDATE delivery_requests SET notify_request = $2, route_context = $3 WHERE delivery_id = $1",
            row["delivery_id"],
            grown(row["notify_request"]),
            grown(row["route_context"]),
        )
        await place.pool.execute(
            "INSERT INTO delivery_work (item_id, lane, source, thread_key, available_at, enqueued_at)"
            " VALUES ($1, 'interactive', 'finance', 't', clock_now(), clock_now())",
            row["delivery_id"],
        )

    async def at_once() -> None: ...

    again = GatedChannel(at_once)
    async with place.messenger(channels={"telegram": again}):
        for delivery_id in ids:
            await place.until_status(delivery_id, "sent")
            await place.until_reported(delivery_id)
    assert sorted(again.sent) == sorted(channel.sent)
