"""A mail that says which one it supersedes, or replies to: it names that one and stays in its conversation."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from butler_contracts.ingest import IngestEnvelopeV1
from butler_kit.mail.normalize import FetchedMail, MailSource, normalise

WHEN = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "supersedes", "thread"),
    [
        ("Supersedes: <first@x>", "<first@x>", "<first@x>"),
        ("Supersedes: <first@x>\r\nReferences: <root@x> <first@x>", "<first@x>", "<root@x>"),
        ("Supersedes: the first", None, "<second@x>"),
        ("X-Nothing: 1", None, "<second@x>"),
    ],
    ids=["alone", "in a conversation", "no id", "none"],
)
def test_a_superseding_mail_names_the_other_one(headers: str, supersedes: str | None, thread: str) -> None:
    raw = f"From: ada@example.org\r\nMessage-ID: <second@x>\r\n{headers}\r\n\r\nSpent 66 EUR\r\n".encode()
    made = normalise(FetchedMail(7, 3, WHEN, len(raw), raw), MailSource("imap:home@example.org", "home"))
    assert isinstance(made.content, IngestEnvelopeV1)
    event = made.content.event
    assert (event.external_message_id, event.supersedes) == ("<second@x>", supersedes)
    assert event.external_thread_id == thread


@pytest.mark.parametrize(
    ("headers", "replied"),
    [
        ("In-Reply-To: <answer@butlers>\r\nReferences: <root@x> <answer@butlers>", "<answer@butlers>"),
        ("References: <root@x>", None),
        ("In-Reply-To: your mail of Monday", None),
    ],
)
def test_a_mail_names_the_one_that_it_replies_to(headers: str, replied: str | None) -> None:
    raw = f"From: ada@example.org\r\nMessage-ID: <second@x>\r\n{headers}\r\n\r\nno, 66\r\n".encode()
    made = normalise(FetchedMail(7, 3, WHEN, len(raw), raw), MailSource("imap:home@example.org", "home"))
    assert isinstance(made.content, IngestEnvelopeV1)
    assert made.content.event.in_reply_to == replied
