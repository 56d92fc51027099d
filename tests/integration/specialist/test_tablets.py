"""A medicine rings at its hours for whoever told it and wants that: one recurring row of the queue that there is."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from butler_specialist.retention import prune
from tests.integration.specialist.household import DEADLINE_S, Client, Place
from tests.integration.specialist.test_upcoming import (
    BEA,
    looked_for_often,
    message,
    ring,
    sends,
    until,
)

__all__ = ["looked_for_often"]

STATE = "SELECT state, rule, sent, due_at, can_wait, text, due_wall FROM reminders ORDER BY created_at"
KEY = "tablets:FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0"
pytestmark = pytest.mark.parametrize("place", ["health"], indirect=True)


def said(text: str) -> dict[str, Any]:
    return message(text, butler="health")


async def test_it_rings_again_and_again_and_ends_with_its_course(place: Place) -> None:
    async with place.specialist() as specialist:
        await specialist.done(said("Leo takes 5 ml Amoxicillin at 8 and 20"))
        assert await place.pool.fetch(STATE) == []
        await specialist.done(said("Remind me of my tablets"))
        await until(place, ("waiting", KEY))
        await ring(place)
        await place.switchboard.until(lambda: sends(place))
        async with asyncio.timeout(DEADLINE_S):
            while not await place.pool.fetchval("SELECT sent FROM reminders"):
                await asyncio.sleep(0.02)
        [row] = await place.pool.fetch(STATE)
        assert (row["state"], row["can_wait"], row["text"]) == ("waiting", False, "Amoxicillin 5 ml for Leo.")
        assert row["due_wall"].hour in (8, 20)
        done = sends(place)[0].delivery.actions[0].id
        assert await _press(place, specialist, done) == "Done: Amoxicillin 5 ml for Leo."
        await specialist.done(said("Leo is done with the antibiotics"))
        await until(place, ("stopped", KEY))
        await specialist.done(said("undo"))
        await until(place, ("waiting", KEY))
        await specialist.done(said("delete the Amoxicillin"))
        await until(place, ("stopped", KEY))
    assert len({one.delivery.idempotency_key for one in sends(place)}) == 1


async def test_the_household_may_want_it_for_everybody_and_each_is_told_of_what_they_told(
    place: Place,
) -> None:
    async with place.specialist(extra='remind_of = ["tablets"]') as specialist:
        await specialist.done(message("I take metformin at 8 and 20", BEA, "1002", butler="health"))
        await until(place, ("waiting", KEY))
        await specialist.done(message("I take metformin at 9 and 21", BEA, "1002", butler="health"))
        await until(place, ("stopped", KEY), ("waiting", KEY.replace("8,20", "9,21")))
        await specialist.done(message("Stop reminding me of my tablets", BEA, "1002", butler="health"))
        await until(place, ("stopped", KEY), ("stopped", KEY.replace("8,20", "9,21")))
    assert await place.pool.fetchval("SELECT count(*) FROM reminder_work") == 0


async def test_what_a_person_stopped_stays_stopped_when_reminders_that_are_over_are_deleted(
    place: Place,
) -> None:
    async with place.specialist(extra='remind_of = ["tablets"]') as specialist:
        await specialist.done(message("I take metformin at 8 and 20", BEA, "1002", butler="health"))
        await until(place, ("waiting", KEY))
    await place.pool.execute("UPDATE reminders SET state = 'stopped', ended_at = clock_now()")
    await place.pool.execute("DELETE FROM reminder_work")
    await place.database.shift_clock(timedelta(days=91))
    await prune(place.pool)
    await until(place, ("stopped", KEY))
    # What its record ended comes back with it, so that nothing has to be remembered of it.
    await place.pool.execute("UPDATE reminders SET lapsed = true")
    await prune(place.pool)
    assert await place.pool.fetch(STATE) == []


async def _press(place: Place, specialist: Client, action: str) -> str:
    data = said("Done")
    data["input"]["context"]["pressed"] = action
    await specialist.done(data)
    row = await place.route(UUID(data["subrequest"]["subrequest_id"]))
    return str(row["notify_request"]["delivery"]["message"])
