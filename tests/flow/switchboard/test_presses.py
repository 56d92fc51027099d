"""Presses of buttons: they go to the butler that offered them, whatever stands on them, or nowhere (ADR 0041)."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.actions import Pressed, VerdictPressed
from butler_contracts.errors import ValidationFailed
from butler_contracts.problems import ContractViolation, FieldProblem
from butler_contracts.route import RouteEnvelopeV1
from butler_kit.mcp import ToolError
from tests.support.butlers import FakeButler, admitted, refuses
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running

REMINDER: dict[str, Any] = {
    "schema_version": "notify.v1",
    "origin_butler": "finance",
    "delivery": {
        "intent": "send",
        "channel": "telegram",
        "message": "Reminder: pay the rent",
        "recipient": "1001",
        "idempotency_key": "reminder:7",
        "actions": [{"id": "done.7", "label": "My weight is 81.5 kg"}],
    },
}


LOGGED_AGAIN = """
    INSERT INTO routing_log (
        request_id, subrequest_id, source_butler, target_butler, tool_name, source_channel, thread_id, success,
        created_at
    )
    SELECT
        request_id, subrequest_id, source_butler, target_butler, tool_name, source_channel, thread_id, success,
        clock_now()
    FROM routing_log
    WHERE request_id = $1
"""


async def reminded(home: Household) -> str:
    """Finance reminds of something; the reference of the button under it."""
    await home.butler("finance").tell("notify", notify_request=REMINDER)
    return Pressed(home.messenger.got[-1].subrequest.subrequest_id, "done.7").reference


async def pressed(running: Running, number: int, reference: str, *, sender: str = "1001") -> UUID:
    label = "My weight is 81.5 kg"
    return await running.accepted(
        telegram(number, label, pressed=reference, message_id="77", sender=sender, chat=sender)
    )


async def test_a_press_goes_to_the_butler_that_offered_it_whatever_stands_on_the_button(home: Household):
    async with home.run() as running:
        reference = await reminded(home)
        request = await pressed(running, 1, reference)
        assert (await home.settled(request))["lifecycle_state"] == "parsed"
    [got] = home.butler("finance").got
    assert (got.pressed, got.input.prompt) == ("done.7", "My weight is 81.5 kg")
    assert got.request_context.source_message_identity == "77"
    assert home.butler("health").got == []
    assert (await home.plan(request))["reason"] == "pressed"


async def test_the_same_press_is_one_request_and_the_next_one_another(home: Household):
    async with home.run() as running:
        reference = await reminded(home)
        request = await pressed(running, 1, reference)
        assert await pressed(running, 1, reference) == request
        second = await pressed(running, 2, reference)
        await home.settled(second)
    assert home.butler("finance").requests() == [request, second]


async def test_what_nobody_offered_is_answered_by_the_general_butler(home: Household):
    async with home.run() as running:
        forged = [Pressed(uuid4(), "done.7").reference, "DROP TABLE", "1."]
        for number, reference in enumerate(forged, start=1):
            await home.settled(await pressed(running, number, reference))
    assert [envelope.pressed for envelope in home.butler("general").got] == ["done.7", "unknown", "unknown"]
    assert home.butler("finance").got == []


async def test_a_strangers_press_reaches_nobody_and_nobody_is_told(home: Household):
    async with home.run() as running:
        reference = await reminded(home)
        home.messenger.got.clear()
        request = await pressed(running, 1, reference, sender="6666")
        assert (await home.settled(request))["lifecycle_state"] == "recorded"
    assert (await home.plan(request))["reason"] == "press_by_stranger"
    assert home.butler("finance").got == []
    assert home.messenger.got == []


async def test_a_verdict_on_a_question_of_messengers_own_goes_to_messenger_and_a_strangers_nowhere(
    home: Household,
):
    verdict = VerdictPressed("approve", uuid4())
    async with home.run() as running:
        request = await pressed(running, 1, verdict.pressed.reference)
        assert (await home.settled(request))["lifecycle_state"] == "parsed"
        await home.settled(await pressed(running, 2, verdict.pressed.reference, sender="6666"))
        other = Pressed(uuid4(), verdict.action)
        await home.settled(await pressed(running, 3, other.reference))
    asked = [
        (one.pressed, one.request_context.source_sender_identity) for one in home.messenger.got if one.pressed
    ]
    assert asked == [(verdict.action, "1001")]
    assert [one.pressed for one in home.butler("general").got] == [other.action]


async def test_a_butler_of_the_release_before_is_not_sent_a_press_as_a_message(home: Household):
    unknown = FieldProblem("input.context.pressed", "is not a known field", "none")
    home.butler("finance").behaviour = refuses(ContractViolation("route.v1", (unknown,)))
    async with home.run() as running:
        request = await pressed(running, 1, await reminded(home))
        row = await home.settled(request)
    assert row["lifecycle_state"] == "errored"
    assert len(home.butler("finance").got) == 1
    assert "it does not know yet what was pressed" in home.messenger.told[-1].delivery.message  # type: ignore[operator]


async def test_a_messenger_of_the_release_before_is_told_the_same_without_buttons(home: Household):
    unknown = FieldProblem("input.context.notify_request.delivery.actions", "is not a known field", "none")
    home.messenger.behaviour = refuses(ContractViolation("route.v1", (unknown,)))
    async with home.run():
        try:
            await home.butler("finance").tell("notify", notify_request=REMINDER)
        except ToolError as refused:
            raise AssertionError(str(refused)) from refused
    first, again = home.messenger.got
    assert first.input.context is not None
    assert again.input.context is not None
    assert again.input.context.notify_request is not None
    assert again.input.context.notify_request.delivery.actions == ()


@pytest.mark.parametrize("by_name", [False, True], ids=["the chat", "the contact"])
async def test_an_answer_in_words_to_what_is_still_on_its_way_goes_to_the_butler_that_offered_it(
    home: Household, by_name: bool
):
    """A person may answer before Messenger has said in which chat they read it."""
    ada = await home.pool.fetchval("SELECT contact_id FROM shared.contacts WHERE name = 'Ada Example'")
    way = {"contact_id": str(ada), "recipient": None} if by_name else {}
    reminder = {**REMINDER, "delivery": {**REMINDER["delivery"], **way}}
    async with home.run() as running:
        await home.butler("finance").tell("notify", notify_request=reminder)
        request = await running.accepted(telegram(1, "in 20 minutes please"))
        await home.settled(request)
        other = await running.accepted(telegram(2, "in 20 minutes please", sender="1002", chat="1002"))
        await home.settled(other)
    [got] = home.butler("finance").got
    assert got.request_context.request_id == request
    assert got.input.context is not None
    assert got.input.context.replied is not None
    assert got.input.context.replied.actions == ("done.7",)


async def test_a_question_is_answered_in_words_though_the_call_that_led_to_it_is_acknowledged_after_it(
    home: Household,
):
    """A call whose answer was lost is repeated, and logged, while the butler that has it asks back already."""
    async with home.run() as running:
        first = await running.accepted(telegram(1, "I paid the gas bill of 40 euro"))
        await home.settled(first)
        [envelope] = home.butler("finance").got
        question = {**REMINDER, "request_context": envelope.request_context.to_wire()}
        await home.butler("finance").tell("notify", notify_request=question)
        await home.pool.execute(LOGGED_AGAIN, first)
        request = await running.accepted(telegram(2, "in 20 minutes please"))
        await home.settled(request)
    got = home.butler("finance").got[-1]
    assert got.request_context.request_id == request
    assert got.input.context is not None
    assert got.input.context.replied is not None
    assert got.input.context.replied.actions == ("done.7",)


async def test_what_messenger_refused_is_answered_by_nobody(home: Household):
    home.messenger.behaviour = refuses(ValidationFailed("there is no such chat"))
    async with home.run() as running:
        with suppress(ToolError):
            await home.butler("finance").tell("notify", notify_request=REMINDER)
        request = await running.accepted(telegram(1, "in 20 minutes please"))
        await home.settled(request)
    assert home.butler("finance").got == []


async def test_what_waits_for_an_approval_was_read_by_nobody_and_is_not_answered(home: Household):
    async def holds(_: FakeButler, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        assert envelope.input.context is not None
        request = envelope.input.context.notify_request
        assert request is not None
        return admitted(envelope, request, state="pending_approval")

    admits = home.messenger.behaviour
    home.messenger.behaviour = holds
    async with home.run() as running:
        await home.butler("finance").tell("notify", notify_request=REMINDER)
        home.messenger.behaviour = admits
        request = await running.accepted(telegram(1, "in 20 minutes please"))
        await home.settled(request)
    assert home.butler("finance").got == []
