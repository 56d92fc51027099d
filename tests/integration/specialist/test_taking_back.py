"""What members take back, correct, move and do: the stored record and the answer say the same, also after a kill."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.integration.specialist.household import Client, Place, envelope, id_of, request_context
from tests.support.loopback import free_port


async def say(place: Place, specialist: Client, text: str) -> str:
    """The answer to a message of Ada's chat."""
    await specialist.done(envelope(text, butler=place.name))
    return place.switchboard.notifies[-1].delivery.message or ""


async def standing(place: Place) -> list[dict[str, Any]]:
    return [row for row in await place.records() if row["withdrawn_at"] is None]


async def test_money_is_corrected_deleted_put_back_and_paid_once(place: Place) -> None:
    async with place.specialist() as specialist:
        await say(place, specialist, "Spent 60 EUR at Lidl")
        said = await say(place, specialist, "no, 66")
        [row] = await standing(place)
        assert said.startswith("Changed from 60.00 EUR to 66.00 EUR: Lidl")
        assert (row["amount"], row["version"]) == (Decimal(66), 2)
        assert (await say(place, specialist, "delete the Lidl expense")).startswith(
            "Deleted: 66.00 EUR, Lidl"
        )
        assert await standing(place) == []
        assert (await say(place, specialist, "undo")).startswith("Put back: 66.00 EUR, Lidl")
        assert [row["amount"] for row in await standing(place)] == [Decimal(66)]
        await say(place, specialist, "The electricity bill is 82.50 EUR, due on Friday")
        said = await say(place, specialist, "Paid the electricity bill")
        _, bill, spent = await standing(place)
        assert (bill["done_on"], spent["kind"], spent["amount"]) == (
            date(2026, 11, 21),
            "expense",
            Decimal("82.50"),
        )
        assert "Noted as spent: 82.50 EUR, electricity bill" in said
        asked = await say(place, specialist, "How much did I spend this month?")
        assert asked.startswith("You spent 148.50 EUR in November 2026")


@pytest.mark.parametrize("place", ["general"], indirect=True)
async def test_appointments_lists_and_tasks_are_moved_bought_and_done(place: Place) -> None:
    async with place.specialist() as specialist:
        await say(place, specialist, "Dentist on Thursday at 15:30")
        said = await say(place, specialist, "move the dentist to Friday at 10:00")
        [row] = await standing(place)
        assert (row["occurred_on"], row["occurred_at"]) == (date(2026, 11, 27), time(10))
        assert said == (
            "Moved: “Dentist”, from Thursday, 26 November 2026 at 15:30 to Friday, 27 November 2026 at 10:00."
        )
        [former] = await place.pool.fetch("SELECT former FROM record_changes")
        assert former["former"]["occurred_on"] == "2026-11-26"
        await say(place, specialist, "Add milk and eggs to the shopping list")
        assert await say(place, specialist, "got the eggs") == "Taken off the shopping list: eggs."
        assert (await say(place, specialist, "what's on the shopping list?")).endswith("milk (1 item).")
        await say(place, specialist, "clear the shopping list")
        assert "milk" not in await say(place, specialist, "what's on the shopping list?")
        await say(place, specialist, "undo")
        assert (await say(place, specialist, "what's on the shopping list?")).endswith("milk (1 item).")
        await say(place, specialist, "Todo: fix the tap")
        assert await say(place, specialist, "done with the tap") == "Done: “fix the tap”."
        assert (await standing(place))[-1]["done_on"] == date(2026, 11, 21)


async def test_a_question_that_was_asked_back_is_answered_by_the_next_message_of_the_thread(
    place: Place,
) -> None:
    async with place.specialist() as specialist:
        for text in ("Spent 23.40 EUR at Lidl", "Spent 12 EUR at Lidl"):
            await say(place, specialist, text)
        assert "Nothing is changed yet." in await say(place, specialist, "delete the Lidl expense")
        other = envelope("the second", context=request_context(source_sender_identity="1002"))
        await specialist.done(other)
        assert len([row for row in await standing(place) if row["kind"] == "expense"]) == 2
        assert (await say(place, specialist, "the second")).startswith("Deleted: 23.40 EUR, Lidl")
        assert [row["amount"] for row in await standing(place) if row["kind"] == "expense"] == [Decimal(12)]


async def test_a_question_that_was_asked_at_a_second_attempt_is_answered_too(place: Place) -> None:
    async with place.specialist() as specialist:
        for text in ("Spent 23.40 EUR at Lidl", "Spent 12 EUR at Lidl"):
            await say(place, specialist, text)
        context = request_context()
        for attempt in (1, 2):
            await specialist.done(envelope("delete the Lidl expense", context=context, attempt=attempt))
        assert (await say(place, specialist, "the second")).startswith("Deleted: 23.40 EUR, Lidl")


@pytest.mark.parametrize("place", ["general"], indirect=True)
async def test_what_an_answer_listed_is_meant_by_its_place_and_cancelled_whole(place: Place) -> None:
    async with place.specialist() as specialist:
        await say(place, specialist, "Dentist on Thursday at 15:30")
        await say(place, specialist, "Gym on Friday at 18:00")
        listed = await say(place, specialist, "what do I have to do this month?")
        assert listed.index("Dentist") < listed.index("Gym")
        assert (await say(place, specialist, "cancel the second one")).startswith("Deleted: “Gym")
        [row] = await standing(place)
        assert row["occurred_on"] == date(2026, 11, 26)
        await say(place, specialist, "move the first to Friday")
        assert (await say(place, specialist, "cancel that")).startswith("Deleted, the entry itself")
        assert await standing(place) == []
        assert (await say(place, specialist, "undo")).startswith("Put back")
        assert [row["occurred_on"] for row in await standing(place)] == [date(2026, 11, 27)]
        assert "“Dentist" in await say(place, specialist, "what did you note?")


async def test_undo_reaches_back_a_day(place: Place) -> None:
    async with place.specialist() as specialist:
        await say(place, specialist, "Spent 60 EUR at Lidl")
    await place.database.shift_clock(timedelta(hours=25))
    async with place.specialist() as specialist:
        assert "more than a day ago" in await say(place, specialist, "undo")
        assert len(await standing(place)) == 1


@pytest.mark.parametrize("moment", ["route.started", "notify", "route.complete"])
async def test_a_change_that_kill_9_met_is_made_once(place: Place, moment: str) -> None:
    killed, told = False, envelope("Spent 60 EUR at Lidl")
    changed = envelope("no, 66")

    async def gate(tool: str, args: Mapping[str, Any]) -> None:
        if tool == moment and str(id_of(changed)) in _all_ids(place, args) and not killed:
            await asyncio.Event().wait()

    async with place.process(free_port()) as (child, specialist):
        await specialist.done(told)
        place.switchboard.gate = gate
        seen = place.switchboard.order.count(moment)
        await specialist.execute(changed)
        await place.switchboard.until(lambda: place.switchboard.order.count(moment) > seen)
        child.kill()
        await asyncio.wait_for(child.wait(), 90)
    killed = True
    await place.database.shift_clock(timedelta(seconds=60))
    async with place.process(free_port()):
        await place.switchboard.completed(id_of(changed))
        await place.until_state(id_of(changed), "processed")
    [row] = await place.records()
    assert (row["amount"], row["version"]) == (Decimal(66), 2)
    assert await place.pool.fetchval("SELECT count(*) FROM record_changes") == 1


def _all_ids(place: Place, args: Mapping[str, Any]) -> str:
    """What a call names; a notify names its request, not its subrequest."""
    return (
        str(args) if "subrequest_id" in str(args) else "".join(str(id_) for id_ in place.switchboard.started)
    )
