"""Plans whose parts wait for each other, from the words of the message to the answer."""

from __future__ import annotations

from typing import Any

import pytest

from butler_contracts.notify import NotifyDelivery, NotifyRequestV1
from butler_contracts.route import PartResultV1, RouteEnvelopeV1
from butler_switchboard.registry.eligibility import Hold
from tests.support.butlers import accepts, accepts_then_answers, answers, error_of
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household

CONDITIONAL = (
    "I paid 40 euro for the gas bill. If that works, note my blood pressure this morning was 120 over 80."
)
ORDERED = "First note my blood pressure 120 over 80, then pay the gas bill of 40 euro"


def answer_to(envelope: RouteEnvelopeV1, text: str) -> dict[str, Any]:
    """What the butler of this part tells its writer."""
    return NotifyRequestV1(
        origin_butler=envelope.target.butler,
        delivery=NotifyDelivery(
            intent="reply", channel="telegram", message=text, idempotency_key="answer:s1"
        ),
        request_context=envelope.request_context,
    ).to_wire()


@pytest.mark.spec("SWB-30.2")
async def test_first_and_then_are_done_in_that_order_and_the_second_only_after_the_end_of_the_first(
    home: Household,
):
    home.butler("health").behaviour = accepts()
    async with home.run() as running:
        request = await running.accepted(telegram(1, ORDERED))
        [first] = await home.butler("health").received()
        assert [(one["target"], one["state"]) for one in await home.subroutes(request)][1:] == [
            ("finance", "pending")
        ]
        assert home.butler("finance").got == []
        await home.butler("health").complete(first, result={"reply": "noted"})
        row = await home.settled(request)
    [second] = home.butler("finance").got
    assert (second.subrequest.fanout_mode, second.input.prompt) == ("ordered", "pay the gas bill of 40 euro")
    assert row["lifecycle_state"] == "parsed"


async def test_the_later_part_of_an_order_without_a_condition_is_done_although_the_first_failed(
    home: Household,
):
    home.butler("health").behaviour = answers(error=error_of("validation_error", message="which unit?"))
    async with home.run() as running:
        row = await home.settled(await running.accepted(telegram(1, ORDERED)))
    assert [one["status"] for one in row["dispatch_outcomes"]] == ["error", "ok"]
    assert home.butler("finance").got[0].subrequest.fanout_mode == "ordered"


@pytest.mark.spec("SWB-30.3")
async def test_what_depends_on_a_part_that_failed_is_not_tried_and_the_person_is_told_why(home: Household):
    home.butler("finance").behaviour = answers(error=error_of("validation_error", message="which account?"))
    async with home.run() as running:
        request = await running.accepted(telegram(1, CONDITIONAL))
        row = await home.settled(request)
        plan = await home.plan(request)
    assert (plan["fanout_mode"], plan["join_policy"], plan["abort_policy"]) == ("conditional", "all", "stop")
    assert [one["status"] for one in row["dispatch_outcomes"]] == ["error", "skipped"]
    assert home.butler("health").got == []
    [reply] = home.messenger.replies()
    said = str(reply.delivery.message)
    assert "finance: this cannot be worked with: which account? Please say it differently." in said
    assert "Not done: health: not tried, because it was to wait for finance, which did not succeed." in said


@pytest.mark.spec("SWB-30.3")
async def test_what_depends_on_a_part_that_succeeded_is_done_after_it(home: Household):
    home.butler("finance").behaviour = accepts_then_answers()
    async with home.run() as running:
        row = await home.settled(await running.accepted(telegram(1, CONDITIONAL)))
    assert [one["status"] for one in row["dispatch_outcomes"]] == ["ok", "ok"]
    [second] = home.butler("health").got
    assert second.subrequest.fanout_mode == "conditional"
    assert second.input.prompt == "note my blood pressure this morning was 120 over 80."


@pytest.mark.spec("SWB-30.3")
async def test_what_depends_on_a_butler_that_is_held_is_not_tried_though_nobody_stands_in(home: Household):
    async with home.run("[routing]\npatience_s = 0.5\n") as running:
        for name in ("finance", "general"):
            await running.switchboard.parts.butlers.quarantine(name, Hold(reason="holiday"), actor="ada")
        await running.switchboard.parts.registry.refresh()
        row = await home.settled(await running.accepted(telegram(1, CONDITIONAL)))
    assert row["lifecycle_state"] == "errored"
    assert [home.butler(name).got for name in home.butlers] == [[], [], []]
    [reply] = home.messenger.replies()
    said = str(reply.delivery.message)
    assert "no butler that could take a part of it is running" in said
    assert "since the parts depend on each other none was tried" in said


async def test_a_plan_that_stopped_between_its_parts_goes_on_with_the_next_and_tells_it_what_was_answered(
    home: Household,
):
    home.butler("finance").behaviour = accepts()
    async with home.run() as running:
        request = await running.accepted(telegram(1, CONDITIONAL))
        [first] = await home.butler("finance").received()
    assert home.butler("health").got == []
    async with home.run():
        await home.butler("finance").tell("notify", notify_request=answer_to(first, "Paid 40 EUR."))
        await home.butler("finance").complete(first, result={"records": 1})
        row = await home.settled(request)
    assert row["lifecycle_state"] == "parsed"
    assert [len(home.butler(name).got) for name in ("finance", "health")] == [1, 1]
    [second] = home.butler("health").got
    assert second.results == (PartResultV1(butler="finance", ended="ok", answer="Paid 40 EUR."),)
    assert "40 EUR." not in second.input.prompt
    assert first.results == ()
