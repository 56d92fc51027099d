"""Answers that may be pressed under a message: in a chat as buttons, elsewhere not at all (ADR 0041)."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from butler_contracts.actions import Pressed, pressed_of
from tests.integration.messenger.household import ADA, Place, notify

ACTIONS = [
    {"id": "done.7", "label": "Erledigt"},
    {"id": "10m.7", "label": "In 10 Minuten"},
    {"id": "1h.7", "label": "In einer Stunde"},
]


def reminder(text: str = "Reminder: water the plants", **changes: Any) -> dict[str, Any]:
    return notify(text, **{"recipient": str(ADA), "idempotency_key": "r1", "actions": ACTIONS, **changes})


def keyboard(sent: dict[str, Any]) -> list[list[tuple[str, str]]]:
    rows = sent["reply_markup"]["inline_keyboard"]
    return [[(button["text"], button["callback_data"]) for button in row] for row in rows]


async def test_each_answer_is_a_button_that_names_its_notification_and_nothing_else(place: Place) -> None:
    asked = uuid4()
    async with place.messenger() as messenger:
        answer = await messenger.notify(reminder(), subrequest_id=asked)
    assert answer.delivery is not None
    assert answer.delivery.state == "sent"
    [sent] = place.telegram.sent
    rows = keyboard(sent)
    assert [[label for label, _ in row] for row in rows] == [
        ["Erledigt", "In 10 Minuten"],
        ["In einer Stunde"],
    ]
    assert [pressed_of(data) for row in rows for _, data in row] == [
        Pressed(asked, action["id"]) for action in ACTIONS
    ]


async def test_a_long_message_has_them_under_its_end(place: Place) -> None:
    async with place.messenger() as messenger:
        await messenger.notify(reminder("word " * 1200))
    first, last = place.telegram.sent
    assert "reply_markup" not in first
    assert len(keyboard(last)) == 2


async def test_a_repeat_is_the_same_message_though_it_would_have_other_buttons(place: Place) -> None:
    async with place.messenger() as messenger:
        await messenger.notify(reminder())
        await messenger.notify(reminder(actions=ACTIONS[:1]))
    [sent] = place.telegram.sent
    assert len(keyboard(sent)) == 2


async def test_a_mail_has_no_buttons_and_says_the_same(place: Place) -> None:
    async with place.messenger() as messenger:
        answer = await messenger.notify(
            reminder(channel="email", recipient="ada@example.org", subject="Reminder")
        )
    assert answer.delivery is not None
    assert answer.delivery.state == "sent"
    assert len(place.smtp.accepted) == 1
    assert place.telegram.sent == []


async def test_a_sent_message_is_named_as_a_reply_to_it_names_it(place: Place) -> None:
    async with place.messenger() as messenger:
        told = await messenger.notify(reminder())
    assert told.delivery is not None
    [sent] = place.telegram.sent
    where = (told.delivery.thread_identity, told.delivery.message_identity)
    assert where == (str(sent["chat_id"]), str(sent["message_id"]))


async def test_a_sent_mail_is_named_by_its_message_id_and_is_in_no_chat(place: Place) -> None:
    async with place.messenger() as messenger:
        mailed = await messenger.notify(
            reminder(channel="email", recipient="ada@example.org", subject="Reminder")
        )
    assert mailed.delivery is not None
    assert mailed.delivery.thread_identity is None
    [mail] = place.smtp.accepted
    assert mailed.delivery.message_identity == mail.message_id
