"""A button under the question decides once, for whom it was asked of, and each press is answered (D65, ADR 0072)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.actions import VerdictPressed, pressed_of, verdict_of
from butler_contracts.route import RouteResponseV1
from butler_messenger.contacts.sync import sync_contacts
from tests.integration.messenger.household import (
    ADA,
    BEN,
    CONTACTS,
    Client,
    Place,
    envelope,
    notify,
    request_context,
)
from tests.integration.messenger.test_approvals import GATED, decided, held, told
from tests.integration.messenger.test_quiet_hours import with_quiet
from tests.integration.messenger.test_suppressions import suppressed
from tests.support.telegram_api import Fault

ZOE = 1003
BOTH = {"modules": {"approvals": {"approvers": ["Ada", "Zoe"]}}}
BEN_ALONE = {"modules": {"approvals": {"approvers": ["Ben"]}}}


async def asked(place: Place, chat: int = ADA) -> dict[str, VerdictPressed]:
    """What the buttons under the question to this chat stand for, by what is written on them."""
    await place.telegram.until(lambda api: any(sent["chat_id"] == chat for sent in api.sent))
    [question] = [sent for sent in place.telegram.sent if sent["chat_id"] == chat]
    found: dict[str, VerdictPressed] = {}
    for row in question["reply_markup"]["inline_keyboard"]:
        for button in row:
            pressed = pressed_of(button["callback_data"])
            assert pressed is not None
            verdict = verdict_of(pressed.action)
            assert verdict is not None
            assert verdict.pressed == pressed
            found[button["text"]] = verdict
    return found


async def press(
    messenger: Client, verdict: VerdictPressed, *, sender: int = ADA, number: int = 1, **changes: Any
) -> RouteResponseV1:
    """As Switchboard routes it: the action, and who pressed it in which chat; the same number is the same press."""
    context = request_context(
        source_sender_identity=str(sender), source_thread_identity=str(sender), request_id=press_id(number)
    )
    data = envelope(None, context=context, **changes)
    data["input"]["context"] = {"pressed": verdict.action}
    return await messenger.execute(data, token=messenger.place.keys.switchboard(origin=None))


def press_id(number: int) -> str:
    return str(UUID(int=(7 << 76) | (2 << 62) | number))


async def answered(place: Place, chat: int, count: int) -> list[str]:
    """What the chat was told, its question aside."""
    await place.telegram.until(lambda api: len(of(place, chat)) >= count)
    return of(place, chat)


def of(place: Place, chat: int) -> list[str]:
    return [text for text in told(place, chat) if "wants to write" not in text]


async def test_approve_sends_it_and_a_press_that_comes_again_is_done_and_answered_once(place: Place) -> None:
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger)
        buttons = await asked(place)
        assert list(buttons) == ["Approve", "Deny"]
        first = await press(messenger, buttons["Approve"])
        assert (await press(messenger, buttons["Approve"])).result == first.result
        await place.until_status(delivery_id, "sent")
        [said] = await answered(place, ADA, 1)
        await press(messenger, buttons["Deny"], number=2)
        _, late = await answered(place, ADA, 2)
    assert first.status == "ok"
    assert said == f"[messenger] Approved: it is sent to Ben ({BEN} on telegram)."
    assert "it was approved by Ada at" in late
    assert told(place, BEN) == ["[finance] Dinner at eight"]
    [approval] = await place.rows("SELECT decision, decided_by, decided_via, reason FROM delivery_approval")
    assert tuple(approval.values()) == ("approved", "Ada", "telegram", "by the button under the question")
    operations = await place.rows("SELECT action, actor, state FROM operation ORDER BY created_at")
    assert [tuple(one.values()) for one in operations] == [
        ("approval.approve", "Ada", "done"),
        ("approval.deny", "Ada", "refused"),
    ]


async def test_an_approver_is_asked_and_answered_in_their_language_and_in_the_households_without_one(
    place: Place,
) -> None:
    place.telegram.add_chat({"id": ZOE, "type": "private", "first_name": "Zoe"})
    zoe = {"name": "Zoe", "role": "member", "identifiers": [{"type": "telegram", "value": str(ZOE)}]}
    ada = {**CONTACTS[0], "language": "de"}
    await sync_contacts(place.pool, place.write_contacts([ada, CONTACTS[1], zoe]))
    household = place.rendered(BOTH).replace("[butler]\n", '[butler]\nlanguage = "fr"\n')
    async with place.messenger(text=household) as messenger:
        delivery_id = await held(messenger)
        german, french = await asked(place), await asked(place, ZOE)
        await press(messenger, german["Zustimmen"])
        await place.until_status(delivery_id, "sent")
        await press(messenger, french["Refuser"], sender=ZOE, number=2)
        await place.telegram.until(lambda api: len(told(place, ADA)) + len(told(place, ZOE)) == 4)
    assert told(place, ADA)[0].startswith(f"[messenger] finance möchte Ben ({BEN} über telegram) schreiben:")
    assert told(place, ADA)[1] == f"[messenger] Zugestimmt: Sie geht an Ben ({BEN} über telegram)."
    assert told(place, ZOE)[1].startswith("[messenger] Rien n’est changé : Ada l’a approuvé le ")


async def test_deny_ends_it_unsent(place: Place) -> None:
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger)
        await press(messenger, (await asked(place))["Deny"])
        row = await place.until_status(delivery_id, "failed")
        [said] = await answered(place, ADA, 1)
    assert said == f"[messenger] Denied: it is not sent to Ben ({BEN} on telegram)."
    assert row["error_message"] == "it was not approved: Ada said no (by the button under the question)"


@pytest.mark.parametrize("sender", [BEN, 6666])
async def test_nobody_else_decides_by_it(place: Place, sender: int) -> None:
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger)
        await press(messenger, (await asked(place))["Approve"], sender=sender)
    assert (await place.row(delivery_id))["status"] == "pending_approval"
    assert await place.rows("SELECT 1 FROM operation") == []


async def test_an_approvers_button_is_of_no_use_to_another_approver_and_both_have_their_own(
    place: Place,
) -> None:
    zoe = {"name": "Zoe", "role": "member", "identifiers": [{"type": "telegram", "value": str(ZOE)}]}
    place.telegram.add_chat({"id": ZOE, "type": "private", "first_name": "Zoe"})
    await sync_contacts(place.pool, place.write_contacts([*CONTACTS, zoe]))
    async with place.messenger(spec=BOTH) as messenger:
        delivery_id = await held(messenger)
        adas, zoes = await asked(place), await asked(place, ZOE)
        await press(messenger, adas["Approve"], sender=ZOE, number=1)
        [refused] = await answered(place, ZOE, 1)
        assert (await place.row(delivery_id))["status"] == "pending_approval"
        await asyncio.gather(
            press(messenger, adas["Approve"], sender=ADA, number=2),
            press(messenger, zoes["Approve"], sender=ZOE, number=3),
        )
        await place.until_status(delivery_id, "sent")
        everything = [*await answered(place, ADA, 1), *(await answered(place, ZOE, 2))[1:]]
    assert refused == "[messenger] This was asked of somebody else; nothing was changed."
    assert sorted("Approved: it is sent" in one for one in everything) == [False, True]
    assert len(told(place, BEN)) == 1


async def test_who_approves_of_what_cannot_go_any_more_reads_why_it_is_not_sent(place: Place) -> None:
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger)
        buttons = await asked(place)
        await suppressed(messenger, str(BEN))
        await press(messenger, buttons["Approve"])
        await place.until_status(delivery_id, "failed")
        [said] = await answered(place, ADA, 1)
    why = "the recipient is suppressed on telegram since "
    assert said.startswith(f"[messenger] Approved, but it is not sent to Ben ({BEN} on telegram): {why}")
    assert told(place, BEN) == []


async def test_who_approves_at_night_reads_when_it_is_sent(place: Place) -> None:
    await with_quiet(place)
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger)
        await press(messenger, (await asked(place))["Approve"])
        [said] = await answered(place, ADA, 1)
        until = (await place.row(delivery_id))["quiet_until"]
    assert (
        said == f"[messenger] Approved: it is sent to Ben ({BEN} on telegram) at {until:%Y-%m-%d %H:%M} UTC."
    )


async def test_after_its_time_and_on_an_old_question_nothing_is_changed(place: Place) -> None:
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger)
        buttons = await asked(place)
        await place.database.shift_clock(timedelta(hours=73), disconnect=True)
        await place.until_status(delivery_id, "failed")
        await press(messenger, buttons["Approve"])
        [late] = await answered(place, ADA, 1)
        await press(messenger, VerdictPressed("approve", uuid4()), number=2)
        _, unknown = await answered(place, ADA, 2)
    assert "its time was over" in late
    assert unknown == "[messenger] I do not know this question any more; nothing was changed."
    assert told(place, BEN) == []


async def test_who_may_not_approve_any_more_decides_nothing_by_an_old_button(place: Place) -> None:
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger)
        buttons = await asked(place)
    async with place.messenger(spec=BEN_ALONE) as messenger:
        await press(messenger, buttons["Approve"])
        [said] = await answered(place, ADA, 1)
    assert said.endswith("This was asked of somebody else; nothing was changed.")
    assert (await place.row(delivery_id))["status"] == "pending_approval"


async def test_a_press_after_an_operators_verdict_says_whose_it_was(place: Place) -> None:
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger)
        buttons = await asked(place)
        await decided(messenger, delivery_id, "deny")
        await press(messenger, buttons["Approve"])
        [said] = await answered(place, ADA, 1)
    assert "it was denied by ana at" in said
    assert told(place, BEN) == []


async def test_only_switchboard_routes_presses_and_only_verdicts_can_be_pressed(place: Place) -> None:
    async with place.messenger(spec=GATED) as messenger:
        await held(messenger)
        buttons = await asked(place)
        data = envelope(None, context=request_context())
        data["input"]["context"] = {"pressed": buttons["Approve"].action}
        stranger = await messenger.execute(data, token=place.keys.other("finance", "butler"))
        data["input"]["context"] = {"pressed": "done.7"}
        other = await messenger.execute(data, token=place.keys.switchboard(origin=None))
    assert (stranger.status, other.status) == ("error", "error")
    assert await place.rows("SELECT 1 FROM operation") == []


def refused_once(place: Place, chat: int) -> None:
    place.telegram.script(Fault("sendMessage", "status", count=1, status=403, chat_id=str(chat)))


async def replayed(place: Place, messenger: Client) -> None:
    """Send again what Telegram refused."""
    async with asyncio.timeout(90):
        while not (letters := await place.rows("SELECT dead_letter_id FROM delivery_dead_letter")):
            await asyncio.sleep(0.02)
    [letter] = letters
    await messenger.tool("messenger_dead_letter_replay", {"dead_letter_id": str(letter["dead_letter_id"])})


async def test_a_question_that_is_sent_again_asks_whom_it_asked_and_its_buttons_decide(place: Place) -> None:
    refused_once(place, BEN)
    async with place.messenger(spec=BEN_ALONE) as messenger:
        answer = await messenger.notify(notify("Dinner at eight", recipient=str(ADA), idempotency_key="x"))
        assert answer.delivery is not None
        await replayed(place, messenger)
        buttons = await asked(place, BEN)
        assert told(place, ADA) == []
        await press(messenger, buttons["Approve"], sender=BEN)
        await place.until_status(answer.delivery.delivery_id, "sent")
    assert told(place, ADA) == ["[finance] Dinner at eight"]


async def test_an_answer_to_a_press_that_was_refused_can_be_sent_again(place: Place) -> None:
    async with place.messenger(spec=GATED) as messenger:
        await held(messenger)
        buttons = await asked(place)
        refused_once(place, ADA)
        await press(messenger, buttons["Deny"])
        await replayed(place, messenger)
        [said] = await answered(place, ADA, 1)
    assert said == f"[messenger] Denied: it is not sent to Ben ({BEN} on telegram)."
