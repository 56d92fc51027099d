"""Who may submit what arrives in Messenger's mailbox (D47, ADR 0088)."""

from __future__ import annotations

from typing import Any

import pytest

from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.parse import parse
from butler_kit.auth import Forbidden
from butler_switchboard.ingress.submitters import authorize_submission
from tests.support.switchboard import MAILBOX, butler, mail, telegram


def test_messenger_submits_the_mail_of_the_mailbox_of_its_manifest() -> None:
    authorize_submission(butler("messenger"), mail("<a@example.org>"), mailbox=MAILBOX)


@pytest.mark.parametrize(
    ("mailbox", "says"),
    [(None, "has no mailbox on record"), ("imap:another@example.org", "not for email/imap")],
)
def test_messenger_submits_for_no_other_mailbox(mailbox: str | None, says: str) -> None:
    with pytest.raises(Forbidden, match=says):
        authorize_submission(butler("messenger"), mail("<a@example.org>"), mailbox=mailbox)


def test_messenger_submits_no_chat_under_the_name_of_its_mailbox() -> None:
    chat: dict[str, Any] = telegram(1).to_wire()
    chat["source"]["endpoint_identity"] = MAILBOX
    with pytest.raises(Forbidden, match="telegram/telegram"):
        authorize_submission(butler("messenger"), parse(IngestEnvelopeV1, chat), mailbox=MAILBOX)


def test_messenger_submits_no_history() -> None:
    old: dict[str, Any] = mail("<a@example.org>").to_wire()
    old.setdefault("control", {})["backfill_job_id"] = "0195a1b0-0000-7000-8000-000000000001"
    with pytest.raises(Forbidden, match="no history"):
        authorize_submission(butler("messenger"), parse(IngestEnvelopeV1, old), mailbox=MAILBOX)


def test_no_other_butler_submits_anything() -> None:
    with pytest.raises(Forbidden, match="is not a connector"):
        authorize_submission(butler("finance"), mail("<a@example.org>"), mailbox=MAILBOX)
