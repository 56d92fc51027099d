"""Which mail answers a question of Messenger's own: one that names it, of a member who is proven (ADR 0076)."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.parse import parse
from butler_contracts.questions import AnswerWritten, question_mark
from tests.support.switchboard import MAILBOX, mail
from tests.support.switchboard_service import Household, Running

PROVEN = {"Authentication-Results": ["mx.example.org; dmarc=pass header.from=example.org"]}
FORGED = {"Authentication-Results": ["mx.evil.example; dmarc=pass header.from=example.org"]}


def answer(number: int, subject: str, **more: Any) -> IngestEnvelopeV1:
    """As the connector makes it: the subject, and what stands above the quotation."""
    data = mail(f"<{number}@example.org>", **{"headers": PROVEN, **more}).to_wire()
    data["payload"]["raw"]["subject"] = subject
    data["payload"]["normalized_text"] = f"Subject: {subject}\n\nYes\n\nAda"
    return parse(IngestEnvelopeV1, data)


async def sent(running: Running, envelope: IngestEnvelopeV1) -> UUID:
    token = running.household.keys.connector("imap", MAILBOX)
    taken = await running.call(token, "ingestion.ingest", {"envelope": envelope.to_wire()})
    return UUID(taken["request_id"])


async def test_a_members_proven_mail_that_names_a_question_goes_to_messenger_once_and_nobody_elses_does(
    home: Household,
):
    question = uuid4()
    subject = f"Re: [messenger] A message waits for your approval {question_mark(question)}"
    automatic = {**PROVEN, "Auto-Submitted": ["auto-replied"]}
    others = [
        answer(2, subject, headers={}),
        answer(3, subject, headers=FORGED),
        answer(4, subject, headers=automatic),
        answer(5, subject, sender="marc@example.org"),
        answer(6, f"{subject} {question_mark(uuid4())}"),
        answer(7, "Re: [messenger] A message waits for your approval"),
    ]
    async with home.run() as running:
        request = await sent(running, answer(1, subject))
        assert await sent(running, answer(1, subject)) == request
        assert (await home.settled(request))["lifecycle_state"] == "parsed"
        for other in others:
            await home.settled(await sent(running, other))
    answers = [one for one in home.messenger.got if one.pressed]
    assert [(one.request_context.request_id, one.pressed) for one in answers] == [
        (request, AnswerWritten(question).action)
    ]
    [got] = answers
    assert got.input.prompt == "Yes\n\nAda"
    assert (got.request_context.reply_policy, got.request_context.source_sender_identity) == (
        "allow",
        "ada@example.org",
    )
    assert (await home.plan(request))["reason"] == "answered"
