"""The message that every variant writes: a Telegram text of 0.4 kB, whose whole `ingest.v1` document is 2 kB."""

from __future__ import annotations

import itertools
import os
from datetime import UTC, datetime
from typing import Any, Final

from butler_contracts.ingest import IngestEnvelopeV1, PolicyTier
from butler_contracts.keys import dedupe_key
from butler_contracts.parse import parse_keeping_document
from butler_contracts.triage import PASS_THROUGH
from butler_kit.auth import Caller, ConnectorBinding, Role
from butler_kit.time import new_uuid7, uuid7_timestamp
from butler_switchboard.ingress.context import Decisions, admission_row
from butler_switchboard.ingress.rows import AdmissionRow
from butler_switchboard.ingress.senders import SenderDecision

__all__ = ["BOT", "CONNECTOR", "MEMBER", "Numbers", "Rows", "a_row", "an_envelope"]

BOT: Final = "telegram:bot:bench"
MEMBER: Final = "123456789"
CHATS: Final = 20
TEXT: Final = (
    "Please remind me to pay the electricity bill on Friday, and check whether the flight to Lisbon on the "
    "14th is still on time. Lunch with Ben was 23.50, put it under restaurants; and my knee hurts again since "
    "Sunday, so a physiotherapy date next week would be good, best before ten. If the bank has not answered "
    "about the card by tomorrow, write to them again in my name, please. Thank you!"
)

CONNECTOR: Final = Caller(
    subject="connector-telegram_bot",
    role=Role.CONNECTOR,
    name=None,
    connector=ConnectorBinding("telegram_bot", BOT, "interactive"),
    origin=None,
    token_id="bench",
    expires_at=datetime(2100, 1, 1, tzinfo=UTC),
)


class Numbers:
    """Consecutive update ids, in a separate range for each process and start."""

    def __init__(self, start: int | None = None) -> None:
        first = start if start is not None else int(datetime.now(UTC).timestamp()) * 10_000_000 + os.getpid()
        self._next = itertools.count(first)

    def __call__(self) -> int:
        return next(self._next)


def an_envelope(number: int) -> dict[str, Any]:
    """Return the document as a connector submits it, decoded from JSON."""
    chat = str(-100_123_456_000 - number % CHATS)
    person = {
        "id": int(MEMBER),
        "is_bot": False,
        "first_name": "Alice",
        "last_name": "Wonder",
        "language_code": "en",
    }
    raw = {
        "update_id": number,
        "message": {
            "message_id": number,
            "date": 1_790_000_000,
            "chat": {"id": int(chat), "type": "private", "first_name": "Alice", "username": "alice_w"},
            "from": {**person, "username": "alice_w"},
            "text": TEXT,
            "entities": [
                {"offset": 10, "length": 6, "type": "bold"},
                {"offset": 40, "length": 11, "type": "italic"},
                {
                    "offset": 90,
                    "length": 6,
                    "type": "text_link",
                    "url": "https://example.org/flights/TP1234?seat=12A",
                },
            ],
        },
    }
    trace = {"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
    return {
        "schema_version": "ingest.v1",
        "source": {"channel": "telegram", "provider": "telegram", "endpoint_identity": BOT},
        "event": {
            "external_event_id": str(number),
            "external_thread_id": chat,
            "external_message_id": str(number),
            "observed_at": datetime.now(UTC).isoformat(),
        },
        "sender": {"identity": MEMBER, "display_name": "Alice Wonder"},
        "payload": {"raw": raw, "normalized_text": TEXT, "attachments": []},
        "control": {"trace_context": trace, "policy_tier": "interactive", "ingestion_tier": "full"},
    }


class Rows:
    """The rows that admission makes of these documents, one after another, derived cheaply from the first."""

    def __init__(self, numbers: Numbers, *, lifecycle_state: str = "accepted") -> None:
        self._numbers = numbers
        self._number = str(numbers())
        self._model = a_row(int(self._number))._replace(lifecycle_state=lifecycle_state)

    def __call__(self) -> AdmissionRow:
        number = self._numbers()
        text, model, request_id = str(number), self._model, new_uuid7(datetime.now(UTC))
        return model._replace(
            request_id=request_id,
            received_at=uuid7_timestamp(request_id),
            dedupe_key=model.dedupe_key.replace(self._number, text),
            thread_identity=str(-100_123_456_000 - number % CHATS),
            external_event_id=text,
            external_message_id=text,
            context_json=model.context_json.replace(self._number, text),
            raw_json=model.raw_json.replace(self._number, text),
        )


def a_row(number: int) -> AdmissionRow:
    """Return the row that admission makes of the document."""
    envelope, document = parse_keeping_document(IngestEnvelopeV1, an_envelope(number))
    sender = SenderDecision("household", "allow", False, "bench")
    decisions = Decisions(dedupe_key(envelope), sender, PASS_THROUGH, PolicyTier.INTERACTIVE)
    return admission_row(envelope, new_uuid7(datetime.now(UTC)), decisions, document=document.decode())
