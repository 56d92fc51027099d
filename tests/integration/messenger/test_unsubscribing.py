"""Whoever unsubscribes by mail gets none that they did not ask for; a made-up token changes nothing (ADR 0086)."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from uuid import UUID, uuid4

from butler_contracts.notify import NotifyResponseV1
from butler_contracts.unsubscribing import UnsubscribeWritten, unsubscribe_written
from tests.integration.messenger.household import (
    ADA,
    ADDRESS,
    Client,
    Place,
    envelope,
    notify,
    request_context,
)
from tests.integration.messenger.test_approvals import told
from tests.integration.messenger.test_suppressions import ended, listed, suppressed

EVE = "eve@example.org"


async def mailed(messenger: Client, key: str = "1", **more: Any) -> NotifyResponseV1:
    return await messenger.notify(notify(channel="email", recipient=EVE, idempotency_key=key, **more))


def token_of(place: Place, number: int = -1) -> UUID:
    """What the mail says how to unsubscribe by."""
    said = str(place.smtp.accepted[number].message()["List-Unsubscribe"])
    assert said.startswith("<mailto:")
    link = urlsplit(said.strip("<>"))
    assert unquote(link.path) == ADDRESS
    [subject] = parse_qs(link.query)["subject"]
    written = unsubscribe_written(subject)
    assert written is not None
    return written.token


async def unsubscribed(messenger: Client, token: UUID, *, caller: str | None = None) -> dict[str, Any]:
    """As Switchboard routes it, whoever wrote."""
    context = request_context("email", source_sender_identity="anybody@example.net", reply_policy="none")
    data = envelope(None, context=context)
    data["input"] = {"prompt": "x", "context": {"pressed": UnsubscribeWritten(token).action}}
    keys = messenger.place.keys
    answer = await messenger.execute(
        data, token=keys.switchboard(origin=None) if caller is None else keys.other(caller, "butler")
    )
    return {"error": answer.error.message} if answer.error is not None else answer.result or {}


async def test_who_unsubscribes_is_not_written_to_unasked_is_answered_and_the_owner_is_told_once(
    place: Place,
) -> None:
    asked = request_context("email", source_sender_identity=EVE, source_thread_identity="<q@example.org>")
    async with place.messenger() as messenger:
        sent = await mailed(messenger)
        assert sent.delivery is not None
        assert await unsubscribed(messenger, token_of(place)) == {"unsubscribed": [sent.delivery.delivery_id]}
        [entry] = await listed(messenger)
        async with asyncio.timeout(90):
            while not told(place, ADA):
                await asyncio.sleep(0.02)
        refused = await mailed(messenger, "2")
        answer = await messenger.notify(notify("At eight", intent="reply", channel="email", context=asked))
    assert refused.error is not None
    assert "(unsubscribed: by mail, in answer to one of finance)" in refused.error.message
    assert answer.status == "ok"
    assert [mail.message()["List-Unsubscribe"] is None for mail in place.smtp.accepted] == [False, True]
    assert (entry["reason"], entry["target_identity"], entry["created_by"], entry["delivery_id"]) == (
        "unsubscribed",
        EVE,
        EVE,
        sent.delivery.delivery_id,
    )
    [note] = told(place, ADA)
    assert note.startswith(
        f"[messenger] {EVE} on email unsubscribed, in answer to a mail of finance. Nothing more"
    )
    assert note.endswith(f"butlers suppressions end {entry['suppression_id']}")
    [act] = await place.rows("SELECT action, target, actor, state FROM operation")
    assert dict(act) == {
        "action": "recipient.unsubscribe",
        "target": f"recipient/email/{EVE}",
        "actor": EVE,
        "state": "done",
    }


async def test_a_made_up_token_and_whoever_may_not_route_change_nothing(place: Place) -> None:
    async with place.messenger() as messenger:
        await mailed(messenger)
        assert await unsubscribed(messenger, uuid4()) == {"unsubscribed": []}
        told_so = await unsubscribed(messenger, token_of(place), caller="finance")
        assert "trusted_route_callers" in told_so["error"]
        assert await listed(messenger, "all") == []
    assert await place.rows("SELECT 1 FROM operation") == []


async def test_a_token_counts_once_and_what_an_operator_ended_stays_ended_until_a_newer_mail_comes_back(
    place: Place,
) -> None:
    async with place.messenger() as messenger:
        await mailed(messenger)
        token = token_of(place)
        await asyncio.gather(*(unsubscribed(messenger, token) for _ in range(3)))
        [entry] = await listed(messenger)
        assert (await ended(messenger, entry["suppression_id"])).status_code == 200
        await unsubscribed(messenger, token)
        assert await listed(messenger) == []
        await mailed(messenger, "2")
        assert token_of(place) != token
        await unsubscribed(messenger, token_of(place))
        assert [one["reason"] for one in await listed(messenger)] == ["unsubscribed"]


async def test_who_unsubscribes_has_said_so_also_where_they_were_suppressed_for_another_reason(
    place: Place,
) -> None:
    async with place.messenger() as messenger:
        await mailed(messenger)
        own_id = await suppressed(messenger, EVE, "email")
        await unsubscribed(messenger, token_of(place))
        now, before = await listed(messenger, "all")
    assert (now["state"], now["reason"]) == ("in_force", "unsubscribed")
    assert (before["suppression_id"], before["ended_by"], before["end_reason"]) == (
        own_id,
        EVE,
        "unsubscribed",
    )


async def test_a_household_whose_mailbox_nobody_reads_does_not_name_it(place: Place) -> None:
    async with place.messenger(spec={"modules": {"email": {"bot": {"listUnsubscribe": False}}}}) as messenger:
        await mailed(messenger)
    assert place.smtp.accepted[0].message()["List-Unsubscribe"] is None
