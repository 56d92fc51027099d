"""A mail server's report about a mail of ours goes to Messenger, any other one to nobody, and none is answered."""

from __future__ import annotations

from typing import Any

from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.keys import message_id_for
from butler_contracts.parse import parse
from tests.flow.switchboard.test_approval_answers import sent
from tests.support.switchboard import mail
from tests.support.switchboard_service import Household

OURS = message_id_for("a delivery", "example.org")
FAILED = {"action": "failed", "status": "5.1.1", "diagnostic": "no such user"}


def report(number: int, said: Any) -> IngestEnvelopeV1:
    envelope = mail(
        f"<report-{number}@mx.example.org>",
        "Your message could not be delivered.",
        sender="mailer-daemon@mx.example.org",
        headers={"Return-Path": ["<>"]},
    ).to_wire()
    envelope["payload"]["raw"]["delivery_report"] = said
    return parse(IngestEnvelopeV1, envelope)


async def test_a_report_is_no_message_to_a_butler_and_messenger_is_told_of_what_names_a_mail_of_ours(
    home: Household,
) -> None:
    others = [
        {"message_id": "<somebodys@example.org>", "recipients": [FAILED]},
        {"message_id": None, "recipients": []},
        {"message_id": OURS, "recipients": "broken"},
        [1],
    ]
    async with home.run() as running:
        request = await sent(running, report(1, {"message_id": OURS, "recipients": [FAILED]}))
        assert (await home.settled(request))["lifecycle_state"] == "parsed"
        for number, said in enumerate(others, 2):
            other = await sent(running, report(number, said))
            assert (await home.settled(other))["lifecycle_state"] == "recorded"
            assert (await home.plan(other))["reason"] == "delivery_report"
    [got] = home.messenger.got
    assert got.report is not None
    assert (got.request_context.request_id, got.report.message_id) == (request, OURS)
    assert [one.to_wire() for one in got.report.recipients] == [FAILED]
    assert all(not butler.got for butler in home.butlers.values())
