"""A mail that comes back marks its delivery and its address, a forged report neither; the owner hears of it once."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from butler_contracts.delivery_report import DeliveryReportV1, RecipientReportV1
from butler_contracts.route import RouteResponseV1
from butler_messenger.suppressions.judging import Bounce, bounce_of
from tests.integration.messenger.household import ADA, Client, Place, envelope, notify, request_context
from tests.integration.messenger.test_approvals import told
from tests.integration.messenger.test_suppressions import listed
from tests.support.mail.smtp_server import SmtpFault

BEN = "ben@example.org"


async def mailed(messenger: Client, key: str = "1", **more: Any) -> tuple[str, str]:
    """The delivery of a mail to Ben, and its Message-ID."""
    answer = await messenger.notify(notify(channel="email", recipient=BEN, idempotency_key=key, **more))
    assert answer.delivery is not None, answer
    row = await messenger.place.until_status(answer.delivery.delivery_id, "sent")
    return answer.delivery.delivery_id, row["provider_delivery_id"]


async def reported(
    messenger: Client, message_id: str, status: str = "5.1.1", action: str = "failed"
) -> RouteResponseV1:
    """As Switchboard routes it."""
    context = request_context(
        "email", source_sender_identity="mailer-daemon@mx.example.org", reply_policy="none", automatic=True
    )
    data = envelope(None, context=context)
    recipient = {"action": action, "status": status, "diagnostic": "smtp; no such user"}
    report = {"message_id": message_id, "recipients": [recipient]}
    data["input"] = {"prompt": "It came back.", "context": {"report": report}}
    return await messenger.execute(data, token=messenger.place.keys.switchboard(origin=None))


async def status_of(messenger: Client, delivery_id: str) -> dict[str, Any]:
    found: dict[str, Any] = (await messenger.get(f"/ops/v1/deliveries/{delivery_id}")).json()
    return found


async def test_a_hard_bounce_marks_the_delivery_and_the_address_once_and_the_owner_is_told(
    place: Place,
) -> None:
    async with place.messenger() as messenger:
        delivery_id, message_id = await mailed(messenger)
        assert (await reported(messenger, message_id)).result == {
            "bounced": [delivery_id],
            "suppressed": True,
        }
        assert (await reported(messenger, message_id)).result == {"bounced": []}
        shown = await status_of(messenger, delivery_id)
        found = (await messenger.get("/ops/v1/deliveries?status=bounced")).json()["deliveries"]
        assert (await messenger.get("/ops/v1/deliveries?status=sent")).json()["deliveries"] == []
        [entry] = await listed(messenger)
        refused = await messenger.notify(notify(channel="email", recipient=BEN, idempotency_key="2"))
        async with asyncio.timeout(90):
            while not told(place, ADA):
                await asyncio.sleep(0.02)
    assert [one["delivery_id"] for one in found] == [delivery_id]
    assert (shown["status"], shown["error"]["message"]) == (
        "bounced",
        "the mail came back: 5.1.1 smtp; no such user",
    )
    assert (entry["reason"], entry["target_identity"], entry["delivery_id"], entry["created_by"]) == (
        "bounced",
        BEN,
        delivery_id,
        "messenger",
    )
    assert refused.status == "error"
    [note] = told(place, ADA)
    assert note.startswith(
        f"[messenger] A message of finance to {BEN} on email came back (5.1.1 smtp; no such user)"
    )


async def test_what_is_not_ours_too_old_or_still_tried_marks_nothing_and_who_gave_up_on_a_mail_no_address(
    place: Place,
) -> None:
    async with place.messenger() as messenger:
        delivery_id, message_id = await mailed(messenger)
        forged = f"<butlers.{'0' * 40}@{message_id.rpartition('@')[2]}"
        for answer in (
            await reported(messenger, forged),
            await reported(messenger, message_id, "4.4.1", "delayed"),
            await reported(messenger, message_id, "2.0.0", "delivered"),
        ):
            assert answer.result == {"bounced": []}
        assert (await status_of(messenger, delivery_id))["status"] == "sent"
        given_up = await reported(messenger, message_id, "4.4.7")
        assert given_up.result == {"bounced": [delivery_id], "suppressed": False}
        other_id, other = await mailed(messenger, "2")
        await place.database.shift_clock(timedelta(days=15), disconnect=True)
        assert (await reported(messenger, other)).result == {"bounced": []}
        assert await listed(messenger, "all") == []
        assert (await status_of(messenger, other_id))["status"] == "sent"
        stranger = envelope(None, context=request_context("email"))
        stranger["input"] = {"prompt": "x", "context": {"report": {"message_id": other, "recipients": []}}}
        answer = await messenger.execute(stranger, token=place.keys.other("finance", "butler"))
    assert answer.error is not None
    assert answer.error.error_class == "validation_error"


async def test_an_address_that_the_mail_server_refuses_is_suppressed_and_the_owner_is_told_once_policy_is_not(
    place: Place,
) -> None:
    wish: dict[str, Any] = {"channel": "email", "recipient": BEN}
    place.smtp.script(SmtpFault("rcpt", "status", status=550, text="5.7.1 not allowed"))
    async with place.messenger() as messenger:
        await messenger.notify(notify(**wish, idempotency_key="1"))
        assert await listed(messenger) == []
        place.smtp.script(SmtpFault("rcpt", "status", status=550, text=f"5.1.1 <{BEN}>: no such user"))
        refused = await messenger.notify(notify(**wish, idempotency_key="2"))
        [entry] = await listed(messenger)
        later = await messenger.notify(notify(**wish, idempotency_key="3"))
        async with asyncio.timeout(90):
            while not told(place, ADA):
                await asyncio.sleep(0.02)
    assert refused.delivery is not None
    assert (refused.delivery.state, entry["delivery_id"]) == ("failed", refused.delivery.delivery_id)
    assert (entry["reason"], entry["target_identity"], entry["created_by"]) == ("bounced", BEN, "messenger")
    assert later.error is not None
    assert later.error.message.startswith("the recipient is suppressed on email since ")
    [note] = told(place, ADA)
    assert note.startswith(
        f"[messenger] A message of finance to {BEN} on email came back (550 5.1.1 <{BEN}>: no such user)."
    )
    assert place.smtp.accepted == []


@pytest.mark.parametrize(
    ("said", "bounce"),
    [
        ([("failed", "5.1.1")], Bounce("5.1.1", for_good=True)),
        ([("failed", "4.4.7"), ("failed", "5.1.1")], Bounce("5.1.1", for_good=True)),
        ([("failed", "4.4.7")], Bounce("4.4.7", for_good=False)),
        ([("failed", "5.1.1"), ("delivered", "2.0.0")], None),
        ([("delayed", "5.1.1")], None),
        ([], None),
    ],
)
def test_a_mail_came_back_where_it_arrived_for_nobody(
    said: list[tuple[Any, str]], bounce: Bounce | None
) -> None:
    recipients = tuple(RecipientReportV1(action=action, status=status) for action, status in said)
    assert bounce_of(DeliveryReportV1(message_id="<a@b>", recipients=recipients)) == bounce
