"""What the owner reads of strangers' messages and of uncertain deliveries (D22, D64)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from butler_contracts.notify import NotifyRequestV1
from butler_messenger.admission.parking import missing_text
from butler_messenger.owner.words import (
    APPROVALS,
    NAMED,
    STRANGERS,
    UNCERTAIN,
    Collected,
    digest_subject,
    digest_text,
    topic_of,
    uncertain_key,
    uncertain_text,
)
from tests.integration.messenger.household import notify, request_context

NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)


def one(number: int, message: str = "An invoice of 12 euro came.") -> Collected:
    return Collected("finance", UUID(int=number), uncertain_key(UUID(int=number)), NOON, message)


@pytest.mark.parametrize(
    ("policy", "intent", "topic"),
    [
        ("owner", "send", STRANGERS),
        ("none", "send", STRANGERS),
        ("allow", "send", None),
        ("allow", "reply", None),
    ],
)
def test_what_is_told_of_a_message_that_is_not_answered_is_bounded(
    policy: str, intent: str, topic: str | None
) -> None:
    wish = notify(intent=intent, context=request_context(reply_policy=policy))
    assert topic_of(NotifyRequestV1.model_validate(wish)) == topic


def test_what_a_butler_says_of_its_own_accord_is_not_bounded() -> None:
    assert topic_of(NotifyRequestV1.model_validate(notify(idempotency_key="x"))) is None


def test_a_digest_says_how_many_for_whom_and_names_the_first_ones_with_a_line_each() -> None:
    named = [one(number, f"From Mallory:\n{number} " + "x" * 300) for number in range(NAMED)]
    text = digest_text(STRANGERS, named, by_origin={"general": 30, "finance": 12}, since=NOON, language="en")
    first, *lines, last = text.splitlines()
    assert first == (
        "42 more messages came from outside the household since 12:00 UTC. They were for finance 12, general 30."
    )
    assert len(lines) == NAMED
    assert lines[3].startswith("- finance: From Mallory: 3 xxx")
    assert lines[3].endswith(f"… (request {UUID(int=3)})")
    assert max(len(line) for line in lines) < 200
    assert last == "and 22 more: butlers deliveries --since 2026-11-23T12:00:00Z"
    assert digest_subject(STRANGERS, 42, "en") == "42 more messages from outside"


def test_a_digest_of_uncertain_ones_names_the_command_for_each() -> None:
    text = digest_text(
        UNCERTAIN, [one(7, "A message\nmore")], by_origin={"messenger": 1}, since=NOON, language="en"
    )
    assert text.splitlines() == [
        "1 more messages may not have arrived since 12:00 UTC.",
        f'- A message butlers replay {UUID(int=7)} --reason "it is not there" --resend-uncertain',
    ]


def test_a_note_says_whose_message_to_whom_why_and_both_commands() -> None:
    own_id = UUID(int=7)
    text = uncertain_text(
        "en", origin="finance", channel="telegram", person="Ben", delivery_id=own_id, problem="HTTP 502"
    )
    assert text.splitlines() == [
        "A message of finance to Ben on telegram may not have arrived: HTTP 502",
        f'If it is not there, send it again: butlers replay {own_id} --reason "it is not there" --resend-uncertain',
        f'If it is there: butlers discard {own_id} --reason "it arrived"',
    ]


def test_a_digest_of_questions_says_in_the_readers_language_where_they_are_decided() -> None:
    text = "finance möchte Ben schreiben:\n\nx"
    asked = Collected("messenger", None, f"approval:{UUID(int=7)}:{UUID(int=1)}", NOON, text)
    first, line, last = digest_text(
        APPROVALS, [asked], by_origin={"messenger": 3}, since=NOON, language="de"
    ).splitlines()
    assert first.startswith("3 weitere Nachrichten warten seit 12:00 UTC auf eine Zustimmung.")
    assert "/approvals" in first
    assert line == f"- finance möchte Ben schreiben: butlers approve {UUID(int=7)}"
    assert last == "und 2 weitere: butlers approvals"
    assert digest_subject(APPROVALS, 3, "fr") == "3 autres messages attendent ton accord"


def test_what_the_owner_reads_is_in_their_language() -> None:
    own_id = UUID(int=7)
    asked: dict[str, Any] = {
        "origin": "finance",
        "channel": "telegram",
        "delivery_id": own_id,
        "problem": None,
    }
    note = uncertain_text("de", person="Ben", **asked)
    assert note.startswith(
        "Eine Nachricht von finance an Ben über telegram ist vielleicht nicht angekommen: niemand"
    )
    assert f"butlers replay {own_id}" in note
    assert uncertain_text("fr", person=None, **asked).startswith("Un message de finance par telegram n’est")
    digest = digest_text(STRANGERS, [one(7)], by_origin={"finance": 3}, since=NOON, language="es")
    assert digest.splitlines()[0].endswith(
        "llegaron de fuera del hogar desde las 12:00 UTC. Eran para finance 3."
    )
    assert f"(petición {UUID(int=7)})" in digest
    assert digest_subject(UNCERTAIN, 4, "de") == "4 weitere unsichere Nachrichten"
    told = missing_text("fr", origin="finance", channel="email", name=None)
    assert told.startswith(
        "finance a un message pour un contact inconnu, mais on ne connaît pas son adresse e-mail."
    )
