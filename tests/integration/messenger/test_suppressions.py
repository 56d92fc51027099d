"""Nothing is sent unasked to a suppressed recipient, who writes is answered, the owner hears of it once (ADR 0083)."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx

from tests.integration.messenger.household import (
    ADA,
    BEN,
    CONTACTS,
    Client,
    Place,
    notify,
    request_context,
)
from tests.integration.messenger.test_approvals import GATED, OPERATOR, decided, held, told
from tests.integration.messenger.test_contacts import contact_id
from tests.integration.messenger.test_dead_letters import refused
from tests.integration.messenger.test_quiet_hours import asked, morning, with_quiet

WHY = {**OPERATOR, "reason": "he asked for it"}


async def suppressed(messenger: Client, recipient: str, channel: str = "telegram") -> str:
    """The id of the new suppression."""
    answer = await messenger.post(f"/ops/v1/channels/{channel}/suppress", {**WHY, "recipient": recipient})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["suppression_id"])


async def ended(messenger: Client, suppression_id: str) -> httpx.Response:
    return await messenger.post(f"/ops/v1/suppressions/{suppression_id}/end", {**WHY, "reason": "again"})


async def listed(messenger: Client, state: str = "in_force") -> list[dict[str, Any]]:
    answer = await messenger.get(f"/ops/v1/suppressions?state={state}")
    found: list[dict[str, Any]] = answer.json()["suppressions"]
    return found


def wish(text: str, key: str, recipient: int = BEN) -> dict[str, Any]:
    return notify(text, recipient=str(recipient), idempotency_key=key)


async def test_a_send_is_refused_at_once_until_that_is_ended_an_answer_is_not_and_the_owner_is_told_once(
    place: Place,
) -> None:
    asked = request_context(source_sender_identity=str(BEN), source_thread_identity=str(BEN))
    async with place.messenger() as messenger:
        before = await messenger.notify(wish("Before", "0"))
        own_id = await suppressed(messenger, f" {BEN} ")
        refused = await messenger.notify(wish("Dinner", "1"))
        await messenger.notify(wish("Lunch", "2"))
        again = await messenger.notify(wish("Before", "0"))
        seen = await messenger.tool("messenger_dry_run", {"notify_request": wish("Dinner", "1")})
        await messenger.notify(notify("At eight", intent="reply", context=asked))
        async with asyncio.timeout(90):
            while not told(place, ADA):
                await asyncio.sleep(0.02)
        [entry] = await listed(messenger)
        twice = await messenger.post("/ops/v1/channels/telegram/suppress", {**WHY, "recipient": str(BEN)})
        assert (await ended(messenger, own_id)).status_code == 200
        late = await ended(messenger, own_id)
        await messenger.notify(wish("Supper", "3"))
        [over] = await listed(messenger, "all")
    assert refused.error is not None
    assert (refused.status, refused.error.error_class, refused.error.retryable) == (
        "error",
        "validation_error",
        False,
    )
    assert refused.error.message.startswith("the recipient is suppressed on telegram since 20")
    assert "(operator: he asked for it); nothing is sent there unasked until an operator ends that: " in (
        refused.error.message
    )
    assert again == before
    assert (seen["decision"], seen["error"]["class"]) == ("refused", "validation_error")
    assert told(place, BEN) == ["[finance] Before", "[finance] At eight", "[finance] Supper"]
    [note] = told(place, ADA)
    assert note.startswith(
        f"[messenger] finance wanted to write to Ben ({BEN} on telegram). Nothing is sent there"
    )
    assert note.endswith(f"When it is to be written to again: butlers suppressions end {own_id}")
    assert (
        entry["state"],
        entry["person"],
        entry["reason"],
        entry["created_by"],
        entry["refused_origin"],
    ) == (
        "in_force",
        "Ben",
        "operator",
        "ana",
        "finance",
    )
    assert (twice.status_code, late.status_code) == (409, 409)
    assert (over["state"], over["ended_by"], over["end_reason"]) == ("ended", "ana", "again")
    acts = await place.rows("SELECT action FROM operation WHERE state = 'done' ORDER BY created_at")
    assert [one["action"] for one in acts] == ["recipient.suppress", "suppression.end"]


async def test_what_waited_meanwhile_ends_unsent_and_the_owner_hears_of_it_by_a_way_that_is_open(
    place: Place,
) -> None:
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger)
        await suppressed(messenger, str(BEN))
        await suppressed(messenger, str(ADA))
        await decided(messenger, delivery_id, "approve")
        row = await place.until_status(delivery_id, "failed")
        await messenger.notify(wish("Dinner", "1", recipient=ADA))
        async with asyncio.timeout(90):
            while not place.smtp.accepted:
                await asyncio.sleep(0.02)
    assert (row["error_class"], row["error_retryable"]) == ("validation_error", False)
    assert "the recipient is suppressed on telegram" in row["error_message"]
    assert told(place, BEN) == []
    assert "An address is not written to any more" in str(place.smtp.accepted[0].message()["Subject"])


async def ended_unsent(place: Place, delivery_id: str) -> None:
    row = await place.until_status(delivery_id, "failed")
    assert (row["error_class"], row["error_retryable"]) == ("validation_error", False)
    assert "the recipient is suppressed on " in row["error_message"]


async def test_what_waited_for_the_morning_ends_unsent_where_its_recipient_is_suppressed_by_then(
    place: Place,
) -> None:
    await with_quiet(place)
    async with place.messenger() as messenger:
        _, delivery_id = await asked(messenger, wish("Dinner", "1"))
        await suppressed(messenger, str(BEN))
    await morning(place)
    async with place.messenger():
        await ended_unsent(place, delivery_id)
    assert told(place, BEN) == []


async def test_what_waited_for_an_address_ends_unsent_where_that_address_is_suppressed(place: Place) -> None:
    ben = await contact_id(place, "Ben")
    async with place.messenger() as messenger:
        parked = notify("hello", channel="email", contact_id=ben, idempotency_key="x")
        state, delivery_id = await asked(messenger, parked)
        assert state == "pending_missing_identifier"
        await suppressed(messenger, "ben@example.org", "email")
    known = {**CONTACTS[1], "identifiers": [{"type": "email", "value": "ben@example.org"}]}
    place.write_contacts([CONTACTS[0], known])
    async with place.messenger():
        await ended_unsent(place, delivery_id)
    assert place.smtp.accepted == []


async def test_a_replay_to_a_suppressed_recipient_is_refused_and_may_come_again_once_that_is_ended(
    place: Place,
) -> None:
    async with place.messenger() as messenger:
        letter = await refused(place, messenger, recipient=str(BEN))
        own_id = await suppressed(messenger, str(BEN))
        path = f"/ops/v1/dead-letters/{letter['dead_letter_id']}/replay"
        denied = await messenger.post(path, WHY)
        await ended(messenger, own_id)
        sent = await messenger.post(path, WHY)
    assert denied.status_code == 400
    assert "the recipient is suppressed on telegram" in denied.json()["error"]["message"]
    assert sent.json()["status"] == "sent"
    assert len(told(place, BEN)) == 1
