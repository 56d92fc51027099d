"""A reminder from its asking to its telling: on time, once, over crashes, replicas, outages and clocks that jump."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest

from butler_contracts.errors import TargetUnavailable, ValidationFailed
from butler_contracts.notify import NotifyRequestV1
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.finance.profile import FinanceProfile
from butler_specialist.profiles.reply import Reply
from butler_specialist.store.reminder_model import Asker, ReminderDraft, ReminderStop
from butler_specialist.store.reminders import ReminderStore
from tests.integration.specialist.household import (
    DEADLINE_S,
    Place,
    delivered,
    envelope,
    refused,
    request_context,
)

ADA, BEA = uuid4(), uuid4()
ASKER = Asker(ADA, "telegram", "1001")


def soon(seconds: float = 0.3, **changes: Any) -> ReminderDraft:
    due_at = datetime.now(UTC) + timedelta(seconds=seconds)
    return ReminderDraft(**{"text": "water the plants", "due_at": due_at, "zone": "Europe/Berlin", **changes})


@pytest.fixture
def asks(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """What the next messages ask for, whatever their words are."""

    def give(*drafts: ReminderDraft, stops: tuple[UUID, ...] = ()) -> None:
        async def respond(self: FinanceProfile, prompt: str, answering: Answering) -> Reply:
            assert answering.reachable
            return Reply(
                (), "I will.", reminders=drafts, reminder_stops=tuple(ReminderStop(one) for one in stops)
            )

        monkeypatch.setattr(FinanceProfile, "respond", respond)

    return give


def message(person: UUID = ADA, **changes: Any) -> dict[str, Any]:
    known = {
        "sender": str(person),
        "members": [
            {"contact_id": str(ADA), "name": "Ada", "addresses": [{"channel": "telegram", "value": "1001"}]},
            {"contact_id": str(BEA), "name": "Bea", "addresses": []},
        ],
    }
    data = envelope("Remind me", **changes)
    data["input"]["context"] = {"people": known}
    return data


def reminders_told(place: Place) -> list[NotifyRequestV1]:
    return [one for one in place.switchboard.notifies if one.delivery.intent == "send"]


def keys_told(place: Place) -> set[str | None]:
    return {one.delivery.idempotency_key for one in reminders_told(place)}


async def told(place: Place, count: int = 1) -> list[NotifyRequestV1]:
    """Wait for as many tellings, by their keys: Messenger delivers each key once."""
    await place.switchboard.until(lambda: len(keys_told(place)) >= count)
    return reminders_told(place)


async def over(place: Place, *states: str) -> list[dict[str, Any]]:
    async with asyncio.timeout(DEADLINE_S):
        while True:
            rows = await place.pool.fetch("SELECT * FROM reminders ORDER BY ordinal")
            if rows and all(row["state"] in states for row in rows):
                return [dict(row) for row in rows]
            await asyncio.sleep(0.02)


async def left(place: Place) -> int:
    return int(await place.pool.fetchval("SELECT count(*) FROM reminder_work"))


async def test_a_reminder_comes_at_its_moment_to_whoever_asked(
    place: Place, asks: Callable[..., None]
) -> None:
    asks(soon())
    async with place.specialist() as specialist:
        await specialist.done(message())
        [notify] = await told(place)
        [row] = await over(place, "sent")
        metrics = (await specialist.get("/metrics")).text
    delivery = notify.delivery
    assert (delivery.channel, delivery.contact_id, delivery.recipient) == ("telegram", str(ADA), None)
    assert delivery.message == "Reminder: water the plants"
    assert notify.request_context is None
    assert row["told_at"] >= row["due_at"]
    assert await left(place) == 0
    assert 'butlers_reminder_told_total{outcome="sent"} 1.0' in metrics


async def test_it_is_told_at_its_moment_however_rarely_the_queue_is_looked_at(
    place: Place, asks: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("butler_specialist.remind.queue._LOOK_EVERY_S", 3600.0)
    asks(soon(7200, text="later"), soon(1.5), soon(0.5, text="sooner"))
    async with place.specialist() as specialist:
        await specialist.done(message())
        notifies = await told(place, 2)
    assert [one.delivery.message for one in notifies] == ["Reminder: sooner", "Reminder: water the plants"]


async def test_a_request_that_is_worked_on_twice_asks_once(place: Place, asks: Callable[..., None]) -> None:
    asks(soon(3600), soon(7200))
    data = message()
    again = {**data, "subrequest": {**data["subrequest"], "subrequest_id": str(uuid4()), "attempt": 2}}
    async with place.specialist() as specialist:
        await specialist.done(data)
        await specialist.done(again)
    assert await left(place) == await place.pool.fetchval("SELECT count(*) FROM reminders") == 2


async def test_two_replicas_tell_each_once(place: Place, asks: Callable[..., None]) -> None:
    asks(*(soon(0.5, text=f"number {number}") for number in range(15)))
    async with place.specialist() as one, place.specialist():
        await one.done(message())
        await told(place, 15)
        await over(place, "sent")
    assert len(reminders_told(place)) == 15


@pytest.mark.parametrize(
    "point", ["specialist.reminder.begun", "specialist.reminder.told", "specialist.reminder.kept"]
)
async def test_a_break_at_any_step_doubles_nothing_and_loses_nothing(
    place: Place, asks: Callable[..., None], point: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken: list[str] = []

    async def reached(name: str, *_: str) -> None:
        if name == point and not broken:
            broken.append(name)
            raise TargetUnavailable("the process breaks here")

    monkeypatch.setattr("butler_specialist.remind.handler.reached_async", reached)
    asks(soon(), soon(0.4, rule="FREQ=DAILY"))
    async with place.specialist() as specialist:
        await specialist.done(message())
        await told(place, 2)
        async with asyncio.timeout(DEADLINE_S):
            while await place.pool.fetchval("SELECT sum(sent) FROM reminders") < 2:
                await asyncio.sleep(0.05)
    rows = await place.pool.fetch("SELECT * FROM reminders ORDER BY ordinal")
    assert broken == [point]
    assert [(row["state"], row["sent"], row["missed"]) for row in rows] == [("sent", 1, 0), ("waiting", 1, 0)]
    assert len(keys_told(place)) == 2


async def test_what_was_due_while_nothing_ran_is_sent_within_its_grace_and_else_reported_missed(
    place: Place, asks: Callable[..., None]
) -> None:
    asks(
        soon(600, text="an hour"),
        soon(600, text="a day", grace=timedelta(hours=24)),
        soon(600, text="every day", rule="FREQ=DAILY"),
        soon(600, text="every week", rule="FREQ=WEEKLY"),
    )
    async with place.specialist() as specialist:
        await specialist.done(message())
    await place.database.shift_clock(timedelta(days=3))
    async with place.specialist():
        notifies = await told(place, 4)
    said = sorted(one.delivery.message or "" for one in notifies)
    assert [text.split(" (")[0] for text in said if "times" in text] == ["Missed 3 times"]
    assert sum(text.startswith("Missed") for text in said) == 4
    rows = await place.pool.fetch("SELECT state, sent, missed FROM reminders ORDER BY ordinal")
    assert [tuple(row) for row in rows] == [
        ("missed", 0, 1),
        ("missed", 0, 1),
        ("waiting", 0, 3),
        ("waiting", 0, 1),
    ]


async def test_one_that_names_a_day_may_come_late(place: Place, asks: Callable[..., None]) -> None:
    asks(soon(60, grace=timedelta(hours=24)))
    async with place.specialist() as specialist:
        await specialist.done(message())
    await place.database.shift_clock(timedelta(hours=5))
    async with place.specialist():
        [notify] = await told(place)
        await over(place, "sent")
    assert (notify.delivery.message or "").startswith("Reminder (it was due ")


async def test_a_clock_that_jumps_there_and_back_tells_nothing_twice(
    place: Place, asks: Callable[..., None]
) -> None:
    asks(soon(1800), soon(1800, rule="FREQ=DAILY", text="daily"))
    async with place.specialist() as specialist:
        await specialist.done(message())
        await place.database.shift_clock(timedelta(minutes=40))
    async with place.specialist():
        await told(place, 2)
    await place.database.shift_clock(timedelta(0))
    asks(soon(0.2, text="after"))
    async with place.specialist() as specialist:
        await specialist.done(message())
        await told(place, 3)
    assert len(reminders_told(place)) == 3


async def test_an_absent_switchboard_is_waited_for(place: Place, asks: Callable[..., None]) -> None:
    def answer(request: NotifyRequestV1) -> dict[str, Any]:
        first = request.delivery.intent == "send" and len(reminders_told(place)) == 1
        return refused(TargetUnavailable("messenger is away")) if first else delivered(request)

    asks(soon())
    place.switchboard.notify_answer = answer
    async with place.specialist() as specialist:
        await specialist.done(message())
        await over(place, "sent")
    assert len(reminders_told(place)) == 2
    assert len(keys_told(place)) == 1


async def test_a_way_that_is_refused_leaves_the_other_one(place: Place, asks: Callable[..., None]) -> None:
    def answer(request: NotifyRequestV1) -> dict[str, Any]:
        if request.delivery.channel == "telegram" and request.delivery.intent == "send":
            return refused(ValidationFailed("no adapter"))
        return delivered(request)

    place.switchboard.notify_answer = answer
    asks(soon())
    async with place.specialist() as specialist:
        await specialist.done(message())
        await over(place, "sent")
    by_telegram, by_mail = reminders_told(place)
    assert (by_mail.delivery.channel, by_mail.delivery.subject) == ("email", "Reminder: water the plants")
    assert by_mail.delivery.idempotency_key == by_telegram.delivery.idempotency_key


async def test_what_nobody_takes_is_kept_as_missed_with_the_reason(
    place: Place, asks: Callable[..., None]
) -> None:
    place.switchboard.notify_answer = lambda request: (
        refused(ValidationFailed("no adapter")) if request.delivery.intent == "send" else delivered(request)
    )
    asks(soon())
    async with place.specialist() as specialist:
        await specialist.done(message())
        [row] = await over(place, "missed")
        shown = await specialist.get(
            "/ops/v1/reminders?state=missed", token=place.keys.sign("ada", "operator", receiver=place.name)
        )
    assert (row["problem"], row["missed"], row["sent"]) == ("no adapter", 1, 0)
    [one] = shown.json()["reminders"]
    assert (one["text"], one["state"], one["problem"]) == ("water the plants", "missed", "no adapter")


async def test_a_person_sees_and_stops_their_own_and_nobody_elses(
    place: Place, asks: Callable[..., None]
) -> None:
    asks(soon(7200, text="second"), soon(3600, text="first", rule="FREQ=DAILY;COUNT=3"))
    store = ReminderStore(place.pool)
    bea = request_context(source_sender_identity="2002", source_thread_identity="2002")
    async with place.specialist() as specialist:
        await specialist.done(message())
        first, second = await store.find_reminders(ASKER)
        assert (first.text, second.text, second.rule) == ("first", "second", None)
        assert first.rule is not None
        assert first.rule.startswith("FREQ=DAILY;UNTIL=")
        assert await store.find_reminders(replace(ASKER, contact_id=BEA)) == []
        asks(stops=(first.reminder_id,))
        await specialist.done(message(BEA, context=bea))
        assert len(await store.find_reminders(ASKER)) == 2
        await specialist.done(message())
    assert [one.text for one in await store.find_reminders(ASKER)] == ["second"]
    assert await left(place) == 1
    assert await place.pool.fetchval("SELECT state FROM reminders WHERE text = 'first'") == "stopped"


async def test_a_stop_while_it_is_told_ends_the_series(place: Place, asks: Callable[..., None]) -> None:
    hold = asyncio.Event()

    async def gate(tool: str, args: Mapping[str, Any]) -> None:
        if tool == "notify" and args["notify_request"]["delivery"]["intent"] == "send":
            await hold.wait()

    place.switchboard.gate = gate
    asks(soon(rule="FREQ=DAILY"))
    async with place.specialist() as specialist:
        await specialist.done(message())
        await place.switchboard.until(lambda: place.switchboard.order.count("notify") == 2)
        [one] = await ReminderStore(place.pool).find_reminders(ASKER)
        asks(stops=(one.reminder_id,))
        await specialist.done(message())
        hold.set()
        await over(place, "stopped")
        await told(place)
    assert await left(place) == 0


async def test_reminders_that_are_over_go_after_ninety_days(place: Place, asks: Callable[..., None]) -> None:
    from butler_specialist.retention import prune

    asks(soon(), soon(400 * 86_400))
    async with place.specialist() as specialist:
        await specialist.done(message())
        await told(place)
        async with asyncio.timeout(DEADLINE_S):
            while await left(place) > 1:
                await asyncio.sleep(0.02)
    counts = []
    for days in (89, 91):
        await place.database.shift_clock(timedelta(days=days))
        await prune(place.pool)
        counts.append(await place.pool.fetchval("SELECT count(*) FROM reminders"))
    assert counts == [2, 1]


async def test_in_quiet_hours_only_what_has_an_hour_of_its_own_comes(
    place: Place, asks: Callable[..., None]
) -> None:
    now = datetime.now(ZoneInfo("Europe/Berlin"))
    start, end = now - timedelta(hours=2), now + timedelta(hours=2)
    quiet = f'quiet_hours = {{start = "{start:%H:%M}", end = "{end:%H:%M}"}}'
    asks(soon(0.3, text="waits", can_wait=True, rule="FREQ=HOURLY"), soon(0.6, text="rings"))
    async with place.specialist(extra=quiet) as specialist:
        await specialist.done(message())
        [notify] = await told(place)
        waits = (
            "SELECT extract(epoch FROM available_at - now()) FROM reminder_work WHERE available_at > now()"
        )
        async with asyncio.timeout(DEADLINE_S):
            while (seconds := await place.pool.fetchval(waits)) is None or seconds < 3600:
                await asyncio.sleep(0.02)
    assert (notify.delivery.message, notify.delivery.urgency) == ("Reminder: rings", "high")
    assert await place.pool.fetchval("SELECT state FROM reminders WHERE text = 'waits'") == "waiting"
