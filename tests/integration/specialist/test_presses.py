"""Presses under a reminder: done, put off, and nothing twice, by whoever presses however often (ADR 0041)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.errors import InternalFailure, ValidationFailed
from butler_contracts.notify import NotifyRequestV1
from butler_contracts.parse import parse
from butler_contracts.route import RouteEnvelopeV1
from butler_kit.queue import LeasedQueue
from butler_specialist.store.inbox import RouteInbox
from butler_specialist.store.model import Outcome, ReminderAnswer
from tests.integration.specialist.household import Place, request_context
from tests.integration.specialist.test_reminders import (
    ADA,
    BEA,
    asks,
    keys_told,
    message,
    over,
    reminders_told,
    soon,
    told,
)

__all__ = ["asks"]

BEAS = {"source_sender_identity": "1002", "source_thread_identity": "1002"}


async def actions(place: Place, count: int = 1) -> dict[str, str]:
    """What may be pressed under the last reminder: the action of each label."""
    await told(place, count)
    return {one.label: one.id for one in reminders_told(place)[-1].delivery.actions}


def press(action: str, label: str = "Done", *, person: UUID = ADA, **context: Any) -> dict[str, Any]:
    data = message(person, context=request_context(**context))
    data["input"]["context"]["pressed"] = action
    data["input"]["prompt"] = label
    return data


def answers(place: Place) -> list[str | None]:
    return [one.delivery.message for one in place.switchboard.notifies if one.delivery.intent == "reply"]


async def kept(place: Place) -> list[tuple[str, bool]]:
    rows = await place.pool.fetch("SELECT answer, put_off_as IS NOT NULL AS later FROM reminder_answers")
    return [(row["answer"], row["later"]) for row in rows]


async def test_done_is_kept_and_said_once_and_a_second_press_says_that_it_was(
    place: Place, asks: Callable[..., None]
) -> None:
    asks(soon())
    async with place.specialist() as specialist:
        await specialist.done(message())
        offered = await actions(place)
        await over(place, "sent")
        await specialist.done(press(offered["Done"]))
        await specialist.done(press(offered["Done"]))
        await specialist.done(press(offered["In an hour"], "In an hour"))
    assert list(offered) == ["Done", "In 10 minutes", "In an hour"]
    assert answers(place)[1:] == [
        "Done: water the plants.",
        "That was done already: water the plants.",
        "That was done already: water the plants.",
    ]
    assert await kept(place) == [("done", False)]
    assert await place.pool.fetchval("SELECT count(*) FROM reminder_work") == 0


async def test_what_is_put_off_comes_again_once_however_often_it_is_pressed(
    place: Place, asks: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "butler_specialist.remind.press.PUT_OFF", {"10m": timedelta(seconds=3), "1h": timedelta(1)}
    )
    asks(soon())
    async with place.specialist() as specialist:
        await specialist.done(message())
        offered = await actions(place)
        pressed = datetime.now(UTC)
        await asyncio.gather(*(specialist.done(press(offered["In 10 minutes"])) for _ in range(3)))
        again = await actions(place, 2)
        rows = await over(place, "sent")
        await specialist.done(press(offered["In an hour"]))
    assert len(rows) == len(keys_told(place)) == 2
    assert max(row["due_at"] for row in rows) >= pressed + timedelta(seconds=3)
    assert [one.delivery.message for one in reminders_told(place)] == ["Reminder: water the plants"] * 2
    assert again["Done"] != offered["Done"]
    first, second, third, late = answers(place)[1:]
    assert sum("I will remind you again on" in (one or "") for one in (first, second, third)) == 1
    assert sum("That was put off already, to" in (one or "") for one in (first, second, third)) == 2
    assert late == "You answered that already: water the plants."
    assert await kept(place) == [("put_off", True)]


async def test_of_two_presses_that_were_decided_at_the_same_time_one_is_decided_anew(place: Place) -> None:
    inbox, queue = RouteInbox(place.pool, capacity=10), LeasedQueue(place.pool, "route_work")
    due = datetime(2026, 11, 23, 7, 0, tzinfo=UTC)
    answer = ReminderAnswer(uuid4(), due, "put_off")
    outcome = Outcome(result={}, reminders=(soon(3600),), answers=(answer,))
    done = Outcome(result={}, answers=(replace(answer, answer="done", replaces=True),))
    taken = []
    for _ in range(4):
        data = parse(RouteEnvelopeV1, message())
        assert await inbox.accept(data, lane="default", thread_key=None, teller="telegram:1001")
        lease = await queue.claim(data.subrequest.subrequest_id)
        assert lease is not None
        work = await inbox.find(lease.item_id)
        assert work is not None
        taken.append((lease, work))
    (first, second, third, fourth) = taken
    assert await inbox.commit(*first, outcome) is not None
    assert await inbox.commit(*first, outcome) is None
    with pytest.raises(InternalFailure, match="changed by another message"):
        await inbox.commit(*second, outcome)
    assert await inbox.commit(*third, done) is not None
    with pytest.raises(InternalFailure, match="changed by another message"):
        await inbox.commit(*fourth, done)
    assert await place.pool.fetchval("SELECT count(*) FROM reminders") == 1
    assert await kept(place) == [("done", False)]


async def test_what_was_put_off_and_then_done_comes_no_more(place: Place, asks: Callable[..., None]) -> None:
    asks(soon())
    async with place.specialist() as specialist:
        await specialist.done(message())
        offered = await actions(place)
        await specialist.done(press(offered["In an hour"]))
        await specialist.done(press(offered["Done"]))
        rows = await over(place, "sent", "stopped")
    assert sorted(row["state"] for row in rows) == ["sent", "stopped"]
    assert await place.pool.fetchval("SELECT count(*) FROM reminder_work") == 0
    assert answers(place)[-1] == "Done: water the plants."
    assert await kept(place) == [("done", False)]


async def test_each_occurrence_is_answered_by_itself(place: Place, asks: Callable[..., None]) -> None:
    asks(soon(rule="FREQ=DAILY"))
    async with place.specialist() as specialist:
        await specialist.done(message())
        yesterday = await actions(place)
    await place.database.shift_clock(timedelta(days=1))
    async with place.specialist() as specialist:
        today = await actions(place, 2)
        await specialist.done(press(yesterday["Done"]))
        await specialist.done(press(today["Done"]))
        await specialist.done(press(yesterday["Done"]))
    assert answers(place)[1:] == ["Done: water the plants."] * 2 + [
        "That was done already: water the plants."
    ]
    assert len(await kept(place)) == 2


async def test_another_member_an_unknown_one_and_a_forged_one_change_nothing(
    place: Place, asks: Callable[..., None]
) -> None:
    asks(soon(text="the surprise for Bea"))
    async with place.specialist() as specialist:
        await specialist.done(message())
        offered = await actions(place)
        verb, _, occurrence = offered["Done"].split(".")
        future = f"{verb}.{offered['Done'].split('.')[1]}.ffffffff"
        await specialist.done(press(offered["Done"], person=BEA, **BEAS))
        for forged in (f"done.{'A' * 22}.{occurrence}", future, "unknown", "done.x.1"):
            await specialist.done(press(forged, "Erledigt"))
    others, *unknown = answers(place)[1:]
    assert others == "This reminder is somebody else’s. Nothing was changed."
    assert unknown == ["Diese Erinnerung kenne ich nicht mehr. Es wurde nichts geändert."] * 4
    assert await kept(place) == []


async def test_a_recurring_one_that_was_stopped_after_it_was_told_is_left_alone(
    place: Place, asks: Callable[..., None]
) -> None:
    asks(soon(rule="FREQ=DAILY"))
    async with place.specialist() as specialist:
        await specialist.done(message())
        offered = await actions(place)
        stops = await place.pool.fetchval("SELECT reminder_id FROM reminders")
        asks(stops=(stops,))
        await specialist.done(message())
        await specialist.done(press(offered["In 10 minutes"]))
    assert answers(place)[-1] == "This reminder was stopped, so nothing was changed: water the plants."
    assert await place.pool.fetchval("SELECT count(*) FROM reminders") == 1


async def test_a_press_that_is_worked_on_twice_is_answered_alike_and_done_once(
    place: Place, asks: Callable[..., None]
) -> None:
    asks(soon())
    async with place.specialist() as specialist:
        await specialist.done(message())
        offered = await actions(place)
        data = press(offered["In an hour"])
        again = {**data, "subrequest": {**data["subrequest"], "subrequest_id": str(uuid4()), "attempt": 2}}
        await specialist.done(data)
        await specialist.done(again)
    first, second = answers(place)[1:]
    assert first == second
    assert await place.pool.fetchval("SELECT count(*) FROM reminders WHERE state = 'waiting'") == 1


async def test_a_switchboard_of_the_release_before_is_told_the_reminder_without_buttons_and_urgency(
    place: Place, asks: Callable[..., None]
) -> None:
    async def unknown(tool: str, args: Any) -> None:
        new = {"actions", "urgency"} & set(args["notify_request"]["delivery"]) if tool == "notify" else set()
        if new:
            named = "; ".join(f"delivery.{one}: is not a known field; expected none" for one in sorted(new))
            raise ValidationFailed(f"notify.v1 refused: {named}")

    asks(soon())
    place.switchboard.gate = unknown
    async with place.specialist() as specialist:
        await specialist.done(message())
        found: list[NotifyRequestV1] = await told(place)
        await over(place, "sent")
    assert (found[-1].delivery.actions, found[-1].delivery.urgency) == ((), "normal")
