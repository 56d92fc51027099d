"""What of a mail is a verdict, and how a question is known by its subject (ADR 0076)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_contracts.actions import ActionV1
from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.language import LANGUAGES, Language
from butler_contracts.questions import AnswerWritten, answer_of, question_mark, question_of
from butler_kit.mail.normalize import FetchedMail, MailSource, normalise
from butler_messenger.approvals.words import answer_text, subject_of
from butler_messenger.approvals.written import verdict_in
from butler_messenger.delivery.channels.email_compose import compose


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("yes", "approve"),
        ("YES!\n\nSent from my phone", "approve"),
        ("ja.", "approve"),
        ("Oui", "approve"),
        ("Sí", "approve"),
        ("si", "approve"),
        ("\n\n  **No**  \nyes", "deny"),
        ("Nein", "deny"),
        ("non\u00a0!", "deny"),
        ("> yes", None),
        ("yes please", None),
        ("Hello\nyes", None),
        ("yes or no", None),
        ("On Monday Butlers wrote:\n> yes", None),
        ("not", None),
        ("", None),
    ],
)
def test_only_a_first_line_that_is_nothing_but_yes_or_no_decides(text: str, verdict: str | None) -> None:
    assert verdict_in(text) == verdict


@given(st.uuids(), st.text(max_size=40), st.text(max_size=40))
def test_a_question_is_found_in_any_subject_that_names_it_and_its_answer_is_read_back(
    question: UUID, before: str, after: str
) -> None:
    assert question_of(f"{before}{question_mark(question)}{after}") == question
    written = AnswerWritten(question)
    assert answer_of(ActionV1(id=written.action, label="x").id) == written
    assert answer_of(f"{written.action}x") is None


def test_a_subject_that_names_two_questions_names_none() -> None:
    two = f"{question_mark(UUID(int=1))} {question_mark(UUID(int=2))}"
    assert question_of(two) is None
    assert question_of(f"{question_mark(UUID(int=1))} {question_mark(UUID(int=1))}") == UUID(int=1)


@pytest.mark.parametrize("language", LANGUAGES)
@given(question=st.uuids())
def test_an_answer_names_its_question_whatever_a_mail_makes_of_the_subject(
    language: Language, question: UUID
) -> None:
    now = datetime(2026, 11, 20, 10, 15, tzinfo=UTC)
    body = "Sí.\n\nOn Mon, Nov 9, 2026, Butlers <home@butlers.test> wrote:\n> finance wants to write"
    answer = compose(
        sender="ada@example.org",
        recipient="home@butlers.test",
        origin="messenger",
        subject=subject_of(language, question),
        body=body,
        message_id="<a@example.org>",
        date=now,
        reply=True,
        reply_to="<q@butlers.test>",
    )
    content = bytes(answer)
    read = normalise(FetchedMail(7, 3, now, len(content), content), MailSource("imap:home@butlers.test"))
    assert isinstance(read.content, IngestEnvelopeV1)
    assert read.content.payload.raw is not None
    subject = read.content.payload.raw["subject"]
    assert question_of(subject) == question
    said = read.content.payload.normalized_text.removeprefix(f"Subject: {subject}")
    assert verdict_in(said) == "approve"


def test_who_approved_reads_what_became_of_it() -> None:
    row: dict[str, Any] = {
        "person": "Ben",
        "channel": "telegram",
        "target_identity": "1002",
        "status": "in_progress",
        "quiet_until": None,
        "error_message": None,
    }
    night = {"status": "pending", "quiet_until": datetime(2026, 12, 1, 6, tzinfo=UTC)}
    ended = {"status": "failed", "error_message": "the recipient is suppressed"}
    to = "Ben (1002 on telegram)"
    assert answer_text("en", "deny", {**row, **ended}) == f"Denied: it is not sent to {to}."
    assert answer_text("en", "approve", row) == f"Approved: it is sent to {to}."
    assert answer_text("en", "approve", {**row, **night}) == (
        f"Approved: it is sent to {to} at 2026-12-01 06:00 UTC."
    )
    assert answer_text("en", "approve", {**row, **ended}) == (
        f"Approved, but it is not sent to {to}: the recipient is suppressed"
    )
