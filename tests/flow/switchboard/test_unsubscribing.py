"""A mail that unsubscribes goes to Messenger alone, whoever wrote it; any other mail is a message (ADR 0086)."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.parse import parse
from butler_contracts.unsubscribing import UnsubscribeWritten, unsubscribe_subject
from tests.flow.switchboard.test_approval_answers import PROVEN, sent
from tests.support.switchboard import mail
from tests.support.switchboard_service import Household


def unsubscribing(number: int, subject: str, **more: Any) -> IngestEnvelopeV1:
    data = mail(f"<unsubscribe-{number}@example.org>", f"Subject: {subject}\n\n[a mail without text]", **more)
    document = data.to_wire()
    document["payload"]["raw"]["subject"] = subject
    return parse(IngestEnvelopeV1, document)


async def test_who_unsubscribes_is_heard_by_messenger_alone_and_answered_by_nobody(home: Household) -> None:
    tokens = [uuid4(), uuid4(), uuid4()]
    subjects = [unsubscribe_subject(token) for token in tokens]
    how: list[dict[str, Any]] = [
        {"sender": "eve@example.net"},
        {"headers": PROVEN},
        {"headers": {"Auto-Submitted": ["auto-generated"]}},
    ]
    async with home.run() as running:
        for number, (subject, more) in enumerate(zip(subjects, how, strict=True)):
            request = await sent(running, unsubscribing(number, subject, **more))
            assert (await home.settled(request))["lifecycle_state"] == "parsed"
            assert (await home.plan(request))["reason"] == "unsubscribed"
        other = await sent(running, unsubscribing(9, "Please unsubscribe me", headers=PROVEN))
        await home.settled(other)
        assert (await home.plan(other))["reason"] != "unsubscribed"
    assert [one.pressed for one in home.messenger.got if one.pressed] == [
        UnsubscribeWritten(token).action for token in tokens
    ]
    assert all(
        got.request_context.request_id == other for butler in home.butlers.values() for got in butler.got
    )
