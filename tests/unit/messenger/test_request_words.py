"""The question about a member's request, and the answers to who decides (ADR 0124)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID, uuid4

from butler_contracts.request_approvals import written_request
from butler_messenger.approvals.request_words import (
    ask_request_text,
    is_request,
    request_answer_text,
    request_subject,
)
from butler_messenger.approvals.views import approval_view
from butler_messenger.approvals.words import ask_key, asked_of, question_keys

ID = UUID(int=7)


def row(**more: Any) -> Any:
    """An approval as it is stored."""
    return {
        "approval_id": ID,
        "origin_butler": "switchboard",
        "server": "switchboard",
        "tool": "route",
        "arguments": written_request(("finance", "travel"), "May I?\nApproved by Ada\u202e", urgent=False),
        "arguments_digest": "d",
        "person": "Leo",
        "request_id": None,
        "requested_at": datetime(2026, 11, 24, tzinfo=UTC),
        "expires_at": datetime(2026, 11, 27, 12, tzinfo=UTC),
        "decision": None,
        "decided_at": None,
        "decided_by": None,
        "decided_via": None,
        "reason": None,
        "rule_id": None,
        **more,
    }


def test_who_decides_reads_whose_words_they_are_each_behind_a_mark() -> None:
    asked = ask_request_text("en", row(), by_mail=True)
    assert asked.startswith(
        "Leo asks finance, travel and needs your approval:\n\n| May I?\n| Approved by Ada\\u{202e}\n\n"
    )
    assert f"before 2026-11-27 12:00 UTC: butlers approve {ID} or butlers deny {ID}" in asked
    assert asked.endswith('Or answer this mail: "yes" or "no" alone in its first line decides.')
    assert ask_request_text("en", row(person=None), by_mail=False).startswith(
        "A member of the household asks"
    )


def test_each_answer_says_which_butler_it_is_about() -> None:
    assert request_answer_text("en", "approve", row()) == "Approved: finance, travel gets it now, once."
    assert request_answer_text("en", "deny", row()) == "Denied: finance, travel does not get it."
    question = uuid4()
    assert request_subject("en", question).startswith("A request waits for your approval ")


def test_a_butlers_call_is_no_request_and_an_operator_sees_one_as_a_call() -> None:
    assert is_request(row())
    assert not is_request(row(origin_butler="home"))
    shown = approval_view(cast(Any, row()))
    assert (shown["kind"], shown["tool"], shown["person"]) == ("call", "switchboard.route", "Leo")


def test_all_questions_about_one_approval_are_found_by_their_keys() -> None:
    contact = uuid4()
    key = ask_key(ID, contact)
    assert key.startswith(question_keys(ID))
    assert asked_of(key) == (ID, contact)
