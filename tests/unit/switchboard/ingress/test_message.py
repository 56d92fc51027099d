"""What is told with a message beside its stored context: its own subject, and a stranger's own name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from butler_contracts.context import RequestContext
from butler_contracts.parse import parse
from tests.unit.switchboard.dispatch.build import message


def told(raw: dict[str, Any], *, channel: str = "email") -> str | None:
    mail = message(channel=channel)
    envelope = {**mail.envelope, "payload": {"raw": raw}}
    context = replace(mail, envelope=envelope).context_of_answer
    assert parse(RequestContext, context.to_wire()) == context
    return context.source_subject


@pytest.mark.parametrize(
    "control", ["\x00", "\x07", "\x1b[2J", "\x7f", "\x85", "\x9b31m", "\r\nBcc: m@evil.example\r\n", "\u202e"]
)
def test_a_subject_of_control_characters_is_one_that_a_mail_can_carry(control: str) -> None:
    subject = told({"subject": f"bread{control}milk"})
    assert subject is not None
    assert (subject[:5], subject[-4:]) == ("bread", "milk")
    assert subject.isprintable()
    assert len(told({"subject": f"{control}x" * 5_000}) or "") <= 200


@pytest.mark.parametrize("raw", [{}, {"subject": None}, {"subject": 7}, {"subject": " \r\n"}])
def test_a_mail_without_a_subject_has_none(raw: dict[str, Any]) -> None:
    assert told(raw) is None


def test_only_a_mail_has_a_subject_to_keep() -> None:
    assert told({"subject": "x"}, channel="telegram") is None


@pytest.mark.parametrize(("policy", "name"), [("owner", "Marc Weber"), ("allow", None)])
def test_a_strangers_own_name_is_told_and_a_members_is_not(policy: str, name: str | None) -> None:
    known = message(reply_policy=policy)
    envelope = {**known.envelope, "sender": {"display_name": "Marc\n\u202eWeber"}}
    context = replace(known, envelope=envelope).context_of_work
    assert parse(RequestContext, context.to_wire()).source_sender_name == name
