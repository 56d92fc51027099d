"""A notice of Messenger that is sent again is for the same person and has the same buttons (D49, ADR 0072)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

from butler_contracts.actions import pressed_of, verdict_of
from butler_contracts.notify import NotifyRequestV1
from butler_contracts.stored import stored
from butler_messenger.admission.notices import own_notice
from butler_messenger.admission.resolve import Contact, Target, resolve
from butler_messenger.admission.store import NewDelivery
from butler_messenger.approvals.words import offered
from butler_messenger.delivery.outgoing import outgoing_of

QUESTION = UUID("01890000-0000-7000-8000-000000000001")


class Nobody:
    """A household whose contacts are of no help."""

    async def owner(self) -> Contact | None:
        return None

    async def name_of(self, contact_id: UUID) -> str | None:
        return None

    async def identifier(self, contact_id: UUID, channel: str) -> str | None:
        return None

    async def is_household(self, channel: str, identity: str) -> bool:
        return False


def notice(**changes: Any) -> NewDelivery:
    return own_notice(
        delivery_id=QUESTION,
        key="x",
        own_name="messenger",
        way=("telegram", "1002"),
        subject="A message waits",
        message="finance wants to write to Ada.",
        expires_after_s=60.0,
        **changes,
    )


async def test_a_notice_is_for_its_person_when_it_is_sent_again_an_answer_too() -> None:
    for one in (notice(), notice(reply_to="7")):
        again = await resolve(stored(NotifyRequestV1, one.notify_request), Nobody())
        assert again == Target("1002", "telegram:1002")


def test_the_buttons_of_a_question_that_is_sent_again_mean_the_question() -> None:
    again = replace(notice(actions=offered("en", QUESTION)), delivery_id=uuid4())
    for button in outgoing_of(again).buttons:
        pressed = pressed_of(button.reference)
        assert pressed is not None
        verdict = verdict_of(pressed.action)
        assert verdict is not None
        assert verdict.pressed == pressed
        assert verdict.question_id == QUESTION
