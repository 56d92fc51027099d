"""Every example message and the `ingest.v1` envelope that its connector makes of it.

After a wanted change: `python -m tests.golden.connectors.test_examples`, then read the difference.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from butler_connectors.telegram_bot.normalize import TelegramSource, envelope_of
from butler_connectors.webhook.normalize import Submission, read_post
from butler_connectors.webhook.normalize import envelope_of as envelope_of_post
from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.parse import parse
from butler_kit.mail.normalize import FetchedMail, MailSource, normalise
from tests.support.messages import ExampleMessage, load_examples

FOLDER = Path(__file__).parent / "envelopes"
NOW = datetime(2026, 11, 22, 9, 30, tzinfo=UTC)
EXAMPLES = [message for message in load_examples() if message.duplicate_of is None]


def envelope_for(message: ExampleMessage) -> IngestEnvelopeV1:
    """What the connector of the message's channel submits."""
    if message.channel == "email":
        mail = FetchedMail(7, 3, NOW, len(message.raw), message.raw)
        found: Any = normalise(mail, MailSource(message.endpoint)).content
    elif message.channel == "telegram":
        found = envelope_of(message.document, TelegramSource(message.endpoint), now=NOW)
    else:
        post = read_post(json.dumps(message.document["body"]).encode())
        submission = Submission(post, "default", message.document["idempotency_key"], UUID(int=7))
        found = envelope_of_post(
            submission, endpoint_identity=message.endpoint, tier=lambda tier: tier, now=NOW
        )
    assert isinstance(found, IngestEnvelopeV1)
    return found


@pytest.mark.parametrize("message", EXAMPLES, ids=lambda message: message.id)
def test_an_example_message_becomes_this_envelope(message: ExampleMessage) -> None:
    expected = json.loads((FOLDER / f"{message.id}.json").read_text(encoding="utf-8"))
    found = envelope_for(message)
    assert found.to_wire() == expected
    assert parse(IngestEnvelopeV1, expected) == found
    assert found.sender.identity == message.sender.lower()


def test_no_envelope_is_left_of_a_message_that_is_gone() -> None:
    assert {file.stem for file in FOLDER.glob("*.json")} == {message.id for message in EXAMPLES}


if __name__ == "__main__":
    for example in EXAMPLES:
        text = json.dumps(envelope_for(example).to_wire(), ensure_ascii=False, indent=1, sort_keys=True)
        (FOLDER / f"{example.id}.json").write_text(text + "\n", encoding="utf-8")
