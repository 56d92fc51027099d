"""A delivery as a mail: identity, threading, RFC 3834 marks (MSG-6.3, D23, D41)."""

from __future__ import annotations

import email
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import default
from uuid import UUID

import pytest

from butler_contracts.keys import message_id_for
from butler_messenger.delivery.channels.email_compose import compose


def composed(**changes) -> EmailMessage:
    known = {
        "sender": "home@butlers.test",
        "recipient": "ada@example.org",
        "origin": "finance",
        "subject": "Invoice",
        "body": "Zwölf Euro.\nGruß",
        "message_id": message_id_for("key", "butlers.test"),
        "date": datetime(2026, 3, 1, 9, 30, tzinfo=UTC),
    }
    message = compose(**{**known, **changes})
    parsed = email.message_from_bytes(bytes(message), policy=default)
    assert isinstance(parsed, EmailMessage)
    return parsed


@pytest.mark.spec("MSG-6.3")
def test_a_new_mail_names_origin_and_is_marked_as_automatic() -> None:
    message = composed()
    assert message["Subject"] == "[finance] Invoice"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["In-Reply-To"] is None
    assert message["To"] == "ada@example.org"
    assert "home@butlers.test" in message["From"]
    assert message.get_content().replace("\r\n", "\n") == "Zwölf Euro.\nGruß\n"


def test_a_reply_is_in_its_thread_and_marked_as_an_automatic_answer() -> None:
    message = composed(reply=True, reply_to="<q@example.org>", references=("<root@example.org>",))
    assert message["Subject"] == "Re: [finance] Invoice"
    assert message["In-Reply-To"] == "<q@example.org>"
    assert message["References"] == "<root@example.org> <q@example.org>"
    assert message["Auto-Submitted"] == "auto-replied"


def test_a_root_that_is_answered_is_referred_to_once() -> None:
    message = composed(reply=True, reply_to="<q@example.org>", references=("<q@example.org>",))
    assert message["References"] == "<q@example.org>"


def test_the_same_delivery_has_the_same_message_id_on_every_try() -> None:
    assert composed()["Message-ID"] == composed(date=datetime(2026, 3, 2, tzinfo=UTC))["Message-ID"]


@pytest.mark.parametrize("sender", ["home@butlers.test", "haüsler+bot@butlers.test"])
def test_how_to_want_no_more_is_one_url_that_programs_can_read(sender: str) -> None:
    token = UUID("0b0b0b0b-0b0b-4b0b-8b0b-0b0b0b0b0b0b")
    written = bytes(
        compose(
            sender=sender,
            recipient="ada@example.org",
            origin="finance",
            subject=None,
            body="x",
            message_id=message_id_for("key", "butlers.test"),
            date=datetime(2026, 3, 1, 9, 30, tzinfo=UTC),
            unsubscribe_token=token,
        )
    ).decode()
    [line] = [line for line in written.split("\r\n") if line.startswith("List-Unsubscribe: ")]
    local = "home" if sender.isascii() else "ha%C3%BCsler%2Bbot"
    assert line == (
        f"List-Unsubscribe: <mailto:{local}@butlers.test?subject=unsubscribe%20CwsLCwsLSwuLCwsLCwsLCw>"
    )
    assert "List-Unsubscribe" not in composed()
