"""What a mail's subject says of a token comes back as it was; nothing else is one (ADR 0086)."""

from __future__ import annotations

from uuid import UUID

import pytest

from butler_contracts.parse import parse
from butler_contracts.route import RouteContextV1
from butler_contracts.unsubscribing import (
    UnsubscribeWritten,
    unsubscribe_of,
    unsubscribe_subject,
    unsubscribe_written,
)

TOKEN = UUID("0b0b0b0b-0b0b-4b0b-8b0b-0b0b0b0b0b0b")


def test_a_token_comes_back_by_its_subject_and_by_its_action() -> None:
    written = UnsubscribeWritten(TOKEN)
    subject = unsubscribe_subject(written.token)
    assert unsubscribe_written(subject) == unsubscribe_written(
        f" {subject.capitalize()[:11]}  {subject[12:]} "
    )
    assert unsubscribe_written(subject) == unsubscribe_of(written.action) == written
    assert parse(RouteContextV1, {"pressed": written.action}).pressed == written.action


@pytest.mark.parametrize(
    "subject",
    [
        "",
        "unsubscribe",
        "Please unsubscribe me",
        f"Re: {unsubscribe_subject(TOKEN)}",
        f"{unsubscribe_subject(TOKEN)}x",
    ],
)
def test_any_other_subject_is_that_of_a_message(subject: str) -> None:
    assert unsubscribe_written(subject) is None
    assert unsubscribe_of(subject) is None
