"""The button "Wrong butler" under an answer: it asks which, and a choice corrects as the words do (D71, ADR 0111)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from butler_contracts.actions import Pressed
from butler_contracts.notify import NotifyRequestV1
from butler_contracts.route import RouteEnvelopeV1
from tests.flow.switchboard.test_corrections import BEN, branches, labels, said, told
from tests.flow.switchboard.test_learned import buttons, pressed
from tests.flow.switchboard.test_overrides import BILL
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running

UNSURE = "The dentist still wants something from us"
"""No butler is sure of it, so it goes to general."""


async def answered(home: Household, butler: str, request_id: UUID, **more: Any) -> NotifyRequestV1:
    """The butler answers a message; what reached Messenger."""
    [envelope] = [
        one
        for one in home.butler(butler).got
        if one.request_context.request_id == request_id and not one.pressed
    ]
    delivery = {"intent": "reply", "channel": "telegram", "message": "Noted.", **more}
    wish = {
        "schema_version": "notify.v1",
        "origin_butler": butler,
        "delivery": delivery,
        "request_context": envelope.request_context.to_wire(),
    }
    await home.butler(butler).tell("notify", notify_request=wish)
    return _intent(home.messenger.got[-1])


def _intent(envelope: RouteEnvelopeV1) -> NotifyRequestV1:
    assert envelope.input.context is not None
    assert envelope.input.context.notify_request is not None
    return envelope.input.context.notify_request


def reference(home: Household, request: NotifyRequestV1) -> str:
    """What the last button under the newest message carries."""
    return Pressed(home.messenger.got[-1].subrequest.subrequest_id, request.delivery.actions[-1].id).reference


async def asked(home: Household, running: Running) -> UUID:
    """A message that was unsure, answered, and whose button was pressed."""
    request_id = await said(home, running, 1, UNSURE)
    intent = await answered(home, "general", request_id)
    await pressed(home, running, 2, "Wrong butler", reference(home, intent))
    return request_id


async def test_an_unsure_answer_has_the_button_and_a_sure_one_has_none(home: Household):
    async with home.run() as running:
        unsure = await answered(home, "general", await said(home, running, 1, UNSURE))
        sure = await answered(home, "finance", await said(home, running, 2, BILL))
    assert [one.label for one in unsure.delivery.actions] == ["Wrong butler"]
    assert sure.delivery.actions == ()
    assert await home.pool.fetchval("SELECT count(*) FROM notifications WHERE actions IS NOT NULL") == 0


async def test_a_butlers_own_buttons_stay_and_four_leave_no_room(home: Household):
    own = [{"id": f"done.{number}", "label": f"Done {number}"} for number in range(4)]
    async with home.run() as running:
        request_id = await said(home, running, 1, UNSURE)
        three = await answered(home, "general", request_id, actions=own[:3])
        four = await answered(home, "general", request_id, message="Noted again.", actions=own)
    assert [one.label for one in three.delivery.actions] == ["Done 0", "Done 1", "Done 2", "Wrong butler"]
    assert [one.label for one in four.delivery.actions] == ["Done 0", "Done 1", "Done 2", "Done 3"]


async def test_a_press_asks_which_and_a_choice_gives_it_to_the_right_butler(home: Household):
    async with home.run() as running:
        request_id = await asked(home, running)
        assert told(home) == [f"Which butler is “{UNSURE}” for?"]
        choices = buttons(home)
        assert sorted(choices) == ["finance", "health"]
        choice = await pressed(home, running, 3, "health", choices["health"])
    assert await branches(home, request_id) == [
        ("s1", "general", "ok"),
        ("s1", "health", "ok"),
        ("s1-withdrawn", "general", "ok"),
    ]
    assert await labels(home) == [("member", UNSURE, "general", "health")]
    assert told(home)[-1] == f"“{UNSURE}” goes to health; general takes back what it noted of it."
    assert (await home.row(choice))["lifecycle_state"] == "parsed"
    assert [one.pressed for one in home.butler("general").got if one.pressed] == []


async def test_pressed_twice_it_is_done_once(home: Household):
    async with home.run() as running:
        request_id = await asked(home, running)
        choices = buttons(home)
        await pressed(home, running, 3, "health", choices["health"])
        await pressed(home, running, 4, "health", choices["health"])
        await pressed(home, running, 5, "finance", choices["finance"])
    assert told(home)[-2] == f"“{UNSURE}” is with health already."
    assert [row[1] for row in (await labels_of(home))] == ["health", "finance"]
    assert [target for segment, target, _ in await branches(home, request_id) if segment == "s1"] == [
        "general",
        "health",
        "finance",
    ]


async def labels_of(home: Household) -> list[tuple[str, str]]:
    return [(was_with, right) for _, _, was_with, right in await labels(home)]


@pytest.mark.parametrize("step", ["the button", "the choice"])
async def test_in_a_group_only_who_wrote_the_message_corrects_it(home: Household, step: str):
    async with home.run() as running:
        request_id = await said(home, running, 1, UNSURE)
        intent = await answered(home, "general", request_id)
        button = ("Wrong butler", reference(home, intent))
        if step == "the choice":
            await pressed(home, running, 2, *button)
            button = ("health", buttons(home)["health"])
        press = telegram(3, button[0], pressed=button[1], message_id="77", sender=BEN)
        await home.settled(await running.accepted(press))
        await home.idle()
    assert len(await branches(home, request_id)) == 1
    assert "Only who wrote that message can say whose it is; nothing was changed." in told(home)
    assert await labels(home) == []


async def test_a_strangers_press_does_nothing(home: Household):
    async with home.run() as running:
        request_id = await said(home, running, 1, UNSURE)
        intent = await answered(home, "general", request_id)
        press = await pressed(home, running, 2, "Wrong butler", reference(home, intent), sender="6666")
    assert (await home.plan(press))["reason"] == "press_by_stranger"
    assert told(home) == []


async def test_the_button_of_another_message_is_not_believed(home: Household):
    async with home.run() as running:
        other = await said(home, running, 1, BILL)
        request_id = await said(home, running, 2, UNSURE)
        intent = await answered(home, "general", request_id)
        own = reference(home, intent)
        await answered(home, "finance", other)
        forged = Pressed(home.messenger.got[-1].subrequest.subrequest_id, own.split(".", 2)[2]).reference
        await pressed(home, running, 3, "Wrong butler", forged)
    assert told(home) == []
    assert [one.pressed for one in home.butler("finance").got if one.pressed] != []


async def test_done_in_words_after_such_an_answer_is_a_message_like_any_other(home: Household):
    async with home.run() as running:
        await answered(home, "general", await said(home, running, 1, UNSURE))
        later = await said(home, running, 2, "in 20 minutes please")
    assert (await home.plan(later))["reason"] != "reply"
