"""From a provider's event through its connector to Switchboard's request context: who, where, which."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from butler_connectors.telegram_bot.normalize import TelegramSource, envelope_of
from butler_contracts.context import RequestContext
from butler_contracts.ingest import IngestEnvelopeV1, PolicyTier
from butler_contracts.keys import dedupe_key
from butler_contracts.triage import triage
from butler_kit.mail.normalize import FetchedMail, MailSource, normalise
from butler_kit.time import new_uuid7
from butler_switchboard.ingress.context import Decisions, request_context
from butler_switchboard.ingress.senders import ContactBook, SenderPolicy, classify_sender

NOW = datetime(2026, 11, 22, 9, 30, tzinfo=UTC)
BOT, MAILBOX = "telegram:bot:household", "imap:household@example.org"


def context_of(envelope: IngestEnvelopeV1) -> RequestContext:
    nobody = ContactBook(members=frozenset(), has_owner=False)
    decisions = Decisions(
        key=dedupe_key(envelope),
        sender=classify_sender(envelope, nobody, SenderPolicy(), now=NOW),
        triage=triage(envelope, ()),
        policy_tier=PolicyTier.DEFAULT,
    )
    return request_context(envelope, new_uuid7(NOW), decisions)


def telegram_update() -> IngestEnvelopeV1:
    message = {
        "message_id": 3,
        "date": int(NOW.timestamp()),
        "chat": {"id": -1009001, "type": "supergroup"},
        "from": {"id": 1002, "first_name": "Ben"},
        "text": "hello",
    }
    found = envelope_of({"update_id": 77, "message": message}, TelegramSource(BOT), now=NOW)
    assert isinstance(found, IngestEnvelopeV1)
    return found


def mail() -> IngestEnvelopeV1:
    content = b"From: Ben <Ben@Example.org>\r\nMessage-ID: <one@example.org>\r\nSubject: x\r\n\r\nhello"
    found = normalise(FetchedMail(1, 2, NOW, len(content), content), MailSource(MAILBOX)).content
    assert isinstance(found, IngestEnvelopeV1)
    return found


@pytest.mark.spec("SWB-01.2")
def test_a_telegram_request_knows_its_bot_its_sender_and_its_chat() -> None:
    context = context_of(telegram_update())
    assert context.source_endpoint_identity == BOT
    assert context.source_sender_identity == "1002"
    assert context.source_thread_identity == "-1009001"


@pytest.mark.spec("SWB-01.3")
def test_a_mail_request_knows_its_mailbox_and_its_sender() -> None:
    context = context_of(mail())
    assert context.source_endpoint_identity == MAILBOX
    assert context.source_sender_identity == "ben@example.org"


@pytest.mark.spec("SWB-12.1")
def test_a_telegram_message_is_known_by_its_update_and_its_bot() -> None:
    assert dedupe_key(telegram_update()).key == f"event:telegram:telegram:{BOT}:77"


@pytest.mark.spec("SWB-12.2")
def test_a_mail_is_known_by_its_message_id_and_its_mailbox() -> None:
    assert dedupe_key(mail()).key == f"event:email:imap:{MAILBOX}:<one@example.org>"
